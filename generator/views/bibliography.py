"""Works cited as other programs read them: CSL items, BibTeX, RIS. Nothing is invented that the page does not say.

Formats: https://docs.citationstyles.org/en/stable/specification.html (and the CSL-JSON schema 1.0.2),
BibLaTeX's ``@online`` and ``@article``, RIS as EndNote and Zotero read it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from generator.model import Reference

_BIBTEX_SPECIAL = {char: f"\\{char}" for char in "&%$#_{}"} | {
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "\\": "\\textbackslash{}",
}


def csl_item(reference: Reference) -> dict[str, Any]:
    """A reference as a CSL item: ``id``, ``type``, ``title``, and address and access date where they are known."""
    item: dict[str, Any] = {"id": reference.id, "type": _type(reference), "title": reference.title}
    arxiv, doi = _arxiv(reference), _doi(reference)
    if arxiv:
        item["number"] = f"arXiv:{arxiv}"
    if doi:
        item["DOI"] = doi
    if reference.url:
        item["URL"] = reference.url
    if reference.accessed:
        item["accessed"] = {"date-parts": [[int(part) for part in reference.accessed.split("-")]]}
    return item


def bibtex(references: Sequence[Reference]) -> str:
    """The references as a ``.bib`` file for BibLaTeX, an entry each."""
    return "\n".join(_bibtex_entry(reference) for reference in references)


def ris(references: Sequence[Reference]) -> str:
    """The references as a ``.ris`` file, an entry each."""
    return "\n".join(_ris_entry(reference) for reference in references)


def cited(references: Sequence[Reference]) -> list[dict[str, Any]]:
    """The references as ``planbook cite --json`` prints them: with every line, and the access date as text."""
    return [
        {"id": r.id, "URL": r.url, "title": r.title, "accessed": r.accessed, "lines": list(r.lines)} for r in references
    ]


def _type(reference: Reference) -> str:
    if _arxiv(reference):
        return "article"
    if _doi(reference):
        return "article-journal"
    return "webpage" if reference.url and reference.url.startswith("http") else "document"


def _arxiv(reference: Reference) -> str | None:
    match = re.match(r"https?://arxiv\.org/(?:abs|pdf|html)/(.+?)(?:\.pdf)?$", reference.url or "")
    return match[1] if match else None


def _doi(reference: Reference) -> str | None:
    match = re.match(r"https?://(?:dx\.)?doi\.org/(10\..+)$", reference.url or "")
    return match[1] if match else None


def _bibtex_entry(reference: Reference) -> str:
    arxiv, doi = _arxiv(reference), _doi(reference)
    fields = {
        "title": f"{{{_bibtex(reference.title)}}}",
        "url": reference.url,
        "urldate": reference.accessed,
        "doi": doi,
        "eprint": arxiv,
        "eprinttype": "arxiv" if arxiv else None,
    }
    kind = "article" if doi else "online" if reference.url else "misc"
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{reference.id},", *lines, "}", ""])


def _bibtex(text: str) -> str:
    return "".join(_BIBTEX_SPECIAL.get(char, char) for char in text)


def _ris_entry(reference: Reference) -> str:
    lines = [
        ("TY", "JOUR" if _doi(reference) else "ELEC" if reference.url else "GEN"),
        ("ID", reference.id),
        ("TI", reference.title),
    ]
    lines += [("UR", reference.url)] if reference.url else []
    lines += [("DO", doi)] if (doi := _doi(reference)) else []
    lines += [("Y2", reference.accessed.replace("-", "/"))] if reference.accessed else []
    return "\n".join([*(f"{tag}  - {' '.join(value.split())}" for tag, value in lines), "ER  - ", ""])
