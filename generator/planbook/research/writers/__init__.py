"""Compose: write a page from a brief and its evidence. Start with `page`, then read one writer.

Each writer has its own module.

::

    Brief, Sources, Evidence ─> a Writer ─> blocks: quotes, code, sentences ─> page ─> Draft
                                extract          (page, quoting)
                                llm              (llm_api, judge)
                                command          (program) ────────────────────────────────> Draft

A writer decides what to say; only `planbook.research.writers.page` decides how that becomes a file:
front matter, references, numbered quotes, prior knowledge, gaps. A program (`command`) returns the
file itself.

A page may cite passages by their numbers: ``passage_citations`` turns them into citations of exact
quotes, which the package ``quote_choice`` chooses. ``gathered_passages`` has the passages,
``citation_points`` the places for citations, ``reference_quotes`` the keys of the quotes.
``page_keys`` adds what the plan knows to the front matter.
"""

from __future__ import annotations

from planbook.research.drafts import Usage


class Unwritten(Exception):  # noqa: N818 - the result of a model or a program, no error of ours
    """No page was written; the message says why. What models were asked until then still counts."""

    def __init__(self, reason: str, usage: Usage | None = None, *, is_reached: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        """Contains no key, even if a host's answer did."""
        self.usage = usage or Usage()
        self.is_reached = is_reached
        """False if the model or program could not be reached at all: then no other page would
        succeed either."""
