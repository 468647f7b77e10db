"""A run of `planbook expand`: read `run`, then `worker`, then `recorder`.

::

    select ─> Job ─> worker: search, fetch, extract, compose, rules ─> Result ─┐   many at a time
                                                                               │
    commit <─ INDEX, SKILL <─ page, drop, mark <─ Record <─────────────────────┘   in PART order

A PART is one unit. Answers are kept when they arrive (`web.archive`), so a PART that is done again
asks nobody again. The other modules serve these three::

    config     the setup of a run
    events     jobs, results, events, cancellation
    context    a worker's connections and writer, from the options
    cluster    workers on other machines
    submit     `planbook finish`
"""
