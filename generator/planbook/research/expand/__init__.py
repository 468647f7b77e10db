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

A person or an agent writes a PART's page in place of a worker. Its way meets the run's in
`recorder`, and `research.leases` says who is at which PART: a run passes over it, and `submit` and
giving up look at it again while they record::

    claim ─> gather ─> a page ─> submit: rules, sentences ─┬─ refused ─> refusals ─> the same page
                                                           └─ accepted ─> recorder ─> commit

    gather          `planbook gather`, `read` and `find`: the dossier, by a worker without a writer
    submit          `planbook finish`: have pages checked, and record them
    page_check      the check of one page against the works that it cites
    submit_result   what was found, and what the pages leave out of their works
    nearest_passage the passage that is nearest to what a finding is about
    gathered_works  the work that a reference means: whoever has claimed a PART cites only these
    lines_of_file   lines of findings on a page to which references were added
    giving_up       `planbook finish --failed`: a drop in place of a page
    unanswered      the points of the plan that no sentence of a page is about
    weak_statements statements whose quotes carry least of them
    unused_sections works and sections from which a page cites nothing
    omitted_warnings
                    the warnings of its works that a page leaves out
    partly_listed   tables and lists of its works that a page has in part
    refusals        submissions that were refused
    uncommitted     records that were written without a commit
    joint_commit    `planbook commit`: one commit for all of them
    activity        `planbook status --watch`: who is at which PART, and how far
"""
