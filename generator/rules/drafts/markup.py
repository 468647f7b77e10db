"""Gates on what a page may do: no HTML, no directive, no fence left open, no link elsewhere, no credential."""

from __future__ import annotations

import re
from collections.abc import Iterator

from generator.drafts import Finding
from generator.markdown.document import Node
from generator.page.links import resolved
from generator.rules.credentials import find_credentials
from generator.rules.drafts.handed import Handed, failure, report

_ATTRIBUTES = re.compile(r"(?<!\\)\{:?[^{}\n]{0,300}=[^{}\n]{0,300}\}|^[ \t]*\{:[^{}\n]*\}", re.MULTILINE)
_TEMPLATE = re.compile(r"(?<!\\)\{[{%#]")
_DIRECTIVE = re.compile(r"^[ \t>]*(?:!!! |\?\?\?\+? |=== [\"']|/// |::: |;*-{1,}8<-)", re.MULTILINE)
_INCLUDE = re.compile(r"^[ \t>]*;*-{1,}8<-{1,}", re.MULTILINE)
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_ODD_LINK = re.compile(r"(?<!\\)\](?:\(|:)\s*<?\s*(?:javascript|data|vbscript|file)\s*:", re.IGNORECASE)
"""A link that Python-Markdown may see where CommonMark sees none."""


def ask_markup(handed: Handed) -> Iterator[Finding]:
    """Markdown alone."""
    told = report if handed.is_by_hand else failure
    for node in handed.nodes:
        if node.name in {"Html", "InlineHtml"}:
            found = " ".join(handed.body[node.start : node.end].split())[:60]
            yield failure("markup", f"raw HTML: {found}", handed.line(node.start))
    text = handed.text
    for pattern, what in (
        (_ATTRIBUTES, "an attribute list"),
        (_TEMPLATE, "a template's braces"),
        (_DIRECTIVE, "a directive"),
    ):
        for match in pattern.finditer(text):
            yield told("markup", f"{what}: {match[0].strip()[:60]}", handed.line(match.start()))
    for match in _INCLUDE.finditer(handed.body):  # these work within code, too
        yield failure("markup", f"a line that pulls in a file: {match[0].strip()}", handed.line(match.start()))


def ask_fences(handed: Handed) -> Iterator[Finding]:
    """Every fence is closed by one like it; there is one front matter."""
    if re.match(r"(?:---|\+\+\+|;;;)[ \t]*(?:\n|$)", handed.body):
        yield failure("fences", "the body begins like another front matter", handed.line(0))
    for node in handed.nodes:
        if node.info is not None and not _is_closed(handed, node):
            yield failure("fences", "this fence is not closed by one like it", handed.line(node.start))


def _is_closed(handed: Handed, node: Node) -> bool:
    lines = handed.body[node.start : node.end].rstrip().split("\n")
    first, last = _FENCE.match(lines[0]), _FENCE.match(lines[-1])
    return bool(len(lines) > 1 and first and last and first[1] == last[1] and not lines[-1][last.end() :].strip())


def ask_links(handed: Handed) -> Iterator[Finding]:
    """Links to the web or to pages of the base; pictures of the base's own."""
    for node in handed.nodes:
        if node.name in {"Link", "Image"}:
            address = node.address
            wrong = _wrong_picture(address) if node.name == "Image" else _wrong_link(handed, address)
            line = handed.line(node.start)
            if wrong:
                yield failure("links", wrong, line)
            elif node.name == "Link" and _is_page(address) and not _is_web(address):
                page, is_planned = _leads_to(handed, address)
                if is_planned:
                    yield report("links", f"{page} is planned, not written yet: its outline stands there so far", line)
            elif not address.startswith("#") and not _is_web(address) and not _is_page(address):
                told = report if handed.is_by_hand else failure
                yield told("links", f"{address!r} leads to a file, of which the gates do not know if it is there", line)
    for match in _ODD_LINK.finditer(handed.text):
        yield failure("links", f"a link that is none to the web: {match[0][:60]}", handed.line(match.start()))


def _wrong_picture(address: str) -> str:
    is_own = not _SCHEME.match(address) and not address.startswith("//")
    return "" if is_own else f"the picture {address!r} is asked of another host; keep it in the base"


def _wrong_link(handed: Handed, address: str) -> str:
    if _is_web(address) or address.startswith("#"):
        return ""
    if _SCHEME.match(address) or address.startswith("//"):
        return f"{address!r} is no http(s) address"
    if not _is_page(address):
        return ""
    page, is_planned = _leads_to(handed, address)
    if page is None:
        return f"{address!r} leads out of the base"
    is_known = is_planned or page in handed.base_pages or page == handed.brief.page
    return "" if is_known else f"the base has no page {page}, and plans none"


def _leads_to(handed: Handed, address: str) -> tuple[str | None, bool]:
    """The page that the address leads to, ``None`` where it leaves the base; and whether it is planned only."""
    own, there = handed.brief.page, handed.base_pages
    page, planned = resolved(address, own, there), resolved(address, own, handed.planned)
    is_planned = page not in there and planned != own and planned in handed.planned
    return (planned if is_planned else page), is_planned


def _is_web(address: str) -> bool:
    return bool(re.match(r"https?://[^\s/?#]", address, re.IGNORECASE))


def _is_page(address: str) -> bool:
    return re.split(r"[?#]", address, maxsplit=1)[0].endswith(".md")


def ask_credentials(handed: Handed) -> Iterator[Finding]:
    """No key, token or password; it is not told again."""
    for line, what in find_credentials(handed.draft.text):
        yield failure("credentials", f"{what} stands here; take it out, and revoke it", line)
