"""Differences between two renderings of one page: blocks of other kinds, or with other text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from html.parser import HTMLParser
from itertools import zip_longest

_KINDS = {
    "p": "paragraph",
    "pre": "code",
    "td": "table cell",
    "th": "table header",
    "dt": "term",
    "dd": "definition",
    "summary": "summary",
    "figcaption": "caption",
    "li": "list item",
    **{f"h{level}": f"heading {level}" for level in range(1, 7)},
}
"""Names of blocks with text, by element."""
_MARKS = frozenset({"strong", "em", "del", "code"})
"""Elements within text that a reading shows; signs would look like those that were not read."""
_SKIPPED_TAGS = frozenset({"script", "style", "svg"})
_VOID_TAGS = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "wbr"})
_PERMALINKS = frozenset({"headerlink", "footnote-backref"})
_CONTAINER_WORDS = {"blockquote": "quoted", "details": "folded"}
_WORD = re.compile(r"\w+")
_TAG = re.compile(r"</?(?:strong|em|del|code)>")
_MAX_SHOWN_CHARS = 60
"""Characters of a text that a reading shows."""
_CONTEXT_CHARS = 20
"""Characters before the first one that differs."""


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """A block of a page as a reader sees it."""

    kind: str
    text: str

    def reading(self, first: int = 0) -> str:
        """Return the kind and the text around the character `first`."""
        start = max(0, first - _CONTEXT_CHARS) if first > _MAX_SHOWN_CHARS - _CONTEXT_CHARS else 0
        excerpt = self.text[start : start + _MAX_SHOWN_CHARS].strip()
        before, after = "…" * (start > 0), "…" * (start + _MAX_SHOWN_CHARS < len(self.text))
        return f"{self.kind} “{before}{excerpt}{after}”"


@dataclass(frozen=True, slots=True)
class Difference:
    """A block that two readers of Markdown take for different things."""

    line: int
    """The line in the text, 1-based."""
    github: str
    """The block in GitHub's reading; ``nothing`` if there is none."""
    python: str
    """The same, in Python-Markdown's."""


def differences(text: str, github: str, python: str) -> Iterator[Difference]:
    """Yield the differences between two renderings of a text, in order, one for each run of blocks.

    Args:
        text: the page's Markdown.
        github: its HTML as on GitHub.
        python: its HTML by Python-Markdown.
    """
    ours, theirs = blocks_of(github), blocks_of(python)
    at = 0
    # Without `autojunk`: what is frequent on a page, such as a cell of a table, counts, too.
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    for step, begin, end, other_begin, other_end in matcher.get_opcodes():
        if step == "equal":
            at = _span_of_excerpt(text, ours[end - 1].text, at)[1]
            continue
        pairs = zip_longest(ours[begin:end], theirs[other_begin:other_end])
        # The first pair stands for the run: the others often differ only because they are shifted.
        github_block, python_block = next(pairs)
        known = github_block or python_block
        start, at = _span_of_excerpt(text, known.text if known else "", at)
        line = text.count("\n", 0, start) + 1
        common = _common_length(
            github_block.text if github_block else "", python_block.text if python_block else ""
        )
        readings = [
            block.reading(common) if block else "nothing" for block in (github_block, python_block)
        ]
        yield Difference(line, *readings)


def _common_length(first: str, second: str) -> int:
    """Return the number of characters before the first one that differs."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(first), len(second)))


def _span_of_excerpt(text: str, excerpt: str, start: int) -> tuple[int, int]:
    """Return the span of the first words of `excerpt` in a text, from `start` on or anywhere."""
    words = _WORD.findall(_TAG.sub(" ", excerpt))[:5]
    for count in range(len(words), 0, -1):
        pattern = re.compile(r"\W+".join(map(re.escape, words[:count])))
        match = pattern.search(text, start) or pattern.search(text)
        if match:
            return match.span()
    return start, start


def blocks_of(html: str) -> Sequence[ShownBlock]:
    """Return the blocks of a page's HTML with text, in order."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.blocks()


class _Reader(HTMLParser):
    """Reads blocks; each text belongs to the innermost block around it."""

    def __init__(self) -> None:
        super().__init__()
        self._open: list[str] = []
        self._skipped = 0
        self._found: list[tuple[str, list[str]]] = []

    def blocks(self) -> list[ShownBlock]:
        """Return what was read."""
        joined = ((kind, " ".join("".join(texts).split())) for kind, texts in self._found)
        return [ShownBlock(kind, text) for kind, text in joined if text]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        classes = set((dict(attrs).get("class") or "").split())
        if tag == "br":
            self._add(" ")
        if tag in _VOID_TAGS:
            return
        self._open.append(tag)
        # Elements within a skipped one are counted, so that its own end is known.
        if self._skipped or tag in _SKIPPED_TAGS or classes & _PERMALINKS:
            self._skipped += 1
        elif tag in _MARKS:
            # Highlighted code has elements for its colours.
            self._add("" if "pre" in self._open else f"<{tag}>")
        elif tag in _KINDS or tag == "div":
            self._begin()

    def handle_endtag(self, tag: str) -> None:
        """Close an element, and those in it that were left open."""
        if tag not in self._open:
            return
        while self._open:
            closed = self._open.pop()
            if self._skipped:
                self._skipped -= 1
            elif closed in _MARKS:
                self._add("" if "pre" in self._open else f"</{closed}>")
            # Text behind an element belongs to the one around it.
            elif closed in _KINDS or closed == "div":
                self._begin()
            if closed == tag:
                break

    def handle_data(self, data: str) -> None:
        """Add text to the innermost block."""
        if not self._skipped:
            self._add(data)

    def _begin(self) -> None:
        """Begin a block; a paragraph in an item is the item."""
        inner = next((tag for tag in reversed(self._open) if tag in _KINDS), "")
        is_in_item = inner == "p" and self._open[-2:-1] == ["li"]
        kind = _KINDS["li"] if is_in_item else _KINDS.get(inner, "text")
        depth = sum(tag in {"ul", "ol"} for tag in self._open)
        kinds_around = sorted(
            {_CONTAINER_WORDS[tag] for tag in self._open if tag in _CONTAINER_WORDS}
        )
        level = f" at level {depth}" if depth > 1 else ""
        self._found.append((" ".join([*kinds_around, kind]) + level, []))

    def _add(self, text: str) -> None:
        if not self._found:
            self._begin()
        self._found[-1][1].append(text)
