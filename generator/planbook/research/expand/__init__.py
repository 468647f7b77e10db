"""A run of `planbook expand`, from open PARTs to a commit: read `run`, then `worker`, then `recorder`.

::

    select ─> Job ─> worker: search, fetch, extract, compose, rules ─> Result ─┐   many at a time
                                                                               │
    commit <─ INDEX, SKILL <─ page, drop, mark <─ Record <─────────────────────┘   one recorder, in PART order

A PART is one unit. Answers are kept when they arrive (`web.archive`), so a PART that is done again asks nobody again.
The other modules serve these three::

    config       the setup of a run                      context   a worker's connections and writer, from the options
    events       jobs, results, events, cancellation     cluster   workers on other machines
    submit       `planbook finish`
"""
