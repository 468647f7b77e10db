"""Paired signs of extensions around other elements: ``==a *b*==``, ``^^a `b`^^``.

The extensions' own patterns see the text of one element at a time, and so only pairs within it.
"""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import Element

from markdown.util import AtomicString

SIGNS = {"=": ("==", "mark"), "^": ("^^", "ins")}
"""By the sign that an extension registers: the pair's sign, and its element."""


def wrap_marked(root: Element, signs: Mapping[str, str]) -> None:
    """Put elements between two signs into an element of their own.

    Args:
        root: the page.
        signs: the elements by sign.
    """
    for parent in list(root.iter()):
        if not len(parent):
            continue
        for sign, tag in signs.items():
            _wrap(parent, sign, tag)


def _wrap(parent: Element, sign: str, tag: str) -> None:
    """Wrap the children between a sign that opens a pair and the next one, if that closes it."""
    texts = [parent.text, *(child.tail for child in parent)]
    for opening, text in enumerate(texts):
        if not _begins_pair(text, sign):
            continue
        closing = next(
            (n for n in range(opening + 1, len(texts)) if sign in (texts[n] or "")), None
        )
        if closing is None or not _ends_pair(texts[closing], sign):
            continue
        before, _, inside = (text or "").rpartition(sign)
        end, _, after = (texts[closing] or "").partition(sign)
        wrapper = Element(tag)
        wrapper.text, wrapper.tail = inside, after
        wrapper[:] = parent[opening:closing]
        wrapper[-1].tail = end
        parent[opening:closing] = [wrapper]
        if opening:
            parent[opening - 1].tail = before
        else:
            parent.text = before
        return


def _begins_pair(text: str | None, sign: str) -> bool:
    """Return whether the last sign in a text begins a pair: no letter before, no blank behind."""
    if not text or sign not in text or isinstance(text, AtomicString):
        return False
    before, _, inside = text.rpartition(sign)
    return not before[-1:].isalnum() and not inside[:1].isspace()


def _ends_pair(text: str | None, sign: str) -> bool:
    """Return whether the first sign in a text ends a pair: no blank before it."""
    if not text or isinstance(text, AtomicString):
        return False
    return not text.partition(sign)[0][-1:].isspace()
