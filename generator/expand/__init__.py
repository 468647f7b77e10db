"""A run of `planbook expand`, from open PARTs to a commit. Read `run`, then `worker`, then `recorder`.

::

    run.py            select ─> task ─> Job ─────┐                  ┌─> retry, or record in PART order ─> finish
    worker.py                                    └─> run_job ─> Result    many at a time; writes nothing │
    recorder.py                                                        page, drop, mark, INDEX, commit <─┘

    preflight   checks before anything begins        context   connections of a worker, from the options
    record      the files of one page, as a value    writers   who writes: quotes, a model, a program
    completed   completed plans and links to them    cluster   workers on other machines
    submit      `planbook finish`                    forecast  `planbook expand --dry-run`
    artifacts   results of stages as files           events, options, cancellation

The result of every stage is on disk (`store.ledger`) before the next stage starts, so that a run that was stopped or
killed is continued by the next one.
"""
