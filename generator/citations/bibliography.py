"""How a bibliography's entry is made: authors, title, venue; and which of them is the title."""

from __future__ import annotations

import re

from generator.markdown.plain_text import line_text

_ITALIC = re.compile(r"(?<![\w*_])([*_])(?![\s*_])([^*_]{8,200}?)(?<![\s*_])\1(?![\w*_])")
_SENTENCE_END = re.compile(r"(?<!\b[A-Z])(?<!\b[A-Z]-[A-Z])(?<!\bal)(?<!\bvs)(?<!\bed)(?<!\b[NS]o)(?<!\b[DMJS]r)\.\s+")
_ET_AL = re.compile(
    r"^(?:[^.\n]|\b[A-Z]\.|-[A-Z]\.){2,120}?\bet al\b\.?,?(?:\s?\(?(?:19|20)\d\d[a-z]?\)?)?[,:.]?\s+(?=\S)"
)
_NAME = r"[A-Z][\w'\u2019-]+"
_INITIALS = re.compile(rf"\b[A-Z]\.(?:[\s-]?[A-Z]\.){{0,3}},?\s?{_NAME}|\b{_NAME},\s[A-Z]\.")
_NAMES = re.compile(rf"^{_NAME}(?:,? (?:and |& )?{_NAME}){{0,12}},? (?:and|&) {_NAME}(?: {_NAME})?$")
_DASH = re.compile(r"\s[—–-]\s")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def title_in_italics(markdown: str) -> str:
    """The one title in italics beside other words, as in ``Author: *Title*``; ``""`` for none."""
    text = markdown.replace("**", "").replace("__", "")
    found = _ITALIC.findall(text) if "*" in text or "_" in text else []
    title = line_text(found[0][1]) if len(found) == 1 else ""
    rest = text.replace(found[0][1], "").strip(" *_.,:") if title else ""
    return title if " " in title and rest else ""


def without_site(words: str) -> str:
    """An entry without the site, the venue or the authors behind a dash: ``Title - Miller et al., 2024``."""
    dash = next(reversed(list(_DASH.finditer(words))), None)
    if not dash:
        return words
    head, tail = words[: dash.start()].strip(), words[dash.end() :]
    is_by = bool(_YEAR.search(tail)) or "et al" in tail
    is_site = len(tail.split()) <= 2 and (" " in head or "/" in head)
    return without_site(head) if is_by or is_site else words


def without_authors(words: str) -> str:
    """An entry without the authors in front of its title, and without what follows the title as a sentence."""
    text = _ET_AL.sub("", words, count=1)
    who, colon, rest = text.partition(": ")
    if colon and _are_authors(who) and not _SENTENCE_END.search(who):
        text = rest
    sentences = [piece for piece in _SENTENCE_END.split(text) if piece]
    if len(sentences) < 2:
        return text
    if _are_authors(sentences[0]) or (" " not in sentences[0] and " " in sentences[1]):
        return sentences[1]
    return sentences[0] if " " in sentences[0] else text


def _are_authors(words: str) -> bool:
    return bool(_INITIALS.search(words) or _NAMES.match(words)) or words.endswith("et al")
