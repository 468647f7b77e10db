"""The result of `planbook finish` as JSON data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planbook.library.pages import read_page
from planbook.problems import requirement

if TYPE_CHECKING:
    from planbook.model import Problem
    from planbook.research.recording.page_attempt import PageAttempt
    from planbook.research.submission.submit_result import Change, SubmitResult


def submission_to_json(result: SubmitResult, docs: str) -> dict[str, Any]:
    """Return the result of a submission as JSON data.

    It says whether the page is accepted, and what to change.
    """
    records = result.summary.records
    return {
        "version": 1,
        "is_accepted": result.is_accepted,
        "is_check": result.is_check,
        "is_unchanged": result.is_unchanged,
        "changes": [_change_to_json(change, docs) for change in result.changes],
        "warnings": [_change_to_json(change, docs) for change in result.warnings],
        "notes": [_draft_finding_to_json(note, docs) for note in result.notes],
        "quotes_added": sum(page.quoted for page in result.pages),
        "weak": [
            {
                "path": f"{docs}/{weak.page}",
                "line": weak.line,
                "statement": weak.statement.text,
                "missing": list(weak.statement.missing),
                "quotes": list(weak.statement.quotes),
                "nearest": weak.nearest,
            }
            for weak in result.weak
        ],
        "left_out": [
            {"id": name, "heading": list(passage.excerpt.headings), "text": passage.warning}
            for name, passage in result.omitted_warnings
        ],
        "unused_sections": [
            {"id": name, "heading": section.heading} for name, section in result.unused_sections
        ],
        "partly_listed": [
            {"id": name, "size": items.size, "missing": list(items.missing)}
            for name, items in result.partly_listed
        ],
        "grounds": {f"{docs}/{page.brief.page}": _grounds_of(page) for page in result.pages},
        "pages": [{"page": f"{docs}/{record.page}", "drop": record.drop} for record in records],
        "commit": result.summary.commit,
        "troubles": list(result.summary.troubles),
    }


def checked_part_to_json(result: SubmitResult, docs: str) -> dict[str, Any]:
    """Return what was found on the pages of a PART as JSON data."""
    brief = result.pages[0].brief
    return {
        "plan": str(brief.plan.uri),
        "part": brief.part.number,
        "is_accepted": result.is_accepted and not result.unread,
        "unread": [{"path": f"{docs}/{uri}", "id": work} for uri, work in result.unread],
        "pages": [f"{docs}/{page.brief.page}" for page in result.pages],
        "changes": [_change_to_json(change, docs) for change in result.changes],
        "warnings": [_change_to_json(change, docs) for change in result.warnings],
    }


def _grounds_of(page: PageAttempt) -> dict[str, int]:
    """Return the number of sentences of a page by ground, if it marks any."""
    text = page.draft.text if page.draft else ""
    page_on_disk, _ = read_page(text.encode(), page.brief.page, is_replaced=False)
    return dict(page_on_disk.grounds)


def _change_to_json(change: Change, docs: str) -> dict[str, Any]:
    """Return a finding as JSON data, with the passage that may help."""
    passage = None
    if change.passage:
        name, text = change.passage
        passage = {"id": name, "text": text}
    return {**_draft_finding_to_json(change.problem, docs), "passage": passage}


def _draft_finding_to_json(finding: Problem, docs: str) -> dict[str, Any]:
    """Return a finding as JSON data."""
    from planbook.research.drafts import SentenceProblem

    in_sentence = finding if isinstance(finding, SentenceProblem) else None
    return {
        "path": f"{docs}/{finding.uri}",
        "line": finding.line,
        "code": finding.code,
        "requirement": requirement(finding),
        "message": finding.message,
        "sentence": in_sentence.sentence if in_sentence else "",
        "missing": list(in_sentence.missing) if in_sentence else [],
    }
