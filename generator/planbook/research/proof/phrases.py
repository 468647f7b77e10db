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

TABLES = {
    POINTER: (POINTER_VERBS, POINTER_LINKS),
    SOURCE_LABEL: (SOURCE_LABELS,),
    ABOUT_PAGE: (OF_PAGE,),
    REFERS_BACK: (PRONOUNS,),
}
"""The tables of each pattern."""
