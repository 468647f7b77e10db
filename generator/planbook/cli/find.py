"""`planbook find`: the passages that may answer a question."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbook import store
from planbook.cli import parameters, project
from planbook.cli.chosen_parts import (
    AGAIN_OPTION,
    UNCUT_TOKENS,
    answer_options,
    chosen_briefs,
    one_brief,
    open_gatherer,
    shown_log,
)

if TYPE_CHECKING:
    from planbook.research.drafts import Brief
    from planbook.research.evidence.printed_works import Printed, Request
    from planbook.research.expand.gather import Gatherer

FIND_TOKENS = 1_000
"""The size of the answer of `find` to each question by default, in tokens."""
_MIN_TOKENS_OF_QUESTION = 100
"""The size of the answer to one of several questions, at least."""


@click.command()
@parameters.PLAN
@click.argument("part", shell_complete=parameters.complete_parts)
@click.argument("questions", metavar="QUESTION...", nargs=-1)
@answer_options(FIND_TOKENS)
@AGAIN_OPTION
@parameters.ROOT
@project.needs_extra("research")
def find(
    *,
    plan: str,
    part: str,
    questions: tuple[str, ...],
    tokens: int | None,
    only_ids: bool,
    is_again: bool,
    root: Path | None,
) -> None:
    """Print the passages of a PART's works that may answer each question, best first.

    PLAN is a plan's path, slug or file name; PART is a number. Put each question between quotation
    marks; several at once are answered sooner. Documents in documents/ that were not gathered are
    searched, too; those whose passages are printed become works of the PART. Ranking is by words:
    try the words of the documents. The holder of the PART's claim gets a passage whole once, then
    by its id; `planbook read ID#3` prints it again, and `--again` all of them.
    """
    from planbook.research.evidence.printed_works import Request

    if not questions:
        example = f'planbook find {plan} 1 "QUESTION"'
        raise click.UsageError(f"name a PART and a question: {example}")
    gatherer = open_gatherer(project.project_settings(root))
    brief = one_brief(gatherer.settings, plan, part)
    request = Request(tokens or FIND_TOKENS, tokens is not None, only_ids=only_ids)
    answers = _answer_once(gatherer, brief, questions, request, is_again=is_again)
    for question, printed in zip(questions, answers, strict=True):
        if len(questions) > 1:
            click.echo(f"# {question}\n")
        click.echo(printed.text, nl=False)
        if len(questions) > 1:
            click.echo()
    is_empty = all(printed.is_empty for printed in answers)
    sys.exit(project.EXIT_ATTENTION if is_empty else project.EXIT_OK)


def find_for_part(
    settings: store.Settings,
    plan: str,
    part: int,
    question: str,
    *,
    tokens: int,
    only_ids: bool,
    is_again: bool = False,
) -> dict[str, Any]:
    """Return what `find` prints for a question about a PART, as JSON data.

    The text has the usual size if `tokens` is 0.
    """
    from planbook.research.evidence.printed_works import Request

    brief = chosen_briefs(settings, plan, (part,))[0]
    request = Request(tokens or FIND_TOKENS, tokens > 0, only_ids=only_ids)
    gatherer = open_gatherer(settings, is_quiet=True)
    (printed,) = _answer_once(gatherer, brief, [question], request, is_again=is_again)
    return {"text": printed.text, "left": printed.omitted_count}


def _answer_once(
    gatherer: Gatherer,
    brief: Brief,
    questions: Sequence[str],
    request: Request,
    *,
    is_again: bool,
) -> list[Printed]:
    """Return what to print for each question, and keep its passages as shown, and their works.

    The holder of the PART's claim gets none of them whole again, unless it is asked for.
    """
    from planbook.research.evidence.printed_works import nothing_shown, render_found
    from planbook.research.evidence.work_scores import CHARS_PER_TOKEN

    log = shown_log(gatherer.settings, brief)
    dossier = gatherer.widened(brief, *questions)
    answers = []
    several = FIND_TOKENS * len(questions)
    room = request.tokens if request.is_sized else min(UNCUT_TOKENS, several)
    if log.has_reader:
        # What its host cuts, an agent never saw, and would count as shown.
        room = min(room, UNCUT_TOKENS)
    for asked_before, question in enumerate(questions):
        is_shown = nothing_shown if is_again else log.has
        remaining = len(questions) - asked_before
        # What a question does not need is for those after it.
        share = max(room // remaining, _MIN_TOKENS_OF_QUESTION)
        if not request.is_sized:
            share = min(share, request.tokens)
        question_request = replace(request, tokens=share, questions=len(questions))
        printed = render_found(dossier, question, question_request, is_shown)
        room -= len(printed.text) // CHARS_PER_TOKEN
        log.add(printed.whole)
        answers.append(printed)
    for place in reversed(range(len(answers))):
        if answers[place].names_shown:
            answers[place] = answers[place].with_way_to_shown()
            break
    shown = {excerpt.source for printed in answers for _, excerpt in printed.whole}
    gatherer.add(brief, (source for source in dossier.sources if source.id in shown))
    return answers
