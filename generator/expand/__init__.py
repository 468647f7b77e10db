"""A run of `planbook expand`, from open PARTs to a commit: read `run`, then `worker`, then `recorder`.

::

    select ─> Job ─> worker: search, fetch, extract, compose, rules ─> Result ─┐   many at a time; they write nothing
                                                                               │
    commit <─ INDEX, SKILL <─ completed plans <─ page, drop, mark <─ Record <──┘   one recorder, in PART order

The result of every stage is on disk (`store.ledger`) before the next stage starts, so that a run that was stopped or
killed is continued by the next one. The other modules serve these three::

    options      the option `expand`                    context   a worker's connections and writer, from the options
    preflight    checks before anything begins          cluster   workers on other machines
    events       jobs, results, events, the log         record    the files of one page, as a value; completed plans
    artifacts    results of stages as files             submit    `planbook finish`
    processes    pure stages on all cores               forecast  `planbook expand --dry-run`
    cancellation                                        briefs    `planbook brief`
"""
