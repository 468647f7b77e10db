"""Pages become files and a commit, whoever made them: read `record`, then `recorder`.

::

    a worker's page (`expand`) ─────────────┐
    a person's or agent's (`submission`) ───┴> PageAttempt ─> Record ─> recorder: page, drop, mark
                                                                        INDEX, SKILL, commit

A PART is one unit: the recorder, the only one that writes, notes a record in the journal before it
begins, so that a later command completes what a killed one began::

    page_attempt     a page, or why there is none, as it is given to the recorder
    verdicts         what became of a page: done, partial, held, failed
    record           what is written for it: page, drop, mark
    drop             the text of a drop
    recorder         writes records; one commit at the end
    commit_message   its message
    uncommitted      records that were written without a commit
    file_digests     whether a file is as it was written
    preflight        checks before: files and repository take what is to be written

    config           the setup: the project, whether to commit, who hears of it
    events           what happens meanwhile, and its log
    clock            the time, which a test may fix
"""
