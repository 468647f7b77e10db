"""A run of `planbook expand`: read `run`, then `worker`, then `recording.recorder`.

::

    select ─> Job ─> worker: search, fetch, extract, compose, rules ─> Result ─┐   many at a time
                                                                               │
    commit <─ INDEX, SKILL <─ page, drop, mark <─ Record <─ PageAttempt <───────┘   in PART order

A PART is one unit. Answers are kept when they arrive (`web.archive`), so a PART that is done again
asks nobody again. These modules serve the two::

    reading_list the documents that a worker has read, and those to read next
    forecast     `planbook expand --dry-run`: the selection, and the most requests
    jobs         jobs, results, and the workers that do them
    cancellation the end of a run before it is done
    context      a worker's connections and writer, from the options
    cluster      workers on other machines
    current_origins  what a page is made from besides its plan, to know when to make it again

Several things end, each with a word of its own: a job (`jobs.JobOutcome`), a page
(`verdicts.PageVerdict`, the word in its drop), the writing of its file (`recorder.WriteOutcome`)
and the run (`run.RunOutcome`).

`gather` is `planbook gather`, `read` and `find`: the dossier, by a worker without a writer. People
and agents write from it in place of a worker (`research.submission`). Their pages meet the run's in
`research.recording`.
"""
