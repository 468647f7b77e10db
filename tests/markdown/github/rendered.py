"""HTML in a form that can be compared: what a browser makes of it, without the space between blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from urllib.parse import quote, unquote

BLOCKS = frozenset(
    [
        *("blockquote", "body", "dd", "details", "div", "dl", "dt", "figcaption", "figure"),
        *("h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "section"),
        *("summary", "table", "tbody", "td", "th", "thead", "tr", "ul"),
    ]
)
VOID = frozenset({"br", "hr", "img", "input"})


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[tuple[str, str]] = []
        """Kind (`tag`, `text` or `code`) and content."""
        self.open: list[str] = []
        self.crossed: list[str] = []
        """Tags that end another element than the innermost one."""

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        shown = "".join(f" {name}={_address(name, value)!r}" for name, value in sorted(attrs))
        self.parts.append(("tag", f"<{tag}{shown}>"))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.parts.append(("tag", f"</{tag}>"))
        if tag in VOID:
            return
        if self.open[-1:] == [tag]:
            self.open.pop()
        else:
            self.crossed.append(tag)

    def handle_data(self, data: str) -> None:
        kind = "code" if "pre" in self.open else "text"
        if self.parts and self.parts[-1][0] == kind:
            data = self.parts.pop()[1] + data
        self.parts.append((kind, data))

    def handle_comment(self, data: str) -> None:
        self.parts.append(("tag", f"<!--{data}-->"))


def _address(name: str, value: str | None) -> str:
    """An attribute's value; addresses that mean the same are the same."""
    return quote(unquote(value or ""), safe="/") if name in {"href", "src"} else value or ""


def _is_block(part: tuple[str, str] | None) -> bool:
    if part is None:
        return True
    name = re.match(r"</?(\w+)", part[1]) if part[0] == "tag" else None
    return bool(name and name[1] in BLOCKS) or part[1].startswith("<!--")


def _parts(html: str) -> Iterator[str]:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    found = [None, *reader.parts, None]
    for before, part, after in zip(found, found[1:], found[2:], strict=False):
        assert part is not None
        kind, content = part
        if kind == "code" and after == ("tag", "</code>"):
            content = content.removesuffix("\n")
        if kind == "text":
            content = re.sub(r"\s+", " ", content)
            content = content.lstrip() if _is_block(before) or before == ("tag", "<br>") else content
            content = content.rstrip() if _is_block(after) or after == ("tag", "<br>") else content
        if content:
            yield content


def normalized(html: str) -> list[str]:
    """The tags and texts of HTML, in order."""
    return list(_parts(html))


def words(html: str) -> list[str]:
    """The words that a reader sees."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return " ".join(content for kind, content in reader.parts if kind != "tag").split()


def crossed(html: str) -> list[str]:
    """The tags that end no element, or another one than the innermost, and those never ended."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.crossed + reader.open
