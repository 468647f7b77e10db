"""Compose: a page out of a brief and its evidence. Each writer has a module of its own.

::

    Brief, Sources, Evidence ─> a Writer ─> blocks: quotes, code, sentences ─> page ─> Draft
                                extract      (quoting, support)
                                llm          (llm_access, llm_apis, llm_prompt, llm_sentences)
                                command      (command_brief, command_program) ─────────> Draft

A writer decides what is said; `generator.research.compose.page` alone decides how that becomes a file: front matter,
references, numbered quotes, what is known, what was not found. A program (`command`) hands in the file itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Protocol

from generator.drafts import Brief, Draft, Evidence, Source


class Writer(Protocol):
    """Writes pages."""

    @property
    def name(self) -> str:
        """As ``--writer`` and the front matter's ``generated`` have it: ``extract``, ``llm``, ``command``."""
        ...

    def write(self, brief: Brief, sources: Sequence[Source], evidence: Sequence[Evidence], day: date) -> Draft:
        """The page that `brief` asks for, made on `day` from `evidence`, whose passages are words of `sources`."""
        ...


class Unwritten(Exception):  # noqa: N818 - what came of asking a model or a program, not an error of ours
    """There is no page, and the message says why. What was asked for it is counted all the same."""

    def __init__(self, reason: str, *, requests: int = 0, tokens: int = 0, is_reached: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        """Holds no key, and nothing that a host may have said of one."""
        self.requests = requests
        self.tokens = tokens
        self.is_reached = is_reached
        """Whether who writes could be asked at all; else no other page would fare better."""
