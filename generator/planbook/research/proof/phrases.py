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

SECTION_LABELS = (
    Wording("(?:section|page|chapter) sources?", "Section sources"),
    Wording("(?:relevant |referenced )?source files?", "Relevant source files"),
    Wording("sources?", "Sources:"),
)
SOURCES_OF_SECTION = re.compile(rf"\W*(?:{any_of(SECTION_LABELS)})\W*", re.IGNORECASE)
"""A line of its own above the list of the sources of its section."""

# --- other sentences of a page --------------------------------------------------------------------

PAGE_WORDINGS = (
    Wording("this page", "This page lists 12 kettles."),
    Wording("the plan", "The plan has 14 questions on tea."),
    Wording("quotes? from", "The table has 15 quotes from the manual."),
    Wording("below", "The 13 kettles below are of steel."),
    Wording("above", "The 13 kettles above are of steel."),
    Wording("following", "The following 13 kettles are of steel."),
)
PAGE_WORDS = re.compile(rf"\b(?:{any_of(PAGE_WORDINGS)})\b", re.IGNORECASE)
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
REPORTED_WORDS = re.compile(rf"\b(?:{any_of(REPORTING)})\b", re.IGNORECASE)
_MIN_QUOTED_SHARE = 0.8
"""Share of the words of a sentence that a quote has if the sentence is nothing but the quote."""

_JUST_BEFORE = 80
"""Characters before a quote in which the sentence says whose words they are."""
_SOURCE_COLON = re.compile(
    r"(?:(?<![\w'\u2019.-])[A-Z][\w'\u2019.-]+"
    r"|\b(?:source|author|article|paper|report|manual|page|docs?|quote)s?"
    r"(?:\s\([^()]{1,60}\))?)\W{0,3}:\s{0,3}$"
)
"""A colon after a name or a kind of source."""

# Each of these ends where the quotation marks begin.
NEGATION_WORDINGS = (
    # The contrast first: of two forms that match, the first one is taken.
    Wording(r"not\b[^.]{0,160}\bbut", 'It is not "a steel kettle" but "a kettle that steeps".'),
    Wording(
        r"(?:\w+n't|(?:can)?not|nor|never|no longer|rather than|instead of|without|unlike)"
        r"(?:\s(?:a|an|the|as|be|say|says|call|called|just|merely|only|simply|exactly|really))"
        r"{0,6}",
        'They are not merely "one kettle and then the real one".',
    ),
    Wording(r"\bno\s\w+\s\w+s", 'No manual says "steep it in cold water".'),
)
EXAMPLES = (
    Wording(
        r"(?:e\.g\.|for (?:example|instance)|such as|\blike|\bsay),?", 'Use names like "my kettle".'
    ),
    Wording(
        r"\((?:e\.g\.|for example|for instance|such as)[^()]{0,120}",
        'Leaves (e.g., of "green tea" and "black tea").',
    ),
    Wording(
        r"\b(?:examples?|samples?)\b[^:\u201c\"]{0,60}:", 'Example (green tea): "my leaf is green".'
    ),
)
GLOSSES = (
    Wording(
        r"\b(?:mean(?:s|t|ing)?|roughly|essentially|effectively|in other words|amounts to|i\.e\.)",
        'Where it means "minutes in the pot".',
    ),
)
TITLES = (Wording(r"(?:en)?titled|labell?ed|headlined", 'The page is titled "tea is for you".'),)
RELATIONS = (Wording(r"\bon", 'extends: the kettle ON "how it holds the heat of tea".'),)
HYPOTHETICALS = (
    Wording(
        r"\b(?:can|could|may|might|would|should|will|must|to)\s(?:\w+\s)?"
        r"(?:answer|argue|ask|call|claim|describe|explain|note|put|report|say|state|type|write)\b"
        r"[^.]{0,40}",
        'A rule can say "never boil it".',
    ),
    Wording(
        r"^\W{0,6}(?:if|when|suppose|imagine|say)\b[^.?!]{0,160}"
        r"\b(?:says?|said|asks?|asked|told|writes?)",
        'If a guest came and said "steep it cold".',
    ),
    Wording(
        r"\b(?:implied|implicit|implicitly|so-called|hypothetical|imagined|unstated|tacit)",
        'The implied "if it boils, it is tea" is wrong.',
    ),
)
WARNINGS = (
    Wording(
        r"(?:do not|don['\u2019]t|never|avoid|stop|beware of)\s(?:\w+\s){0,2}?"
        r"(?:conflat|confus|mistak|treat|say|writ|call|us|ask|interpret|think|assum)\w*\b"
        r"[^.]{0,160}",
        'Do not confuse "a kettle of steel" with "a kettle that steeps".',
    ),
    Wording(
        r"^\W{0,6}(?:calling|thinking|believing|assuming|confusing|conflating|interpreting|reading"
        r"|claiming|saying|writing|treating)\b[^.]{0,100}",
        'Calling a pot "a kettle without a lid".',
    ),
    Wording(
        r"(?:people|students|beginners|readers|users|some|many|they)\s(?:sometimes|often|may|might"
        r"|commonly|mistakenly|wrongly|incorrectly)\s\w+(?:\s\w+){0,3}",
        'People sometimes write "steep it cold".',
    ),
)
WARNING = "the page warns of them"
"""The reason for words that a page warns of, which may be its own."""
_UNCLAIMED_WORDINGS = {
    "the sentence denies or contrasts them": NEGATION_WORDINGS,
    "they are an example": EXAMPLES,
    "they say what something means": GLOSSES,
    "they are a title": TITLES,
    "they name a relation": RELATIONS,
    "they are what somebody could say": HYPOTHETICALS,
    WARNING: WARNINGS,
}
# Repetitions are bounded: a page may have a megabyte of blanks.
_QUOTATION_OPENING = r"\s{0,4}[:,]?\s{0,4}[(\[*_]{0,6}[\"\u201c\u00ab]"
UNCLAIMED_LEADS = {
    reason: re.compile(rf"(?<!\w)(?:{any_of(rows)}){_QUOTATION_OPENING}", re.IGNORECASE)
    for reason, rows in _UNCLAIMED_WORDINGS.items()
}
"""The words before those in quotation marks that are no words of the source, by the reason."""
_QUESTION_LEAD = re.compile(
    r"(?:how(?:\s\w+)?|what|who|why|when|where|which(?:\s\w+)?)\s"
    r"(?:do|does|did|can|could|will|would|should)\b",
    re.IGNORECASE,
)
EXAMPLES_FOLLOW = re.compile(
    r"(?:^|[.\n])\W{0,8}(?:for )?(?:examples?|instance|samples?)\b[^.:]{0,40}:", re.I
)
"""The words that introduce examples in the sentences or items behind them."""


QUESTION = "they are a question"
"""The reason for a question, which may be the page's own."""


_CONTRAST_BEHIND = re.compile(
    r"[\"\u201d\u00bb*_'\s.,]{0,6}"
    r"(?:(?:is|are|was|were|does|do) not\b|(?:is|are|does|do)n['\u2019]t\b|\u2260"
    r"|vs\b|versus\b|rather than\b)",
    re.IGNORECASE,
)
"""The words behind a quote that contrast it: ``"it steeps" is not the same as "it boils"``."""


def why_unclaimed(sentence: str, quote: str) -> str:
    """Return why words in quotation marks are no words of a source, whoever wrote them.

    The reason is empty if nothing says so.
    """
    if quote.rstrip().endswith("?") or _QUESTION_LEAD.match(quote):
        return QUESTION
    before, separator, behind = sentence.partition(quote)
    if not separator:
        return ""
    if _CONTRAST_BEHIND.match(behind):
        return "the sentence denies or contrasts them"
    lead = before.rstrip("*_`'\u2018")
    for reason, pattern in UNCLAIMED_LEADS.items():
        if any(form.end() == len(lead) for form in pattern.finditer(lead)):
            return reason
    return ""


def is_presented(sentence: str, quote: str) -> bool:
    """Return whether a sentence gives words in quotation marks as those of its source.

    It says so, the quote follows the name of the source and a colon, or is all of the sentence.
    """
    before, separator, _ = sentence.partition(quote)
    if not separator:
        return True  # listed beside its source
    lead = before.rstrip("\"'\u2018\u201c\u00ab *_")
    is_reported = REPORTED_WORDS.search(before[-_JUST_BEFORE:]) is not None
    is_alone = len(quote.split()) >= _MIN_QUOTED_SHARE * len(sentence.split())
    return is_reported or is_alone or _SOURCE_COLON.search(lead) is not None


# --- figures of the page's own ------------------------------------------------------------------

OWN_FIGURES = (
    Wording("derived|derives|derivation", "Its derived 894 cups follow from the table."),
    Wording(r"(?:re)?calculat(?:ed|ion|ions|e|es|ing)", "By the same calculation, it holds 894."),
    Wording("extrapolat(?:ed|es|ing|ion)", "Extrapolated to a year, these are 894 cups."),
    Wording(r"back-of-(?:the-)?envelope", "A back-of-the-envelope figure is 894."),
    Wording(r"(?:our|my) (?:own )?(?:estimates?|figures?|numbers?)", "Our own estimate is 894."),
)
RECKONED_FIGURE = re.compile(rf"\b(?:{any_of(OWN_FIGURES)})\b", re.IGNORECASE)
"""Words of a sentence that says that a figure is reckoned."""

HISTORY_WORDINGS = (
    Wording(
        "(?:prior|previous|earlier|former|older|last) (?:editions?|versions?|drafts?|revisions?)"
        " of (?:this|the) (?:page|wiki|report|note|article)",
        "Prior editions of this page had 54,000 kettles.",
    ),
    Wording(
        r"(?:this|the) (?:page|wiki|note|report|article) (?:has )?"
        r"(?:since |now |previously |formerly |originally )(?:\w+ )?"
        r"(?:cit(?:ed|es)|sa(?:id|ys)|anchors|used|uses|stated|listed)",
        "This page previously cited 54,000 kettles.",
    ),
)
OWN_HISTORY = re.compile(rf"\b(?:{any_of(HISTORY_WORDINGS)})\b", re.IGNORECASE)
"""Words of a sentence that says what its page was before."""

# --- links that are words of a sentence -----------------------------------------------------------

# Each of these ends where a link begins.
OBJECTS = (
    Wording(
        r"(?:pair|contrast|compare|link|connect|align|converge|overlap|combine|integrate)"
        r"(?:s|d|ed|ing)?(?:\s\w+)?\s(?:with|to)",
        "Pairs structurally with",
    ),
    Wording(
        r"join(?:s|ed|ing)?|extend(?:s|ed|ing)?|mirror(?:s|ed|ing)?|parallel(?:s|ed|ing)?"
        r"|complement(?:s|ed|ing)?|contradict(?:s|ed|ing)?|supersede(?:s|d)?|refin(?:es|ed|ing)"
        r"|echo(?:es|ed|ing)?|validat(?:es|ed|ing)|updat(?:es|ed|ing)|replac(?:es|ed|ing)"
        r"|follow(?:s|ed|ing)?|match(?:es|ed|ing)?|reinforc(?:es|ed|ing)|confirm(?:s|ed|ing)?",
        "This pot joins",
    ),
    Wording(r"companion (?:of|to)|relat(?:es|ed) to|similar to|unlike|like", "It is similar to"),
    Wording(r"compare|cf\.?|see(?: also)?|vs\.?|versus|than|beyond|alongside", "See also"),
)
OBJECT_BEFORE = re.compile(
    rf"(?:\b(?:{any_of(OBJECTS)})(?:\sthe|\san?)?|[+\u2192=&])\s*[\"*_(]{{0,3}}$", re.IGNORECASE
)
"""The words before a link that make it a thing that the sentence is about."""
_STOP = re.compile(r"[.!?:]\s")
_LEADS_TO_LINK = ("per", "in", "as", "according to", "from", "by")
"""Words that may stand between the beginning of a sentence and a link."""
_GOES_ON = re.compile(r"(?:\s[\u2014\u2013])?\s?[*_]{0,2}['\u2019]?(?P<word>[^\W\d_]+)")


def is_word_of_sentence(before: str, after: str) -> bool:
    """Return whether a link is a word of its sentence, and not the source behind a statement.

    Args:
        before: the text before it, in its line.
        after: the text behind it.
    """
    if OBJECT_BEFORE.search(before):
        return True
    is_in_brackets = before.count("(") > before.count(")")
    goes_on = _GOES_ON.match(after)
    if goes_on is None or is_in_brackets or _is_at_beginning(before):
        return False
    return REPORTED_WORDS.fullmatch(goes_on["word"]) is None


def _is_at_beginning(before: str) -> bool:
    """Return whether a link behind a text begins its sentence, but for a lead such as *per*."""
    end = _end_of_last_word(before)
    if end == 0 or _STOP.search(before, end):
        return True
    words = before[:end].casefold()
    leads = [lead for lead in _LEADS_TO_LINK if words.endswith(lead)]
    for lead in leads:
        start = end - len(lead)
        previous_end = _end_of_last_word(before[:start])
        is_whole_word = start == 0 or previous_end < start
        is_first = previous_end == 0 or _STOP.search(before, previous_end, start) is not None
        if is_whole_word and is_first:
            return True
    return False


def _end_of_last_word(text: str) -> int:
    """Return the offset behind the last letter, digit or underscore of a text; 0 without one."""
    for end in range(len(text), 0, -1):
        if text[end - 1].isalnum() or text[end - 1] == "_":
            return end
    return 0


INSTRUCTIONS = (
    Wording(
        "add|adjust|append|apply|call|change|configure|copy|create|declare|define|enable|extend",
        "Create `brew_tea`.",
    ),
    Wording(
        "implement|import|insert|install|make|modify|move|name|open|pass|put|register|remove|rename"
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

PLAN_WORDINGS = (
    Wording(
        r"\b(?:will|shall|should|must|needs? to|to be)\b", "The kettle should call `boil_all`."
    ),
    Wording(
        r"\b(?:adds?|added|adding|inserts?|introduces?|new|planned|proposed|todo)\b",
        "A new `boil_all` of the kettle.",
    ),
    Wording(
        r"\b(?:renam|extract|refactor|remov|delet)(?:e|ed|es|ing|s)?\b|\bmov(?:e|ed|es|ing)\b",
        "It moved `boil_all` out of the kettle.",
    ),
    Wording(
        "\u65b0\u589e|\u6dfb\u52a0|\u589e\u52a0|\u4fee\u6539"
        "|\u6539\u4e3a|\u91cd\u6784|\u8fc1\u79fb|\u5220\u9664",
        "\u65b0\u589e `boil_all`",
    ),
)
PLAN_WORD = re.compile(any_of(PLAN_WORDINGS), re.IGNORECASE)
"""Words of a sentence about a change to a program: the cited lines may be of another state."""

TABLES = {
    POINTER: (POINTER_VERBS, POINTER_LINKS),
    SOURCE_LABEL: (SOURCE_LABELS,),
    SOURCES_OF_SECTION: (SECTION_LABELS,),
    PAGE_WORDS: (PAGE_WORDINGS,),
    REFERS_BACK: (PRONOUNS,),
    REPORTED_WORDS: (REPORTING,),
    INSTRUCTION: (INSTRUCTIONS,),
    PLAN_WORD: (PLAN_WORDINGS,),
    OBJECT_BEFORE: (OBJECTS,),
    RECKONED_FIGURE: (OWN_FIGURES,),
    OWN_HISTORY: (HISTORY_WORDINGS,),
    **{UNCLAIMED_LEADS[reason]: (rows,) for reason, rows in _UNCLAIMED_WORDINGS.items()},
}
"""The tables of each pattern."""
