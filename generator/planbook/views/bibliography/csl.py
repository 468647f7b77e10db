"""Works as CSL-JSON: their own fields, or what is known of a reference.

Formats: https://docs.citationstyles.org/en/stable/specification.html, and the CSL-JSON schema
1.0.2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from planbook.citations.csl_variables import DATES
from planbook.citations.dates import read_date
from planbook.citations.reference_fields import has_id
from planbook.citations.references import csl_date, csl_type, items_by_id
from planbook.markdown.front_matter import json_values
from planbook.model import Reference

Item = Mapping[str, Any]
"""A work in CSL-JSON."""


def csl_item(reference: Reference) -> dict[str, Any]:
    """Return a reference as a CSL item.

    ``id``, ``type``, ``title``, and address and access date if known.
    """
    item: dict[str, Any] = {
        "id": reference.id,
        "type": csl_type(reference.url),
        "title": reference.title,
    }
    arxiv, doi = arxiv_id(reference.url), doi_of(reference.url)
    if arxiv:
        item["number"] = f"arXiv:{arxiv}"
    if doi:
        item["DOI"] = doi
    if reference.url:
        item["URL"] = reference.url
    if reference.accessed:
        item["accessed"] = csl_date(reference.accessed)
    return item


def csl_metadata(value: object, references: Sequence[Reference]) -> list[Any]:
    """Return a page's ``references`` as metadata.

    The author's references come first, then works that only its prose cites.

    Of items with one id, all but the first have the ids that the page gives them.
    """
    entries = list(value) if isinstance(value, list) else []
    names = list(items_by_id({"references": entries}))
    ids = iter(names)
    items: list[Any] = []
    for item in entries:
        is_named = isinstance(item, dict) and has_id(item)
        items.append({**item, "id": next(ids)} if is_named else item)
    return [*items, *(csl_item(work) for work in references if work.id not in names)]


def csl_items(value: object, references: Sequence[Reference]) -> list[dict[str, Any]]:
    """Return the works of a page as valid CSL-JSON, in the order of its `references`.

    Items from the author are kept, with dates in CSL-JSON's format; invalid items are omitted.
    """
    by_id = items_by_id({"references": value})
    return [_plain_item(by_id[r.id], r) if r.id in by_id else csl_item(r) for r in references]


def csl_json(items: Sequence[Item]) -> str:
    """Return the items as a ``.json`` file, one per line."""
    lines = ",\n ".join(json.dumps(item, ensure_ascii=False) for item in items)
    return f"[\n {lines}\n]\n" if lines else "[]\n"


def cited_items(references: Sequence[Reference]) -> list[dict[str, Any]]:
    """Return the references as ``planbook cite --format json`` prints them.

    They have lines, and access dates as text.
    """
    return [
        {"id": r.id, "URL": r.url, "title": r.title, "accessed": r.accessed, "lines": list(r.lines)}
        for r in references
    ]


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


def arxiv_id(url: str | None) -> str | None:
    """Return the id of a paper on arXiv; ``None`` for other addresses."""
    match = re.match(r"https?://arxiv\.org/(?:abs|pdf|html)/(.+?)(?:\.pdf)?$", url or "")
    return match[1] if match else None


def doi_of(url: str | None) -> str | None:
    """Return the DOI in its resolver's address; ``None`` for other addresses."""
    match = re.match(r"https?://(?:dx\.)?doi\.org/(10\..+)$", url or "")
    return match[1] if match else None
