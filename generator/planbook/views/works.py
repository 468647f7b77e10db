"""The works that the base cites, with their pages and checks.

They are rendered on Sources and below each page, and written as CSL and as BibTeX.

Formats: https://docs.citationstyles.org/en/stable/specification.html (and the CSL-JSON schema
1.0.2), the entry types of BibLaTeX (https://ctan.org/pkg/biblatex).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from planbook.citations import identifiers
from planbook.citations.citation_links import (
    cite_anchor,
    marker_places,
    number_references,
    quote_anchor,
)
from planbook.citations.dates import read_date
from planbook.citations.fields import DATES, has_id
from planbook.citations.identifiers import is_web
from planbook.citations.in_text import Citation
from planbook.citations.quotes import directive_of, fragment_link, has_fragments, split_at
from planbook.citations.quotes import words as visible_words
from planbook.citations.references import (
    csl_date,
    csl_type,
    day_in,
    is_work,
    items_by_id,
    name_list,
    work_or_title_key,
)
from planbook.citations.report import QuotedParagraph, SourceResult, SourceStatus
from planbook.citations.repository_files import parse_file_url
from planbook.citations.rich_text import rich_latex
from planbook.library import SOURCES, Library, group_by
from planbook.library.names import natural_order
from planbook.markdown.front_matter import json_values
from planbook.markdown.plain_text import count, number
from planbook.model import Page, PageUri, Reference
from planbook.views.checks import (
    LOST,
    NAMES,
    PageCheck,
    combine_results,
    count_statuses,
    is_reviewed,
    since,
    status_label,
    status_of,
)
from planbook.views.index import page_uris
from planbook.views.template import UrlFrom, distinct, reader_day, render_block, render_template

Item = Mapping[str, Any]
"""A work in CSL-JSON."""

_BIBTEX_SPECIAL = str.maketrans(
    {char: f"\\{char}" for char in "&%$#_"}
    | {"{": "\\textbraceleft{}", "}": "\\textbraceright{}"}
    | {"~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\\": "\\textbackslash{}"}
)
"""BibTeX counts braces, even after a backslash."""
_BIBTEX_TYPES = {
    "article-journal": "article",
    "book": "book",
    "chapter": "incollection",
    "dataset": "dataset",
    "paper-conference": "inproceedings",
    "report": "report",
    "software": "software",
    "thesis": "thesis",
}
_BIBTEX_CONTAINERS = {
    "article": "journaltitle",
    "incollection": "booktitle",
    "inproceedings": "booktitle",
}
_BIBTEX_PUBLISHERS = {"online": "organization", "report": "institution", "thesis": "institution"}


def csl_item(reference: Reference) -> dict[str, Any]:
    """Return a reference as a CSL item.

    ``id``, ``type``, ``title``, and address and access date if known.
    """
    item: dict[str, Any] = {
        "id": reference.id,
        "type": csl_type(reference.url),
        "title": reference.title,
    }
    arxiv, doi = _arxiv(reference.url), _doi(reference.url)
    if arxiv:
        item["number"] = f"arXiv:{arxiv}"
    if doi:
        item["DOI"] = doi
    if reference.url:
        item["URL"] = reference.url
    if reference.accessed:
        item["accessed"] = csl_date(reference.accessed)
    return item


def csl_metadata(written: object, references: Sequence[Reference]) -> list[Any]:
    """Return a page's ``references`` as metadata.

    The author's references come first, then works that only its prose cites.

    Of items with one id, all but the first have the ids that the page gives them.
    """
    listed = list(written) if isinstance(written, list) else []
    names = list(items_by_id({"references": listed}))
    ids = iter(names)
    items: list[Any] = []
    for item in listed:
        is_named = isinstance(item, dict) and has_id(item)
        items.append({**item, "id": next(ids)} if is_named else item)
    return [*items, *(csl_item(work) for work in references if work.id not in names)]


def csl_items(written: object, references: Sequence[Reference]) -> list[dict[str, Any]]:
    """Return the works of a page as valid CSL-JSON, in the order of its `references`.

    Items from the author are kept, with dates in CSL-JSON's format; invalid items are omitted.
    """
    by_id = items_by_id({"references": written})
    return [_plain_item(by_id[r.id], r) if r.id in by_id else csl_item(r) for r in references]


def csl_json(items: Sequence[Item]) -> str:
    """Return the items as a ``.json`` file, one per line."""
    lines = ",\n ".join(json.dumps(item, ensure_ascii=False) for item in items)
    return f"[\n {lines}\n]\n" if lines else "[]\n"


def bibtex(items: Sequence[Item]) -> str:
    """Return the items as a ``.bib`` file for BibLaTeX.

    Ids are reduced to characters that BibTeX allows.
    """
    keys = distinct(re.sub(r"[^\w:./+-]+", "-", str(item["id"])) or "work" for item in items)
    return "\n".join(map(_bibtex_entry, keys, items))


def cited(references: Sequence[Reference]) -> list[dict[str, Any]]:
    """Return the references as ``planbook cite --format json`` prints them.

    They have lines, and access dates as text.
    """
    return [
        {"id": r.id, "URL": r.url, "title": r.title, "accessed": r.accessed, "lines": list(r.lines)}
        for r in references
    ]


# --- fields of an item ----------------------------------------------------------------------------


def text_of(item: Item, *keys: str) -> str:
    """Return the item's value for the first of `keys` that has one, as one line."""
    for key in keys:
        value = item.get(key)
        if value not in (None, ""):
            return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""
    return ""


def _plain_item(item: Item, reference: Reference) -> dict[str, Any]:
    """Return an author's item restricted to JSON values, with the access date given in the text."""
    plain: dict[str, Any] = {
        str(key): value for key, value in json_values(item).items() if value is not None
    }
    plain["id"] = reference.id
    plain.setdefault("type", csl_type(reference.url))
    plain.setdefault("title", reference.title)
    for key in DATES:
        work_date = read_date(item.get(key))
        if work_date:
            plain[key] = work_date.csl
        elif key == "accessed" and reference.accessed:
            plain[key] = csl_date(reference.accessed)
        else:
            plain.pop(key, None)
    return plain


def _arxiv(url: str | None) -> str | None:
    match = re.match(r"https?://arxiv\.org/(?:abs|pdf|html)/(.+?)(?:\.pdf)?$", url or "")
    return match[1] if match else None


def _doi(url: str | None) -> str | None:
    match = re.match(r"https?://(?:dx\.)?doi\.org/(10\..+)$", url or "")
    return match[1] if match else None


# --- BibTeX ---------------------------------------------------------------------------------------


def _bibtex_entry(key: str, item: Item) -> str:
    url = text_of(item, "URL")
    kind = _BIBTEX_TYPES.get(text_of(item, "type"), "online" if url else "misc")
    arxiv = _arxiv(url)
    fields = {
        "title": f"{{{_rich(text_of(item, 'title') or text_of(item, 'id'))}}}",
        "author": _bibtex_names(item, "author"),
        "editor": _bibtex_names(item, "editor"),
        **_bibtex_dates(item),
        _BIBTEX_CONTAINERS.get(kind, "howpublished"): _rich(text_of(item, "container-title")),
        _BIBTEX_PUBLISHERS.get(kind, "publisher"): _rich(text_of(item, "publisher")),
        "volume": _bibtex(text_of(item, "volume")),
        "number": _bibtex(text_of(item, "issue")),
        "pages": _bibtex(text_of(item, "page")),
        "isbn": _bibtex(text_of(item, "ISBN")),
        "issn": _bibtex(text_of(item, "ISSN")),
        "doi": _verbatim(text_of(item, "DOI") or _doi(url) or ""),
        "eprint": arxiv or "",
        "eprinttype": "arxiv" if arxiv else "",
        "url": _verbatim(url),
        "urldate": day_in(item.get("accessed")) if url else "",
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{key},", *lines, "}", ""])


def _bibtex_names(item: Item, key: str) -> str:
    """Return names in BibTeX format: ``Family, Given and {An Institution}``.

    Invalid ones as institutions.
    """
    value = item.get(key)
    names = []
    for person in name_list(value):
        particles = [text_of(person, key) for key in ("dropping-particle", "non-dropping-particle")]
        family = " ".join(part for part in (*particles, text_of(person, "family")) if part)
        literal, given, suffix = (text_of(person, key) for key in ("literal", "given", "suffix"))
        if family and (given or suffix) and not literal:
            names.append(", ".join(map(_name_part, filter(None, (family, suffix, given)))))
        elif whole := literal or family:
            names.append(f"{{{_bibtex(whole)}}}")
    return " and ".join(names)


def _bibtex_dates(item: Item) -> dict[str, str]:
    """Return the fields for the dates of a work, its original and its event, but not of access."""
    fields: dict[str, str] = {}
    for prefix, key in (("", "issued"), ("orig", "original-date"), ("event", "event-date")):
        work_date = read_date(item.get(key))
        for name, value in work_date.biblatex.items() if work_date else ():
            fields[f"{prefix}{name}"] = _bibtex(value) if name == "year" else value
    return fields


def _name_part(text: str) -> str:
    """Return a part of a name, in braces if BibTeX would split it."""
    is_split = "," in text or re.search(r"\sand\s", text, re.IGNORECASE)
    return f"{{{_bibtex(text)}}}" if is_split else _bibtex(text)


def _rich(text: str) -> str:
    """Return a field that may have elements such as ``<i>`` for LaTeX."""
    return rich_latex(text, _bibtex)


def _bibtex(text: str) -> str:
    """Return `text` escaped for LaTeX."""
    return text.translate(_BIBTEX_SPECIAL)


def _verbatim(text: str) -> str:
    """Return an address or DOI.

    BibLaTeX reads it verbatim, so only characters that end the field are escaped.
    """
    return text.replace("\\", "%5C").replace("{", "%7B").replace("}", "%7D").replace(" ", "%20")


# --- works of the base ----------------------------------------------------------------------------


NO_SITE = "without an address"
"""The site of works without an address, or without a web address."""
OWN_DOCUMENTS = "documents of this base"
"""The site of works that are files of the project."""
MIN_COMMON = 3
"""The number of works from which a shared status or day is shown once, above the list."""


@dataclass(frozen=True, slots=True)
class CitingPage:
    """A page that cites works, without what a few more words on it would change."""

    uri: PageUri
    title: str
    references: tuple[Reference, ...]
    meta_references: object
    """The ``references`` of its front matter, as written; ``None`` if it has none."""


@dataclass(frozen=True, slots=True)
class Use:
    """One page's reference to a work."""

    page: CitingPage
    reference: Reference
    item: Mapping[str, Any]
    """The reference as CSL-JSON, with all fields that the page's author wrote."""
    check: SourceResult | None
    """``None`` if the page was not checked, or has changed since."""


@dataclass(frozen=True)
class CitedWork:
    """A work with its uses, in the natural order of the pages."""

    key: str
    """The same for every address of it."""
    uses: tuple[Use, ...]

    @cached_property
    def reference(self) -> Reference:
        """The first page's, with the latest access date of all."""
        accessed = max(
            (use.reference.accessed for use in self.uses if use.reference.accessed), default=None
        )
        return replace(self.uses[0].reference, accessed=accessed)

    @cached_property
    def pages(self) -> tuple[CitingPage, ...]:
        """The pages that cite the work."""
        return tuple(use.page for use in self.uses)

    @cached_property
    def site(self) -> str:
        """The host of the work's address, without ``www.``, or its repository.

        ``github.com/rye/oven``.
        """
        first = self.uses[0].reference
        elsewhere = OWN_DOCUMENTS if first.file else NO_SITE
        return repository_of(first.url) or site_of(first.url) or elsewhere

    @cached_property
    def is_web(self) -> bool:
        """True if the work has a web address."""
        return is_web(self.reference.url)

    @property
    def by(self) -> str:
        """The work's author and publisher."""
        return by_line(self.reference)

    @cached_property
    def check(self) -> SourceResult | None:
        """The combined result of checking the work for all its pages."""
        return combine_results(use.check for use in self.uses if use.check)

    @property
    def status(self) -> SourceStatus:
        """The status of the work."""
        return status_of(self.reference, self.check)

    @property
    def quotes(self) -> tuple[bool, ...]:
        """For each quote on any page, True if it was found."""
        quotes: list[bool] = []
        for use in self.uses:
            checked = use.check.quotes if use.check else {}
            quotes += {**dict.fromkeys(dict(use.reference.quotes), False), **checked}.values()
        return tuple(quotes)

    @property
    def item(self) -> Mapping[str, Any]:
        """The work as CSL-JSON: the most complete of the pages' items, with the most common id."""
        ids = Counter(use.reference.id for use in self.uses)
        fullest = max(self.uses, key=lambda use: len(use.item))
        return {**fullest.item, "id": min(ids, key=lambda name: (-ids[name], name))}


def works(
    library: Library, base: Container[str], checks: Mapping[str, PageCheck] | None = None
) -> tuple[CitedWork, ...]:
    """Return each work cited in the pages of `base` once, as `cited_works`."""
    pages = (citing_page(page) for page in library.pages if page.uri in base)
    return cited_works((page for page in pages if page), checks)


def citing_page(page: Page) -> CitingPage | None:
    """Return what lists of works show of a page; ``None`` if it cites no work."""
    if not any(map(is_work, page.references)):
        return None
    return CitingPage(page.uri, page.title, page.references, page.meta_value("references"))


def cited_works(
    pages: Iterable[CitingPage], checks: Mapping[str, PageCheck] | None = None
) -> tuple[CitedWork, ...]:
    """Return each work cited in `pages` once.

    They are in the order of the first page that cites them. Links between pages of the base are not
    works. `checks` has the checks of pages that have not changed since.
    """
    uses: dict[str, list[Use]] = defaultdict(list)
    for page in sorted(pages, key=lambda page: natural_order(page.uri)):
        checked = checks.get(page.uri) if checks else None
        cited = [reference for reference in page.references if is_work(reference)]
        items = csl_items(page.meta_references, cited)
        for item, reference in zip(items, cited, strict=True):
            check = checked.by_id.get(reference.id) if checked else None
            uses[_key_of_work(reference)].append(Use(page, reference, item, check))
    return tuple(CitedWork(key, tuple(of_work)) for key, of_work in uses.items())


def _key_of_work(reference: Reference) -> str:
    """Return a key that is the same for every address of a work."""
    if reference.file and not reference.url:
        return f"file:{reference.file}"
    return work_or_title_key(reference.url, reference.title)


def by_site(every: Iterable[CitedWork]) -> list[tuple[str, tuple[CitedWork, ...]]]:
    """Return the sites with their works.

    Sites with most works come first, and of each the most cited work.
    """
    most_cited = sorted(every, key=lambda work: (-len(work.uses), work.reference.title.casefold()))
    sites = group_by(most_cited, lambda work: work.site)
    return sorted(sites.items(), key=lambda pair: (pair[0] == NO_SITE, -len(pair[1]), pair[0]))


def by_line(reference: Reference) -> str:
    """Return a work's author and publisher."""
    return ", ".join(part for part in (reference.author, reference.publisher) if part)


def shared_day(references: Iterable[Reference]) -> str:
    """Return the day on which most of the works were read, if at least three share it.

    It is shown once.
    """
    days = Counter(reference.accessed for reference in references if reference.accessed)
    return next((day for day, n in days.most_common(1) if n >= MIN_COMMON), "")


def site_of(url: str | None) -> str:
    """Return the host of a web address, without ``www.``; empty if there is none."""
    try:
        return (urlsplit(url or "").hostname or "").removeprefix("www.")
    except ValueError:  # brackets without an IPv6 address
        return ""


_FORGES = frozenset({"github.com", "gitlab.com", "codeberg.org", "bitbucket.org"})
"""Hosts whose addresses begin with the owner and the name of a repository."""


def repository_of(url: str | None) -> str:
    """Return ``github.com/rye/oven`` for an address in a repository; empty for any other."""
    host = site_of(url)
    owner_and_name = urlsplit(url or "").path.strip("/").split("/")[:2] if host in _FORGES else []
    if len(owner_and_name) == 2 and all(owner_and_name):
        return "/".join((host, *owner_and_name))
    return ""


def site_ids(every: Sequence[CitedWork]) -> dict[str, str]:
    """Return a unique id for each work, by the work's key.

    If several works share an id, on whatever page, each gets a suffix made from its own address or
    title. Thus adding a page never makes an id refer to another work.
    """
    claims = Counter(name for work in every for name in {use.reference.id for use in work.uses})
    shared = {name for name, n in claims.items() if n > 1}
    ids = {work.key: str(work.item["id"]) for work in every}
    for digits in range(4, 65, 4):
        for work in every:
            if ids[work.key] in shared:
                ids[work.key] = (
                    f"{work.item['id']}-{hashlib.sha256(work.key.encode()).hexdigest()[:digits]}"
                )
        shared = {name for name, n in Counter(ids.values()).items() if n > 1}
        if not shared:
            break
    return ids


def site_items(every: Sequence[CitedWork]) -> list[Mapping[str, Any]]:
    """Return all works as CSL-JSON with unique ids, sorted by id."""
    ids = site_ids(every)
    return sorted(
        ({**work.item, "id": ids[work.key]} for work in every), key=lambda item: str(item["id"])
    )


BIB, JSON = "references.bib", "references.json"
"""File names of the BibLaTeX and CSL-JSON downloads."""


def site_downloads(every: Sequence[CitedWork]) -> Iterator[tuple[str, str]]:
    """Return the files of all works, with unique ids; empty for a base without references."""
    if every:
        items = site_items(every)
        yield BIB, bibtex(items)
        yield JSON, csl_json(items)


# --- pages and lists of works ---------------------------------------------------------------------


_TAKEN = re.compile(r"\n#{1,6}\s+References\s*#*$", re.MULTILINE | re.IGNORECASE)


def list_title(text: str) -> str:
    """Return the title of the list of works.

    "References", unless a heading of the page's `text` has it.
    """
    return "Works cited" if _TAKEN.search(f"\n{text}") else "References"


def references_section(
    text: str,
    references: Sequence[Reference],
    citations: Sequence[Citation],
    links: Mapping[str, str],
    results: Mapping[str, SourceResult] = MappingProxyType({}),
) -> str:
    """Return the section to append to a page's `text`, as Markdown with HTML.

    The result is empty without references.

    `links` has the address of each reference that is a page of the base, and `results` what its
    check found, by id.
    """
    if not references:
        return ""
    numbers = number_references(references, citations)
    uses: dict[str, list[tuple[str, str]]] = defaultdict(list)
    quotes = {reference.id: dict(reference.quotes) for reference in references}
    locators: dict[tuple[str, int], list[str]] = defaultdict(list)
    for citation, place in zip(citations, marker_places(citations, quotes), strict=True):
        if place is None:
            continue
        of_link = locators[citation.reference, place]
        is_quote = citation.locator in quotes[citation.reference]
        if citation.locator and not is_quote and citation.locator not in of_link:
            of_link.append(citation.locator)
    for (name, place), of_link in locators.items():
        uses[name].append((f"#{cite_anchor(place)}", "; ".join(of_link)))
    ordered = sorted(references, key=lambda reference: numbers[reference.id])
    checks = {
        r.id: results.get(r.id) or SourceResult(r.id, checkable=is_web(r.url) or bool(r.file))
        for r in ordered
    }
    common = _common(checks.values())
    rows = [
        _row(n, work, uses[work.id], links, checks[work.id], common)
        for n, work in enumerate(ordered, 1)
    ]
    accessed = shared_day(ordered)
    html = render_template(
        "references.html", rows=rows, common=common, accessed=accessed, split_at=split_at
    )
    body = "\n".join(line for line in html.splitlines() if line.strip())
    return f"\n\n## {list_title(text)} {{ #works-cited data-search-exclude }}\n\n{body}\n"


def _common(checks: Iterable[SourceResult]) -> dict[str, Any]:
    """Return the most frequent status if at least three works share it.

    It is shown once instead of on each.

    It is empty if there is none; `works` of the `total` works with a status share it.
    """
    checkable = [check for check in checks if check.status is not SourceStatus.OFFWEB]
    for status, n in Counter(check.status for check in checkable).most_common(1):
        labels = {status_label(check) for check in checkable if check.status is status}
        if n >= MIN_COMMON:
            shared = labels.pop() if len(labels) == 1 else NAMES[status]
            return {"status": status, "label": shared, "works": n, "total": len(checkable)}
    return {}


@dataclass(frozen=True, slots=True)
class _WorkRow:
    """A work in the list below a page, as `references.html` shows it."""

    id: str
    title: str
    href: str | None
    """Its address, or that of the page of the base that it is; empty if it has none."""
    path: str
    """The path or name that the page gives in place of an address."""
    by: str
    """Its authors and publisher."""
    site: str
    issued: str | None
    accessed: str | None
    archive: str
    """The address of a copy; empty if there is none."""
    quotes: Sequence[tuple[str, str, str, str, QuotedParagraph | None]]
    """The anchor, key, words, link and paragraph of each."""
    copy: tuple[str, str] | None
    """The day and the hash of the text that all paragraphs were read in, if they share one."""
    check: tuple[SourceStatus, str] | None
    """The status and its label, unless it is said once for all works."""
    since: str
    missing: Sequence[str]
    """The keys of the quotes that are not in the source."""
    doubt: str
    uses: Sequence[tuple[str, str]]
    """The address and the locator of each citation."""


def _row(  # noqa: PLR0913, PLR0917 - each is a value of its own
    number: int,
    reference: Reference,
    uses: Sequence[tuple[str, str]],
    links: Mapping[str, str],
    check: SourceResult,
    common: Mapping[str, Any],
) -> _WorkRow:
    """Return the values of the work with this `number`.

    `uses` has the address and the locator of each citation.
    """
    has_address = identifiers.is_web(reference.url)
    is_common = bool(common) and check.status is common["status"]
    archive = reference.archive or ""
    shows_status = not is_common and check.status is not SourceStatus.OFFWEB
    return _WorkRow(
        id=reference.id,
        title=reference.title,
        href=reference.url if has_address else links.get(reference.id, ""),
        path="" if has_address or reference.id in links else reference.url or reference.file or "",
        by=by_line(reference),
        site=site_of(reference.url) if has_address else "",
        issued=reference.issued,
        accessed=reference.accessed,
        archive=archive if archive.startswith("https://") else "",
        quotes=_quote_rows(number, reference, links, check),
        copy=_common_copy(reference, check),
        check=(check.status, status_label(check)) if shows_status else None,
        since=since(check) if is_common and common["label"] != status_label(check) else "",
        missing=[key for key, is_there in check.quotes.items() if not is_there],
        doubt=check.doubt,
        uses=uses,
    )


def _quote_rows(
    number: int, reference: Reference, links: Mapping[str, str], check: SourceResult
) -> list[tuple[str, str, str, str, QuotedParagraph | None]]:
    """Return the anchor, key, words, link and paragraph of each quote."""
    rows = []
    for key, words in reference.quotes:
        around = check.passages.get(key)
        href = quote_link(reference, key, words, around)
        if not href:
            href = _link_into_document(reference, words, links.get(reference.id, ""))
        rows.append((quote_anchor(number, key), key, words, href, around))
    return rows


def _common_copy(reference: Reference, check: SourceResult) -> tuple[str, str] | None:
    """Return the day and the hash of the text that all paragraphs around quotes were read in.

    Then they are said once. It is `None` if texts differ, or if there is one quote only.
    """
    passages = [check.passages.get(key) for key, _ in reference.quotes]
    copies = {(passage.date, passage.sha256) for passage in passages if passage}
    return copies.pop() if len(copies) == 1 and len(passages) > 1 else None


def quote_link(
    reference: Reference, key: str, words: str, passage: QuotedParagraph | None = None
) -> str:
    """Return the address at which a browser finds an exact quote.

    Of a repository's file, its lines, which the page records or `passage` names; else the words in
    the plain file. Of a PDF, its page. Of other works, the words, by the fragment that the page
    stores. It is empty for a work without a web address, and for one that none of them leads into.
    """
    url, file = reference.url or "", parse_file_url(reference.url or "")
    lines = dict(reference.line_links).get(key)
    if lines:
        return lines
    if passage and passage.lines and file and file.is_pinned:
        return replace(file, lines=passage.lines).url
    if passage and passage.page and is_web(url):
        return f"{url.partition('#')[0]}#page={passage.page}"
    if not has_fragments(url):
        return ""
    stored = dict(reference.fragments).get(key)
    if file:
        return fragment_link(file.raw_url, stored or directive_of(words))
    return fragment_link(url, stored or directive_of(_words_on_page(words)))


def _link_into_document(reference: Reference, words: str, page: str) -> str:
    """Return the address at which a browser finds a quote on the `page` of a local document."""
    is_shown = bool(page and reference.file)
    return fragment_link(page, directive_of(_words_on_page(words))) if is_shown else ""


def _words_on_page(quoted: str) -> str:
    """Return a quote as a web page shows it: without marks of Markdown, which code has none of."""
    is_code = "\n" in quoted.strip()
    return quoted if is_code else visible_words(quoted) or quoted


# --- the Sources page -----------------------------------------------------------------------------


SCRIPT = "assets/planbook/sources.js"
"""The script of the text search; filters by site and status work without it."""
MAX_OPEN = 60
"""The number of works up to which all sites are unfolded."""
MAX_SITES = 8
"""The number of sites and repositories listed at the top; the others are folded."""
MAX_PAGES = 4
"""The number of pages listed for a work; the others are folded."""
MAX_ELEMENTS, PAGE_ELEMENTS = 5_000, 1_500
"""The limit of HTML elements of works on the Sources page, and on each numbered page: one has about
60 bytes."""
MAX_LISTED = 400
"""The number of sites that the Sources page of a large base lists; the others have few works
each."""

Sites = Sequence[tuple[str, Sequence[CitedWork]]]
"""Sites with their works, in order."""


def source_pages(works: Sequence[CitedWork], existing: Iterable[str] = ()) -> dict[PageUri, Sites]:
    """Return the sites of each page that lists works, by its uri.

    That is the Sources page, or numbered pages.

    `existing` holds the uris of the author's pages.
    """
    sites = by_site(works)
    if 7 * len(sites) + sum(6 + len(work.pages) for work in works) <= MAX_ELEMENTS:
        return {SOURCES: sites}
    pages: list[list[tuple[str, list[CitedWork]]]] = []
    weight = PAGE_ELEMENTS
    for site, works_of_site in sites:
        for work in works_of_site:
            weight += 6 + len(work.pages)
            if weight > PAGE_ELEMENTS:
                pages.append([])
                weight = 6 + len(work.pages)
            if not pages[-1] or pages[-1][-1][0] != site:
                pages[-1].append((site, []))
                weight += 7
            pages[-1][-1][1].append(work)
    uris = page_uris((f"sources/{n}" for n in range(1, len(pages) + 1)), existing)
    return dict(zip(uris, pages, strict=True))


def sources_pages(
    works: Sequence[CitedWork],
    pages: Mapping[PageUri, Sites],
    url_from: UrlFrom,
    documents: Mapping[str, PageUri] = MappingProxyType({}),
) -> dict[PageUri, str]:
    """Return the Sources page, and the numbered `pages` of these works, by uri.

    `source_pages` has planned them. `documents` has the page of each local document that is shown.
    """
    if not works:
        return {SOURCES: f"{_head()}No works are cited in this base yet.\n"}
    if len(pages) == 1:
        return {
            SOURCES: _head()
            + _works_html(
                works, pages[SOURCES], url_from(SOURCES), _lead(works, url_from(SOURCES)), documents
            )
        }
    texts = {SOURCES: _head() + _site_list(works, pages, url_from(SOURCES))}
    for n, (uri, sites) in enumerate(pages.items(), 1):
        url_of = url_from(uri)
        lead = {"around": {"all": url_of(SOURCES), "number": n, "pages": len(pages)}}
        shown_works = [work for _, some in sites for work in some]
        texts[uri] = _head(f", page {n} of {len(pages)}") + _works_html(
            shown_works, sites, url_of, lead, documents
        )
    return texts


def _head(which: str = "") -> str:
    return (
        f"---\ntitle: Sources{which}\ndescription: All works cited in this base, and the pages "
        "that cite them.\n"
        f"hide: [tags, toc]\nsearch:\n  boost: 0.3\n---\n\n# Sources{which}\n\n"
    )


def trust(
    library: Library, base: Container[str], checks: Mapping[str, PageCheck] | None = None
) -> str:
    """Return in Markdown how many works the base cites and how many were checked.

    The number of pages that a person has reviewed follows. Without works, the text is empty.
    """
    every = works(library, base, checks)
    if not every:
        return ""
    _, said = _said(every)
    if said:
        quotes = [there for work in every for there in work.quotes]
        if quotes:
            of_quotes = f"{number(sum(quotes))} of {count(len(quotes), 'quote')}"
            said += f", and {of_quotes} found word for word"
    else:
        said = f"{count(len(every), 'work')}, none of them checked yet"
    return f"{said}; {_reviews(library, base)}. [All sources](sources.md)\n"


def _reviews(library: Library, base: Container[str]) -> str:
    """Return how many of the pages that cite works a person has reviewed."""
    pages = [page for page in library.pages if page.uri in base and page.references]
    reviewed = sum(map(is_reviewed, pages))
    if not reviewed:
        return "no page has been reviewed by a person yet"
    have = "has" if reviewed == 1 else "have"
    return f"{number(reviewed)} of {count(len(pages), 'page')} {have} been reviewed by a person"


def _said(works: Sequence[CitedWork]) -> tuple[str, str]:
    """Return how many works are cited, and how many were checked and when; empty if none was."""
    sites = {work.site for work in works} - {NO_SITE, OWN_DOCUMENTS}
    pages = {page.uri for work in works for page in work.pages}
    where = ""
    if sites:
        where = f" at {count(len(sites), 'site or repository', 'sites and repositories')}"
    said = f"{count(len(works), 'work')}{where}, cited by {count(len(pages), 'page')}"
    checked = _checked(works)
    pinned = sum(bool(work.check and work.check.committed) for work in works)
    if pinned:
        checked += f", {number(pinned)} at a commit that cannot change"
    return said, checked


def _checked(works: Sequence[CitedWork]) -> str:
    """Return how many works were read, when, and how many of them have no text any more."""
    known = (work.check for work in works if work.check)
    checks = [check for check in known if check.day or check.status in LOST]
    if not checks:
        return ""
    lost = count_statuses(check.status for check in checks if check.status in LOST)
    days = sorted(check.day for check in checks if check.day)
    when = f" {_when(days)}" if days else ""
    in_all, read_count = count(len(works), "work"), len(checks) - sum(n for _, n in lost)
    said = f"{number(read_count)} of {in_all} checked{when}"
    return ", ".join([said, *(f"{number(n)} {NAMES[status]}" for status, n in lost)])


def _when(days: Sequence[str]) -> str:
    """Return the first and the last of sorted days for readers."""
    first, last = reader_day(days[0]), reader_day(days[-1])
    return f"on {first}" if first == last else f"from {first} to {last}"


def _lead(works: Sequence[CitedWork], url_of: Callable[[str], str]) -> dict[str, Any]:
    """Return the values for the first lines of the Sources page."""
    said, checked = _said(works)
    return {"said": said, "checked": checked, "bib": url_of(BIB), "json": url_of(JSON)}


def _works_html(
    works: Sequence[CitedWork],
    sites: Sites,
    url_of: Callable[[str], str],
    lead: Mapping[str, Any],
    documents: Mapping[str, PageUri],
) -> str:
    statuses = [
        (status, NAMES[status], number(n))
        for status, n in count_statuses(work.status for work in works)
    ]
    return render_block(
        "sources.html",
        **{"around": None, **lead},
        statuses=statuses,
        sites=[
            (site, anchor, some)
            for (site, some), anchor in zip(sites, _anchors(sites), strict=True)
        ],
        total=len(works),
        accessed=shared_day(work.reference for work in works),
        max_open=MAX_OPEN,
        max_sites=MAX_SITES,
        max_pages=MAX_PAGES,
        url_of=url_of,
        label=status_label,
        documents=documents,
        script=url_of(SCRIPT),
    )


def _site_list(
    works: Sequence[CitedWork], pages: Mapping[PageUri, Sites], url_of: Callable[[str], str]
) -> str:
    """Return the Sources page of a large base.

    It lists the numbered pages, and the sites with links to their works.
    """
    rows = [
        (url_of(uri), n, sites[0][0], sites[-1][0], sum(len(some) for _, some in sites))
        for n, (uri, sites) in enumerate(pages.items(), 1)
    ]
    totals = {site: len(some) for site, some in by_site(works)}
    links: dict[str, str] = {}
    for uri, sites in pages.items():
        for (site, _), anchor in zip(sites, _anchors(sites), strict=True):
            links.setdefault(site, f"{url_of(uri)}#{anchor}")
    listed = [(site, href, totals[site]) for site, href in links.items()][:MAX_LISTED]
    return render_block(
        "sources-list.html",
        **_lead(works, url_of),
        rows=rows,
        sites=listed,
        left_out=len(links) - len(listed),
    )


def _anchors(sites: Sites) -> list[str]:
    """Return each site's anchor on its page, which is in the URL while the site is selected."""
    return distinct(
        "site-" + re.sub(r"[^a-z0-9]+", "-", site.lower()).strip("-") for site, _ in sites
    )
