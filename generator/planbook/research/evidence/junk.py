"""Text that is no evidence: navigation, notices, change logs, prompts, keys, hidden text. Pure.

The English by which such text is known is in tables, which have a row for a form, with an example
of it; a test matches every row with its example.
"""

from __future__ import annotations

import re
from functools import lru_cache

from planbook.citations.wording import Wording, any_of
from planbook.markdown.escape import CONTROL_CHARACTERS
from planbook.rules.credentials import find_credentials

MIN_WORDS = 5
"""Minimum number of words of prose: fewer say nothing on their own."""

# --- wording --------------------------------------------------------------------------------------

NOTICES = (
    Wording(r"we use (?:\w+ )?cookies", "we use necessary cookies"),
    Wording("uses cookies", "this site uses cookies"),
    Wording(r"(?:accept|reject|manage|change) (?:all |your )?cookies?", "accept all cookies"),
    Wording("cookie (?:settings|preferences|policy|notice)", "cookie settings"),
    Wording("privacy (?:policy|notice)", "privacy policy"),
    Wording("terms of (?:use|service)", "terms of service"),
    Wording("all rights reserved", "all rights reserved"),
    Wording("skip to (?:main )?content", "skip to main content"),
    Wording("subscribe to (?:our|the|this)", "subscribe to our list"),
    Wording("newsletter", "newsletter"),
    Wording("sign in to continue", "sign in to continue"),
    Wording("(?:please|must) enable javascript", "please enable javascript"),
    Wording("javascript is (?:disabled|required)", "javascript is disabled"),
    Wording("was this (?:page|article|helpful)", "was this page useful?"),
    Wording("edit (?:this page|on github)", "edit this page"),
    Wording("follow us", "follow us"),
    Wording("back to top", "back to top"),
    Wording("related (?:posts|articles)", "related posts"),
    Wording("leave a comment", "leave a comment"),
    Wording("reading time", "reading time: 3 minutes"),
    Wording(r"\d+ min(?:ute)?s? read", "5 min read"),
    Wording(r"copyright (?:\(c\)|\d{4})", "copyright 2026"),
    Wording("verify (?:that )?you are (?:a )?human", "verify that you are human"),
    Wording("checking your browser", "checking your browser"),
)
"""Words of a site on itself and to its visitor, anywhere in a short text."""
FIRST_WORDS_OF_NOTICES = (
    Wording("on this page", "on this page"),
    Wording("table of contents", "table of contents"),
    Wording("share (?:this|on)", "share this"),
    Wording("(?:previous|next) (?:page|article|post)", "next page"),
    Wording("read more", "read more"),
    Wording("posted (?:on|by|in)", "posted by somebody"),
    Wording("last (?:updated|modified|edited)", "last updated in may"),
    Wording("advertisement", "advertisement"),
)
"""The same, but only at the beginning of a text."""
_NOTICE = re.compile(rf"\b(?:{any_of(NOTICES)})\b|^(?:{any_of(FIRST_WORDS_OF_NOTICES)})\b|\u00a9")
_NOTICE_WORDS = 45
"""Maximum number of words of a notice; a longer text with these words is about notices."""
PROMPTS = (
    Wording(
        r"\b(?:ignore|disregard|forget) (?:all |any |the |your )*"
        r"(?:previous|prior|above|earlier|system) (?:instructions?|prompts?|messages?)",
        "ignore all previous instructions",
    ),
    Wording(r"\b(?:system|developer) prompt\b", "system prompt"),
    Wording(
        r"\byou are (?:now )?(?:an? )?(?:ai|assistant|chatbot|language model)\b",
        "you are a language model",
    ),
    Wording(r"<\|?(?:im_start|system|assistant)\b", "<|im_start"),
    Wording(r"\[/?inst\]", "[inst]"),
)
"""Instructions to a language model that reads the page, rather than to a reader."""
_PROMPT = re.compile(any_of(PROMPTS))
CHANGE_LOG_TITLES = (
    Wording("change ?logs?", "Changelog"),
    Wording("changes", "4. Changes"),
    Wording("release (?:notes|history)", "Release history"),
    Wording("(?:revision|version|change) history", "Revision History"),
    Wording("older news", "Older news"),
    Wording(r"what(?:'|\u2019)s new\b.*", "What's new in 3.14"),
    Wording("news", "News"),
    Wording(r"changes (?:in|since|from|to)\b.*", "Changes since 2.0"),
)
"""Whole titles or headings of a change log."""
WORDS_OF_CHANGE_LOGS = (
    Wording(r"\brelease notes\b", "Release notes for administrators"),
    Wording(r"\bchange ?log\b", "The change log of this project"),
    Wording(r"\brelease v?\d+\.\d[\d.]*(?: on [\d-]+)?$", "SQLite Release 3.45.1 on 2024-01-30"),
)
"""Parts of the title of one."""
CHANGE_LOG_TITLE = re.compile(
    rf"^\W*(?:\d[\d.]*\s+)?(?:{any_of(CHANGE_LOG_TITLES)})\W*$|{any_of(WORDS_OF_CHANGE_LOGS)}",
    re.IGNORECASE,
)
"""A title or heading of a change log: true of one version, and useless without knowing which."""
CHANGE_LOG_FILE = re.compile(
    r"(?:^|/)(?:changelog|changes|news|release[-_]?notes|history)(?:\.\w+)*/?$", re.IGNORECASE
)
"""The path of one: ``CHANGELOG.md``."""

TABLES: dict[tuple[Wording, ...], re.Pattern[str]] = {
    NOTICES: _NOTICE,
    FIRST_WORDS_OF_NOTICES: _NOTICE,
    PROMPTS: _PROMPT,
    CHANGE_LOG_TITLES: CHANGE_LOG_TITLE,
    WORDS_OF_CHANGE_LOGS: CHANGE_LOG_TITLE,
}
"""The pattern that each table of forms is part of."""

# --- signs ----------------------------------------------------------------------------------------

CRUMBS = re.compile(r"(?:^|\s)[>\u203a\u00bb|\u00b7\u2022/\u2192](?=\s)")
"""A mark between the links of a path or menu: ``Home > Guide > Kilns``."""
_LETTERS = re.compile(r"[^\W\d_]+")
_LATIN_LETTER = re.compile(r"[A-Za-z\u00c0-\u024f]")
_INCLUDE = re.compile(r"^[ \t]*;*-{1,}8<-{1,}", re.MULTILINE)
"""A line that includes a file into a page if the snippets extension is on, even inside code."""
_SENTENCE_MARK = re.compile(r"[.:;=`(]|\d")


def is_junk(text: str, raw: str = "") -> bool:
    """Return whether prose is not worth quoting.

    `text` is as a reader sees it, and `raw` its markup in the source.
    """
    words = text.split()
    letters = len("".join(_LETTERS.findall(text)))
    if is_unfit(text, raw) or letters < 0.5 * sum(map(len, words)):
        return True
    # Words are counted in scripts that have spaces between them.
    if len(words) < MIN_WORDS and letters == len(_LATIN_LETTER.findall(text)):
        return True
    marks = len(CRUMBS.findall(text))
    return marks >= 2 and len(words) < 8 * (marks + 1)


@lru_cache(maxsize=256)
def is_unfit(text: str, raw: str = "") -> bool:
    """Return whether text must not be quoted: hidden characters, credentials, notices, prompts."""
    if not _LETTERS.search(text) or _is_hidden(text + raw) or find_credentials(text):
        return True
    small = text.casefold()  # a pattern that ignores case takes several times as long
    if _PROMPT.search(small):
        return True
    return len(text.split()) <= _NOTICE_WORDS and bool(_NOTICE.search(small))


def is_menu(entries: tuple[str, ...]) -> bool:
    """Return whether the items of a list are a menu.

    Those have at most three words each, without the marks of a sentence.
    """
    few_words = [entry for entry in entries if len(entry.split()) <= 3]
    labels = [entry for entry in few_words if not _SENTENCE_MARK.search(entry)]
    return len(labels) >= 0.7 * len(entries)


def is_unsafe_code(code: str) -> bool:
    """Return whether code would be altered by rendering it on a page."""
    return bool(_is_hidden(code) or _INCLUDE.search(code) or find_credentials(code))


def _is_hidden(text: str) -> bool:
    """Return whether text is displayed differently from its characters.

    It has bidirectional controls or decoding errors.
    """
    if "\ufffd" in text:
        return True
    return not text.replace("\n", " ").isprintable() and bool(CONTROL_CHARACTERS.search(text))
