"""What a work is called: a link's words, or those around its address."""

from __future__ import annotations

import re

from generator.citations.accessed import DATE
from generator.citations.bibliography import title_in_italics, without_authors, without_site
from generator.citations.facts import is_no_work, is_note
from generator.citations.places import Place
from generator.markdown.plain_text import line_text, unmarked

_GENERIC = re.compile(
    r"^(?:(?:the\s|see\s|official\s|full\s)?(?:url|link|web\s?site|site|source(?:\scode)?|paper|pdf|html|web|here"
    r"|code|github(?:\srepo(?:sitory)?)?|repo"
    r"|repository|doi|arxiv|abs(?:tract)?|docs|documentation|page|article|blog|post|ref(?:erence)?|citation"
    r"|accessed|details|more|th(?:e|is)|available|documented|described|explained|path|file"
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
_AUTHORS_BEHIND = re.compile(r"(?<=\w)\s\([^()]{0,120}\bet al\b[^()]{0,80}\)[\s:,;–—-]{0,4}$")
"""``Ageing of Flour (Miller et al., SOSP 2019) - ``"""
_TITLE_START = re.compile(
    r"\W{0,6}(?:(?:On|In|As|And|Or|By|Via|Per|Sources?|References?|Citations?|Paper|Original|Title|Link)\b"
    r"|From\s\S+\sto\s)(?![\s*_]{0,3}:)"
)
"""How a title may begin in an entry, though elsewhere it leads to one: ``On Flour``, ``From Rye to Bread``."""
_TAIL_WORDS = re.compile(
    r"(?:[\s(\[,;:–—|-]{0,4}\b(?:url|link|available(?:\sonline)?|at|see|from|accessed|arxiv|preprint|doi|via|in"
    r"|on|retrieved)\b[\s:.*_]{0,4}"
    r"|\s?[(\[,;:–—|-]\s?\b(?:source|paper|pdf|github|repository|code|docs)\b[\s:.*_)\]]{0,4}){1,4}$",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^(?:sources?|references?|paper|title|via):\s(?=\S)", re.IGNORECASE)
_DATE_NOTE = re.compile(
    rf"\((?:[^()]{{0,60}}\b(?:accessed|retrieved)\b[^()]{{0,60}}|{DATE})\)|\b(?:accessed"
    rf"|retrieved):?\s(?:on\s)?(?:{DATE})",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“]([^\"“”]{8,200}?)[,.]?[\"”]")
_DATED = re.compile(r"\((?:19|20)\d\d[a-z]?\)[.,:]?\s+([^\s(\[].{5,200}?)(?:\.\s|\.?$)")
_NAME_BEFORE = re.compile(
    r"(?:^|[\s*_`(])(?P<name>[A-Z][\w.+'\u2019-]*(?:\s(?:[A-Z\d][\w.+'\u2019-]*|of|for|and|the)){0,12})[*_`]*"
    r"(?P<end>\s\(<?|,\s)$"
)
_VENUE_BEHIND = re.compile(r",\s(?:in\s)?[A-Z][\w-]{0,8}[A-Z][\w-]{0,8}\s?['\u2019]?(?:(?:19|20)\d\d|\d\d)[\s.,]*$")
"""``, SOSP 2019``"""
_REMARK_BEHIND = re.compile(r"(?<=\w)\s\((?![A-Z\d-]+\))[^()]*\)?$")
"""What stands in parentheses behind the name of a work without an address: ``(internal copy)``, but not ``(HBM)``."""
_NOTES_BEHIND = re.compile(rf"\s[-–—]\s|\s?\((?:accessed|lines?\s|\d{{4}})|:\s|,\s(?={DATE})", re.IGNORECASE)


def is_generic(words: str) -> bool:
    """Whether the words name no work: ``URL``, ``here``, ``[1]``, an address."""
    return bool(_GENERIC.match(words.strip(" :.*_()[]")[:120]))


def quoted_in(text: str) -> str:
    """The last title in quotation marks; ``""`` if there is none."""
    quoted = _QUOTED.findall(text)
    return str(quoted[-1]) if quoted else ""


def title_of(place: Place, before: str, after: str, *, is_entry: bool) -> str:
    """What the words around a place call its work; ``""`` if they do not.

    `is_entry` is whether the words speak of it alone.
    """
    words = _LABEL.sub("", place.words)
    if words and not is_generic(words):
        return words
    is_page = not place.url.startswith(("http", "//"))
    if is_page and not place.words and not (is_entry and "**" in before):
        return place.url
    return words_before(before, is_entry=is_entry) or ("" if is_page else words_after(after))


def words_before(markdown: str, *, is_entry: bool = True) -> str:
    """The title that stands in front of an address: ``Title: ``, ``**Title** - ``, ``1. Title (``; ``""`` for none.

    Outside of an entry the words may lead to it: ``According to Title (``.
    """
    text = _DATE_NOTE.sub(" ", unmarked(markdown[-600:]))
    words = line_text(text)
    dated = _DATED.search(words[:400])
    found = quoted_in(words) or (dated[1] if dated else "") or title_in_italics(text)
    if found:
        return str(found).strip()
    words = _AUTHORS_BEHIND.sub("", words).strip(" ,;.|<")
    words = _TAIL_WORDS.sub("", words if is_entry and _TITLE_START.match(words) else _LEAD_WORDS.sub("", words))
    words = _VENUE_BEHIND.sub("", words) if words.count(" ") > 4 else words
    words = words.strip(' \t:–—-,;.|<>*("“”' if "]" in words else ' \t:–—-,;.|<>*[("“”')
    title = "" if is_generic(words) else without_authors(without_site(words)).strip(" .,;:")
    return "" if len(title.split()) > 25 else title


def words_after(text: str) -> str:
    """The title that follows an address: `` - Title (accessed D)``; ``""`` for none."""
    text = line_text(_DATE_NOTE.sub(" ", text[:400]))
    match = re.match(
        r"\s*[)\]>]?\s*(?:[-–—:|]|\()\s*(?P<title>[^()|]{3,120}?)\s*(?:$|[|()]|\.\s|;|,?\s(?:accessed"
        r"|retrieved)\b|\s[–—-]\s)",
        text,
    )
    title = match["title"].strip(" .,:") if match else ""
    return "" if is_generic(title) or len(title.split()) > 12 else title


def name_before(text: str) -> str:
    """The name right before an identifier: ``for video, Qwen2-VL (``; ``""`` for none, or for one that is an author."""
    match = _NAME_BEFORE.search(text[-120:])
    if not match or is_generic(match["name"]) or (match["end"] == ", " and not re.search(r"[\s\d-]", match["name"])):
        return ""
    return match["name"]


def work_title(text: str) -> str:
    """The title of a work that has no address, from its entry's first line; ``""`` if the line names no work."""
    words = line_text(unmarked(text))
    if (
        is_no_work(words)
        or is_note(words)
        or words.endswith(":")
        or "://" in words
        or "](" in text
        or not re.search(r"[^\W\d_]{2}", words)
    ):
        return ""
    found = _QUOTED.search(words) or _DATED.search(words[:400])
    if found:
        return str(found[1]).strip()
    bold = re.match(r"(?:\*\*|__)([^*_]{3,200})(?:\*\*|__)", unmarked(text))
    title = line_text(bold[1]) if bold else without_authors(words[:400])
    if title == words[:400]:
        title = _NOTES_BEHIND.split(words)[0]
    return "" if is_generic(title) else _REMARK_BEHIND.sub("", title).strip(" :.,(")


def address_words(url: str) -> str:
    """An address as a title: its host and path."""
    return re.sub(r"^(?:https?:)?//(?:www\.)?", "", re.sub(r"[?#].*", "", url)).rstrip("/") or url
