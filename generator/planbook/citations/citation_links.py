"""Show citations as numbered links to the works and quotes that they name."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import quote as percent_encoded

from planbook.citations.in_text import Citation
from planbook.markdown.edits import apply_edits
from planbook.markdown.escape import inline_text
from planbook.model import Reference


def number_references(
    references: Sequence[Reference], citations: Sequence[Citation]
) -> dict[str, int]:
    """Return each reference's number.

    Cited ones come first, in order of first use, then the rest in their own order.
    """
    known_ids = {reference.id for reference in references}
    order = dict.fromkeys([c.reference_id for c in citations if c.reference_id in known_ids])
    order |= dict.fromkeys(reference.id for reference in references)
    return {name: n for n, name in enumerate(order, 1)}


def link_citations(
    text: str, citations: Sequence[Citation], references: Sequence[Reference]
) -> str:
    """Return `text` with each group of citations as one marker.

    The marker leads to its quotes or entries. Citations of one work in a group share a link. An
    unknown one is shown as it was written.
    """
    by_id = {reference.id: reference for reference in references}
    numbers = number_references(references, citations)
    placed = zip(citations, link_numbers(citations, by_id), strict=True)
    groups = groupby(placed, key=lambda pair: pair[0].group)
    edits = [(start, end, _marker(list(group), by_id, numbers)) for (start, end), group in groups]
    return apply_edits(text, edits)


def link_numbers(citations: Iterable[Citation], known_ids: Container[str]) -> list[int | None]:
    """Return for each citation the number of the link that stands for it; ``None`` if unknown.

    Citations of known works are counted from 1. Those of one work in one group have the number of
    the first, unless words stand before them. The markers in a text and the ways back in its list
    of references have these numbers.
    """
    number_of_first: dict[tuple[int, int, str], int] = {}
    numbers: list[int | None] = []
    known_count = 0
    for citation in citations:
        if citation.reference_id not in known_ids:
            numbers.append(None)
            continue
        known_count += 1
        has_words = bool(citation.prefix) or citation.is_in_text
        if has_words:  # they belong to its link, so it has one of its own
            numbers.append(known_count)
            continue
        group_and_work = (citation.group_start, citation.group_end, citation.reference_id)
        numbers.append(number_of_first.setdefault(group_and_work, known_count))
    return numbers


def replace_groups(
    text: str, citations: Iterable[Citation], show: Callable[[Sequence[Citation]], str]
) -> str:
    """Return `text` with each group of citations, in order, replaced by what `show` returns."""
    groups = (list(group) for _, group in groupby(citations, key=lambda c: c.group))
    return apply_edits(text, ((*group[0].group, show(group)) for group in groups))


def quote_of(reference: Reference, citation: Citation) -> str | None:
    """Return the quote that a citation's locator names, if any."""
    return dict(reference.quotes).get(citation.locator or "")


def cite_anchor(n: int) -> str:
    """Return the HTML id of the `n`-th citation of a known work on its page, counted from 1.

    No heading has it, and the scripts know a citation by it: `CITATION` in ``evidence.js``.
    """
    return f"c.{n}"


def quote_anchor(work: int, key: str) -> str:
    """Return the HTML id of a quote in the References section.

    `work` is its reference's number on the page.
    """
    return f"r{work}.{key}"


@dataclass(slots=True)
class _Link:
    """A link of a marker: to a work, or to its quotes."""

    link_number: int
    """Its number among the links of the text, as `link_numbers` returns it."""
    work_number: int
    """The number of its work in the list of references."""
    targets: list[str]
    prefix: str = ""
    name: str = ""
    """The work's name in a sentence."""

    def html(self, text: str) -> str:
        """Return the link with this text.

        Without scripts it leads to its first target. ``evidence.js`` shows all of them: it reads
        the others from ``data-also``, ids between blanks, each percent-encoded as in an address.
        """
        first, *other_targets = dict.fromkeys(self.targets)
        data_of = " ".join(percent_encoded(other, safe=".") for other in other_targets)
        also = f' data-also="{_escape_text(data_of)}"' if other_targets else ""
        href = f"#{_escape_text(first)}"
        return f'<a id="{cite_anchor(self.link_number)}" href="{href}"{also}>{text}</a>'


def _marker(
    group: Sequence[tuple[Citation, int | None]],
    by_id: Mapping[str, Reference],
    work_numbers: Mapping[str, int],
) -> str:
    """Return a group as one marker: ``[5]``, or ``[5, 7]`` with a link for each work.

    Each citation has the number of its link, as `link_numbers` returns it.
    """
    links: dict[int, _Link] = {}
    unknown = []
    for citation, link_number in group:
        reference = by_id.get(citation.reference_id)
        if reference is None or link_number is None:
            mark = _escape_text(f"@{citation.reference_id}?")
            unknown.append(f'<span class="pb-cite-unknown">&#91;{mark}&#93;</span>')
            continue
        work_number = work_numbers[reference.id]
        is_quote = quote_of(reference, citation) is not None
        target = (
            quote_anchor(work_number, citation.locator or "") if is_quote else f"ref-{reference.id}"
        )
        name = (reference.cited_as or reference.title) if citation.is_in_text else ""
        if link_number not in links:
            links[link_number] = _Link(link_number, work_number, [], citation.prefix, name)
        links[link_number].targets.append(target)
    return _list_links(list(links.values()), unknown)


def _list_links(links: Sequence[_Link], unknown: Sequence[str]) -> str:
    """Return the links of a group: with the words before them, if there are any, or in brackets."""
    if any(link.prefix or link.name for link in links):
        link_htmls = [_link_with_words(link) for link in links]
        joined_links = "; ".join([*link_htmls, *unknown])
        has_prefix = any(link.prefix for link in links)
        return f"({joined_links})" if has_prefix else joined_links
    if len(links) > 1:
        inside = ", ".join(link.html(str(link.work_number)) for link in links)
        return rf'<span class="pb-cites">\[{inside}\]</span>{"".join(unknown)}'
    return "".join([*(link.html(rf"\[{link.work_number}\]") for link in links), *unknown])


def _link_with_words(link: _Link) -> str:
    words = " ".join(filter(None, (_escape_text(link.prefix), _escape_text(link.name))))
    html = link.html(rf"\[{link.work_number}\]")
    return f"{words} {html}".lstrip()


def _escape_text(text: str) -> str:
    """Return `text` escaped and on one line, for an attribute or element within Markdown.

    No template can make these elements: Markdown is read after them, so what it would read has to
    be an entity, too, and not only what HTML would.
    """
    return inline_text(" ".join(text.split()))
