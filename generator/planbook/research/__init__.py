"""The code that needs the extra `research`; the site imports nothing of it. Read `expand` first, which uses the others.

::

    web     the client for other hosts        search    providers, documents, mirrors     evidence  passages per point
    proof   rules for pages, verification     writers   extract, llm, command; the judge  expand    a run
    drafts  values from a brief to a page     git, journal, mirrors: repositories, the lock and the ledger
"""
