"""A run of `planbook expand`: read `run`, then `worker`, then `recorder`.

::

    select ─> Job ─> worker: search, fetch, extract, compose, rules ─> Result ─┐   many at a time
                                                                               │
    commit <─ INDEX, SKILL <─ page, drop, mark <─ Record <─ PageAttempt <───────┘   in PART order

A PART is one unit. Answers are kept when they arrive (`web.archive`), so a PART that is done again
asks nobody again. These modules serve the three::

    config       the setup of a run
    forecast     `planbook expand --dry-run`: the selection, and the most requests
    events       jobs, results, events, cancellation
    context      a worker's connections and writer, from the options
    cluster      workers on other machines
    current_origins  what a page is made from besides its plan, to know when to make it again
    drop         the text of a drop

These are the recorder's::

    page_attempt     a page, or why there is none, as a worker or a person gives it to the recorder
    record           what is written for it: page, drop, mark
    verdicts         what became of a page: done, partial, held, failed
    file_digests     whether a file is as it was written
    preflight        checks before a run: files and repository take what is to be written
    commit_message   the message of the run's commit

Several things end, each with a word of its own: a job (`events.JobOutcome`), a page
(`verdicts.PageVerdict`, the word in its drop), the writing of its file (`recorder.WriteOutcome`)
and the run (`run.RunOutcome`).

`gather` is `planbook gather`, `read` and `find`: the dossier, by a worker without a writer. People
and agents write from it in place of a worker (`research.submission`). Their pages meet the run's in
`recorder`; `uncommitted` has the records that were written without a commit.
"""
