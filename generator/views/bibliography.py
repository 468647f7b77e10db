"""Export of cited works as CSL items and BibTeX, with no data beyond the page's.

Formats: https://docs.citationstyles.org/en/stable/specification.html (and the CSL-JSON schema 1.0.2),
the entry types of BibLaTeX (https://ctan.org/pkg/biblatex).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from generator.citations.identifiers import is_web
from generator.citations.references import day_in
from generator.markdown.front_matter import json_values
from generator.model import Reference
from generator.views.labels import distinct

Item = Mapping[str, Any]
"""A work in CSL-JSON."""

_BIBTEX_SPECIAL = str.maketrans(
    {char: f"\\{char}" for char in "&%$#_{}"}
    | {"~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\\": "\\textbackslash{}"}
)
_LONE_BRACES = _BIBTEX_SPECIAL | str.maketrans({"{": "\\textbraceleft{}", "}": "\\textbraceright{}"})
"""BibTeX counts braces, even after a backslash; Pandoc ignores these commands."""
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
_BIBTEX_CONTAINERS = {"article": "journaltitle", "incollection": "booktitle", "inproceedings": "booktitle"}
_BIBTEX_PUBLISHERS = {"online": "organization", "report": "institution", "thesis": "institution"}


def csl_item(reference: Reference) -> dict[str, Any]:
    """Return a reference as a CSL item: ``id``, ``type``, ``title``, and address and access date if known."""
    item: dict[str, Any] = {"id": reference.id, "type": _type(reference), "title": reference.title}
    arxiv, doi = _arxiv(reference.url), _doi(reference.url)
    if arxiv:
        item["number"] = f"arXiv:{arxiv}"
    if doi:
        item["DOI"] = doi
    if reference.url:
        item["URL"] = reference.url
    if reference.accessed:
        item["accessed"] = _date_parts(reference.accessed)
    return item


def csl_metadata(written: object, references: Sequence[Reference]) -> list[Any]:
    """Return a page's ``references`` as metadata: those of its author, then works that only its prose cites."""
    items = list(written) if isinstance(written, list) else []
    known = {str(item.get("id")) for item in items if isinstance(item, dict)}
    return [*items, *(csl_item(r) for r in references if r.id not in known)]


def csl_items(written: object, references: Sequence[Reference]) -> list[dict[str, Any]]:
    """Return the works of a page as valid CSL-JSON, in the order of its `references`.

    Items from the author are kept, with dates in CSL-JSON's format; invalid items are omitted.
    """
    items = written if isinstance(written, list) else []
    by_id = {str(item["id"]): item for item in items if isinstance(item, dict) and item.get("id")}
    return [_plain_item(by_id[r.id], r) if r.id in by_id else csl_item(r) for r in references]


def csl_json(items: Sequence[Item]) -> str:
    """Return the items as a ``.json`` file, one per line."""
    lines = ",\n ".join(json.dumps(item, ensure_ascii=False) for item in items)
    return f"[\n {lines}\n]\n" if lines else "[]\n"


def bibtex(items: Sequence[Item]) -> str:
    """Return the items as a ``.bib`` file for BibLaTeX; ids are reduced to characters that BibTeX allows."""
    keys = distinct(re.sub(r"[^\w:./+-]+", "-", str(item["id"])) or "work" for item in items)
    return "\n".join(map(_bibtex_entry, keys, items))


def cited(references: Sequence[Reference]) -> list[dict[str, Any]]:
    """Return the references as ``planbook cite --json`` prints them, with line numbers, and access dates as text."""
    return [
        {"id": r.id, "URL": r.url, "title": r.title, "accessed": r.accessed, "lines": list(r.lines)} for r in references
    ]


# --- fields of an item ------------------------------------------------------------------------------------------


def text_of(item: Item, *keys: str) -> str:
    """Return the item's value for the first of `keys` that has one, as one line."""
    for key in keys:
        value = item.get(key)
        if value not in (None, ""):
            return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""
    return ""


def names_of(item: Item, key: str = "author") -> tuple[tuple[str, str], ...]:
    """Return the item's people as ``(family, given)``; institutions and invalid names have no given name."""
    value = item.get(key)
    names = value if isinstance(value, list) else [value]
    found = []
    for name in names:
        if isinstance(name, Mapping):
            particle = text_of(name, "non-dropping-particle", "dropping-particle")
            family = " ".join(part for part in (particle, text_of(name, "family")) if part)
            literal = text_of(name, "literal")
            found.append((literal, "") if literal or not family else (family, text_of(name, "given")))
        else:
            found.append((" ".join(str(name or "").split()), ""))
    return tuple(name for name in found if name[0])


def _plain_item(item: Item, reference: Reference) -> dict[str, Any]:
    """Return an author's item restricted to JSON values, with the access date given in the text."""
    plain: dict[str, Any] = {str(key): value for key, value in json_values(item).items() if value is not None}
    plain["id"] = reference.id
    plain.setdefault("type", _type(reference))
    plain.setdefault("title", reference.title)
    for key in ("accessed", "issued"):
        day = day_in(plain.get(key)) or (reference.accessed or "" if key == "accessed" else "")
        if day and not (isinstance(plain.get(key), dict) and "date-parts" in plain[key]):
            plain[key] = _date_parts(day)
    return plain


def _date_parts(day: str) -> dict[str, Any]:
    return {"date-parts": [[int(part) for part in day.split("-")]]}


def _type(reference: Reference) -> str:
    if _arxiv(reference.url):
        return "article"
    if _doi(reference.url):
        return "article-journal"
    return "webpage" if is_web(reference.url) else "document"


def _arxiv(url: str | None) -> str | None:
    match = re.match(r"https?://arxiv\.org/(?:abs|pdf|html)/(.+?)(?:\.pdf)?$", url or "")
    return match[1] if match else None


def _doi(url: str | None) -> str | None:
    match = re.match(r"https?://(?:dx\.)?doi\.org/(10\..+)$", url or "")
    return match[1] if match else None


# --- BibTeX -----------------------------------------------------------------------------------------------------


def _bibtex_entry(key: str, item: Item) -> str:
    url = text_of(item, "URL")
    kind = _BIBTEX_TYPES.get(text_of(item, "type"), "online" if url else "misc")
    arxiv = _arxiv(url)
    fields = {
        "title": f"{{{_bibtex(text_of(item, 'title') or text_of(item, 'id'))}}}",
        "author": _bibtex_names(item, "author"),
        "editor": _bibtex_names(item, "editor"),
        "date": day_in(item.get("issued")),
        _BIBTEX_CONTAINERS.get(kind, "howpublished"): _bibtex(text_of(item, "container-title")),
        _BIBTEX_PUBLISHERS.get(kind, "publisher"): _bibtex(text_of(item, "publisher")),
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
    """Return names in BibTeX format: ``Family, Given and {An Institution}``."""
    names = names_of(item, key)
    return " and ".join(f"{_bibtex(f)}, {_bibtex(g)}" if g else f"{{{_bibtex(f)}}}" for f, g in names)


def _bibtex(text: str) -> str:
    """Return `text` escaped for LaTeX."""
    return text.translate(_BIBTEX_SPECIAL if _is_balanced(text) else _LONE_BRACES)


def _is_balanced(text: str) -> bool:
    depth = 0
    for char in re.findall(r"[{}]", text) if "{" in text or "}" in text else ():
        depth += 1 if char == "{" else -1
        if depth < 0:
            return False
    return depth == 0


def _verbatim(text: str) -> str:
    """Return an address or DOI: BibLaTeX reads it verbatim, so only characters that end the field are escaped."""
    return text.replace("\\", "%5C").replace("{", "%7B").replace("}", "%7D").replace(" ", "%20")
