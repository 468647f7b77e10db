"""Show citations as numbered links to the works and quotes that they name."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import quote as percent_encoded

from planbook.citations.in_text import Citation
from planbook.markdown.edits import apply_edits
from planbook.markdown.escape import inline_text
from planbook.model import Reference


@dataclass(frozen=True, slots=True)
class NumberedCitations:
    """The citations of a page, and the numbers of its works and links.

    The markers in the text and the ways back in the list of references have the same numbers.
    """

    references: tuple[Reference, ...]
    """The works in the order of their numbers."""
    citations: tuple[Citation, ...]
    work_numbers: Mapping[str, int]
    """The number of each work, by id: cited ones in order of first use, then the rest."""
    link_numbers: tuple[int | None, ...]
    """For each citation the number of the link that stands for it; ``None`` for an unknown work."""

    @classmethod
    def of(
        cls, references: Sequence[Reference], citations: Sequence[Citation]
    ) -> NumberedCitations:
        """Return the citations of a text, in order, with numbers."""
        known_ids = dict.fromkeys(reference.id for reference in references)
        cited_ids = [citation.reference_id for citation in citations]
        ids = dict.fromkeys(id_ for id_ in [*cited_ids, *known_ids] if id_ in known_ids)
        numbers = {reference_id: number for number, reference_id in enumerate(ids, 1)}
        return cls(
            tuple(sorted(references, key=lambda reference: numbers[reference.id])),
            tuple(citations),
            numbers,
            tuple(_number_links(citations, known_ids)),
        )


def _number_links(citations: Iterable[Citation], known_ids: Container[str]) -> Iterator[int | None]:
    """Yield for each citation the number of its link.

    Citations of known works are counted from 1. Those of one work in one group have the number of
    the first, unless words stand before them.
    """
    number_of_first: dict[tuple[int, int, str], int] = {}
    known_count = 0
    for citation in citations:
        if citation.reference_id not in known_ids:
            yield None
            continue
        known_count += 1
        has_words = bool(citation.prefix) or citation.is_in_text
        if has_words:  # they belong to its link, so it has one of its own
            yield known_count
            continue
        group_and_work = (citation.group_start, citation.group_end, citation.reference_id)
        yield number_of_first.setdefault(group_and_work, known_count)


def link_citations(text: str, numbered: NumberedCitations) -> str:
    """Return `text` with each group of citations as one marker.

    The marker leads to its quotes or entries. Citations of one work in a group share a link. An
    unknown one is shown as it was written.
    """
    by_id = {reference.id: reference for reference in numbered.references}
    placed = zip(numbered.citations, numbered.link_numbers, strict=True)
    groups = groupby(placed, key=lambda pair: pair[0].group)
    edits = [
        (start, end, _marker(list(group), by_id, numbered.work_numbers))
        for (start, end), group in groups
    ]
    return apply_edits(text, edits)


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
    """Its number among the links of the text."""
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

    Each citation has the number of its link.
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
