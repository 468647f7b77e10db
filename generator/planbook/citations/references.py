"""The references of a page: read from front matter and text, and written into front matter.

Front matter is edited in place: the YAML parser locates a value and only that span is replaced, so
that every other key, comment and byte stays.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from planbook.citations.citation_checks import check_citations
from planbook.citations.dates import read_date
from planbook.citations.identifiers import address_of, free_name, is_web, work_key
from planbook.citations.in_text import Citation, find_citations
from planbook.citations.mentions import find_references
from planbook.citations.pins import custom_of, make_line_links
from planbook.citations.reference_fields import check_items, has_id
from planbook.citations.rich_text import strip_tags
from planbook.markdown.document import read_document
from planbook.model import HasAddress, Problem, Reference

Item = Mapping[str, Any]
"""A CSL item."""


def read_references(text: str, uri: str) -> tuple[tuple[Reference, ...], tuple[Problem, ...]]:
    """Return the references of the page in `text`, and the problems of its citations.

    A work in both front matter and text has its id, title and date from the former, and lines from
    the latter and from its citations. Lines are 1-based in the file. Ids are unique. Problems are
    K010 for search pages, those of `check_items`, and those of `check_citations`.

    On a page that a program ``generated``, only front matter counts: its text quotes other works,
    whose citations are not the page's.
    """
    document = read_document(text)  # the page parser reports K001
    meta, body, skipped = document.meta, document.body, document.lines_above
    items = items_by_id(meta)
    in_front_matter = [_reference(id_, item) for id_, item in items.items()]
    mentioned, of_mentions = ((), ()) if _is_by_program(meta) else find_references(body, uri)
    references = _merge_mentions(in_front_matter, mentioned, skipped)
    citations = find_citations(body, {reference.id for reference in references})
    if document.error:  # its references are unknown
        return tuple(_add_cited_lines(references, citations, skipped)), of_mentions
    renamed = frozenset(id_ for id_, item in items.items() if id_ != str(item["id"]))
    problems = (
        *check_items(text, meta, uri),
        *(replace(problem, line=problem.line + skipped) for problem in of_mentions),
        *check_citations(citations, references, uri, skipped, renamed=renamed),
    )
    return tuple(_add_cited_lines(references, citations, skipped)), problems


def _is_by_program(meta: Mapping[str, Any]) -> bool:
    """Return True if the front matter says that a program wrote the page."""
    generated = meta.get("generated")
    writer = generated.get("writer") if isinstance(generated, dict) else generated
    return bool(generated) and writer not in ("hand", "person")  # the value may be a list


def _merge_mentions(
    in_front_matter: Sequence[Reference], mentioned: Iterable[Reference], skipped: int
) -> list[Reference]:
    """Return the works of the front matter, with the lines of mentions, and those of the text."""
    # By place: two different works of the front matter may have one title and no address.
    merged = list(in_front_matter)
    places: dict[str, int] = {}
    for index, reference in enumerate(in_front_matter):
        places.setdefault(work_or_title_key(reference.url, reference.title), index)
    taken_ids = {reference.id: 2 for reference in in_front_matter}
    for reference in mentioned:
        lines = tuple(line + skipped for line in reference.lines)
        index = places.setdefault(work_or_title_key(reference.url, reference.title), len(merged))
        if index < len(merged):
            first_reference = merged[index]
            accessed = first_reference.accessed or reference.accessed
            merged[index] = replace(first_reference, accessed=accessed, lines=lines)
        else:
            own_id = free_name(reference.id, taken_ids)
            merged.append(replace(reference, id=own_id, lines=lines))
    return merged


def _add_cited_lines(
    references: Iterable[Reference], citations: Iterable[Citation], skipped: int
) -> Iterator[Reference]:
    """Yield the references with the lines of their citations, too."""
    cited: defaultdict[str, set[int]] = defaultdict(set)
    for citation in citations:
        cited[citation.reference_id].add(citation.line + skipped)
    for reference in references:
        lines = cited.get(reference.id)
        if lines:
            yield replace(reference, lines=tuple(sorted({*reference.lines, *lines})))
        else:
            yield reference


_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d+(?:$|-))", re.IGNORECASE)
"""The scheme of an address; ``time.md:12`` has a line instead."""


def cited_path(address: str) -> str:
    """Return the path in a reference's address that is not on the web, without anchor and lines.

    It is empty for an address with a scheme, and for an anchor alone.
    """
    if _SCHEME.match(address) or address.startswith("//"):
        return ""
    return re.sub(r":\d+(?:-\d+)?$", "", address.partition("#")[0]).removeprefix("/")


def is_work(reference: HasAddress) -> bool:
    """Return True if a reference is more than a link to another page of the base."""
    url = reference.url or ""
    return is_web(url) or not re.split("[#:]", url, maxsplit=1)[0].endswith(".md")


def base_uri(address: str | None, page: str, known_uris: Container[str]) -> str | None:
    """Return the page of the base that a reference of `page` means, relative to it or to the root.

    `known_uris` has all.
    """
    path = (address or "").partition("#")[0].partition(":")[0]
    if not path.endswith(".md"):
        return None
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
    return next((uri for uri in (beside, posixpath.normpath(path)) if uri in known_uris), None)


def _reference(id_: str, item: Item) -> Reference:
    custom, issued = custom_of(item), read_date(item.get("issued"))
    title = strip_tags(" ".join(str(item.get("title") or id_).split()))
    return Reference(
        id=id_,
        title=title,
        url=_field_text(item.get("URL")),
        accessed=day_in(item.get("accessed")) or None,
        author=_names_in_line(item.get("author")),
        publisher=_text_without_tags(item.get("container-title") or item.get("publisher")),
        issued=str(issued) if issued else None,
        archive=_field_text(item.get("archive") or item.get("archive_location")),
        quotes=_quotes_by_key(custom.get("quotes")),
        fragments=_texts_by_key(custom.get("fragments")),
        file=str(custom.get("file") or ""),
        line_links=tuple(make_line_links(item)),
        cited_as=_cited_as(item, title),
    )


def _texts_by_key(texts: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(texts, dict):
        return ()
    return tuple((str(key), str(text)) for key, text in texts.items())


def _quotes_by_key(value: object) -> tuple[tuple[str, str], ...]:
    """Return the quotes of an item by key; those of a list, or a single one, are ``q1``, ``q2``."""
    if isinstance(value, dict):
        return tuple((str(key), str(text)) for key, text in value.items() if text is not None)
    if not value:
        return ()
    quotes = value if isinstance(value, list) else [value]
    return tuple((f"q{n}", str(text)) for n, text in enumerate(quotes, 1) if text is not None)


def _field_text(value: object) -> str | None:
    return str(value) if value else None


def _text_without_tags(value: object) -> str | None:
    text = _field_text(value)
    return strip_tags(text) if text else None


_ORIGIN = ("sha256", "file", "lines", "permalink", "repository", "path", "commit")


def reference_sha256(reference: Reference, item: Item | None) -> str:
    """Return the SHA-256 of everything that `planbook verify` compares with a source.

    `item` is from the front matter.

    Title, author and dates make no difference, nor do other references and the text of the page.
    """
    custom = custom_of(item or {})
    origin = [str(custom.get(key) or "") for key in _ORIGIN]
    checked = reference.id, reference.url, reference.quotes, reference.fragments, origin
    return hashlib.sha256(ascii(checked).encode()).hexdigest()


def items_by_id(meta: Mapping[str, Any]) -> dict[str, Item]:
    """Return the CSL items of a page's front matter by id, in order.

    If several have one id, it is that of the first; each other one gets a free id, such as
    ``rye-2``.
    """
    references = meta.get("references")
    all_items = references if isinstance(references, list) else [references]
    items_with_id = [
        (str(item["id"]), item) for item in all_items if isinstance(item, dict) and has_id(item)
    ]
    taken_ids = dict.fromkeys((name for name, _ in items_with_id), 2)
    items: dict[str, Item] = {}
    for name, item in items_with_id:
        items[free_name(name, taken_ids) if name in items else name] = item
    return items


_NAME_KEYS = ("given", "dropping-particle", "non-dropping-particle", "family")


def name_list(value: object) -> list[Mapping[str, Any]]:
    """Return CSL names, each as a mapping.

    A text is a ``literal``, and one name may stand without a list.
    """
    names: list[Mapping[str, Any]] = []
    for name in value if isinstance(value, list) else [value]:
        if isinstance(name, str | int | float):
            names.append({"literal": name})
        elif isinstance(name, Mapping):
            names.append(name)
    return names


def _names_in_line(value: object) -> str | None:
    """Return CSL names as one line: ``A. Author, B. Author Jr.``.

    An institution is its ``literal``.
    """
    full = (_full_name(name) for name in name_list(value))
    return ", ".join(filter(None, full)) or None


def _full_name(name: Mapping[str, Any]) -> str:
    if name.get("literal"):
        return " ".join(str(name["literal"]).split())
    words = " ".join(str(name[key]) for key in _NAME_KEYS if name.get(key))
    suffix = str(name.get("suffix") or "")
    if words and suffix:
        joint = ", " if name.get("comma-suffix") else " "
        words = f"{words}{joint}{suffix}"
    return " ".join((words or suffix).split())


def _cited_as(item: Item, title: str) -> str:
    """Return the words for a work in a sentence: ``Doe``, ``Doe and Lee``, ``Doe et al.``.

    Without names, it is its title.
    """
    names = name_list(item.get("author")) or name_list(item.get("editor"))
    short = [" ".join(str(name.get("literal") or _family_name(name)).split()) for name in names]
    short = [name for name in short if name]
    if not short:
        return f"“{title}”"
    if len(short) > MAX_NAMES:
        return f"{short[0]} et al."
    *leading, final = short
    return f"{', '.join(leading)} and {final}" if leading else final


def _family_name(name: Mapping[str, Any]) -> str:
    words = [name.get(key) for key in ("non-dropping-particle", "family")]
    return " ".join(str(word) for word in words if word) or str(name.get("given") or "")


_ISO_DATE = re.compile(r"\d{4}(?:-\d{2}){0,2}(?!\d)")


def day_in(value: object) -> str:
    """Return a CSL date, or a plain one, in ISO format as far as it is known.

    ``2024``, ``2024-08``, ``2024-08-05``; the first of a range, and empty for other dates. Of a
    text that begins with a date, that date is returned.
    """
    work_date = read_date(value)
    if work_date is None:
        return ""
    if not work_date.dates:
        beginning = _ISO_DATE.match(work_date.literal)
        work_date = read_date(beginning[0]) if beginning else None
    return work_date.iso if work_date else ""


def csl_date(day: str) -> dict[str, list[list[int]]]:
    """Return a day, or its known parts, as CSL writes it: ``{date-parts: [[2024, 8, 5]]}``."""
    return {"date-parts": [[int(component) for component in day.split("-")]]}


def csl_type(url: str | None) -> str:
    """Return the CSL type of a work at an address: of a paper, by its DOI or arXiv id, or a page.

    A work without an address on the web is a document.
    """
    if not is_web(url):
        return "document"
    paper = address_of(url or "")
    if not paper:
        return "webpage"
    return "article" if "arxiv.org" in paper else "article-journal"


def work_or_title_key(url: object, title: str) -> str:
    """Return the key of a work by its address or, without one, by its title."""
    return work_key(str(url)) if url else f"title:{title.casefold()}"


MAX_NAMES = 3
"""Maximum number of names for a work in a sentence."""
