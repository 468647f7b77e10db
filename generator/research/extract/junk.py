"""Filter out text that is no evidence: navigation, notices, synopses, changelogs, prompts, keys, hidden text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from generator.drafts import Source
from generator.markdown.escape import UNSEEN
from generator.rules.credentials import find_credentials

MIN_WORDS = 5
"""Minimum number of words of prose: fewer say nothing on their own."""

_NOTICE = re.compile(
    r"\b(?:we use (?:\w+ )?cookies|uses cookies|(?:accept|reject|manage|change) (?:all |your )?cookies?"
    r"|cookie (?:settings|preferences|policy|notice)|privacy (?:policy|notice)|terms of (?:use|service)"
    r"|all rights reserved|skip to (?:main )?content|subscribe to (?:our|the|this)|newsletter|sign in to continue"
    r"|(?:please|must) enable javascript|javascript is (?:disabled|required)|was this (?:page|article|helpful)"
    r"|edit (?:this page|on github)|follow us|back to top|related (?:posts|articles)|leave a comment|reading time"
    r"|\d+ min(?:ute)?s? read|copyright (?:\(c\)|\d{4})|verify (?:that )?you are (?:a )?human|checking your browser)\b"
    r"|^(?:on this page|table of contents|share (?:this|on)|(?:previous|next) (?:page|article|post)|read more"
    r"|posted (?:on|by|in)|last (?:updated|modified|edited)|advertisement)\b|\u00a9",
    re.IGNORECASE,
)
_NOTICE_WORDS = 45
"""Maximum number of words of a notice; a longer text with these words is about notices."""
_TO_PROGRAMS = re.compile(
    r"\b(?:ignore|disregard|forget) (?:all |any |the |your )*(?:previous|prior|above|earlier|system) "
    r"(?:instructions?|prompts?|messages?)|\b(?:system|developer) prompt\b"
    r"|\byou are (?:now )?(?:an? )?(?:AI|assistant|chatbot|language model)\b"
    r"|<\|?(?:im_start|system|assistant)\b|\[/?INST\]",
    re.IGNORECASE,
)
"""Instructions to a language model that reads the page, rather than to a reader."""
_CHANGES = re.compile(
    r"^\W*(?:\d[\d.]*\s+)?(?:change ?logs?|changes|release (?:notes|history)"
    r"|(?:(?:revision|version|change) )?history"
    r"|what(?:'|\u2019)s new\b.*|news|changes (?:in|since|from|to)\b.*)\W*$|\brelease notes\b|\bchange ?log\b"
    r"|\brelease v?\d+\.\d+[\d.]*(?: on [\d-]+)?$",
    re.IGNORECASE,
)
"""A title or heading of a changelog: true of one version, and useless without knowing which."""
_CHANGES_FILE = re.compile(r"(?:^|/)(?:changelog|changes|news|release[-_]?notes|history)(?:\.\w+)*/?$", re.IGNORECASE)
_USAGE = re.compile(
    r"(?<![\w\])])\[\s*(?:-{1,2}[\w<]|<|\w+ *\|)|\.\.\.\]|\|\s*-{1,2}\w|<[\w-]+>\s*(?:\.\.\.|\]|\|)|\](?:\.\.\.|\s*\[)"
)
"""The notation of a synopsis: ``[-a|--attach]``, ``[<path>...]``."""
_CRUMBS = re.compile(r"(?:^|\s)[>\u203a\u00bb|\u00b7\u2022/\u2192](?=\s)")
_LETTER = re.compile(r"[^\W\d_]")
_INCLUDE = re.compile(r"^[ \t]*;*-{1,}8<-{1,}", re.MULTILINE)
"""A line that includes a file into a page if the snippets extension is on, even inside code."""


def is_junk(text: str, raw: str = "") -> bool:
    """Return whether nobody would quote `text`, prose as a reader sees it; `raw` is its markup in the source."""
    words = text.split()
    letters = len(_LETTER.findall(text))
    if letters < 0.5 * sum(map(len, words)) or _is_hidden(text + raw) or find_credentials(text):
        return True
    if is_synopsis(text):
        return True
    if len(words) < MIN_WORDS and letters == len(re.findall(r"[A-Za-z\u00c0-\u024f]", text)):
        return True
    if _TO_PROGRAMS.search(text) or (len(words) <= _NOTICE_WORDS and _NOTICE.search(text)):
        return True
    marks = len(_CRUMBS.findall(text))
    return marks >= 2 and len(words) < 8 * (marks + 1)


def is_menu(entries: tuple[str, ...]) -> bool:
    """Return whether the items of a list are a menu: at most three words each, without the marks of a sentence."""
    short = [entry for entry in entries if len(entry.split()) <= 3 and not re.search(r"[.:;=`(]|\d", entry)]
    return len(short) >= 0.7 * len(entries)


def is_synopsis(text: str) -> bool:
    """Return whether `text` is the usage line of a program, which states nothing: ``docker run [-a|--attach] ...``."""
    marks = len(_USAGE.findall(text))
    return marks >= 2 and 6 * marks >= len(text.split()) - marks


def is_changelog(source: Source) -> bool:
    """Return whether a source is a changelog, by its title or file name."""
    path = urlsplit(source.fetched.final_url or source.fetched.url).path
    return bool(_CHANGES.search(source.fetched.title or "") or _CHANGES_FILE.search(path))


def is_about_changes(headings: Sequence[str]) -> bool:
    """Return whether text below these headings is part of a changelog."""
    return any(_CHANGES.search(heading) for heading in headings)


def is_unsafe_code(code: str) -> bool:
    """Return whether code would be altered by rendering it on a page."""
    return bool(_is_hidden(code) or _INCLUDE.search(code) or find_credentials(code))


def _is_hidden(text: str) -> bool:
    """Return whether text is displayed differently from its characters: bidirectional controls, decoding errors."""
    return bool(UNSEEN.search(text)) or "\ufffd" in text
