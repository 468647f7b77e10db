"""`planbook read`: a source as numbered passages."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbook import store
from planbook.cli import parameters, project
from planbook.cli.chosen_parts import (
    AGAIN_OPTION,
    MIN_PRINTED_TOKENS,
    UNCUT_TOKENS,
    answer_options,
    chosen_briefs,
    one_brief,
    open_gatherer,
    shown_log,
)
from planbook.markdown.escape import fence_code
from planbook.markdown.front_matter import yaml_lines

if TYPE_CHECKING:
    from planbook.research.drafts import Brief, Source
    from planbook.research.evidence.printed_works import Printed, Request
    from planbook.research.expand.gather import Gatherer

READ_TOKENS = 2_000
"""The size of the answer of `read` by default, in tokens, for each source."""
_CHARS_PER_TOKEN = 4


@click.command()
@click.argument("places", metavar="ADDRESS|FILE|ID...", nargs=-1, required=True)
@click.option(
    "--for", "page", nargs=2, metavar="PLAN PART", help="Add it to the dossier of this PART."
)
@click.option(
    "--find", "words", metavar="WORDS", help="Only the passages that share these words, best first."
)
@answer_options(READ_TOKENS)
@AGAIN_OPTION
@parameters.CONTACT
@parameters.LOOPBACK
@parameters.ROOT
@project.needs_extra("research")
def read(
    *,
    places: tuple[str, ...],
    page: tuple[str, str] | None,
    words: str | None,
    tokens: int | None,
    only_ids: bool,
    is_again: bool,
    root: Path | None,
    **option_values: Any,
) -> None:
    """Read sources as politely as `planbook expand`, and print their main texts as numbered
    passages, verbatim.

    ADDRESS is a web address, FILE a file in documents/, ID the id of a work that was gathered for
    the PART; ID#3-7 are some of its passages. The reference to paste is printed first. Of a work
    that is too long, the sections are listed; passages that are named by their numbers are printed
    as far as a host shows them. The holder of the PART's claim gets the id instead of
    the reference, and each passage whole once. Several sources share the size of the output, each
    is printed once, and one that cannot be read does not keep the others from it.
    """  # noqa: D205 - click prints the first paragraph, which is longer than a line
    from planbook.research.evidence.printed_works import PLACE

    gatherer = open_gatherer(project.project_settings(root), **option_values)
    brief = None
    next_command = f"planbook read {PLACE}"
    if page:
        plan, part = page
        brief = one_brief(gatherer.settings, plan, part)
        next_command += f" --for {plan} {part}"
    reading = _Reading(gatherer, brief, words or "", only_ids=only_ids, is_again=is_again)
    printed = reading.print_all(places, next_command, tokens=tokens or 0, has_id=page is not None)
    click.echo(printed.text, nl=False)
    sys.exit(project.EXIT_ATTENTION if printed.is_empty else project.EXIT_OK)


def read_for_part(
    settings: store.Settings,
    place: str | Sequence[str],
    plan: str,
    part: int,
    words: str,
    *,
    tokens: int,
    only_ids: bool,
    is_again: bool = False,
) -> dict[str, Any]:
    """Read sources for a PART, and return what `read` prints of them, as JSON data.

    The text has the usual size if `tokens` is 0.
    """
    from planbook.research.evidence.printed_works import PLACE

    brief = chosen_briefs(settings, plan, (part,))[0]
    gatherer = open_gatherer(settings, is_quiet=True)
    places = [place] if isinstance(place, str) else place
    reading = _Reading(gatherer, brief, words, only_ids=only_ids, is_again=is_again)
    printed = reading.print_all(places, f"read with the place {PLACE}", tokens=tokens, has_id=True)
    return {"text": printed.text, "left": printed.omitted_count}


class _Reading:
    """The reading of one or several sources, for a PART if there is a brief."""

    def __init__(
        self,
        gatherer: Gatherer,
        brief: Brief | None,
        words: str,
        *,
        only_ids: bool,
        is_again: bool,
    ) -> None:
        self._gatherer, self._brief, self._words = gatherer, brief, words
        self._only_ids, self._is_again = only_ids, is_again
        self._log = shown_log(gatherer.settings, brief) if brief else None
        self._printed: set[str] = set()
        """The ids of the works of which something was printed."""

    def print_all(self, places: Sequence[str], more: str, *, tokens: int, has_id: bool) -> Printed:
        """Return what to print of sources, and keep their passages as shown.

        What one of them leaves of the size is for the next ones. One that cannot be read is
        reported between the others.

        Args:
            places: the sources; passages of one work are read together.
            more: the way to print more, with `PLACE` for what is read.
            tokens: the size of the whole; 0 for the usual one.
            has_id: true if the works have ids.

        Raises:
            RefusedError: the only source cannot be read.
        """
        from planbook.research.evidence.printed_works import PLACE, Printed, Request, numbers_in

        joined = _join_places(places, has_passages=self._brief is not None)
        room = tokens or _usual_size(joined)
        if self._log and self._log.has_reader:
            # What its host cuts, an agent never saw, and would count as shown.
            room = min(room, UNCUT_TOKENS)
        answers: list[Printed] = []
        without_room: list[str] = []
        for answered, place in enumerate(joined):
            # Of works, each has its share; named passages are printed as long as there is room.
            has_numbers = self._brief is not None and numbers_in(place) is not None
            if has_numbers and answers and room < MIN_PRINTED_TOKENS:
                without_room.append(place)
                continue
            remaining = 1 if has_numbers else len(joined) - answered
            request = Request(
                tokens=max(MIN_PRINTED_TOKENS, room // remaining),
                is_sized=tokens > 0,
                only_ids=self._only_ids,
                more=more,
                place=place,
                has_id=has_id,
            )
            try:
                printed = self._render(place, request)
            except store.RefusedError as error:
                if len(joined) == 1:
                    raise
                printed = Printed(f"{error}\n", is_empty=True)
            answers.append(printed)
            room -= len(printed.text) // _CHARS_PER_TOKEN
        if without_room:
            rest = more.replace(PLACE, " ".join(without_room))
            answers.append(Printed(f"Without room here: {rest}\n", omitted_count=len(without_room)))
        together = _join_answers(answers)
        if self._log is None:
            return together
        self._log.add(together.whole)
        return together.with_way_to_shown()

    def _render(self, place: str, request: Request) -> Printed:
        """Read a source, and return its text; empty if its text stands above.

        A `place` such as `ID#3-7` names passages of a work that the PART has: its head is not
        repeated. The holder of the PART's claim gets no passage whole again, unless it is asked
        for.
        """
        from planbook.research.evidence.printed_works import (
            Printed,
            nothing_shown,
            numbers_in,
            render_work,
        )

        passage_numbers = numbers_in(place) if self._brief else None
        work, numbers = passage_numbers or (place, frozenset())
        source = self._gatherer.read(work, self._brief)
        is_again = source.id in self._printed and not passage_numbers
        if is_again:  # under another name, such as its file
            return Printed("")
        self._printed.add(source.id)
        is_shown = self._log.has if self._log and not self._is_again else nothing_shown
        printed = render_work(source, request, self._words, is_shown, numbers)
        if passage_numbers:
            return printed
        head = _head_of(source, is_known=self._log is not None and self._log.has_reader)
        return replace(printed, text=f"{head}{printed.text}")


def _join_answers(answers: Sequence[Printed]) -> Printed:
    """Return what was printed of several sources as one."""
    from planbook.research.evidence.printed_works import Printed

    return Printed(
        "\n".join(printed.text for printed in answers if printed.text),
        tuple(work for printed in answers for work in printed.whole),
        sum(printed.omitted_count for printed in answers),
        is_empty=all(printed.is_empty for printed in answers),
    )


def _usual_size(places: Sequence[str]) -> int:
    """Return the size of an answer in tokens if its reader asks for none.

    Who names passages by their numbers wants all of them: what is left out costs another call.
    """
    from planbook.research.evidence.printed_works import numbers_in

    if any(numbers_in(place) for place in places):
        return UNCUT_TOKENS
    return min(UNCUT_TOKENS, READ_TOKENS * len(places))


def _join_places(places: Sequence[str], *, has_passages: bool) -> list[str]:
    """Return places, each once, with those of passages of one work together.

    A work of which all is asked for has no passages by their numbers.
    """
    from planbook.research.evidence.printed_works import numbers_in

    numbers: dict[str, list[str]] = {}
    for place in dict.fromkeys(places):
        work = place.partition("#")[0] if has_passages and numbers_in(place) else place
        of_work = numbers.setdefault(work, [])
        of_work.append(place.removeprefix(work).removeprefix("#"))
    return [
        work if "" in passages else f"{work}#{','.join(passages)}"
        for work, passages in numbers.items()
    ]


def _head_of(source: Source, *, is_known: bool) -> str:
    """Return the title of a source above the way to cite it.

    A runner, to whom its form `is_known`, needs the id only.
    """
    from planbook.research.writers.quoting import source_item

    title = f"# {source.title}\n\n"
    if source.fetched.doubt:
        title += f"This may be another page than was meant: {source.fetched.doubt}.\n\n"
    if is_known:
        form = f"`[@{source.id}#1]`"
        return f"{title}Its id is `{source.id}`: cite its passages by their numbers, {form}.\n\n"
    item = source_item(source, {}, datetime.now(UTC).date())
    reference = fence_code(yaml_lines({"references": [item]}), "yaml").rstrip("\n")
    return f"{title}{reference}\n\n"
