"""The sections of a page's HTML, as Material's search index has them.

Material uses Python's HTML parser for each page. Python-Markdown's output is nearly always simple:
here, HTML is split at angle brackets, and repeated tags are parsed once. For more complex HTML,
`parse_sections`, which is to be read first, returns ``None``.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

HEAD = re.compile(
    r"""
    < ([a-z][a-z0-9]*)                        # <img
    ((?: [ \t]+ [a-zA-Z_:@][-a-zA-Z0-9_:.@]*  #      alt
        (?: ="[^"]*" )?                       #         ="seven"
    )*)
    [ \t]* (/?)                               #                   /
    """,
    re.ASCII | re.VERBOSE,
)
"""A start tag without its last sign: ``<img alt="seven" /``."""
ATTRIBUTE = re.compile(r'([a-zA-Z_:@][-a-zA-Z0-9_:.@]*)(?:="([^"]*)")?', re.ASCII)
"""``alt="seven"``, or a name alone."""
TAIL = re.compile(r"</([a-z][a-z0-9]*)", re.ASCII)
"""An end tag without its last sign: ``</p``."""
TAG = re.compile(r"(<[^<>]*)>")
"""Any tag; what is between two of them is text."""
LINK = re.compile('<a href="[^"<>]*"')
PERMALINK = re.compile('<a class="headerlink" href="[^"<>]*"')
"""Links, whose addresses the index does not have."""
COMMENT = re.compile(r"<!--(?:[^-<>]|-(?!-))*-->")
"""A comment that every version of Python's parser reads alike; Material's ignores it, but not what
it separates."""
UNUSUAL_REFERENCE = re.compile("&(?!(?:amp|lt|gt|quot|#39|para);)")
"""The start of a character reference that Python-Markdown and Pygments do not write."""

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
SKIPPED_TAGS = frozenset({"object", "script", "style"})
INDEXED_TAGS = ("p", "code", "pre", "li", "ol", "ul", "sub", "sup")
"""Tags that the index preserves."""
EMPTY_ELEMENT = re.compile(rf"<({'|'.join(INDEXED_TAGS)})>[\s\0]*</\1>")
VOID_TAGS = frozenset(
    re.findall(r"\w+", "area base br col embed hr img input link meta param source track wbr")
)
RAW_TAGS = frozenset(
    re.findall(r"\w+", "iframe noembed noframes noscript plaintext script style textarea title xmp")
)
"""Elements whose contents are not markup, or are not treated as markup by some versions of
Python."""
SIMPLE_RAW = frozenset({"script", "style", "title"})
"""Those of them that are parsed here if they contain only text."""

SPAN = re.compile(r'<span class="(?!linenodiv)[\w -]*">([^<>]*)</span>', re.ASCII)
"""The markup of a token in such a block, of which the index preserves the text alone."""
SPACE = "\x1c"
"""In place of white space between two tags."""
LINE_END = "\x1d"
"""In place of the end of a line of code."""
KEPT_SPACE = "\0"
"""Before white space in code, which the index preserves."""
SPACES = re.compile(f"{SPACE}{SPACE}+")
SPACE_IN_CODE = re.compile(r">(?=[\s&])")


_ENDED_DEPTH = float("inf")
"""The depth of a section whose element has ended: no later section is in it."""


@dataclass(slots=True)
class SearchSection:
    """A heading and the text below it."""

    tag: str
    depth: float
    """The number of elements around its heading, and one."""
    is_excluded: bool = False
    id: str | None = None
    title: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Tag:
    """A start tag or an end tag."""

    name: str
    step: int = 0
    """The number of elements that it opens."""
    piece: str = ""
    """The tag in the index."""
    is_special: bool = False
    """True for the start of a heading, a permalink, and an element whose contents are skipped or
    must be text."""
    id: str | None = None
    is_permalink: bool = False
    is_excluded: bool = False
    is_skipped: bool = False
    """True if the element's contents are skipped."""


class NotPlainError(Exception):
    """The HTML is too complex for this module."""


def parse_sections(page: str) -> list[SearchSection] | None:
    """Return the sections of a page's HTML, or ``None`` if it is too complex."""
    try:
        return _SectionParser(page).read()
    except (NotPlainError, ValueError):  # ValueError: an element without an end
        return None


_IGNORED_TAG = Tag("br")
"""A tag that opens no element and is not in the index."""
_MAX_TAGS = 10_000
"""The number of tags that are remembered."""


class _Tags(dict[str, Tag]):
    """Tags by their text without the last bracket."""

    def __missing__(self, head: str) -> Tag:
        tag = _read_tag(head)
        if len(self) < _MAX_TAGS and tag.id is None:
            self[head] = tag
        return tag


_TAGS = _Tags({"<!----": _IGNORED_TAG})


def _read_tag(head: str) -> Tag:
    """Return a tag.

    Raises:
        NotPlainError: it is not a tag with quoted attributes.
    """
    tail = TAIL.fullmatch(head)
    if tail:
        piece = f"{head}>" if tail[1] in INDEXED_TAGS else ""
        return Tag(tail[1], step=-1, piece=piece)
    match = HEAD.fullmatch(head)
    if not match or match[1] in RAW_TAGS - SIMPLE_RAW:
        raise NotPlainError
    name = match[1]
    attributes = _parse_attributes(match[2])
    is_closed_at_once = bool(match[3])
    if name in VOID_TAGS:
        return _IGNORED_TAG
    return _opening_tag(name, attributes, is_closed_at_once=is_closed_at_once)


def _opening_tag(name: str, attributes: Mapping[str, str], *, is_closed_at_once: bool) -> Tag:
    """Return the tag that opens an element. Raises NotPlainError."""
    anchor = _require_plain_anchor(name, attributes)
    # Of the significant attributes, the first counts: both mean the same.
    is_excluded = "data-search-exclude" in attributes
    is_skipped = is_excluded or attributes.get("class") == "linenodiv" or name in SKIPPED_TAGS
    is_permalink = name == "a" and attributes.get("class") == "headerlink"
    is_special = is_skipped or is_permalink or name in HEADINGS or name in RAW_TAGS
    if is_closed_at_once and (is_special or name in INDEXED_TAGS):
        raise NotPlainError
    piece = f"<{name}>" if name in INDEXED_TAGS else ""
    return Tag(
        name,
        step=0 if is_closed_at_once else 1,
        piece=piece,
        is_special=is_special,
        id=anchor,
        is_permalink=is_permalink,
        is_excluded=is_excluded,
        is_skipped=is_skipped,
    )


def _require_plain_anchor(name: str, attributes: Mapping[str, str]) -> str | None:
    """Return a heading's id. Raises NotPlainError if Material's parser reads it differently."""
    anchor = attributes.get("id") if name in HEADINGS else None
    if anchor is not None and (not anchor or "&" in anchor or " " in anchor):
        raise NotPlainError
    return anchor


def _parse_attributes(written: str) -> dict[str, str]:
    """Return a tag's attributes. Raises NotPlainError if one is there twice."""
    pairs = ATTRIBUTE.findall(written)
    attributes = {key.lower(): value for key, value in pairs}
    if len(attributes) != len(pairs):
        raise NotPlainError
    return attributes


def _code_and_text(page: str) -> Iterator[str]:
    """Yield the parts of a page.

    These are blocks of code without the markup of tokens, and other text without line ends.

    Raises:
        NotPlainError: blocks have no end, or are in each other.
    """
    before, *blocks = page.split("<pre")
    yield before.replace("\n", " ")
    for block in blocks:
        code, end, after = block.partition("</pre>")
        if not end:
            raise NotPlainError
        code = SPACE_IN_CODE.sub(f">{KEPT_SPACE}", "".join(SPAN.split(code)))
        yield f"<pre{code.replace(chr(10), LINE_END)}</pre>{after.replace(chr(10), ' ')}"


def _indexed_text(text: str) -> str:
    """Return text as it is in the index, without elements that contain only white space.

    Of those with one name, Material leaves out the first ones of a section.
    """
    places: dict[str, int] = {}

    def without_first(match: re.Match[str]) -> str:
        """Return an empty element if it stays: there is another of its name before it."""
        name = match[1]
        first = text.find(f"<{name}>", places.get(name, 0))
        if first != match.start():
            places[name] = first
            return match[0]
        places[name] = first + 1
        return ""

    # An element that contains only empty ones is empty when they are gone.
    while (shorter := EMPTY_ELEMENT.sub(without_first, text)) != text:
        text = shorter
        places = {}
    text = (
        SPACES.sub(SPACE, text).replace(SPACE, " ").replace(LINE_END, "\n").replace(KEPT_SPACE, "")
    )
    if "&" not in text:
        return text
    return text.replace("&quot;", '"').replace("&#39;", "'").replace("&para;", "¶")


class _SectionParser:
    """Reads a page's HTML.

    Text and tags are read at once, and tags that do more than occur one by one.
    """

    def __init__(self, page: str) -> None:
        page = _simplify(page)
        parts = _split_at_tags(page)
        self.tags = list(map(_TAGS.__getitem__, parts[1::2]))
        self._ignore_unmatched_end_tags()
        if not page.count("<pre") == page.count("</pre>") == self.tags.count(_TAGS["</pre"]):
            raise NotPlainError
        self.depths = list(accumulate([tag.step for tag in self.tags]))
        """The number of open elements after each tag."""
        parts[::2] = [SPACE if text.isspace() else text for text in parts[::2]]
        parts[1::2] = [tag.piece for tag in self.tags]
        self.parts = parts
        """The text before each tag, and the tag."""

    def _ignore_unmatched_end_tags(self) -> None:
        """Ignore end tags of elements that are not the last one opened."""
        names: list[str] = []
        for n, tag in enumerate(self.tags):
            if tag.step > 0:
                names.append(tag.name)
            elif tag.step:
                if names and names[-1] == tag.name:
                    names.pop()
                else:
                    self.tags[n] = _IGNORED_TAG

    def read(self) -> list[SearchSection]:
        """Return the sections.

        Tags are counted by themselves, and among the parts, where texts are between them::

            index   0     1    2     3    4     5    6
            parts   text  tag  text  tag  text  tag  text
            tag n         0          1          2              count = 3

        So tag ``n`` is part ``2 * n + 1`` (`_part`), and the parts on both sides of it are texts.
        """
        count = len(self.tags)
        headings = self._remove_skipped()
        first = headings[0][0] if headings else count
        builder = _SectionBuilder(self, self._section_above(first))
        for n, end in headings:
            builder.read_until(n)
            builder.begin(n, end)
        builder.read_until(count)
        self._join_texts(builder.sections)
        return builder.sections

    def _remove_skipped(self) -> list[tuple[int, int]]:
        """Remove what the index skips; return the start and the end tag of each heading in it.

        A heading in the index has an address.
        """
        tags = self.tags
        depths = self.depths
        headings: list[tuple[int, int]] = []
        names = set[str]()
        special_end = heading_end = 0
        """The end of the special elements so far, and of the last heading with an address."""
        for n in [n for n, tag in enumerate(tags) if tag.is_special]:
            tag = tags[n]
            end = depths.index(depths[n] - 1, n + 1)  # the tag that closes it
            if tag.name in RAW_TAGS and (end != n + 1 or "&" in self.parts[_part(end) - 1]):
                raise NotPlainError
            # A heading within another special element, or one without an address below others.
            is_nested = n < special_end if tag.id is not None else tag.name in names
            if is_nested:
                raise NotPlainError
            special_end = max(special_end, end)
            if tag.id is not None:
                heading_end = end
                headings.append((n, end))
                names.add(tag.name)
            if tag.is_skipped:
                self._remove_element(n, end)
            elif tag.is_permalink and n < heading_end:
                self._remove_texts(n, end)
        return headings

    def _remove_element(self, n: int, end: int) -> None:
        """Remove an element that the index skips, with its tags. Raises NotPlainError.

        Material's parser does not skip any more after the end of another element with its name.
        """
        tag = self.tags[n]
        stop = end if tag.name in SKIPPED_TAGS else self.tags.index(_TAGS[f"</{tag.name}"], n)
        if stop != end and (tag.piece or self.depths[stop] != self.depths[n]):
            raise NotPlainError
        removed = slice(_part(n), _part(stop) + 1)
        self.parts[removed] = [""] * len(self.parts[removed])

    def _remove_texts(self, n: int, end: int) -> None:
        """Remove the texts between two tags; the tags stay."""
        texts = slice(_part(n) + 1, _part(end), 2)
        self.parts[texts] = [""] * (end - n)

    def _section_above(self, first: int) -> list[SearchSection]:
        """Return a section for what is above the first heading, the tag `first`, if any."""
        tags_above = self.tags[:first]
        has_content = any(tag is not _IGNORED_TAG for tag in tags_above)
        has_text = any(self.parts[: _part(first) : 2])
        if has_content or has_text:
            return [SearchSection("hx", 0)]
        if first < len(self.tags) and self.tags[first].name != "h1":
            return [SearchSection("hx", self.depths[first])]
        return []

    def text_between(self, begin: int, end: int) -> str:
        """Return the parts from `begin` up to the text before the tag `end`."""
        return "".join(self.parts[begin : _part(end)])

    def end_of_element(self, begin: int, end: int, depth: float) -> int:
        """Return the first tag from `begin` on that closes the element of a section, else `end`."""
        tags = range(begin, end)
        return next((n for n in tags if self.depths[n] < depth - 1), end)

    def _join_texts(self, sections: Sequence[SearchSection]) -> None:
        """Join the texts of each section. Raises NotPlainError if elements overlap sections."""
        is_nested = any(section.depth > 1 for section in sections)
        for section in sections:
            text = "".join(section.text)
            if is_nested and not _is_whole(text):
                raise NotPlainError
            section.text = [_indexed_text(text)]


class _SectionBuilder:
    """The sections of a page so far, of which one is open: it gets the text that comes next."""

    def __init__(self, parser: _SectionParser, sections: list[SearchSection]) -> None:
        self._parser = parser
        self.sections = sections
        self._open = sections[-1] if sections else SearchSection("", 0)
        self._next_part = 0
        """The first part that is in no section yet."""
        self._next_tag = 0
        """The first tag that is in no section yet."""

    def read_until(self, n: int) -> None:
        """Add the text before the tag `n` to the open section.

        A section ends with the element that its heading is in: then the one around it goes on.
        """
        while self._open.depth > 1:
            closing = self._parser.end_of_element(self._next_tag, n, self._open.depth)
            outer = _section_around(self._open, self.sections)
            if closing == n or outer is None:
                break
            self._open.text.append(self._parser.text_between(self._next_part, closing))
            self._open.depth = _ENDED_DEPTH
            self._open = outer
            self._next_part = _part(closing)  # the closing tag is part of the section around
            self._next_tag = closing + 1
        self._open.text.append(self._parser.text_between(self._next_part, n))

    def begin(self, n: int, end: int) -> None:
        """Open the section of the heading between the tags `n` and `end`."""
        parser, tag = self._parser, self._parser.tags[n]
        # Above the first section, Material knows no addresses.
        anchor = tag.id if self.sections else None
        section = SearchSection(tag.name, parser.depths[n], tag.is_excluded, anchor)
        title = _indexed_text(parser.text_between(_part(n) + 1, end).replace(SPACE, " "))
        if title:
            section.title.append(title)
        self.sections.append(section)
        self._open = section
        self._next_part = _part(end) + 1  # behind the heading's end tag
        self._next_tag = n + 1


def _simplify(page: str) -> str:
    """Return a page without comments and the attributes of links, with the spaces of code marked.

    Raises NotPlainError for a page that has the characters of our marks.
    """
    if SPACE in page or LINE_END in page or KEPT_SPACE in page:
        raise NotPlainError
    if "<!--" in page:
        page = COMMENT.sub("<!---->", page)
    page = "".join(_code_and_text(page))
    return PERMALINK.sub('<a class="headerlink"', LINK.sub("<a", page))


def _split_at_tags(page: str) -> list[str]:
    """Return the text before each tag, escaped as in the index, and the tag, in turn.

    Raises NotPlainError for a page that our pattern of tags does not divide.
    """
    is_plain = page.count("<") == page.count(">")
    parts = page.replace("<", "><").split(">") if is_plain else TAG.split(page)
    if page.count("<") != len(parts) // 2 or "&" in parts[-1]:
        # At the end, Python's parser waits for the rest of a character reference.
        raise NotPlainError
    if not is_plain or UNUSUAL_REFERENCE.search(page):
        parts[::2] = [_escape_anew(text) for text in parts[::2]]
    return parts


def _escape_anew(text: str) -> str:
    has_signs = "&" in text or ">" in text
    return html.escape(html.unescape(text), quote=False) if has_signs else text


def _part(n: int) -> int:
    """Return the place of a tag among the parts."""
    return 2 * n + 1


def _section_around(
    section: SearchSection, sections_before: Sequence[SearchSection]
) -> SearchSection | None:
    """Return the last section whose element is around that of `section`."""
    return next((other for other in reversed(sections_before) if other.depth < section.depth), None)


def _is_whole(text: str) -> bool:
    """Return True if elements of a section end in it, and none is empty."""
    places = [(text.find(f"<{name}>"), text.find(f"</{name}>")) for name in INDEXED_TAGS]
    return all(end < 0 or 0 <= start < end for start, end in places) and not EMPTY_ELEMENT.search(
        text
    )
