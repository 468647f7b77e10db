"""Convert a page of HTML to Markdown that keeps its links, footnotes and lists of sources; without code."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from lxml.html import HtmlElement

from generator.web.blocks import INLINE, UNSEEN, flatten, parse_html
from generator.web.markup import drop_hidden

_LEFT_OUT = UNSEEN | {"button", "nav", "footer", "form", "pre", "img"}
_MARK = re.compile(r"\s*[\[(]?\s*[\w*†‡]{1,6}\s*[\])]?\s*")
"""The text of a link to a note: ``[1]``, ``1``, ``*``."""
_NOTES = frozenset({"li", "dd", "tr", "div", "p", "aside", "cite"})
"""Elements that may contain a note; links to other elements point back to the text."""


def linked_markdown(html: str, url: str) -> str:
    """Return all visible text of a page as Markdown, with web links in full and notes as footnotes."""
    if not html.strip():
        return ""
    tree = parse_html(html.encode("utf-8", "replace"))
    drop_hidden(tree)
    notes = _read_notes(tree)

    def inner(element: HtmlElement) -> list[HtmlElement | str]:
        """Return the contents of an element, with Markdown around them."""
        tag = element.tag
        if tag in _LEFT_OUT:
            return ["\n\n"] if tag == "pre" else []
        before, after = _edges(element, notes)
        if tag == "a":
            before, after = _link_edges(element, url)
            target = (element.get("href") or "").removeprefix("#")
            if (element.get("href") or "").startswith("#") and _MARK.fullmatch(element.text_content()):
                return [f"[^{notes[target]}]" if target in notes else ""]
        return [before, _one_line(element.text or ""), *element, after]

    text = "".join(flatten(tree, inner, _one_line))
    text = re.sub(r"[ \t]*\n[ \t]*", "\n", re.sub(r"[ \t]{2,}", " ", text))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _read_notes(tree: HtmlElement) -> dict[str, str]:
    """Return the labels of the notes linked in the text, by the ids of their elements."""
    marks = (link for link in tree.iter("a") if (link.get("href") or "").startswith("#"))
    wanted = {link.get("href")[1:] for link in marks if _MARK.fullmatch(link.text_content())} - {""}
    found = [element for element in tree.iter() if element.get("id") in wanted]
    return {element.get("id"): f"n{n}" for n, element in enumerate(found, 1) if element.tag in _NOTES}


def _edges(element: HtmlElement, notes: dict[str, str]) -> tuple[str, str]:
    """Return the Markdown before and after the contents of an element."""
    tag, above = element.tag, element.getparent()
    around = ("\n\n", "\n\n")
    if tag in {"td", "th"}:
        around = ("", " | ")
    elif tag != "table" and any(True for _ in element.iterancestors("td", "th")):
        around = ("", "") if tag in INLINE else (" ", " ")
    elif element.get("id") in notes:
        around = (f"\n\n[^{notes[element.get('id')]}]: ", "\n\n")
    elif tag in INLINE or tag in {"html", "tbody", "thead"}:
        around = ("", "")
    elif tag == "br":
        around = (" ", " ")
    elif tag == "li":
        number = sum(1 for _ in element.itersiblings("li", preceding=True)) + 1
        around = (f"\n{number}. " if above is not None and above.tag == "ol" else "\n- ", "\n")
    elif re.fullmatch(r"h[1-6]", tag):
        around = (f"\n\n{'#' * int(tag[1])} ", "\n\n")
    elif tag == "tr":
        is_head = not any(True for _ in element.itersiblings("tr", preceding=True)) and element.find("th") is not None
        around = ("\n| ", f"\n|{'---|' * len(element)}\n" if is_head else "\n")
    elif above is not None and above.tag == "li" and not (above.text or "").strip() and above[0] is element:
        around = ("", "\n")
    elif tag == "blockquote" or (above is not None and above.tag == "blockquote"):
        around = ("\n\n> ", "\n\n")
    return around


def _link_edges(link: HtmlElement, url: str) -> tuple[str, str]:
    """Return the Markdown around the text of a web link; nothing for other links."""
    try:
        address = urljoin(url, (link.get("href") or "").strip())
    except ValueError:
        return "", ""
    is_web = re.fullmatch(r"https?://[^\s<>]{1,2000}", address) and not (link.get("href") or "").startswith("#")
    return ("[", f"](<{address}>)") if is_web and link.text_content().strip() else ("", "")


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)
