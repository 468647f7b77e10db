"""A page's citations and references in a CSL style. citeproc-py says the words; tags, links and anchors are ours."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

from citeproc import Citation as Cluster
from citeproc import CitationItem, CitationStylesBibliography, Locator
from citeproc.source import Date, VariableError
from citeproc.source.json import CiteProcJSON
from citeproc.string import String
from markupsafe import Markup, escape

from generator.model import Reference
from generator.page.citations import (
    Citation,
    citation_groups,
    citation_tag,
    cite_anchor,
    inline_text,
    numbered,
    quoted,
    unknown_citation,
)
from generator.views.csl.items import readable_item, text_of
from generator.views.csl.locators import parse_locator
from generator.views.csl.markup import Formatter, as_cite, punctuated, to_html, unmarked
from generator.views.csl.processor import LetteredYear
from generator.views.csl.style import Style, StyleError


@dataclass(frozen=True, slots=True)
class Shown:
    """What a page shows of its citations and references."""

    groups: tuple[str, ...]
    """Each group of citations, as HTML that may stand in a paragraph of Markdown."""
    entries: tuple[tuple[str, Markup], ...]
    """Each reference by its id, in the style's order."""
    notes: tuple[Markup, ...]
    """The notes that the groups lead to, in order; none where the style cites in the text."""


def show(
    style: Style,
    items: Mapping[str, Any],
    references: Sequence[Reference],
    citations: Sequence[Citation],
    hrefs: Mapping[str, str],
) -> Shown:
    """A page's citations and references in `style`.

    `items` are its CSL items and `hrefs` the addresses that its references lead to, both by the references' ids.
    Raises StyleError where citeproc-py cannot apply the style.
    """
    page = _Page(style, items, references, citations, hrefs)
    try:
        page.prepare()
        groups = tuple(map(page.group, citation_groups(citations)))
        entries = tuple((reference.id, page.entry(reference)) for reference in page.in_order())
    except Exception as error:  # where a style does what it does not expect, citeproc-py runs into any kind of error
        place = f"to @{page.at}" if page.at else "to the order of works"
        what = f"citeproc-py cannot apply it {place} ({type(error).__name__}: {error}); set another style"
        raise StyleError(f"{style.name}: {what}") from error
    return Shown(groups, entries, tuple(page.notes))


class _Page:
    """What citeproc-py needs to know of a page while its citations are rendered one after another."""

    def __init__(
        self,
        style: Style,
        items: Mapping[str, Any],
        references: Sequence[Reference],
        citations: Sequence[Citation],
        hrefs: Mapping[str, str],
    ) -> None:
        self.style, self.items, self.hrefs = style, items, hrefs
        self.references = {reference.id: reference for reference in references}
        numbers = numbered(references, citations)
        self.keys = {name: f"k{n}" for name, n in numbers.items()}  # citeproc-py folds the case of ids
        self.csl = style.processor()
        self.names = {key: name for name, key in self.keys.items()}
        self.letters: dict[str, str] = {}
        source = CiteProcJSON([readable_item(items.get(name) or {}, key) for name, key in self.keys.items()])
        self.bibliography = CitationStylesBibliography(self.csl, source, Formatter)
        self.first = {name: CitationItem(key) for name, key in self.keys.items()}
        for item in self.first.values():
            self.bibliography.register(Cluster([item]))
        # lxml forgets what was set on an element that nothing refers to, and citeproc-py sets things on these two
        self.citation = self.csl.root.citation
        self.layout = self.citation.layout
        self.citation.cites = []
        self.locators: dict[tuple[str, str], Locator] = {}
        self.seen: Counter[str] = Counter()
        self.notes: list[Markup] = []
        self.at = ""
        """The reference at hand, for the word on an error."""
        moves = self.csl.root.get_locale_option("punctuation-in-quote") == "true"
        self.closing_quote = str(self.csl.root.get_single_term(name="close-quote")) if moves else ""

    def in_order(self) -> list[Reference]:
        """The references as the style sorts them."""
        return [self.references[self.names[key]] for key in self.bibliography.keys]

    def prepare(self) -> None:
        """Sorts the works; gives those that would be cited by the same words a letter each, where the style does so."""
        if self.style.has_bibliography:
            self.bibliography.sort()
        if not self.style.tells_years_apart:
            return
        alike: dict[str, list[str]] = defaultdict(list)
        for reference in self.in_order():
            alike[self._cite(reference.id, self.first[reference.id])].append(reference.id)
        for names in alike.values():
            for n, name in enumerate(names if len(names) > 1 else ()):
                self.letters[name] = _letter(n)
                if self.style.has_year_suffix:
                    self._variables(name)["year_suffix"] = String(_letter(n))

    def group(self, group: Sequence[Citation]) -> str:
        """One group of citations as HTML within Markdown; in a style of notes, its number, and one more note."""
        known = [citation for citation in group if citation.reference in self.references]
        unknown = "; ".join(unknown_citation(c) for c in group if c.reference not in self.references)
        if not known:
            return f'<span class="pb-cites">&#91;{unknown}&#93;</span>'
        text = self._cluster(known)
        for citation in known:
            self.seen[citation.reference] += 1
        if self.style.is_note:
            return self._note(known, text) + unknown
        tags = [
            (citation_tag(self.references[c.reference], c, self._count(known, n)), "</a>") for n, c in enumerate(known)
        ]
        html = to_html(text, inline_text, tags)
        return f'<span class="pb-cites pb-styled">{html}{f" {unknown}" if unknown else ""}</span>'

    def entry(self, reference: Reference) -> Markup:
        """A reference in the list, its address or title as a link where the style shows one of them."""
        self.at = reference.id
        item = self.first[reference.id]
        if self.style.has_bibliography:
            layout = self.csl.root.bibliography.layout
            text = str(layout.format(layout.wrap(self._words(layout, item))) or "")
        else:
            self.citation.cites = []
            text = self._cite(reference.id, item)
        text = punctuated(text, self.closing_quote) or unmarked(reference.title)
        doi = text_of((self.items.get(reference.id) or {}).get("DOI"))
        resolved = f"https://doi.org/{doi}" if doi else ""
        href = self.hrefs.get(reference.id) or resolved
        if not href:
            return _html(text)
        shown = (reference.url or "", resolved, " ".join(reference.title.split()))
        tags = [(f'<a href="{escape(href)}">', "</a>")]
        for words in filter(None, shown):
            place = re.compile(rf"(?<!\w){re.escape(words)}(?![\w/])", re.IGNORECASE)
            linked, found = place.subn(lambda match: as_cite(match[0], 0), text, count=1)
            if found:
                return _html(linked, tags)
        return _html(f"{text} {as_cite('source', 0)}", tags)

    def _cluster(self, group: Sequence[Citation]) -> str:
        """The marked words of a group, in the style's order, else as they are cited."""
        items = [self._item(citation) for citation in group]
        places = {id(item): n for n, item in enumerate(items)}
        cluster = Cluster(items)
        cluster.bibliography = self.bibliography
        sort = self.citation.find("cs:sort", self.citation.nsmap)
        words = []
        for item in sort.sort(items, self.layout) if sort is not None else items:
            citation = group[places[id(item)]]
            text = self._cite(citation.reference, item, is_author_named=citation.is_author_named)
            words.append(as_cite(f"{text}{item.get('suffix', '')}", places[id(item)]))
            self.citation.cites.append(item)
        text = str(self.layout.format(self.layout.wrap(self.layout.join(words))))
        return punctuated(text, self.closing_quote)

    def _cite(self, name: str, item: CitationItem, *, is_author_named: bool = False) -> str:
        """What the style says of one cited work, without what stands around the group; marked."""
        self.at = name
        text = self._words(self.layout, item, is_author_named=is_author_named)
        return str(text or unmarked(self.references[name].title))

    def _words(self, layout: Any, item: CitationItem, *, is_author_named: bool = False) -> Any:
        """What a layout of the style says of one work, if anything."""
        layout.repressed = {}
        letter = self.letters.get(self.names[item.key], "")
        issued = item.reference.get("issued")
        if isinstance(issued, Date) and letter and not self.style.has_year_suffix:
            issued["year"] = LetteredYear(issued.year).with_letter(letter)
        self.csl.begin("" if issued or self.style.has_year_suffix else letter, is_author_named=is_author_named)
        try:
            return layout.render_children(item)
        except VariableError:  # it shows nothing but what this work lacks
            return None

    def _item(self, citation: Citation) -> CitationItem:
        """A citation as citeproc-py takes it: with a locator where it is a number, else with the words behind it."""
        reference = self.references[citation.reference]
        key = self.keys[reference.id]
        written = unmarked(citation.locator or "") if not quoted(reference, citation) else ""
        if not written:
            return CitationItem(key)
        label, numbers, rest = parse_locator(written) if self.style.has_locators else ("", "", written)
        rest = re.sub(r'"([^"]*)"', "“\\1”", rest)
        if not label:
            return CitationItem(key, suffix=f", {rest}")
        locator = self.locators.setdefault((label, numbers), Locator(label, numbers))  # the same one for an "ibid."
        return CitationItem(key, locator=locator, suffix=rest)

    def _note(self, group: Sequence[Citation], text: str) -> str:
        """Keeps the note; gives the number that leads to it, with an anchor for each work that it cites."""
        number = len(self.notes) + 1
        tags = [(f'<a href="#ref-{escape(citation.reference)}">', "</a>") for citation in group]
        self.notes.append(_html(text, tags))
        for citation in group:
            self._variables(citation.reference).setdefault("first_reference_note_number", String(str(number)))
        _, *others = (cite_anchor(c.reference, self._count(group, n)) for n, c in enumerate(group))
        anchors = "".join(f'<span id="{anchor}"></span>' for anchor in others)
        tag = citation_tag(
            self.references[group[0].reference], group[0], self._count(group, 0), f"#note-{number}", unmarked(text)
        )
        return f'<sup class="pb-cites" id="note-{number}-from">{anchors}{tag}{number}</a></sup>'

    def _count(self, group: Sequence[Citation], n: int) -> int:
        """How often the work of the `n`-th citation in the group last rendered was cited, up to and with it."""
        name = group[n].reference
        return self.seen[name] - sum(citation.reference == name for citation in group[n + 1 :])

    def _variables(self, name: str) -> Any:
        """The variables that citeproc-py holds of a work."""
        return self.bibliography.source[self.keys[name]]


def _letter(n: int) -> str:
    """The letter of the `n`-th work that looks the same, from 0: ``a`` to ``z``, then ``aa``."""
    return (_letter(n // 26 - 1) if n >= 26 else "") + ascii_lowercase[n % 26]


def _html(text: str, tags: Sequence[tuple[str, str]] = ()) -> Markup:
    """Marked text as an HTML element's content."""
    return Markup(to_html(text, lambda piece: str(escape(piece)), tags))  # noqa: S704 - all but the tags is escaped
