"""The state of each source of a claim, and what was read of it. Pure."""

from __future__ import annotations

from planbook.citations.identifiers import is_web
from planbook.research.audit.comparison.read_source import ReadSource
from planbook.research.audit.findings import AuditedSource, SourceState
from planbook.research.web.model import Fetched, Outcome


def state_source(url: str, answer: ReadSource | Fetched | None, *, is_guess: bool) -> AuditedSource:
    """Return a source of a claim, with its state and what was read of it.

    A guessed file without the cited lines is not missing: the page may mean another one.
    """
    if answer is None:
        return AuditedSource(url, SourceState.NOT_READ, "no stored text")
    if isinstance(answer, ReadSource):
        fetched = answer.fetched
        if fetched.moved_to:
            return AuditedSource(url, SourceState.MOVED, fetched.moved_to)
        return AuditedSource(url, SourceState.READ, _describe_copy(fetched))
    if is_guess:
        reason = f"the page may mean another file: {answer.reason or answer.outcome.value}"
        return AuditedSource(url, SourceState.NOT_READ, reason)
    is_gone = answer.outcome is Outcome.GONE
    state = SourceState.MISSING if is_gone else SourceState.UNREACHABLE
    return AuditedSource(url, state, answer.reason or answer.outcome.value)


def _describe_copy(fetched: Fetched) -> str:
    """Return what was read instead of the address: a copy, or a commit; else empty."""
    if fetched.is_local and is_web(fetched.url):
        return f"saved in {fetched.title}"
    if fetched.is_copy:
        return f"copy of {fetched.fetched[:10]}"
    origin = fetched.origin
    if origin and origin.committed:
        return f"commit {(origin.commit or '')[:12]} of {origin.committed}"
    return ""
