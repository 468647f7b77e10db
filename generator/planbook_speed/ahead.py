"""Pages that forked processes read or build ahead of MkDocs, one process per core.

A worker processes a page as MkDocs will, in its own copy of the build, and stores the result where
MkDocs finds it later: in the cache, keyed by all inputs, or with the last build's output. If a
plugin's event returns another text the second time, the result is not found, and the page is
rendered as if there were no workers. Errors and warnings occur again in the main process: no output
of a worker is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from planbook_cache.workers import MIN_ITEMS, cores, start_forked, why_no_fork
from planbook_speed import internals, logs
from planbook_speed.cached_page import CachedPage
from planbook_speed.listeners import undeclared_listener

if TYPE_CHECKING:
    from mkdocs.structure.pages import Page

    from planbook_speed.build_setup import BuildSetup

T = TypeVar("T")
R = TypeVar("R")


def may_fork(setup: BuildSetup, pages: Sequence[Page], events: Sequence[str]) -> bool:
    """Return True if there is enough work for processes.

    The plugins' `events` must be such that they may run there.
    """
    if (setup.options.workers or cores()) < 2 or len(pages) < MIN_ITEMS or internals.STEPS.why_not:
        return False
    if setup.explain is not None:  # MkDocs logs each of its steps, in order
        return False
    reason = why_no_fork()
    if reason is None:
        undeclared = undeclared_listener(setup.config, events, setup.options.repeatable)
        if undeclared is None:
            return True
        reason = (
            f"the plugin {undeclared.plugin!r} may not support running on_{undeclared.event} "
            "twice (see `repeatable`)"
        )
    setup.session.log_once(f"pages are rendered in one process: {reason}")
    return False


def start_ahead(
    items: Sequence[T],
    work: Callable[[T], R | None],
    processes: int,
    load: Callable[[], object] = lambda: None,
) -> Iterator[tuple[T, R]] | None:
    """Begin to call `work` for every item in forked processes.

    Args:
        items: Pages, or whatever else takes part in a build.
        work: See `start_forked`.
        processes: The number of processes; 0 for one per core.
        load: Called once, so that the workers share what it loads.
    """

    def prepare() -> None:
        """Silence this process, and protect the shared HTML file."""
        logs.silence()
        for page in items:
            if isinstance(page, CachedPage):
                page._speed_file.is_read_only = True
                break  # all have the same, and a look at each page would copy its memory
        load()

    return start_forked(items, work, processes=processes, renews=True, prepare=prepare)
