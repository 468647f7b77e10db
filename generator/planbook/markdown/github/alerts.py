"""Alerts: quotes that begin with a marker, as on GitHub (``[!NOTE]``) and in Obsidian.

The extension `pymdownx.quotes` makes admonitions and details of quotes that are marked here.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

_KINDS = r"[\w-]+(?: *\| *[\w-]+)*"
_MARKER = re.compile(rf"\[!(?P<kinds>{_KINDS})\](?P<fold>[-+])?(?P<title>.*)", re.DOTALL)
"""``[!NOTE]``, ``[!faq]- Title``."""
_FOLD_STATES = {"+": "open", "-": "closed"}


def mark_alert(quote: Element) -> None:
    """Mark a quote as an alert, with a title of its own, if its first line is a marker."""
    first = quote[0] if len(quote) and quote[0].tag == "p" else None
    marker = _MARKER.match(first.text or "") if first is not None else None
    if first is None or marker is None:
        return
    kinds = [kind.strip() for kind in marker["kinds"].split("|")]
    first.text = marker["title"].lstrip(" ")
    title, rest = _split_at_line_end(first)
    if not (title.text or "").strip() and not len(title):
        title.text = kinds[0].title()
    quote.set("data-alert", " ".join([kinds[0].lower(), *kinds[1:]]))
    quote.set("data-alert-collapse", _FOLD_STATES.get(marker["fold"] or "", ""))
    quote[0:1] = [title] if rest is None else [title, rest]


def _split_at_line_end(paragraph: Element) -> tuple[Element, Element | None]:
    """Return the first line of a paragraph, and the other ones if there are any."""
    title, rest = Element("p"), Element("p")
    title.text, is_split, rest.text = (paragraph.text or "").partition("\n")
    children = list(paragraph)
    while children and not is_split:
        child = children.pop(0)
        is_break = child.tag == "br"
        tail, is_split, rest.text = (child.tail or "").partition("\n")
        if is_break:
            is_split, rest.text = "\n", child.tail or ""
        else:
            child.tail = tail
            title.append(child)
    rest.extend(children)
    return title, rest if is_split else None
