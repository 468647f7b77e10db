"""Parse single lines of a plan: completion times, target paths, queries, pages of the base.

Each function takes a line's text and returns values, independent of the line's position.
"""

from __future__ import annotations

import re
from itertools import pairwise

from planbook.markdown.budgets import without_budget
from planbook.model import Grep, Query, Read
from planbook.plan.forms import Meaning, words_of

# --- completion -----------------------------------------------------------------------------------

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = (
    r"(?:\d{4}[-/]\d{2}[-/]\d{2}"  # 2026-11-20
    rf"|{_MONTH}\s+{_DAY},?\s+\d{{4}}"  # Nov 20, 2026
    rf"|{_DAY}\s+(?:of\s+)?{_MONTH},?\s+\d{{4}}"  # 20 November 2026, 20th of November 2026
    r"|\d{1,2}\.\d{1,2}\.\d{4})"  # 20.11.2026
)
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s*[AaPp]\.?[Mm]\b\.?)?"
_ZONE = (
    r"(?!PART\b)(?:Z|UTC(?:[+-]\d{1,2})?|GMT(?:[+-]\d{1,2})?|[A-Z]{1,3}[SD]?T|[+-]\d{2}:?\d{2})\b"
)
TIMESTAMP = re.compile(
    rf"(?P<date>{_DATE})"
    r"(?:(?P<join>T|\s*,\s*|\s+at\s+|\s+@\s*|\s+-\s+|\s+)"
    rf"(?P<time>{_TIME})(?:\s*(?P<zone>{_ZONE}))?)?"
)
_FINISHED = re.compile(r"\b(?:completed?|done|finished)\b", re.IGNORECASE)
_DONE_WORD = re.compile(r"\b(?:created|updated|written)\b|[✓✔✅]", re.IGNORECASE)
PATHS = re.compile(r"(?<!\S)\S+?\.md\S*")
"""Text that contains the name of a Markdown file."""


def read_timestamp(text: str, *, is_done: bool) -> str | None:
    """Return the completion time in a status line as written: date, time, time zone.

    A date counts after a word such as *Completed*; in a line marked done, also on its own.
    Dates in file names do not count.
    """
    text = PATHS.sub(lambda path: " " * len(path[0]), text)
    word = _FINISHED.search(text) or _DONE_WORD.search(text)
    match = TIMESTAMP.search(text, word.end()) if word else None
    if match is None and is_done:
        match = TIMESTAMP.search(text)
    if match is None:
        return None
    if match["join"] == "T":
        return match[0]
    return " ".join(piece for piece in (match["date"], match["time"], match["zone"]) if piece)


# --- targets --------------------------------------------------------------------------------------

_DROP = re.compile(r"KNOWLEDGE[-_ ]DROP[-_][^\s`\"'*)(]+", re.IGNORECASE)
_PATH = re.compile(
    r"(?<![\w/:.~@+%&=#$!\\-])(?:[\w.~@+-]|/(?!/))"  # the first character; no address
    r"(?:[\w./@+~()\[\]{}%&=#$!-]|\\(?=[\w.-])){0,300}?\.md\b(?!\w)"
)
_QUOTED_PATH = re.compile(
    r"(?P<open>[`\"“«<])(?P<path>[\w.~@+-][^`\"“”«»<>:*?|]{0,200}?\.md)(?=[`\"”»>])"
)
"""A path that may have blanks, in backticks or quotation marks."""
_COMMAND = re.compile(
    r"(?:cat|cd|code|cp|echo|git|grep|head|less|ls|mkdir|mv|nano|open|python\d?|read|rm|sed|tail"
    r"|touch|vim?|wc)\s"
)
_WORD_BETWEEN_PATHS = r"(?:and|or|to|into|in|from|with|plus|for|using|of|as)\b"
_BROKEN_PATH = re.compile(
    r"(?<![\w/\\:.-])(?:"
    r"[A-Za-z]:[\\/][^\s`\"]*?"
    rf"|[\w.-]+[/\\][^\s`\":,;()]*(?: (?!{_WORD_BETWEEN_PATHS})[\w.-]+){{1,2}}?"
    r")\.md\b"
)
"""A path that has a drive's letter, or blanks and no quotation marks."""
_WORD_BEFORE_NAME = (
    r"(?:an?|the|new|our|this|its|to|and|or|in|as|for|from|with|called|named|final|main"
    r"|individual|summary|knowledge|target|output|existing|updated?|create|write|expand"
    r"|files?|pages?|documents?|docs?|guides?|drop|entry|section)\b"
)
_BROKEN_NAME = re.compile(
    rf"\b(?:Create|Write|Update)\s+(?P<name>(?:(?!{_WORD_BEFORE_NAME})[\w-]+ ){{1,2}}[\w-]+\.md)\b",
    re.IGNORECASE,
)
"""``Create my flour.md``: a name with a blank, and neither folder nor quotation marks."""
_BETWEEN = re.compile(
    r"^(?:[\s`*\"',;+&]|\b(?:and|plus|update|create|expand)\b){0,24}$", re.IGNORECASE
)
_SOURCE_FIRST = re.compile(
    r"\W{0,8}(?:extract|convert|read|process|ingest|distil)\b[^→]{0,200}?\.(?:md|pdf|txt)\b"
    r".{0,80}?(?:→|->|=>|\bto\b|\binto\b|\band (?:create|write)\b)",
    re.IGNORECASE,
)
"""``Extract source.md to page.md``: the path before the arrow is not a target."""
_LINK = re.compile(r"\[([^\[\]]*)\]\((?:([^)\s<]+\.md)|<([^<>]{1,300}\.md)>)[^)]{0,300}\)")


ADDRESS = re.compile(r"https?://[^\s<>\"`)\]]+")


def find_web_addresses(text: str) -> list[str]:
    """Return the addresses of the web in `text`, without the punctuation behind them."""
    return [url.rstrip(".,;") for url in ADDRESS.findall(text)]


def find_drop(text: str) -> str | None:
    """Return the first KNOWLEDGE-DROP file named in `text`."""
    match = _DROP.search(text)
    if not match:
        return None
    name = match[0].rstrip(".,;:")
    return name if name.endswith(".md") else name + ".md"


def read_paths(text: str) -> list[tuple[int, int, str]]:
    """Return every Markdown path in `text` except drops, as ``(start, end, path)``.

    The path of a Markdown link is its address.
    """
    if ".md" not in text:
        return []
    text = _without_links(text)
    placed: list[tuple[int, int, str]] = []
    for match in _QUOTED_PATH.finditer(text):
        if _is_one_path(match["path"]):
            start, end = match.span("path")
            placed.append((start, end, match["path"]))
            text = text[:start] + " " * (end - start) + text[end:]
    placed += [(*match.span(), match[0]) for match in _PATH.finditer(text)]
    paths = [(start, end, _without_escapes(path)) for start, end, path in sorted(placed)]
    return [place for place in paths if not _DROP.search(place[2].rpartition("/")[2])]


def _without_links(text: str) -> str:
    """Replace Markdown links with their addresses. The length is unchanged."""
    return _LINK.sub(lambda link: (link[2] or f"`{link[3]}`").rjust(len(link[0])), text)


def find_broken_path(text: str) -> str | None:
    """Return the first path in `text` that `read_paths` does not read whole, as written."""
    if ".md" not in text:
        return None
    name = _BROKEN_NAME.search(text)
    if name:
        return name["name"]
    match = _BROKEN_PATH.search(text)
    if not match or any(
        start <= match.start() and match.end() <= end for start, end, _ in read_paths(text)
    ):
        return None
    return match[0]


def _is_one_path(text: str) -> bool:
    """Return True if a quoted string with blanks is a path, and no command or list."""
    return " " in text and text.count(".md") == 1 and not _COMMAND.match(text)


def _without_escapes(path: str) -> str:
    r"""Return a path with slashes for backslashes.

    One before a mark is Markdown's: ``a\_b.md`` is ``a_b.md``.
    """
    return re.sub(r"\\(?=[_.~+-])", "", path).replace("\\", "/")


def read_targets(text: str, *, noted: bool = False) -> tuple[str, ...]:
    """Return the pages that a heading or status line names: one path, or several with commas.

    With `noted`, those in parentheses count, too.
    """
    text = _without_links(text)
    sought = text if noted else _without_notes(text)
    source = _SOURCE_FIRST.match(sought)
    if source and read_paths(sought[source.end() :]):
        # Blanks in place of the source keep the positions of the paths behind it.
        sought = " " * source.end() + sought[source.end() :]
    targets: list[str] = []
    end_of_last = 0
    for start, end, path in read_paths(sought):
        between = without_budget(text[end_of_last:start], is_planned=True)
        if targets and not _BETWEEN.match(between):
            break
        if path not in targets:
            targets.append(path)
        end_of_last = end
    return tuple(targets)


def begins_with_path(text: str) -> bool:
    """Return True if the text begins with the name of a Markdown file, in backticks or not."""
    paths = read_paths(text)
    return bool(paths) and not re.search(r"\w", _LINK.sub("", text)[: paths[0][0]])


def _without_notes(text: str) -> str:
    """Replace parentheses in `text` with spaces, except addresses of Markdown links.

    The length is unchanged.
    """
    return re.sub(r"(?<!\])\([^()]*\)", lambda note: " " * len(note[0]), text)


# --- pages of the base ----------------------------------------------------------------------------

_QUOTED = re.compile(
    r"\"([^\"]+)\"|“([^”]+)”|`([^`]+)`|(?<!\w)'([^']+)'(?!\w)"
    r"|„([^„“”]+)[“”]|«([^«»]+)»|\u2018([^\u2018\u2019]+)\u2019(?!\w)|「([^「」]+)」"
)
_WHOLLY_QUOTED = re.compile(r"\"[^\"]+\"|“[^“”]+”")
_OPENING = r"[\"“„«\u2018「`']"
_OPENING_NOT_SINGLE = r"[\"“„«「`]"
_GREP = re.compile(rf"{words_of(Meaning.GREP)}\b", re.IGNORECASE)
_READ = re.compile(rf"{words_of(Meaning.READ)}\b", re.IGNORECASE)
_SEARCH_INSIDE = re.compile(words_of(Meaning.INSIDE), re.IGNORECASE)
_OPERATOR = re.compile(r"\b(AND|OR)\b")
_GREP_FOR = re.compile(rf"{words_of(Meaning.GREP)}(?: for\b|:)", re.IGNORECASE)
_PLACE = re.compile(r"\b(?:in|within|across|under|inside)\b")
_JOINT = re.compile(r"\b(?:AND|OR)\b|,")
_SEARCH_FOLDER = re.compile(
    r"(?:search|look)\b[^:]*?(?<![\w/.-])(?:[\w.-]+/)+(?![\w.*-])", re.IGNORECASE
)
_FOLDER = re.compile(r"(?<![\w/.-])((?:[\w.-]+/)+)(?![\w.*-])")


def find_quoted_strings(text: str) -> list[str]:
    """Return the quoted strings in `text`, in order."""
    return [_text_of(quotation) for quotation in _QUOTED.finditer(text)]


def is_base_search(text: str) -> bool:
    """Return True for a search of the base, which is no query.

    ``Grep for "a" AND "b"``, ``Search dir/ for "a"``.
    """
    plain = text.replace("**", "")
    if _GREP.match(plain):
        return True
    unquoted = " ".join(_QUOTED.sub(" ", plain).split())
    return bool(_SEARCH_FOLDER.match(unquoted) or _SEARCH_INSIDE.match(unquoted))


def read_grep(text: str) -> Grep:
    """Return the search of the base that a line asks for: terms, operator and folders.

    Terms stand in quotation marks or backticks. Without any, they are the words between ``Grep
    for`` and the place, split at ``AND``, ``OR`` and commas.
    """
    plain = text.replace("**", "")
    quoted = [term for term in find_quoted_strings(plain) if not term.endswith("/")]
    rest = plain
    for term in quoted:
        rest = rest.replace(term, " ", 1)
    terms = quoted or _unquoted_terms(plain)
    operators = set(_OPERATOR.findall(rest))
    operator = operators.pop() if len(operators) == 1 else None
    folders = dict.fromkeys(_FOLDER.findall(rest))
    return Grep(text, tuple(dict.fromkeys(terms)), operator, tuple(folders))


def _unquoted_terms(plain: str) -> list[str]:
    """Return the terms of a search without quotation marks: ``Grep for rye AND ash in bread/``."""
    grep_for = _GREP_FOR.match(plain)
    if not grep_for:
        return []
    sought = _PLACE.split(plain[grep_for.end() :], maxsplit=1)[0]
    return [term for piece in _JOINT.split(sought) if (term := piece.strip(" ()[]"))]


def read_reads(text: str) -> tuple[Read, ...]:
    """Return the pages of the base that ``Read a.md (note)`` names, or the folders if no page."""
    if not _READ.match(text.replace("**", "")):
        return ()
    note = re.search(r"\(([^()]*)\)\s*$", text)
    remark = note[1] if note else ""
    plain = _without_notes(text)
    paths = [path for _, _, path in read_paths(plain)]
    if not paths:
        paths = _FOLDER.findall(plain)
    return tuple(Read(path, remark, 0) for path in dict.fromkeys(paths))


# --- queries --------------------------------------------------------------------------------------

_SEARCH = re.compile(
    r"^(?:(?:\(?\d+[.)]|[a-z]\))\s?)?"  # a number
    r"(?:(?:todo|next|step \d{1,2})[:.)–-]{0,2} )?"
    r"(?:please |run |do |perform |try |use |additional |initial |primary |follow-?up )*"
    r"(?:an? )?"
    rf"(?P<lead>{words_of(Meaning.QUERY)})"
    r"(?P<where>(?:[^:\"“„«「`(]|\([^()\"“„«「`]{0,40}\)){0,60}?)"
    r"(?:(?P<colon>(?:\s?[:=]|(?<![\s(])\()\s*(?:(?:quer(?:y|ies)|q)\s?[=:]\s?\[?\s?)?)"
    rf"|\s*(?={_OPENING_NOT_SINGLE}))"
    r"(?P<rest>\S.*)$",
    re.IGNORECASE,
)
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
_VERB = re.compile(rf"^(?:search|query)(?: for)?:?\s(?={_OPENING_NOT_SINGLE})", re.IGNORECASE)
_SEPARATOR = re.compile(r"^\s{0,4}(?:\([^()]*\))?(?:[,;/|+&→\s–—-]|and|or|OR|then){0,12}$")
_REPEATED = re.compile(
    r"^\s{0,4}(?:\([^()]*\))?\s{0,4}[,;.|]?\s{0,4}"
    r"(?:and\s)?(?:search|query)\b[^:\"]{0,30}:?\s{0,4}$",
    re.IGNORECASE,
)
_LABEL_OF_QUERY = re.compile(
    rf"^(?:\d+[.)]\s*)?(?P<label>[^\"“„«「`:]{{0,40}}:\s*)?(?={_OPENING_NOT_SINGLE})"
)
"""``1. GitHub: "rye flour"``."""
_IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\"[^\"]*\"|“[^”]*”|`[^`]*`|\d,(?=\d{3})")
_NOT_HERE = re.compile(r"\W*(?:see|below|above|as|none|n/?a|tbd|todo)\b|\W*$", re.IGNORECASE)
"""``see below``: text that is no list."""
_ARROW = re.compile(r"→|[-=]>")
_AND = re.compile(r"^(?:and|or|plus)\s+", re.IGNORECASE)
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
        if not re.match(_OPENING, rest) and not _takes_unquoted_query(search, rest):
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
    matches = list(_QUOTED.finditer(rest)) if re.match(_OPENING, rest) else []
    if not matches:
        bare = _unquoted_query(rest)
        return ([bare] if bare else []), ""
    if len(matches) == 1 and re.match(r"\s?-?site:\S", rest[matches[0].end() :]):
        return [rest.strip().rstrip(".,;")], ""  # ``"a" site:x.org`` is one query
    behind = rest[matches[-1].end() :]
    queries = [_text_of(match) for match in matches]
    for count, (before, after) in enumerate(pairwise(matches), start=1):
        gap = rest[before.end() : after.start()]
        if _SEPARATOR.match(gap) or _REPEATED.match(gap):
            continue
        is_one_query = gap.strip() and not gap.lstrip().startswith("(")
        if is_one_query:
            return [_whole(rest, matches)], behind
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


def _text_of(quotation: re.Match[str]) -> str:
    """Return the text between the quotation marks of a match of `_QUOTED`.

    Of marks within backticks, those around the whole text are no part of it.
    """
    text = next(text for text in quotation.groups() if text).strip()
    is_quoted_twice = quotation[0][0] == "`" and _WHOLLY_QUOTED.fullmatch(text)
    return text[1:-1].strip() if is_quoted_twice else text


def _whole(rest: str, matches: list[re.Match[str]]) -> str:
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
    if _NOT_HERE.match(text):
        return []
    return [query for piece in split_list(text) for query in read_queries(piece, is_listed=True)]


def split_list(text: str) -> list[str]:
    """Return the items of a list in one line: ``rye, colour (dark, light) and ash``.

    They are divided by arrows, else by semicolons, question marks or commas, outside parentheses
    and quotation marks.
    """
    hidden = _IN_BRACKETS.sub(lambda inside: "_" * len(inside[0]), text)
    hidden = _ARROW.sub(lambda arrow: "→".ljust(len(arrow[0]), "→"), hidden)
    text = "".join(
        arrow if arrow == "→" else char for arrow, char in zip(hidden, text, strict=True)
    )
    if hidden.count("?") > 1:
        return [question.strip() for question in re.split(r"(?<=\?)[\s,;]+", text) if question]
    sign = next((sign for sign in "→;" if sign in hidden), ",")
    ends = [place for place, char in enumerate(hidden) if char == sign]
    starts = [0, *(end + 1 for end in ends)]
    pieces = [text[start:end] for start, end in zip(starts, [*ends, len(text)], strict=True)]
    items = [_AND.sub("", piece.strip(" .")) for piece in pieces]
    return [item for item in items if re.search(r"\w", item)]


def is_task(plain: str) -> bool:
    """Return True for a search or a page to read, which may follow a list of pages to write."""
    is_search = is_base_search(plain) or is_search_call(plain)
    return bool(is_search or read_queries(plain) or read_reads(plain))
