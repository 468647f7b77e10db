"""Pages that a person or an agent writes in place of a worker: read `submit` first.

Their way meets that of a run in `research.recording`, and `research.leases` says who is at which
PART: a run passes over it, and `submit` and giving up look at it again while they record::

    claim ─> gather ─> a page ─> submit: rules, sentences ─┬─ refused ─> refusals ─> the same page
                                                           └─ accepted ─> recorder ─> commit

    submit          `planbook finish`: have pages checked, and record them
    page_check      the check of one page against the works that it cites
    gathered_works  the work that a reference means: whoever has claimed a PART cites only these
    lines_of_file   lines of findings on a page to which references were added
    giving_up       `planbook finish --failed`: a drop in place of a page
    refusals        submissions that were refused
    joint_commit    `planbook commit`: one commit for all that were accepted
    activity        `planbook status --watch`: who is at which PART, and how far

`submit_result` is what was found, and what the pages leave out of their works::

    unanswered      the points of the plan that no sentence of a page is about
    weak_statements statements whose quotes carry least of them
    unused_sections works and sections from which a page cites nothing
    omitted_warnings
                    the warnings of its works that a page leaves out
    partly_listed   tables and lists of its works that a page has in part
    nearest_passage the passage that is nearest to what a finding is about
"""
