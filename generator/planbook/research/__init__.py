"""The code that needs the extra `research`; the site imports nothing of it.

Read `expand` first, which uses the others.

::

    expand    a run
    writers   extract, llm, command; the judge
    evidence  passages per point
    proof     rules for pages, verification
    search    providers, documents, repositories
    drafts    values from a brief to a page
    web       the client for other hosts
    mirrors, journal, claims, git: repositories, the ledger and the lock, leases, commits
"""
