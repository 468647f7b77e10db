"""The English by which a page refers to something without a claim of its own.

Each table has a row for a form, with an example of it; a test matches every row with its example.
"""

from __future__ import annotations

import re

from planbook.citations.wording import Wording, any_of

# --- sentences that send readers elsewhere --------------------------------------------------------

POINTER_VERBS = (
    Wording("see", "See [the manual](https://tea.example)."),
    Wording("read", "Please read [the manual](https://tea.example)."),
    Wording("visit", "Visit https://tea.example."),
    Wording("refer to", "Refer to the manual."),
    Wording("check", "Also check the manual."),
    Wording("learn more", "Learn more in the manual."),
    Wording("downloads?", "Download the manual."),
    Wording("click", "Click on the kettle."),
    Wording("join", "Join the tea room."),
    Wording("follow", "Follow the manual."),
    Wording("report", "Report a broken kettle."),
    Wording("open an", "Open an issue."),
    Wording("for (?:more|further|details|full|additional|information)", "For details, ask."),
    Wording("more (?:info|details|on)", "More on kettles:"),
    Wording("further reading", "Further reading: the manual."),
    Wording("go to", "Go to the tea room."),
    Wording("head (?:over )?to", "Head over to the tea room."),
)
POINTER_LINKS = (
    Wording(r"\brefer to\W*$", "For kettles, refer to"),
    Wording(
        r"\[(?:here|this (?:page|link)|link)\]\(", "The times are [here](https://tea.example)."
    ),
)
POINTER = re.compile(
    rf"(?:\W|and |also |please )*(?:{any_of(POINTER_VERBS)})\b|.*(?:{any_of(POINTER_LINKS)})",
    re.IGNORECASE,
)
"""A sentence that refers readers elsewhere and makes no claim."""

# --- the source of what stands above --------------------------------------------------------------

SOURCE_LABELS = (
    Wording("sources?", "*Source*: https://tea.example"),
    Wording("data sources?", "Data source: https://tea.example"),
    Wording(
        "(?:data )?sources? of (?:the )?(?:data|table|figures)",
        "Sources of the figures: https://tea.example",
    ),
)
SOURCE_LABEL = re.compile(rf"\W*(?:{any_of(SOURCE_LABELS)})\W*:", re.IGNORECASE)
"""The beginning of a line that names the source of the table, quotation or paragraph above it."""

# --- other sentences of a page --------------------------------------------------------------------

OF_PAGE = (
    Wording("this page", "This page lists 12 kettles."),
    Wording("the plan", "The plan has 14 questions on tea."),
    Wording("quotes? from", "The table has 15 quotes from the manual."),
    Wording("below", "The 13 kettles below are of steel."),
    Wording("above", "The 13 kettles above are of steel."),
    Wording("following", "The following 13 kettles are of steel."),
)
ABOUT_PAGE = re.compile(rf"\b(?:{any_of(OF_PAGE)})\b", re.IGNORECASE)
"""Words of a sentence that counts what the page itself has."""

PRONOUNS = (
    Wording("it", "Whether it whistles is not said."),
    Wording("its", "Its weight is not said."),
    Wording("that", "When that happens is not said."),
    Wording("they", "What they weigh is not said."),
    Wording("their", "Their weight is not said."),
    Wording("them", "Who makes them is not said."),
    Wording("these", "What these weigh is not said."),
    Wording("this", "Why this happens is not said."),
    Wording("those", "Those of steel are not named."),
    Wording("such", "Who makes such kettles is not said."),
    Wording("there", "Whether there is another one is not said."),
)
REFERS_BACK = re.compile(rf"(?:\S+\s+){{0,3}}(?:{any_of(PRONOUNS)})\b", re.IGNORECASE)
"""The beginning of a sentence that does not say by itself what it is about."""

# --- quotes and instructions ----------------------------------------------------------------------

REPORTING = (
    Wording("sa(?:ys?|id)", 'The manual says "steep it".'),
    Wording("writ(?:es?|ten)|wrote", 'She writes "steep it".'),
    Wording("stat(?:es|ed|ing)", 'It states "steep it".'),
    Wording("call(?:s|ed|ing)?", 'She calls it "the golden minute".'),
    Wording("not(?:es|ed|ing)", 'It notes "steep it".'),
    Wording("report(?:s|ed)", 'It reports "steep it".'),
    Wording("describ(?:es?|ed|ing)", 'They describe it as "the golden minute".'),
    Wording("argu(?:es?|ed|ing)", 'She argues "steep it".'),
    Wording("warn(?:s|ed|ing)?", 'The label warns "hot".'),
    Wording("claim(?:s|ed|ing)", 'She claims "no leaf burns".'),
    Wording("quot(?:es|ed|ing)", 'It quotes "steep it".'),
    Wording("put(?:s|ting)? it|phras(?:es?|ed)", 'As she puts it, "steep it".'),
    Wording("according to", 'According to the manual, "steep it".'),
    Wording(
        "observ(?:es?|ed)|conclud(?:es?|ed)|conced(?:es?|ed)|admit(?:s|ted)?", "He concedes it."
    ),
    Wording(
        "explain(?:s|ed)?|recommend(?:s|ed)?|defin(?:es?|ed)|mention(?:s|ed)?", "It defines it."
    ),
    Wording("verbatim|exact words", 'Its exact words are "steep it".'),
)
REPORTED = re.compile(rf"\b(?:{any_of(REPORTING)})\b", re.IGNORECASE)
_MOSTLY = 0.8
"""Share of the words of a sentence that a quote has if the sentence is nothing but the quote."""

_LONG_QUOTE = 10
"""Words from which words in quotation marks are no term or example."""


def is_presented(sentence: str, quote: str) -> bool:
    """Return whether words in quotation marks are given as those of a source.

    Others are an example, a term or a question that nobody has written.
    """
    before, found, _ = sentence.partition(quote)
    if not found:
        return True  # listed beside its source
    is_reported = REPORTED.search(before) is not None
    length = len(quote.split())
    is_alone = length >= _MOSTLY * len(sentence.split())
    is_long = length >= _LONG_QUOTE
    return (is_reported or is_alone or is_long) and not quote.rstrip().endswith("?")


INSTRUCTIONS = (
    Wording(
        "add|adjust|append|apply|call|change|configure|copy|create|declare|define|enable|extend",
        "Create `brew_tea`.",
    ),
    Wording(
        "implement|import|insert|install|make|move|name|open|pass|put|register|remove|rename"
        "|replace",
        "Import `brew_tea`.",
    ),
    Wording("return|run|set|start|switch|try|update|use|write", "Use `brew_tea`."),
)
INSTRUCTION = re.compile(
    rf"^\W*(?:\d{{1,3}}[.)]\s*)?(?:{any_of(INSTRUCTIONS)})\b|\b(?:always|never) (?:use|call)\b",
    re.IGNORECASE,
)
"""A sentence that tells readers what to do. Its names may be those of what they make."""

TABLES = {
    POINTER: (POINTER_VERBS, POINTER_LINKS),
    SOURCE_LABEL: (SOURCE_LABELS,),
    ABOUT_PAGE: (OF_PAGE,),
    REFERS_BACK: (PRONOUNS,),
    REPORTED: (REPORTING,),
    INSTRUCTION: (INSTRUCTIONS,),
}
"""The tables of each pattern."""
