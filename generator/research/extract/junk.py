"""What is no passage: navigation, notices, single words, words to programs, keys, what does not show what it says."""

from __future__ import annotations

import re

from generator.markdown.escape import UNSEEN
from generator.rules.credentials import find_credentials

MIN_WORDS = 5
"""Of prose: fewer tell nothing alone."""

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
"""A text of more words that says one of these is about it."""
_TO_PROGRAMS = re.compile(
    r"\b(?:ignore|disregard|forget) (?:all |any |the |your )*(?:previous|prior|above|earlier|system) "
    r"(?:instructions?|prompts?|messages?)|\b(?:system|developer) prompt\b"
    r"|\byou are (?:now )?(?:an? )?(?:AI|assistant|chatbot|language model)\b"
    r"|<\|?(?:im_start|system|assistant)\b|\[/?INST\]",
    re.IGNORECASE,
)
"""Words to a model that reads along, rather than to a reader."""
_CRUMBS = re.compile(r"(?:^|\s)[>\u203a\u00bb|\u00b7\u2022/\u2192](?=\s)")
_LETTER = re.compile(r"[^\W\d_]")
_INCLUDE = re.compile(r"^[ \t]*;*-{1,}8<-{1,}", re.MULTILINE)
"""A line that pulls a file into a page where the extension for snippets is on, even within code."""


def is_junk(text: str, raw: str = "") -> bool:
    """Whether `text`, prose as a reader sees it, is none that anybody would quote; `raw` is what the source writes."""
    words = text.split()
    letters = len(_LETTER.findall(text))
    if letters < 0.5 * sum(map(len, words)) or _is_hidden(text + raw) or find_credentials(text):
        return True
    if len(words) < MIN_WORDS and letters == len(re.findall(r"[A-Za-z\u00c0-\u024f]", text)):
        return True
    if _TO_PROGRAMS.search(text) or (len(words) <= _NOTICE_WORDS and _NOTICE.search(text)):
        return True
    marks = len(_CRUMBS.findall(text))
    return marks >= 2 and len(words) < 8 * (marks + 1)


def is_menu(entries: tuple[str, ...]) -> bool:
    """Whether the items of a list are a menu: three words or fewer each, and nothing that a sentence has."""
    short = [entry for entry in entries if len(entry.split()) <= 3 and not re.search(r"[.:;=`(]|\d", entry)]
    return len(short) >= 0.7 * len(entries)


def is_unsafe_code(code: str) -> bool:
    """Whether code would not stay what it is on a page."""
    return bool(_is_hidden(code) or _INCLUDE.search(code) or find_credentials(code))


def _is_hidden(text: str) -> bool:
    """Whether it would not read as it stands: controls that turn the writing round, or what could not be decoded."""
    return bool(UNSEEN.search(text)) or "\ufffd" in text
