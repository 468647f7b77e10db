"""Queries of the web in the lines of a plan: ``Search: "rye flour"``."""

from __future__ import annotations

import re
from itertools import pairwise

from planbook.model import Query
from planbook.plan.base_searches import is_base_search, read_reads
from planbook.plan.forms import Meaning, words_of
from planbook.plan.quotations import OPENING_MARK, OPENING_NOT_SINGLE, QUOTATION, quoted_text

_SEARCH = re.compile(
    r"^(?:(?:\(?\d+[.)]|[a-z]\))\s?)?"  # a number
    r"(?:(?:todo|next|step \d{1,2})[:.)–-]{0,2} )?"
    r"(?:please |run |do |perform |try |use |additional |initial |primary |follow-?up )*"
    r"(?:an? )?"
    rf"(?P<lead>{words_of(Meaning.QUERY)})"
    r"(?P<where>(?:[^:\"“„«「`(]|\([^()\"“„«「`]{0,40}\)){0,60}?)"
    r"(?:(?P<colon>(?:\s?[:=]|(?<![\s(])\()\s*(?:(?:quer(?:y|ies)|q)\s?[=:]\s?\[?\s?)?)"
    rf"|\s*(?={OPENING_NOT_SINGLE}))"
    r"(?P<rest>\S.*)$",
    re.IGNORECASE,
)
"""``1. Search GitHub for: "rye flour"``, ``Query "rye flour"``, ``run a web search: rye flour``."""
_FETCH = re.compile(
    r"^(?:use |run |call )?`?mcp__[\w-]{0,60}(?:scrape|web_data|fetch|extract)", re.IGNORECASE
)
"""A call of a fetch tool: it names a source, not a query."""
_ARGUMENT = re.compile(
    r"(?:[\"']?\b(?:search_)?query[\"']?\s?="
    r"|(?<=[({,])\s?[\"']?(?:search_)?(?:query|q)[\"']?\s?[=:])"
    r"\s?(?P<mark>[\"'])(?P<query>.{1,400}?)(?P=mark)(?!\w)"
)
"""``search_engine(query="q", engine="google")``, also with a dictionary; without parentheses, with
``=``."""
_CALL_IN_CODE = re.compile(r"`(\w[\w.]{0,60}\([^`]{0,400}\))`")
"""A call in backticks: ``search("rye flour")``."""
_WORD_OF_ENGINE = re.compile(r"mcp__\w+|search_engine")
_SEARCH_TOOL = re.compile(r"search|query|google|bing|serp", re.IGNORECASE)
_PLACE_ALONE = re.compile(r"(?:github|arxiv|scholar|stack ?overflow|web|internet)", re.IGNORECASE)
_SIGN = re.compile(r"^[^\w\s\"“`'(<\[*-]{1,4}\s{1,3}")
"""An emoji before the text."""
_LENSES = ("🔍", "🔎")
"""Signs that say *search*."""
_ONLY_CODE = re.compile(r"^`(?P<code>[^`]{1,400})`$")
_REMARK = re.compile(
    r"^(?://|https?://|(?:scrape|fetch|focus|visit|prioriti[sz]e|look for|limit|prefer|top \d)\b)",
    re.IGNORECASE,
)
"""Prefixes of instructions that appear among queries."""
_VERB = re.compile(rf"^(?:search|query)(?: for)?:?\s(?={OPENING_NOT_SINGLE})", re.IGNORECASE)
"""The verb once more, behind its label: ``search for`` of ``Web: search for "rye"``."""
_SEPARATOR = re.compile(r"^\s{0,4}(?:\([^()]*\))?(?:[,;/|+&→\s–—-]|and|or|OR|then){0,12}$")
"""Between two queries: ``"rye" (recent) and "ash"``, ``"rye" → "ash"``."""
_REPEATED_VERB = re.compile(
    r"^\s{0,4}(?:\([^()]*\))?\s{0,4}[,;.|]?\s{0,4}"
    r"(?:and\s)?(?:search|query)\b[^:\"]{0,30}:?\s{0,4}$",
    re.IGNORECASE,
)
"""Between two queries, the verb again: ``"rye", and search GitHub for: "ash"``."""
_LABEL_OF_QUERY = re.compile(
    rf"^(?:\d+[.)]\s*)?(?P<label>[^\"“„«「`:]{{0,40}}:\s*)?(?={OPENING_NOT_SINGLE})"
)
"""``1. GitHub: "rye flour"``."""
_UNSPLIT_PARTS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\"[^\"]*\"|“[^”]*”|`[^`]*`|\d,(?=\d{3})")
"""Parts of a list in which a comma divides nothing: ``colour (dark, light)``, ``1,000``."""
_CROSS_REFERENCE = re.compile(r"\W*(?:see|below|above|as|none|n/?a|tbd|todo)\b|\W*$", re.IGNORECASE)
"""``see below``: text that is no list."""
_ARROW = re.compile(r"→|[-=]>")
_CONJUNCTION = re.compile(r"^(?:and|or|plus)\s+", re.IGNORECASE)
_OTHER_ARGUMENT = re.compile(r",\s?\w{1,30}\s?=\s?\"[^\"]*\"(?=[,)])")
"""An argument of a search tool beside the query: ``, engine="google"``."""
_ENGINES = ("github", "arxiv", "scholar", "wikipedia")


def read_engine(words: str) -> str:
    """Return the engine that `words` around a query name; ``web`` by default."""
    return next(
        (name for name in _ENGINES if re.search(rf"\b{name}\b", words, re.IGNORECASE)), "web"
    )


def read_queries(text: str, *, is_listed: bool = False) -> tuple[Query, ...]:
    """Return the queries of one line: quoted, in backticks, or unquoted after a colon.

    With `is_listed` (below a lead-in such as ``Search queries:``) the line needs no verb of its
    own.
    """
    text = text.replace("**", "").strip()
    is_listed = is_listed or text.startswith(_LENSES)
    plain = _SIGN.sub("", text)
    in_code = _ONLY_CODE.match(plain)
    if in_code and _SEARCH.match(in_code["code"]):  # `search: "q"`
        plain = in_code["code"]
    if _FETCH.match(plain):
        return ()
    call = _search_call(plain)
    if call:
        outside_query = plain[: call.start("query")] + plain[call.end("query") :]
        return (Query(read_engine(_WORD_OF_ENGINE.sub(" ", outside_query)), call["query"]),)
    plain = _CALL_IN_CODE.sub(r"\1", plain)
    search = _SEARCH.match(plain)
    if search:
        engine_words = search["lead"] + search["where"]
        rest = _VERB.sub("", search["rest"])
        if not re.match(OPENING_MARK, rest) and not _takes_unquoted_query(search, rest):
            return ()
    elif is_listed and not _REMARK.match(plain):
        engine_words, rest = _split_label(plain)
    else:
        return ()
    texts, words_around = _split_quoted(rest)
    engine = read_engine(f"{engine_words} {words_around}")
    return tuple(Query(engine, query) for query in texts)


def _takes_unquoted_query(search: re.Match[str], rest: str) -> bool:
    """Return True if the words behind a verb are its query, although they are not quoted."""
    if not search["colon"] or _REMARK.match(rest):
        return False
    if re.search(r"research|look up", search["lead"], re.IGNORECASE):
        return False  # ``Research: ...`` may say anything
    is_place_alone = _PLACE_ALONE.fullmatch(search["lead"].strip()) and not search["where"].strip()
    return not is_place_alone  # ``GitHub: ...`` names a repository


def _split_label(plain: str) -> tuple[str, str]:
    """Return the label before a quoted query, and the rest: ``1. GitHub: "rye flour"``."""
    match = _LABEL_OF_QUERY.match(plain)
    if not match:
        return "", plain
    return match["label"] or "", plain[match.end() :]


def is_search_call(text: str) -> bool:
    """Return True if the line has the call of a search tool with a query."""
    return _search_call(text) is not None


def _search_call(text: str) -> re.Match[str] | None:
    call = _ARGUMENT.search(text)
    if call and _SEARCH_TOOL.search(text[: call.start("query")]):
        return call
    return None


def _split_quoted(rest: str) -> tuple[list[str], str]:
    """Return the queries in the text after the verb, and the words behind them."""
    rest = _OTHER_ARGUMENT.sub("", rest)
    matches = list(QUOTATION.finditer(rest)) if re.match(OPENING_MARK, rest) else []
    if not matches:
        bare = _unquoted_query(rest)
        return ([bare] if bare else []), ""
    if len(matches) == 1 and re.match(r"\s?-?site:\S", rest[matches[0].end() :]):
        return [rest.strip().rstrip(".,;")], ""  # ``"a" site:x.org`` is one query
    behind = rest[matches[-1].end() :]
    queries = [quoted_text(match) for match in matches]
    for count, (earlier, later) in enumerate(pairwise(matches), start=1):
        gap = rest[earlier.end() : later.start()]
        if _SEPARATOR.match(gap) or _REPEATED_VERB.match(gap):
            continue
        is_one_query = gap.strip() and not gap.lstrip().startswith("(")
        if is_one_query:
            return [_whole_query(rest, matches)], behind
        queries = queries[:count]  # a remark in parentheses that has quotes of its own
        break
    return queries, re.sub(r"\([^()]*\)", "", behind)


def _unquoted_query(rest: str) -> str:
    """Return a query without quotation marks; empty if it has no words.

    A mark that is left over at an end is removed; several are part of the query.
    """
    query = rest.strip().rstrip(" .,;")
    if sum(query.count(mark) for mark in '"“”') <= 1:
        query = query.strip('"“”')
    return query if re.search(r"\w", query) else ""


def _whole_query(rest: str, matches: list[re.Match[str]]) -> str:
    """Return a query that itself has quotes: ``site:x.org "exact" words``, ``"a" AND "b"``."""
    span = rest[matches[0].start() : matches[-1].end()]
    is_nested = not re.match(r"\s", rest[matches[0].end() :])
    return span[1:-1].strip() if is_nested else span


_ASKS_FOR_SEARCH = re.compile(
    r"^\W{0,8}(?:please |then |run an? |do an? )?(?:web )?(?:search|google|bing|duckduckgo)\s+"
    r"(?:(?:on )?(?P<place>GitHub|arXiv|Wikipedia)\b\s*"
    r"|(?:on )?(?:the )?(?:web|internet|online)\b\s*)?"
    r"(?:(?:for|on|about)\s+)?"
    r"(?P<words>(?!results?\b)\w.*)$",
    re.IGNORECASE,
)
"""``Search the web for rye ash``."""
_QUOTES_BEHIND_WORDS = re.compile(
    r"^[^\w\"“]{0,8}"
    # words that say what to write
    r"(?!(?:add|append|commit|create|develop|example|insert|name|note|rename|replace|section"
    r"|subsection|tag|title|update|write)s?\b)"
    r"(?:[^\W\d_][\w-]*[ :,]{1,2}){0,4}"
    r"(?P<place>)[\"“](?P<words>[^\"“”]{4,200})[\"”][\s.,;)]{0,3}(?:\([^()]*\))?\W{0,3}$",
    re.IGNORECASE,
)
"""``Look for "rye ash"``."""


def find_words_of_search(text: str, *, is_task: bool) -> re.Match[str] | None:
    """Return the words that a line may ask to search, with the place if it names one.

    Instructions such as *Search the web for rye ash* count if the line `is_task`.
    """
    request = _ASKS_FOR_SEARCH.match(text) if is_task else None
    is_question = text.rstrip("*_ ").endswith("?")
    quoted = None if is_question else _QUOTES_BEHIND_WORDS.match(text)
    return quoted or request


def read_list_of_queries(text: str) -> list[Query]:
    """Return the queries behind a label: ``**Search terms**: rye ash, stone mill``."""
    if _CROSS_REFERENCE.match(text):
        return []
    return [query for piece in split_list(text) for query in read_queries(piece, is_listed=True)]


def split_list(text: str) -> list[str]:
    """Return the items of a list in one line: ``rye, colour (dark, light) and ash``.

    They are divided by arrows, else by semicolons, question marks or commas, outside parentheses
    and quotation marks.
    """
    hidden = _UNSPLIT_PARTS.sub(lambda inside: "_" * len(inside[0]), text)
    hidden = _ARROW.sub(lambda arrow: "→".ljust(len(arrow[0]), "→"), hidden)
    text = "".join(
        arrow if arrow == "→" else char for arrow, char in zip(hidden, text, strict=True)
    )
    if hidden.count("?") > 1:
        return [question.strip() for question in re.split(r"(?<=\?)[\s,;]+", text) if question]
    sign = next((sign for sign in "→;" if sign in hidden), ",")
    ends = [index for index, char in enumerate(hidden) if char == sign]
    starts = [0, *(end + 1 for end in ends)]
    pieces = [text[start:end] for start, end in zip(starts, [*ends, len(text)], strict=True)]
    items = [_CONJUNCTION.sub("", piece.strip(" .")) for piece in pieces]
    return [item for item in items if re.search(r"\w", item)]


def is_task(plain: str) -> bool:
    """Return True for a search or a page to read, which may follow a list of pages to write."""
    is_search = is_base_search(plain) or is_search_call(plain)
    return bool(is_search or read_queries(plain) or read_reads(plain))
