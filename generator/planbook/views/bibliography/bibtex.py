"""Works as BibTeX, for BibLaTeX: https://ctan.org/pkg/biblatex has the types of entries."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planbook.citations.dates import read_date
from planbook.citations.references import day_in, name_list
from planbook.citations.rich_text import rich_latex
from planbook.views.bibliography.csl import Item, arxiv_id, doi_of, text_of
from planbook.views.template import distinct

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


def bibtex(items: Sequence[Item]) -> str:
    """Return the items as a ``.bib`` file for BibLaTeX.

    Ids are reduced to characters that BibTeX allows.
    """
    keys = distinct(re.sub(r"[^\w:./+-]+", "-", str(item["id"])) or "work" for item in items)
    return "\n".join(map(_bibtex_entry, keys, items))


def _bibtex_entry(key: str, item: Item) -> str:
    url = text_of(item, "URL")
    kind = _BIBTEX_TYPES.get(text_of(item, "type"), "online" if url else "misc")
    arxiv = arxiv_id(url)
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
        "doi": _verbatim_value(text_of(item, "DOI") or doi_of(url) or ""),
        "eprint": arxiv or "",
        "eprinttype": "arxiv" if arxiv else "",
        "url": _verbatim_value(url),
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
        family = " ".join(word for word in (*particles, text_of(person, "family")) if word)
        literal, given_name, suffix = (
            text_of(person, key) for key in ("literal", "given", "suffix")
        )
        if family and (given_name or suffix) and not literal:
            names.append(", ".join(map(_escape_name, filter(None, (family, suffix, given_name)))))
        elif only_name := literal or family:
            names.append(f"{{{_bibtex(only_name)}}}")
    return " and ".join(names)


def _bibtex_dates(item: Item) -> dict[str, str]:
    """Return the fields for the dates of a work, its original and its event, but not of access."""
    fields: dict[str, str] = {}
    for prefix, key in (("", "issued"), ("orig", "original-date"), ("event", "event-date")):
        work_date = read_date(item.get(key))
        for name, value in work_date.biblatex.items() if work_date else ():
            fields[f"{prefix}{name}"] = _bibtex(value) if name == "year" else value
    return fields


def _escape_name(text: str) -> str:
    """Return a part of a name, in braces if BibTeX would split it."""
    is_split = "," in text or re.search(r"\sand\s", text, re.IGNORECASE)
    return f"{{{_bibtex(text)}}}" if is_split else _bibtex(text)


def _rich(text: str) -> str:
    """Return a field that may have elements such as ``<i>`` for LaTeX."""
    return rich_latex(text, _bibtex)


def _bibtex(text: str) -> str:
    """Return `text` escaped for LaTeX."""
    return text.translate(_BIBTEX_SPECIAL)


def _verbatim_value(text: str) -> str:
    """Return an address or DOI.

    BibLaTeX reads it verbatim, so only characters that end the field are escaped.
    """
    return text.replace("\\", "%5C").replace("{", "%7B").replace("}", "%7D").replace(" ", "%20")
