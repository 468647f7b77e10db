"""Where a line names a work: links, bare addresses, arXiv ids and DOIs, pages of the base; and what it calls it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from generator.page.accessed import DATE
from generator.page.works import address_of, trimmed


@dataclass(frozen=True, slots=True)
class Place:
    """One place in a line that names a work."""

    start: int
    end: int
    url: str
    words: str = ""
    """A link's own words; a bare address has none."""
    is_plain_id: bool = False
    """Whether it is an arXiv id or DOI that stands as text."""


@dataclass(slots=True)
class Mention:
    """A work, mentioned on a line."""

    line: int
    url: str | None
    title: str
    accessed: str | None = None
    group_date: str | None = None
    """The access date of the group or section that it stands in."""
    is_cited: bool = True
    """Whether it makes the work a source; a plain link to a source is a mention too."""
    is_listed: bool = False
    """Whether an entry of a Sources section names it: its title is the better one."""
    number: str | None = None
    """Of its entry, where the entries are numbered: ``[1]`` in the text means it."""


_LINK = re.compile(
    r"(?<!!)\[(?P<words>(?:[^\[\]\n]|\[[^\[\]\n]{0,200}\]){1,400})\]"
    r"(?:\(\s?(?:<(?P<angle>[^<>\n]{1,2000})>|(?P<url>(?:[^()\s<>]|\([^()\s]{0,200}\)){1,2000}))"
    r"(?:\s+(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|\([^()\n]{0,300}\)))?\s?\))"
)
_BY_LABEL = re.compile(
    r"(?<![!\]\w])\[(?P<words>[^\[\]^\n][^\[\]\n]{0,200})\](?:\[(?P<label>[^\[\]\n]{0,80})\])?(?![(\[])"
)
_DEFINITION = re.compile(
    r"^ {0,3}\[(?P<label>[^\[\]^\n][^\[\]\n]{0,80})\]:[ \t]{0,8}<?(?P<url>https?://[^\s<>]{3,2000})", re.MULTILINE
)
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,300}\]\([^()\n]{0,2000}\)")
_BARE = re.compile(r"https?://(?:[^\s<>\"`()\[\]{}|\\^]|\([^\s()]{0,100}\)){3,2000}", re.IGNORECASE)
_NO_SCHEME = re.compile(
    r"(?<![\w@/.:-])(?:www\.(?=[\w-]{1,60}\.)|(?:[a-z][\w-]{1,60}\.){1,3}(?:com|org|io|dev|net|edu|gov"
    r"|ai)/)[^\s<>\"`()\[\]{}|\\^]{2,2000}",
    re.IGNORECASE,
)
_PAPER = re.compile(
    r"\barxiv(?:\s{1,3}preprint)?(?:\s?:\s?|\s{1,3})(?:arxiv:\s?)?(?:\d{4}\.\d{4,5}(?:v\d{1,2})?"
    r"|[a-z-]{2,12}(?:\.[a-z]{2})?/\d{7})\b"
    r"|\bdoi[\s:]{1,3}10\.\d{4,9}/[^\s\"<>\]]{1,200}|(?<![/\w.])10\.\d{4,9}/[^\s\"<>\]]{1,200}",
    re.IGNORECASE,
)
_PAGE = re.compile(r"(?<![\w/:.~*+@-])(?:(?:\.{1,2}|~)?/){0,9}(?:[\w.+@-]{1,120}/){0,12}[\w.+-]{1,160}\.md\b(?![\w/])")
_LINES_OF_PAGE = re.compile(r":\d{1,5}(?:-\d{1,5})?$|#L?\d[\dL-]*$")
_NOWHERE = re.compile(
    r"^(?:https?:)?//(?:localhost|127\.0\.0\.1|0\.0\.0\.0|(?:www\.)?example\.(?:com|org)|[^/.:]+(?:[/:]|$))",
    re.IGNORECASE,
)
_DOMAIN_HINTS = ("www.", ".com/", ".org/", ".io/", ".dev/", ".net/", ".edu/", ".gov/", ".ai/")
_PAPER_HINT = re.compile(r"r[xX]iv|10\.\d{4}")
HINTS = ("](", "][", "http", ".md", "rxiv", "rXiv", "10.", *_DOMAIN_HINTS)
"""A line that holds none of these names no work, unless the page has link reference definitions."""


def has_hint(line: str) -> bool:
    """Whether the line may name a work: cheaper than to look for it."""
    return any(hint in line for hint in HINTS)


def find_places(line: str, links: Mapping[str, str]) -> tuple[Place, ...]:
    """Every place in `line` that names a work, in order; `links` are the page's link reference definitions."""
    if not has_hint(line) and not (links and "[" in line):
        return ()
    found: list[Place] = []
    rest = line  # with spaces where a pattern has found something: its words name no second work
    if "](" in line:
        rest = _IMAGE.sub(_spaces, rest) if "![" in rest else rest
        for match in _LINK.finditer(rest):
            start, end = match.span()
            url = _target((match["angle"] or match["url"]).strip())
            if url:
                found.append(Place(start, end, url, plain(match["words"])))
            rest = rest[:start] + " " * (end - start) + rest[end:]
    if links and "[" in rest and not is_definition(line):
        for match in _BY_LABEL.finditer(rest):
            url = links.get((match["label"] or match["words"]).lower())
            if url:
                found.append(Place(match.start(), match.end(), url, plain(match["words"])))
    if has_hint(rest):
        found += _unlinked(rest)
    found.sort(key=lambda place: place.start)
    return tuple(place for n, place in enumerate(found) if not _is_same_paper(line, found[n - 1] if n else None, place))


def _spaces(match: re.Match[str]) -> str:
    return " " * len(match[0])


def is_definition(line: str) -> bool:
    """Whether the line is a link reference definition."""
    return line.lstrip()[:1] == "[" and bool(_DEFINITION.match(line))


def link_definitions(text: str) -> dict[str, str]:
    """The page's link reference definitions: label, in small letters, to address."""
    if "]:" not in text:
        return {}
    return {match["label"].lower(): match["url"] for match in _DEFINITION.finditer(text)}


def _unlinked(line: str) -> Iterator[Place]:
    """The places of the line that are no links."""
    if "http" in line:
        for match in _BARE.finditer(line):
            address = trimmed(match[0])
            url = _target(address)
            if url:
                yield Place(match.start(), match.start() + len(address), url)
        line = _BARE.sub(_spaces, line)
    if _PAPER_HINT.search(line):
        for match in _PAPER.finditer(line):
            address = trimmed(match[0])
            url = address_of(address)
            if url:
                yield Place(match.start(), match.start() + len(address), url, is_plain_id=True)
        line = _PAPER.sub(_spaces, line)
    if any(hint in line for hint in _DOMAIN_HINTS):
        for match in _NO_SCHEME.finditer(line):
            address = trimmed(match[0])
            yield Place(match.start(), match.start() + len(address), f"https://{address}")
        line = _NO_SCHEME.sub(_spaces, line)
    if ".md" in line:
        for match in _PAGE.finditer(line):
            yield Place(match.start(), match.end(), match[0])


def _target(target: str) -> str | None:
    """The address that a link's target gives, if it may be a work's: the web's, or a file's of the base."""
    if target.lower().startswith(("http://", "https://", "//")):
        return None if _NOWHERE.match(target) else target.rstrip(".,;")
    if _NO_SCHEME.match(target):
        return f"https://{target}"
    if re.match(r"#|[a-z][a-z+.-]*:(?!\d)", target, re.IGNORECASE):
        return None
    path = _LINES_OF_PAGE.sub("", target)
    return path if re.search(r"\.\w{1,6}$", path) or "/" in path.strip("/") else None


_BETWEEN = frozenset({"et", "al", "and", "preprint", "in", "of", "on", "doi", "accessed", "paper"})


def _is_same_paper(line: str, before: Place | None, place: Place) -> bool:
    """Whether an id in the text only tells the number of the paper that was just linked."""
    if before is None or not place.is_plain_id or before.is_plain_id or not before.url.startswith("http"):
        return False
    between = line[before.end : place.start]
    small_words = set(re.findall(r"\b[a-z]{2,}", between))
    return len(between) < 120 and small_words <= _BETWEEN


# --- what a place's work is called -------------------------------------------------------------------------------

_GENERIC = re.compile(
    r"^(?:(?:the\s|see\s|official\s|full\s)?(?:url|link|web\s?site|site|source(?:\scode)?|paper|pdf|html|web|here"
    r"|code|github(?:\srepo(?:sitory)?)?|repo"
    r"|repository|doi|arxiv|abs(?:tract)?|docs|documentation|page|article|blog|post|ref(?:erence)?|citation"
    r"|accessed|details|more|this|available|path|file"
    r"|location|address|title|primary|project(?:\spage)?)s?\W*|\W*\d{0,3}\W*|https?://.*|(?:arxiv"
    r"|doi)[\s:]*[\d./v]*|www\..*)$",
    re.IGNORECASE,
)
_LEAD_WORDS = re.compile(
    r"^\W{0,6}(?:(?:from|sources?|references?|refs?|according\sto|based\son|per|cited\s(?:from|in)|citations?"
    r"|adapted\sfrom|quoted\sfrom|paper|original|title|existing\sknowledge|url|link|see(?:\salso)?|and|or|in|by"
    r"|via|on|as)\b"
    r"[\s:*_(\"“]{0,5}){1,4}(?:the\s)?",
    re.IGNORECASE,
)
_TAIL_WORDS = re.compile(
    r"(?:[\s(\[,;:–—|-]{0,4}\b(?:url|link|available(?:\sonline)?|at|see|from|accessed|arxiv|preprint|doi|via|in"
    r"|on|retrieved)\b[\s:.*_]{0,4}"
    r"|\s?[(\[,;:–—|-]\s?\b(?:source|paper|pdf|github|repository|code|docs)\b[\s:.*_]{0,4}){1,4}$",
    re.IGNORECASE,
)
_DATE_NOTE = re.compile(
    rf"\((?:[^()]{{0,60}}\b(?:accessed|retrieved)\b[^()]{{0,60}}|{DATE})\)|\b(?:accessed"
    rf"|retrieved):?\s(?:on\s)?(?:{DATE})",
    re.IGNORECASE,
)
_MARKER = re.compile(
    r"^\s*(?:>\s?){0,3}(?:#{1,6}\s+)?(?:(?:[-*+•–]|\*{0,2}\d{1,3}[.)]|\*{0,2}\[\^?\w{1,20}\]\*{0,2}:?"
    r"|\(\d{1,3}\))\s+)?(?:\[[ xX✓/]\]\s+)?"
)
_QUOTED = re.compile(r"[\"“]([^\"“”]{8,200}?)[,.]?[\"”]")


_MARKUP = re.compile(r"[*`_<]|\]\(")


def plain(markdown: str) -> str:
    """The words of a line of Markdown without its emphasis, code marks, images and links."""
    if not _MARKUP.search(markdown):
        return " ".join(markdown.split())
    text = re.sub(r"!?\[([^\[\]]{0,400})\]\([^()\s]{0,2000}\)", r"\1", markdown)
    return " ".join(
        re.sub(r"\*+|`+|(?<!\w)_+|_+(?!\w)|</?(?:sup|sub|b|i|em|strong|br|a)\b[^<>]{0,80}>", " ", text).split()
    )


def unmarked(line: str) -> str:
    """The line without what makes it a list item, a quote, a heading or a numbered entry."""
    return _MARKER.sub("", line, count=1).strip()


def is_generic(words: str) -> bool:
    """Whether the words name no work: ``URL``, ``here``, ``[1]``, an address."""
    return bool(_GENERIC.match(words.strip(" :.*_()[]")[:120]))


def quoted_in(text: str) -> str:
    """The last title in quotation marks; ``""`` if there is none."""
    quoted = _QUOTED.findall(text)
    return str(quoted[-1]) if quoted else ""


def words_before(text: str) -> str:
    """The title that stands in front of an address: ``Title: ``, ``**Title** - ``, ``1. Title (``; ``""`` for none."""
    text = plain(_DATE_NOTE.sub(" ", unmarked(text[-600:])))
    quoted = quoted_in(text)
    if quoted:
        return quoted
    text = _TAIL_WORDS.sub("", _LEAD_WORDS.sub("", text.strip(" ,;.|")))
    text = text.strip(' \t:–—-,;.|>*[("“”')
    return "" if is_generic(text) or len(text.split()) > 25 else text


def words_after(text: str) -> str:
    """The title that follows an address: `` - Title (accessed D)``; ``""`` for none."""
    text = plain(_DATE_NOTE.sub(" ", text[:400]))
    match = re.match(
        r"\s*[)\]>]?\s*(?:[-–—:|]|\()\s*(?P<title>[^()|]{3,120}?)\s*(?:$|[|()]|\.\s|;|,?\s(?:accessed"
        r"|retrieved)\b|\s[–—-]\s)",
        text,
    )
    title = match["title"].strip(" .,:") if match else ""
    return "" if is_generic(title) or len(title.split()) > 12 else title


def title_of(place: Place, before: str, after: str, *, is_entry: bool) -> str:
    """What the words around a place call its work; ``""`` if they do not.

    `is_entry` is whether the words speak of it alone.
    """
    if place.words and not is_generic(place.words):
        return place.words
    is_page = not place.url.startswith(("http", "//"))
    if is_page and not place.words and not (is_entry and "**" in before):
        return place.url
    return words_before(before) or ("" if is_page else words_after(after))


def address_words(url: str) -> str:
    """An address as a title: its host and path."""
    return re.sub(r"^(?:https?:)?//(?:www\.)?", "", re.sub(r"[?#].*", "", url)).rstrip("/") or url
