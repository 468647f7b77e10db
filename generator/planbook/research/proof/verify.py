"""Verify the references that a page cites. Pure: start with `verify_reference`.

Cited references and fetched texts go in, and results come out.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urldefrag

from msgspec.structs import replace

from planbook.citations import report
from planbook.citations.earlier_quotes import quote_sha256
from planbook.citations.identifiers import is_web
from planbook.citations.pins import custom_of, read_pin, read_recorded_lines
from planbook.citations.quotes import (
    Readings,
    contains_quote,
    find_passage_around,
    printable_markdown,
    strip_escapes,
)
from planbook.citations.references import items_by_id, read_references, reference_sha256
from planbook.citations.repository_files import RENDERED_SUFFIXES, RepositoryFile, parse_file_url
from planbook.citations.working_tree_quotes import find_changes, read_cited_lines
from planbook.markdown.document import read_document
from planbook.model import Reference
from planbook.research.web.model import Fetched, Outcome

Answers = dict[RepositoryFile | str | None, tuple[Fetched, ...]]
"""Fetched texts by file at a commit or by address, each followed by the file's newest version if it
was read."""
_READ_OUTCOMES = frozenset({Outcome.OK, Outcome.MOVED})


@dataclass(frozen=True, slots=True)
class CitedReference:
    """A reference that a page cites, with what the page records about it."""

    reference: Reference
    sha256: str | None = None
    """Hash of the text that the page was written from."""
    pin: RepositoryFile | None = None
    """The file at a full commit that it cites, by its URL or its recorded origin."""
    lines: tuple[tuple[str, tuple[int, int]], ...] = ()
    """Lines of that file that hold a quote, by the quote's key."""
    reference_sha256: str = ""
    """See `reference_sha256`."""
    working_tree_lines: tuple[tuple[str, tuple[int, int]], ...] = ()
    """Lines of a file of the base's own repository that hold a quote, by the quote's key."""
    uri: str = ""
    """The page that cites it."""
    is_written: bool = False
    """True if its reference is in the front matter; others were found in prose."""
    is_reviewed: bool = False
    """True if a person has reviewed its page, and so decided on doubtful sources."""
    copied: str = ""
    """The day of the copy in which it was read at an earlier check; empty if there was none."""

    @property
    def file(self) -> str:
        """The local document that the reference names; empty if it names none."""
        return "" if is_web(self.reference.file) else self.reference.file

    @property
    def url(self) -> str | None:
        """The URL to check, without its fragment; ``None`` if it is not on the web."""
        address = urldefrag(self.reference.url or "").url
        return address if re.match(r"https?://", address, re.IGNORECASE) else None

    def find(self, answers: Answers) -> tuple[Fetched, ...]:
        """Return the file in a mirror, followed by its newest version, else the document.

        The document is the local file if that could be read, else what the address has, else why
        there is no file. If nothing was read, the result is empty.
        """
        in_mirror = answers.get(self.pin)
        if in_mirror:
            return in_mirror
        file = answers.get(self.file or self.reference.file) or ()
        if file and file[0].outcome in _READ_OUTCOMES:
            return file
        return answers.get(self.url) or file or answers.get(self.reference.url) or ()

    def file_defect(self, answers: Answers) -> str:
        """Return why the local document that it names could not be read; else empty."""
        file = answers.get(self.file) if self.file else None
        if not file or file[0].outcome in _READ_OUTCOMES:
            return ""
        return file[0].reason


def read_cited_references(text: str, uri: str) -> tuple[CitedReference, ...]:
    """Return the references that a page cites, in their order."""
    meta = read_document(text).meta
    written = items_by_id(meta)
    is_reviewed = bool(meta.get("reviewed"))
    cited_references = []
    for reference in read_references(text, uri)[0]:
        cited = _read_cited_reference(reference, written.get(reference.id), uri)
        cited_references.append(dataclasses.replace(cited, is_reviewed=is_reviewed))
    return tuple(cited_references)


def note_copies(
    cited_references: Iterable[CitedReference], earlier: report.PageResult | None
) -> tuple[CitedReference, ...]:
    """Return the references of a page with the days of the copies that its last result names."""
    works = earlier.references if earlier else ()
    copies = {work.id: work.copy or "" for work in works}
    return tuple(
        dataclasses.replace(cited, copied=copies.get(cited.reference.id, ""))
        for cited in cited_references
    )


def _read_cited_reference(
    reference: Reference, item: Mapping[str, Any] | None, uri: str
) -> CitedReference:
    """Return a reference with what its `item` in the front matter records, if it has one."""
    recorded = item or {}
    pin = read_pin(item or {"URL": reference.url})
    working_tree_lines: Mapping[str, tuple[int, int]] = {}
    if not is_web(reference.url):
        working_tree_lines = read_cited_lines(reference.quotes, recorded)
    sha256 = str(custom_of(recorded).get("sha256") or "").strip().lower()
    return CitedReference(
        reference,
        sha256=sha256 or None,
        pin=pin,
        lines=tuple(_lines_of_quotes(reference, pin, recorded)) if pin else (),
        reference_sha256=reference_sha256(reference, item),
        working_tree_lines=tuple(working_tree_lines.items()),
        uri=uri,
        is_written=item is not None,
    )


def _lines_of_quotes(
    reference: Reference, pin: RepositoryFile, item: Mapping[str, Any]
) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the recorded lines of each quote, or else those of the URL."""
    recorded = read_recorded_lines(item)
    for key, _ in reference.quotes:
        lines = recorded.get(key) or pin.lines
        if lines:
            yield key, lines


# --- results --------------------------------------------------------------------------------------


def verify_reference(
    cited: CitedReference,
    fetched: Fetched | None,
    checked: str = "",
    *,
    offline: bool = False,
    file_defect: str = "",
) -> report.SourceResult:
    """Return the result for one reference.

    Args:
        cited: the reference.
        fetched: the document that it cites; ``None`` if it was not requested.
        checked: the time of the check.
        offline: whether only stored texts were read.
        file_defect: why the local document that it names could not be read.
    """
    reference = cited.reference
    result = report.SourceResult(
        reference.id,
        reference.url,
        cited.reference_sha256,
        checkable=cited.url is not None or fetched is not None,
        checked=checked,
        offline=offline,
        file=cited.file,
        quote_sha256={key: quote_sha256(quote) for key, quote in reference.quotes},
    )
    if fetched is None:
        reason = _why_not_read(cited)
        return _add_findings(replace(result, reason=reason))
    is_file_read = cited.file and file_defect in {"", fetched.reason}
    result = replace(
        result,
        outcome=fetched.outcome,
        reason=fetched.reason,
        status_code=fetched.status_code,
        moved_to=fetched.moved_to,
        fetched=fetched.fetched or None,
        file_sha256=(fetched.response or "") if is_file_read else "",
    )
    findings = [file_defect] if file_defect and fetched.reason != file_defect else []
    if fetched.outcome in _READ_OUTCOMES:
        result, of_text = _compare_text(cited, fetched, result)
        findings += of_text
    return _add_findings(result, findings)


def _why_not_read(cited: CitedReference) -> str:
    """Return why no document was read for a reference, and what to do."""
    if not cited.url:
        return "no web address"
    if cited.copied:
        return (
            f"no stored text, and the copy in which it was read on {cited.copied} was not found: "
            "put the file back into documents/, name the folder of copies, or run without --offline"
        )
    return "no stored text; run without --offline"


def _compare_text(
    cited: CitedReference, fetched: Fetched, result: report.SourceResult
) -> tuple[report.SourceResult, list[str]]:
    """Return the result with what the text of the document shows, and the points to fix."""
    reference = cited.reference
    pin = cited.pin if fetched.origin and fetched.origin.committed else None
    texts = Readings(fetched.visible, fetched.text)
    result = replace(
        result,
        content=_content_of(cited, pin, fetched),
        doubt="" if cited.is_reviewed else fetched.doubt,
        sha256=fetched.sha256,
        quotes={key: contains_quote(quote, texts) for key, quote in reference.quotes},
        copy=fetched.fetched[:10] if fetched.is_copy else None,
        passages=dict(_paragraphs_around(reference.quotes, fetched)),
    )
    findings = []
    if pin:
        lines = _ProvenLines(cited, pin, result, fetched)
        result = replace(result, pinned=lines.proof())
        findings += lines.findings()
    if fetched.is_from_working_tree:
        path = fetched.title or reference.url or ""
        changes = find_changes(reference.quotes, dict(cited.working_tree_lines), path, fetched.text)
        findings += [change.message for change in changes]
    return result, findings


def _content_of(
    cited: CitedReference, pin: RepositoryFile | None, fetched: Fetched
) -> report.Content:
    """Return how a text compares with the one that the page was written from."""
    if pin:  # a commit does not change
        return report.Content.SAME
    if not cited.sha256:
        return report.Content.UNRECORDED
    is_same = cited.sha256 == fetched.sha256
    return report.Content.SAME if is_same else report.Content.CHANGED


def _paragraphs_around(
    quotes: Iterable[tuple[str, str]], fetched: Fetched
) -> Iterator[tuple[str, report.QuotedParagraph]]:
    """Yield the paragraph around each quote that the source contains."""
    for key, quote in quotes:
        passage = _quoted_paragraph(quote, fetched)
        if passage:
            yield key, passage


def _quoted_paragraph(quote: str, fetched: Fetched) -> report.QuotedParagraph | None:
    """Return the paragraph around a quote in the best form of a text that contains it."""
    path = PurePosixPath(fetched.origin.path if fetched.origin else "")
    is_code = fetched.has_lines and path.suffix.lower() not in {*RENDERED_SUFFIXES, "", ".txt"}
    # The best form is the last. As briefs print it, a text is plain, and its lines stay where they
    # are.
    is_by_line = {
        printable_markdown(fetched.text): True,
        strip_escapes(fetched.text): True,
        fetched.text: False,
    }
    is_by_line[fetched.visible] = "html" in fetched.media_type
    for text, by_line in reversed(is_by_line.items()):
        passage = find_passage_around(quote, text, is_code=is_code, by_line=by_line)
        if passage:
            words, start, end = passage
            first, last = (text.count("\n", 0, at) + 1 for at in (start, end))
            return report.QuotedParagraph(
                words,
                fetched.sha256 or "",
                fetched.fetched[:10],
                (first, last) if fetched.has_lines else None,
                text.count("\f", 0, start) + 1 if "\f" in text else None,
            )
    return None


def _add_findings(result: report.SourceResult, more: Iterable[str] = ()) -> report.SourceResult:
    """Return the result with all points to fix or review."""
    if not result.checkable:
        return replace(result, well=True)
    findings = [f"moved to {result.moved_to}"] if result.moved_to else []
    if result.outcome is None:
        findings.append(f"not checked: {result.reason}")
    elif result.outcome not in _READ_OUTCOMES:
        findings.append(f"{result.outcome.replace('_', ' ')}: {result.reason}")
    if result.doubt:
        fix = "cite the page that was meant, or review this page"
        findings.append(f"doubtful: {result.doubt}; {fix}")
    if result.content is report.Content.CHANGED:
        findings.append("changed: its text differs from when the page was written")
    absent = [key for key, is_there in result.quotes.items() if not is_there]
    findings += [f"quote {key} not found" for key in absent]
    findings += more
    is_well = result.outcome == Outcome.OK and not findings
    return replace(result, findings=tuple(findings), well=is_well)


def report_page(
    cited_references: Sequence[CitedReference],
    answers: Answers,
    checked: str,
    text_sha256: str,
    *,
    offline: bool,
) -> report.PageResult:
    """Return the result for one page; `text_sha256` is its `pages.fingerprint`."""
    wanted = sum(len(cited.reference.quotes) for cited in cited_references)
    results = []
    for cited in cited_references:
        fetched = next(iter(cited.find(answers)), None)
        defect = cited.file_defect(answers)
        results.append(
            verify_reference(cited, fetched, checked, offline=offline, file_defect=defect)
        )
    return report.make_page_result(tuple(results), checked, text_sha256, wanted, offline=offline)


# --- files at a commit ----------------------------------------------------------------------------


class _ProvenLines:
    """The quotes of a reference, compared with the lines of a file at a commit."""

    def __init__(
        self,
        cited: CitedReference,
        pin: RepositoryFile,
        result: report.SourceResult,
        fetched: Fetched,
    ) -> None:
        self._pin, self._fetched = pin, fetched
        self._quotes = dict(cited.reference.quotes)
        self._there = [key for key, is_there in result.quotes.items() if is_there]
        self._named: dict[str, tuple[int, int]] = {}
        """The lines of the quotes that the file has."""
        if fetched.has_lines:
            self._named = {key: span for key, span in cited.lines if key in self._there}
        self._wrong = [
            key
            for key, span in self._named.items()
            if not _is_at_lines(self._quotes[key], fetched.text, span)
        ]

    def findings(self) -> list[str]:
        """Return the points to fix about the lines."""
        findings = [
            f"quote {key} is not at its lines {_written_lines(self._named[key])}"
            for key in self._wrong
        ]
        length = self._fetched.text.count("\n") + 1
        lines = self._pin.lines
        if lines and self._fetched.has_lines and lines[1] > length:
            written = _written_lines(lines)
            findings.append(f"its lines {written} are not there: the file has {length}")
        return findings

    def proof(self) -> report.PinResult:
        """Return what the file proves."""
        pin = self._pin
        origin = self._fetched.origin
        day = (origin.committed if origin else "") or ""
        proven = f"{self._describe()} at that commit of {day}"
        return report.PinResult(pin.repository, pin.path, pin.ref, day, proven)

    def _describe(self) -> str:
        """Return how many quotes are at their lines, or else in the file."""
        total, present = len(self._quotes), len(self._there)
        if not total:
            return "the page quotes nothing from it; that file is there"
        which = "this quote is" if total == present == 1 else f"{present} of {total} quotes are"
        are_all_at_lines = not self._wrong and len(self._named) == present
        return f"{which} {'at those lines of that file' if are_all_at_lines else 'in that file'}"


def name_commit(fetched: Fetched) -> str:
    """Return the commit of a file of a mirror, with its date, for users."""
    file = parse_file_url(fetched.url)
    day = f" of {fetched.origin.committed}" if fetched.origin else ""
    return f"commit {file.ref[:12] if file else ''}{day}"


def _is_at_lines(quote: str, text: str, span: tuple[int, int]) -> bool:
    """Return whether some lines of a text, 1-based and inclusive, contain a quote."""
    first, last = span
    part = "\n".join(text.split("\n")[first - 1 : last])
    return contains_quote(quote, Readings(part, part))


def _written_lines(lines: tuple[int, int]) -> str:
    """Return lines as a message names them: ``10–20``, or ``10``."""
    first, last = lines
    return str(first) if first == last else f"{first}–{last}"
