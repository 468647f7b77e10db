"""Render what `planbook find` and `planbook read` print of works, within a size. Pure.

A passage that its reader was shown before is printed as its id and first words: the same words cost
once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, starmap

from planbook.markdown.plain_text import count
from planbook.markdown.words import keywords
from planbook.research.drafts import Excerpt, Ranked, Source
from planbook.research.evidence.acceptance import MANY, Answer, Judgement, judge_best
from planbook.research.evidence.brief import (
    passage_line,
    plain_line,
    relevant,
    render_passage,
    size_of_printed,
)
from planbook.research.evidence.dossier import Dossier, PassageIndex
from planbook.research.evidence.listed_sections import sections_of
from planbook.research.evidence.passages import is_change_log
from planbook.research.evidence.rank import PointQuery, rank
from planbook.research.evidence.shown import Named
from planbook.research.evidence.work_scores import CHARS_PER_TOKEN

NEAR = 0.6
"""Share of the score of the best passage below which others are left out: they share a word with
the question, as hundreds do."""
IsShown = Callable[[str, Excerpt], bool]
"""Returns whether the reader was shown a passage, by its id and itself."""
LONG_SECTION = 600
"""Size in tokens above which the passages of a section are listed, too."""
MOST_LINES = 20
"""Maximum number of passages that are listed in a line each for a question."""
MOST_AGAIN = 6
"""Number of passages that were shown before that an answer names."""
_RELATED = 0.5
"""The least share of the words of a question in a passage of a change log that may answer it."""
PLACE = "{place}"
"""The place of what is read, in the way to print more."""
BEFORE = "shown before"
"""The note on a passage of which only the first words are printed."""
SHOWN_BEFORE = "Shown before"
"""The label of the ids of passages that are not printed again."""


def nothing_shown(_name: str, _excerpt: Excerpt) -> bool:
    """Return that a reader has no passage yet."""
    return False


@dataclass(frozen=True, slots=True)
class Request:
    """The size and form of an answer that a reader asks for."""

    tokens: int
    """The size of the answer, about."""
    is_sized: bool = False
    """True if the reader has asked for this size: then all that fits is shown."""
    questions: int = 1
    """The number of questions that share the size which the reader has asked for."""
    only_ids: bool = False
    """True to list passages by id and first words."""
    more: str = ""
    """The way to print more, up to its options: a command with `PLACE` for what is read."""
    place: str = ""
    """The work that is read, as the reader named it."""
    has_id: bool = False
    """True if the work was gathered, so that its passages have places such as ``kiln#3-7``."""

    def way_to(self, rest: str) -> str:
        """Return the way to the passages that did not fit, by their place if they have one."""
        if rest and self.has_id:
            return self.more.replace(PLACE, rest)
        return f"{self.more.replace(PLACE, self.place)} --tokens {2 * self.tokens}"


@dataclass(frozen=True, slots=True)
class Printed:
    """Passages as they are printed."""

    text: str
    whole: tuple[Named, ...] = ()
    """The passages that are printed whole."""
    omitted_count: int = 0
    """The number of passages that were left out."""
    is_empty: bool = False
    """True if nothing was found."""

    def with_way_to_shown(self) -> Printed:
        """Return it with the way to passages that were shown before, if it has any."""
        if not self.names_shown:
            return self
        way = f"\nWhat was {BEFORE} is printed whole with --again, if your host has cut it.\n"
        return replace(self, text=f"{self.text}{way}")

    @property
    def names_shown(self) -> bool:
        """True if passages are not printed because their reader has them."""
        return BEFORE in self.text or SHOWN_BEFORE in self.text


def render_passages(
    passages: Iterable[Named], request: Request, is_shown: IsShown = nothing_shown
) -> Printed:
    """Return the first passages that fit the size, at least one.

    Those that were shown, as `is_shown` tells, are there by their first words.
    """
    room = request.tokens * CHARS_PER_TOKEN
    blocks: list[str] = []
    whole: list[Named] = []
    omitted_count = 0
    for name, excerpt in passages:
        is_again = is_shown(name, excerpt)
        is_whole = not request.only_ids and not is_again
        if is_whole:
            block = render_passage(name, excerpt)
        else:
            block = passage_line(name, excerpt, BEFORE if is_again else "")
        room -= len(block) + 2
        if blocks and (
            omitted_count or room < 0
        ):  # after the first that does not fit, none is shown
            omitted_count += 1
            continue
        blocks.append(block)
        if is_whole:
            whole.append((name, excerpt))
    return Printed(_join_blocks(blocks), tuple(whole), omitted_count)


def _join_blocks(blocks: Sequence[str]) -> str:
    """Return blocks of Markdown, with the items of one list below each other."""
    if not blocks:
        return ""
    paragraphs: list[str] = []
    for is_list, run in groupby(blocks, key=lambda block: block.startswith("- ")):
        between = "\n" if is_list else "\n\n"
        paragraphs.append(between.join(run))
    return "\n\n".join(paragraphs) + "\n"


# --- find -----------------------------------------------------------------------------------------


def render_found(
    dossier: Dossier, question: str, request: Request, is_shown: IsShown = nothing_shown
) -> Printed:
    """Return the passages of a dossier's works that may answer a question, best first."""
    ranked = dossier.find(question)
    if not ranked:
        works = count(len(dossier.sources), "work")
        nothing = (
            f"Nothing in {works} shares a word with this question; add one with `planbook read`.\n"
        )
        return Printed(nothing, is_empty=True)
    judged = judge_best(question, ranked[:MANY])
    near = relevant(ranked, NEAR)
    if request.only_ids:
        near = near[:MOST_LINES]
    hits = [(dossier.passages.id_of(ranking.excerpt), ranking.excerpt) for ranking in near]
    again = [] if request.only_ids else [passage for passage in hits if is_shown(*passage)]
    printed = render_passages([hit for hit in hits if hit not in again], request, is_shown)
    text = _describe_match(_without_words_of_title(judged, near[0].excerpt))
    if again:
        # Their reader has them: their first words would hide the new ones.
        names = ", ".join(f"`{name}`" for name, _ in again[:MOST_AGAIN])
        text += f"{SHOWN_BEFORE}: {names}\n"
    text += f"\n{printed.text}" if again and printed.text else printed.text
    text += _change_log_line(dossier, ranked, near)
    omitted_count = len(ranked) - len(near) + printed.omitted_count
    near_omitted = len(relevant(ranked, NEAR)) - (len(ranked) - omitted_count)
    if near_omitted > 0:
        more = 2 * request.tokens * request.questions
        text += f"\n{count(near_omitted, 'passage')} more as near: --tokens {more}, or --ids\n"
    return Printed(text, printed.whole, omitted_count)


def _change_log_line(dossier: Dossier, ranked: Sequence[Ranked], near: Sequence[Ranked]) -> str:
    """Return the best passage of a change log as a line, if it is related and none is near.

    It is true of one version, and so ranks behind passages of manuals that say less.
    """
    logs = {source.id for source in dossier.sources if is_change_log(source)}
    if any(ranking.excerpt.source in logs for ranking in near[:MOST_LINES]):
        return ""
    in_logs = (ranking for ranking in ranked if ranking.excerpt.source in logs)
    best = next(in_logs, None)
    if best is None or best.share < _RELATED:
        return ""
    return f"\n{passage_line(dossier.passages.id_of(best.excerpt), best.excerpt, 'change log')}\n"


def _without_words_of_title(judged: Judgement, best: Excerpt) -> Judgement:
    """Return a judgement without the missing words that are in the title of the passage's work."""
    title_stems = set(keywords(best.title))
    missing = tuple(word for word in judged.missing if title_stems.isdisjoint(keywords(word)))
    return replace(judged, missing=missing)


def _describe_match(judged: Judgement) -> str:
    """Return a line on what the best passage lacks; empty if it has all words of the question."""
    if judged.answer is Answer.OPEN:
        why = f": the best one {judged.lack}" if judged.lack else ""
        return f"No passage seems to answer this{why}.\n\n"
    return f"The best passage {judged.lack}.\n\n" if judged.lack else ""


# --- read -----------------------------------------------------------------------------------------


def render_work(
    source: Source,
    request: Request,
    words: str = "",
    is_shown: IsShown = nothing_shown,
    numbers: frozenset[int] = frozenset(),
) -> Printed:
    """Return the passages of a work: those asked for, all if they fit, or a list of them.

    Args:
        source: the work.
        request: what the reader asks for.
        words: only passages that share them, best first; empty for all.
        is_shown: tells which passages the reader has; they are printed again if their numbers, and
            no others, are asked for: whoever does so has lost them.
        numbers: the numbers of the passages to print; empty for all.
    """
    excerpts_by_id: Mapping[str, Excerpt] = PassageIndex([source], has_change_logs=True).by_id
    about = _about_passages(source, has_passages=bool(excerpts_by_id))
    if not excerpts_by_id:
        return Printed(about)
    if words:
        hits = _sharing(words, excerpts_by_id, request)
        if not hits:
            return Printed(f"{about}No passage shares these words.\n", is_empty=True)
    elif numbers:
        hits = [item for number, item in enumerate(excerpts_by_id.items(), 1) if number in numbers]
        if not hits:
            return Printed(
                f"{about}Its passages are #1 to #{len(excerpts_by_id)}.\n", is_empty=True
            )
    else:
        hits = list(excerpts_by_id.items())
    if numbers:
        hits, shown_line = _without_shown(hits, is_shown)
        about, is_shown = f"{about}{shown_line}", nothing_shown
    printed = render_passages(hits, request, is_shown)
    is_whole_work = not words and not numbers
    is_too_long = printed.omitted_count > 0 and not request.is_sized
    if is_whole_work and (request.only_ids or is_too_long):
        contents = "".join(
            _contents(source, excerpts_by_id, is_shown, has_passages=request.only_ids)
        )
        return Printed(f"{about}{contents}", omitted_count=printed.omitted_count)
    omitted_names = [name for name, _ in hits[len(hits) - printed.omitted_count :]]
    # What follows the passages of a question is no range.
    rest = "" if words else _range_of(omitted_names)
    return _cut(printed, request, about, rest)


def _without_shown(hits: list[Named], is_shown: IsShown) -> tuple[list[Named], str]:
    """Return the passages that their reader does not have, and a line that names the others.

    If it has all, it has lost them: they are printed again.
    """
    known = [name for name, excerpt in hits if is_shown(name, excerpt)]
    if not known or len(known) == len(hits):
        return hits, ""
    return (
        [hit for hit in hits if hit[0] not in known],
        f"{SHOWN_BEFORE}: `{_range_of(known)}`\n\n",
    )


def _sharing(words: str, excerpts_by_id: Mapping[str, Excerpt], request: Request) -> list[Named]:
    """Return the passages of a work that share these words, best first."""
    names = {excerpt: name for name, excerpt in excerpts_by_id.items()}
    ranked = rank(list(excerpts_by_id.values()), [PointQuery(words)])[0]
    if not request.is_sized:
        ranked = relevant(ranked, NEAR)
    return [(names[passage.excerpt], passage.excerpt) for passage in ranked]


def _range_of(names: Sequence[str]) -> str:
    """Return the place of the passages of a work, by their ids: ``kiln#3-5,9``; empty for none."""
    if not names:
        return ""
    work = names[0].partition("#")[0]
    numbers = [int(name.rpartition("#")[2]) for name in names]
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    ranges = (f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
    return f"{work}#{','.join(ranges)}"


def _cut(printed: Printed, request: Request, about: str, rest: str) -> Printed:
    """Return printed passages below what is said about them.

    Below them is the way to those that were left out: by the place of the `rest`, if it has one, so
    that nothing is printed twice.
    """
    text = f"{about}{printed.text}"
    if printed.omitted_count:
        text += f"\n{count(printed.omitted_count, 'passage')} more: {request.way_to(rest)}\n"
    return Printed(text, printed.whole, printed.omitted_count)


def _contents(
    source: Source,
    excerpts_by_id: Mapping[str, Excerpt],
    is_shown: IsShown,
    *,
    has_passages: bool,
) -> Iterator[str]:
    """Yield the lines of a list of all sections of a work.

    Below those that are long, and, with `has_passages`, below all, are their passages by their
    first words.
    """
    size = sum(starmap(size_of_printed, excerpts_by_id.items()))
    hundreds = -(-size // CHARS_PER_TOKEN // 100) + 1  # rounded up, with some room
    yield (
        f"{count(len(excerpts_by_id), 'passage')} in these sections, with their sizes in tokens. "
        f"`planbook read {source.id}#3-7` prints some of them (with `--for` as here), "
        f"`--find WORDS` those on a subject, `--tokens {hundreds * 100}` all.\n\n"
    )
    numbered = list(excerpts_by_id.items())
    for section in sections_of(excerpts_by_id, size_of_printed):
        passages = numbered[section.first - 1 : section.last]
        heading = plain_line(section.heading) or plain_line(source.title)
        is_known = all(starmap(is_shown, passages))
        note = f", {BEFORE}" if is_known else ""
        yield f"- `{section.place}` {heading} ({section.tokens}{note})\n"
        if has_passages or (section.tokens > LONG_SECTION and len(passages) > 1):
            for name, excerpt in passages:
                note = BEFORE if is_shown(name, excerpt) and not is_known else ""
                line = passage_line(name.removeprefix(source.id), excerpt, note)
                yield f"    {line}\n"


def _about_passages(source: Source, *, has_passages: bool) -> str:
    """Return what to know before the passages of a source.

    That it lists changes, or why there are none; empty otherwise.
    """
    size = f"{len(source.fetched.text):,} characters"
    if not source.fetched.text.strip():
        return "No passage can be quoted: it has no main text, or none that could be read.\n"
    if not has_passages:
        return (
            f"No passage can be quoted: its {size} have no sentence of five words, list, table or "
            "code that is not navigation, a notice, or a key.\n"
        )
    if is_change_log(source):
        return (
            "This is a change log: what it says is true of one version, so name the version. "
            "Briefs leave it out.\n\n"
        )
    return ""


def part_around(text: str, words: Sequence[str], size: int) -> str:
    """Return about `size` characters of a text around the first of the words that it has.

    Without such a word, that is its beginning.
    """
    folded = text.casefold()
    places = [folded.find(word.casefold()) for word in words]
    first = min((offset for offset in places if offset >= 0), default=0)
    start = 0
    if len(text) > size and first > size // 3:
        start = text.rfind(" ", 0, first - size // 3) + 1
    excerpt = text[start : start + size].strip()
    ellipsis = "… " if start else ""
    behind = " …" if start + size < len(text) else ""
    return f"{ellipsis}{excerpt}{behind}"


_PASSAGES_OF_WORK = re.compile(
    r"(?P<work>[^#\s/:]+)#(?P<numbers>\d{1,5}(?:-\d{1,5})?(?:,\d{1,5}(?:-\d{1,5})?)*)"
)


def numbers_in(place: str) -> tuple[str, frozenset[int]] | None:
    """Return the id of a work and the numbers of its passages, as in ``kiln-manual#3-7,12``.

    ``None`` for any other text.
    """
    match = _PASSAGES_OF_WORK.fullmatch(place)
    if match is None:
        return None
    numbers: set[int] = set()
    for numbers_or_range in match["numbers"].split(","):
        first, _, last = numbers_or_range.partition("-")
        numbers |= set(range(int(first), int(last or first) + 1))
    return match["work"], frozenset(numbers)
