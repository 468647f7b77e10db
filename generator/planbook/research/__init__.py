"""The code that needs the extra `research`; the site imports nothing of it.

Read `expand` first, which uses the others.

::

    expand    a run
    submission
              pages that people and agents write in place of a run
    audit     `planbook audit`: reports by anyone, against their sources
    recording the files and the commit that pages of both become
    writers   extract, llm, command; the judge
    selection the PARTs to fill, as briefs
    evidence  passages per point
    proof     rules for pages, verification
    search    providers, documents, repositories
    web       the client for other hosts

    drafts    values from a brief to a page
    journal   the ledger of a run, and the lock
    leases    who is at which PART
    mirrors   local mirrors of repositories
    git       commits
"""
