"""Check the main text that trafilatura finds against the page: nothing torn, nothing below a heading of other text."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice, pairwise

from lxml.html import HtmlElement

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_BLOCKS = frozenset({"p", "li", "blockquote", "div"})
_MAX_HEADINGS = 1_000
"""Maximum number of headings on a page; a page with more is treated as having none."""
_AROUND = re.compile(
    r"footer|\bnav|navigation|aside|sidebar|breadcrumb|\brelated\b|contentinfo|copyright", re.IGNORECASE
)
"""Elements around the main text, recognised by tag, class, id or role."""
_MAX_SIBLINGS = 200
"""Maximum number of sibling elements examined."""
_MAX_PLACES = 20
"""Maximum number of occurrences of the same words examined on one page."""
_MAX_BLOCKS, _MAX_PIECES = 30, 60
"""Maximum number of text blocks below one heading, and of pieces of text in a block, that are examined."""
_LETTERS = 15, 60
"""Minimum and maximum number of letters of a block that are compared: fewer could match anywhere."""
_NOT_LETTERS = re.compile(r"[\W_]+")
_LETTER = re.compile(r"[^\W_]")
_BLOCK = re.compile(r"(?:[^\n]*\n?)(?:(?!\s*(?:[-*+]|\d{1,3}[.)])\s)[^\n]*\S[^\n]*\n?)*\n*")
"""A paragraph or list item, with the empty lines after it."""
_NUMBER = re.compile(r"\A\s*\d{1,3}[.)]\s")
_LINE = re.compile(r"^(#{1,6}) +(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a page."""

    level: int
    text: str
    blocks: tuple[str, ...]
    """The first letters of each text block below the heading."""


def read_headings(tree: HtmlElement) -> tuple[Heading, ...]:
    """Return the headings of a page, in order, each with the text between it and the next."""
    found: list[tuple[int, str, list[str]]] = []
    for element in tree.iter(*HEADINGS, *_BLOCKS):
        text = "".join(islice(element.itertext(), _MAX_PIECES))
        if element.tag in HEADINGS:
            found.append((int(element.tag[1]), " ".join(text.split()), []))
        elif found and len(found[-1][2]) < _MAX_BLOCKS:
            letters = _letters(text[: 4 * _LETTERS[1]])[: _LETTERS[1]]
            found[-1][2].extend([letters] if len(letters) >= _LETTERS[0] else [])
    return tuple(Heading(level, text, tuple(blocks)) for level, text, blocks in found if text)


def headings_of_boxes(tree: HtmlElement) -> list[HtmlElement]:
    """Return the headings of boxes within a text, such as "Note": the text after the box does not belong to them.

    Markdown cannot say so: there, all is below a heading until the next one.
    """
    headings = [heading for heading in tree.iter(*HEADINGS) if _has_text(heading)]
    if len(headings) > _MAX_HEADINGS:
        return []
    top = min((heading.tag for heading in headings), default="")
    first = next((heading for heading in headings if heading.tag == top), tree)
    outside = set(first.iterancestors())
    pairs = pairwise([*headings, None])
    return [heading for heading, after in pairs if heading.tag != top and _is_left(heading, after, outside)]


def _is_left(heading: HtmlElement, after: HtmlElement | None, outside: set[HtmlElement]) -> bool:
    """Return whether text follows the box of a heading before `after`, the next heading."""
    box = heading
    while box.getparent() is not None and not _has_text_beside(box):
        box = box.getparent()
    box = box.getparent()
    above = set() if after is None else {after, *after.iterancestors()}
    while box is not None and box not in outside and box not in above:
        if _is_text(box.tail):
            return True
        for sibling in islice(box.itersiblings(), _MAX_SIBLINGS):
            if sibling is after:
                return False
            if not _AROUND.search(f"{sibling.tag} {sibling.get('class')} {sibling.get('id')} {sibling.get('role')}"):
                for element in sibling.iter():
                    if element is after:
                        return False
                    if element.tag != "a" and _is_text(element.text):
                        return True
            if _is_text(sibling.tail):
                return True
        box = box.getparent()
    return False


def _has_text_beside(element: HtmlElement) -> bool:
    before, after = element.itersiblings(preceding=True), element.itersiblings()
    beside = [*islice(before, _MAX_SIBLINGS), *islice(after, _MAX_SIBLINGS)]
    return any(map(_is_text, (element.getparent().text, element.tail))) or any(
        _is_text(sibling.tail) or _has_text(sibling) for sibling in beside
    )


def _has_text(element: HtmlElement) -> bool:
    return any(map(_is_text, element.itertext()))


def _is_text(text: str | None) -> bool:
    return bool(text and any(map(str.isalnum, text)))


def without_torn(markdown: str, visible: str) -> str:
    """Return `markdown` without the paragraphs and items that are incomplete compared with the page.

    `visible` is the page's text with a line for each of its blocks. A passage that begins or ends within such a line,
    or is not there verbatim, is incomplete: a sentence without its beginning may say the opposite.
    """
    page = _Letters(unicodedata.normalize("NFKC", visible))
    at = 0
    kept: list[str] = []
    for block in _BLOCK.findall(markdown):
        letters = _letters(unicodedata.normalize("NFKC", _NUMBER.sub("", block)))
        found = page.find_lines(letters, at) if letters and not block.lstrip().startswith("#") else at
        if found is not None:
            kept.append(block)
            at = found
    return "".join(kept).strip()


def with_headings(markdown: str, headings: tuple[Heading, ...]) -> str:
    """Return `markdown`, a page's main text, with those of the page's `headings` that the text below lacks."""
    lines = list(_LINE.finditer(markdown))
    if max(len(lines), len(headings)) > _MAX_HEADINGS:
        return _LINE.sub(r"\2", markdown)
    matcher = SequenceMatcher(None, [_letters(h.text) for h in headings], [_letters(m[2]) for m in lines], False)
    kept = {a + n: lines[b + n] for a, b, size in matcher.get_matching_blocks() for n in range(size)}
    if len(kept) == len(headings):
        return markdown
    text = _Letters(markdown)
    limits = _limits(len(headings), {n: text.count_to(line.start()) for n, line in kept.items()}, len(text.letters))
    added: list[tuple[int, str]] = []
    waiting: list[Heading] = []  # headings above, without text of their own
    at = 0  # in letters, after everything already placed
    for n, heading in enumerate(headings):
        waiting = [above for above in waiting if above.level < heading.level]
        if n in kept:
            start, at = kept[n].start(), text.count_to(kept[n].end())
        else:
            found = text.place(heading, at, limits[n])
            waiting.append(heading)
            if found is None:
                continue
            start, at = found
        added += [(start, f"{'#' * above.level} {above.text}") for above in waiting]
        waiting = []
    pieces, last = [], 0
    for start, line in added:
        pieces += [markdown[last:start].rstrip(), line]
        last = start
    return "\n\n".join(filter(None, [*pieces, markdown[last:]]))


def _limits(count: int, kept: dict[int, int], end: int) -> list[int]:
    """Return, for each heading, the position of the next heading that is in the text."""
    limits = [end] * count
    for n in reversed(range(count)):
        limits[n] = end
        end = kept.get(n, end)
    return limits


class _Letters:
    """The letters of a Markdown text, with their offsets."""

    def __init__(self, markdown: str) -> None:
        self._markdown = markdown
        self._offsets = [match.start() for match in _LETTER.finditer(markdown)]
        self.letters = "".join(markdown[at] for at in self._offsets)

    def count_to(self, offset: int) -> int:
        """Return the number of letters before an offset."""
        return bisect_right(self._offsets, offset)

    def find_lines(self, letters: str, at: int) -> int | None:
        """Return the end of `letters`, searched from `at` and then anywhere, if they fill whole lines; else `None`."""
        for start in (at, 0):
            place = self.letters.find(letters, start)
            for _ in range(_MAX_PLACES):
                if place < 0:
                    break
                if self._is_line(place, place + len(letters)):
                    return place + len(letters)
                place = self.letters.find(letters, place + 1)
        return None

    def _is_line(self, first: int, end: int) -> bool:
        before = self._offsets[first - 1] + 1 if first else 0
        after = self._offsets[end] if end < len(self._offsets) else len(self._markdown)
        begins = first == 0 or "\n" in self._markdown[before : self._offsets[first]]
        return begins and (end == len(self._offsets) or "\n" in self._markdown[self._offsets[end - 1] : after])

    def place(self, heading: Heading, at: int, limit: int) -> tuple[int, int] | None:
        """Return the start of the text below a heading: the offset of its line, and its index among the letters."""
        for block in heading.blocks:
            place = self.letters.find(block, at, limit)
            start = self._markdown.rfind("\n", 0, self._offsets[place]) + 1 if place >= 0 else -1
            if place >= 0 and not _LETTER.search(self._markdown, start, self._offsets[place]):
                return start, place
        return None


def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", text)
