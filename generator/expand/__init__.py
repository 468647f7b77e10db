"""A run of `planbook expand`, from open PARTs to a commit: read `run`, then `worker`, then `recorder`.

::

    select ─> Job ─> worker: search, fetch, extract, compose, rules ─> Result ─┐   many at a time
                                                                               │
    commit <─ INDEX, SKILL <─ page, drop, mark <─ Record <─────────────────────┘   one recorder, in PART order

A PART is one unit. Answers are kept when they arrive (`web.archive`), so a PART that is done again asks nobody again.
The other modules serve these three::

    options      the option `expand`                     context   a worker's connections and writer, from the options
    events       jobs, results, events, cancellation     cluster   workers on other machines
    submit       `planbook finish`
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from generator.model import Problem
    from generator.store import Settings


def installed_option_problems(settings: Settings) -> tuple[Problem, ...]:
    """Return K005 for wrong options, as `option_problems` does; none without the extra, since no command reads them."""
    try:
        from generator.expand.options import option_problems  # noqa: PLC0415 - what reads sources is slow to import
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("generator."):
            raise
        return ()
    return option_problems(settings)
