"""Render what `planbook find` and `planbook read` print of works, within a size. Pure.

A passage that its reader was shown before is printed as its id and first words: the same words cost once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from planbook.markdown.plain_text import count
from planbook.research.drafts import Excerpt, Source
from planbook.research.evidence.acceptance import MANY, Answer, Judgement, judge_best
from planbook.research.evidence.brief import (
    CHARS_PER_TOKEN,
    passage_line,
    plain_line,
    relevant,
    render_passage,
)
from planbook.research.evidence.dossier import Dossier, PassageIndex
from planbook.research.evidence.passages import is_change_log
from planbook.research.evidence.rank import PointQuery, rank
from planbook.research.evidence.shown import Named

NEAR = 0.6
"""Share of the score of the best passage below which others are left out, unless a size is asked for."""
IsShown = Callable[[str, Excerpt], bool]
"""Returns whether the reader was shown a passage, by its id and itself."""
MOST_LINES = 20
"""Maximum number of passages that are listed in a line each for a question."""
BEFORE = "shown before"
"""The note on a passage of which only the first words are printed."""


def nothing_shown(_name: str, _excerpt: Excerpt) -> bool:
    """Return that a reader has no passage yet."""
    return False


@dataclass(frozen=True, slots=True)
class Request:
    """The size and form of an answer that a reader asks for."""

    tokens: int
    """The size of the answer, about."""
    is_sized: bool = False
    """True if the reader has asked for this size: then all that fits is shown, and not the nearest only."""
    only_ids: bool = False
    """True to list passages by id and first words."""
    command: str = ""
    """The command that prints more, up to its options."""


@dataclass(frozen=True, slots=True)
class Printed:
    """Passages as they are printed."""

    text: str
    whole: tuple[Named, ...] = ()
    """The passages that are printed whole."""
    left: int = 0
    """The number of passages that were left out."""
    is_empty: bool = False
    """True if nothing was found."""


def render_passages(passages: Iterable[Named], request: Request, is_shown: IsShown = nothing_shown) -> Printed:
    """Return the first passages that fit the size, at least one; those in `shown` by their first words."""
    room = request.tokens * CHARS_PER_TOKEN
    blocks: list[str] = []
    whole: list[Named] = []
    left = 0
    for named in passages:
        is_again = is_shown(*named)
        is_whole = not request.only_ids and not is_again
        block = render_passage(*named) if is_whole else passage_line(*named, BEFORE if is_again else "")
        room -= len(block) + 2
        if blocks and (left or room < 0):
            left += 1
            continue
        blocks.append(block)
        whole += [named] if is_whole else []
    return Printed(_joined(blocks), tuple(whole), left)


def _joined(blocks: Sequence[str]) -> str:
    """Return blocks of Markdown, with the items of one list below each other."""
    parts: list[str] = []
    for is_list, run in groupby(blocks, key=lambda block: block.startswith("- ")):
        parts.append(("\n" if is_list else "\n\n").join(run))
    return "\n\n".join(parts) + ("\n" if parts else "")


# --- find ------------------------------------------------------------------------------------------------------------


def render_found(dossier: Dossier, question: str, request: Request, is_shown: IsShown = nothing_shown) -> Printed:
    """Return the passages of a dossier's works that may answer a question, best first."""
    ranked = dossier.find(question)
    if not ranked:
        works = count(len(dossier.sources), "work")
        nothing = f"Nothing in {works} shares a word with this question; add one with `planbook read`.\n"
        return Printed(nothing, is_empty=True)
    judged = judge_best(question, ranked[:MANY])
    near = ranked if request.is_sized else relevant(ranked, NEAR)
    near = near[:MOST_LINES] if request.only_ids else near
    named = [(dossier.passages.id_of(one.excerpt), one.excerpt) for one in near]
    printed = render_passages(named, request, is_shown)
    left = len(ranked) - len(near) + printed.left
    more = f"\n{count(left, 'passage')} more: --tokens {2 * request.tokens}, or --ids\n" if left else ""
    return Printed(f"{_describe_match(judged)}{printed.text}{more}", printed.whole, left)


def _describe_match(judged: Judgement) -> str:
    """Return a line on what the best passage lacks; empty if it has all words of the question."""
    if judged.answer is Answer.OPEN:
        why = f": the best one {judged.lack}" if judged.lack else ""
        return f"No passage seems to answer this{why}.\n\n"
    return f"The best passage {judged.lack}.\n\n" if judged.lack else ""


# --- read ------------------------------------------------------------------------------------------------------------


def render_work(
    source: Source,
    request: Request,
    words: str = "",
    is_shown: IsShown = nothing_shown,
    numbers: frozenset[int] = frozenset(),
) -> Printed:
    """Return the passages of a work: some by their numbers, those with some words, all if they fit, else a list.

    Args:
        source: the work.
        request: what the reader asks for.
        words: only passages that share them, best first; empty for all.
        is_shown: tells which passages the reader has; they are printed whole again if their numbers are asked for.
        numbers: the numbers of the passages to print; empty for all.
    """
    every: Mapping[str, Excerpt] = PassageIndex([source], has_change_logs=True).by_id
    about = _about_passages(source, has_passages=bool(every))
    if not every:
        return Printed(about)
    if words or numbers:
        found = _chosen(source, every, request, words, numbers)
        if not found:
            nothing = "No passage shares these words." if words else f"Its passages are #1 to #{len(every)}."
            return Printed(f"{about}{nothing}\n", is_empty=True)
        return _cut(render_passages(found, request, nothing_shown if numbers else is_shown), request, about)
    printed = render_passages(every.items(), request, is_shown)
    if request.only_ids or (printed.left and not request.is_sized):
        return Printed(f"{about}{''.join(_contents(source, every, request, is_shown))}", left=printed.left)
    return _cut(printed, request, about)


def _chosen(
    source: Source, every: Mapping[str, Excerpt], request: Request, words: str, numbers: frozenset[int]
) -> list[Named]:
    """Return the passages of a work with these numbers, or those that share these words, best first."""
    if not words:
        return [named for number, named in enumerate(every.items(), 1) if number in numbers]
    names = {excerpt: name for name, excerpt in every.items()}
    found = rank(list(every.values()), [PointQuery(words)])[0]
    return [(names[one.excerpt], one.excerpt) for one in (found if request.is_sized else relevant(found, NEAR))]


def _cut(printed: Printed, request: Request, about: str) -> Printed:
    """Return printed passages below what is said about them, with the way to those that were left out."""
    more = f"{request.command} --tokens {2 * request.tokens}"
    tail = f"\n{count(printed.left, 'passage')} more: {more}\n" if printed.left else ""
    return Printed(f"{about}{printed.text}{tail}", printed.whole, printed.left)


def _contents(source: Source, every: Mapping[str, Excerpt], request: Request, is_shown: IsShown) -> Iterator[str]:
    """Yield the lines of a list of all passages of a work, below their headings."""
    size = sum(len(render_passage(*named)) + 2 for named in every.items())
    tokens = -(-size // CHARS_PER_TOKEN // 100) * 100 + 100
    yield (
        f"{count(len(every), 'passage')}, by their first words. `planbook read {source.id}#3-7` prints some of them "
        f"(with `--for` as here), `--find WORDS` those on a subject, `--tokens {tokens}` all.\n"
    )
    for headings, run in groupby(every.items(), key=lambda named: named[1].headings):
        place = plain_line(" / ".join(headings[-2:]))
        yield f"\n{place or plain_line(source.title)}:\n\n"
        for name, excerpt in run:
            note = BEFORE if is_shown(name, excerpt) else ""
            yield f"{passage_line(name.removeprefix(source.id), excerpt, note)}\n"


def _about_passages(source: Source, *, has_passages: bool) -> str:
    """Return what to know before the passages of a source: that it lists changes, or why there are none; else empty."""
    size = f"{len(source.fetched.text):,} characters"
    if not source.fetched.text.strip():
        return "No passage can be quoted: it has no main text, or none that could be read.\n"
    if not has_passages:
        return (
            f"No passage can be quoted: its {size} have no sentence of five words, list, table or code "
            "that is not navigation, a notice, or a key.\n"
        )
    if is_change_log(source):
        return (
            "This is a change log: what it says is true of one version, so name the version. "
            "Briefs and `planbook find` leave it out.\n\n"
        )
    return ""


def part_around(text: str, words: Sequence[str], size: int) -> str:
    """Return about `size` characters of a text around the first of the words that it has, else its beginning."""
    folded = text.casefold()
    places = [at for word in words if (at := folded.find(word.casefold())) >= 0]
    start = max(0, min(places, default=0) - size // 3) if len(text) > size else 0
    start = text.rfind(" ", 0, start) + 1 if start else 0
    shown = text[start : start + size]
    before, behind = ("… " if start else ""), (" …" if start + size < len(text) else "")
    return f"{before}{shown.strip()}{behind}"


_NUMBERED = re.compile(r"(?P<work>[^#\s/:]+)#(?P<numbers>\d{1,5}(?:-\d{1,5})?(?:,\d{1,5}(?:-\d{1,5})?)*)")


def numbers_in(place: str) -> tuple[str, frozenset[int]] | None:
    """Return the id of a work and the numbers of its passages, as in ``kiln-manual#3-7,12``; else ``None``."""
    match = _NUMBERED.fullmatch(place)
    if match is None:
        return None
    numbers: set[int] = set()
    for part in match["numbers"].split(","):
        first, _, last = part.partition("-")
        numbers |= set(range(int(first), int(last or first) + 1))
    return match["work"], frozenset(numbers)
