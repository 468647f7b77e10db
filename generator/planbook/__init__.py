"""Planbook: research plans go in, a cited knowledge site comes out.

The build flow, run by MkDocs through :mod:`planbook.plugin`::

    plans/*.md ──┐                                        ┌─> FilesEditor ─> MkDocs ─> site/
    docs/**.md ──┼─ store ─> plan.parse ─> library ─> views
    drops     ───┘  read      parse_page    link      render└─> problems ─> log

    read (I/O) -> parse (pure) -> link (pure) -> render (pure) -> emit (I/O) -> report (I/O)

Everything between *read* and *emit* is a pure function of values in :mod:`planbook.model`, and
returns defects of its input as :class:`~planbook.model.Problem` values along with its result.

Read `plugin` first for a build, `cli` for a command, and `research` for a run of `planbook expand`.
`model` and `problems` have the values that all exchange. `markdown` and `citations` read pages,
`rules` checks them, and `runners` has the files for coding agents. The page *Architecture* of the
Guide draws all of it.
"""

__version__ = "0.1.0"
