"""The language of a text by its function words and its script. Pure.

It tells only whether a source may have been translated: a word may be one of several languages.
"""

from __future__ import annotations

import re
from collections import Counter

_WORDS = {
    "English": "the of and to is that with for are was this it you not be as on your from",
    "Spanish": "el los las que de y en una con para por del es se lo como m\u00e1s un la",
    "French": "le les des et est une dans pour que qui sur pas du la au ce plus de un",
    "German": "der die und das ist nicht ein eine mit f\u00fcr auf den von zu im sich dem auch",
    "Portuguese": "os que n\u00e3o uma com para em do da \u00e9 um no na por mais se dos de",
    "Italian": "il che di \u00e8 una per con non gli della un sono pi\u00f9 del nel la le",
    "Dutch": "de het een van en is dat niet met voor op zijn aan ook er maar",
}
_OF_LANGUAGES = {name: frozenset(words.split()) for name, words in _WORDS.items()}
_LETTER = re.compile(r"[^\W\d_]")
_OTHER_SCRIPT = re.compile(
    r"[\u0370-\u03ff\u0400-\u04ff\u0590-\u06ff\u0900-\u0dff\u0e00-\u0e7f"
    r"\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]"
)
_LEAST_SHARE = 0.3
"""Share of the letters of another script from which a line is in its language."""
_FEWEST_WORDS, _FEWEST_HITS = 5, 2
_PART = 0.1
"""Share of the lines of a text that make a part of it."""


def language_of_line(line: str) -> str:
    """Return the language of a line; empty if it cannot be told."""
    letters = len(_LETTER.findall(line))
    if letters and len(_OTHER_SCRIPT.findall(line)) >= _LEAST_SHARE * letters:
        return "another script"
    words = re.findall(r"[^\W\d_]+", line.casefold())
    if len(words) < _FEWEST_WORDS:
        return ""
    hits = {
        name: sum(word in vocabulary for word in words)
        for name, vocabulary in _OF_LANGUAGES.items()
    }
    best = max(hits, key=lambda name: hits[name])
    is_clear = list(hits.values()).count(hits[best]) == 1
    return best if hits[best] >= _FEWEST_HITS and is_clear else ""


def is_partly_in_another(text: str, claim: str) -> bool:
    """Return whether a part of a text is in another language than a claim on it."""
    claim_language = language_of_line(claim)
    if not claim_language:
        return False
    counts = Counter(language for line in text.split("\n") if (language := language_of_line(line)))
    other_words = counts.total() - counts[claim_language]
    return other_words > 1 and other_words >= _PART * counts.total()
