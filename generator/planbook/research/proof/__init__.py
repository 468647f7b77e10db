"""Proof: what a page claims against what its sources say. Start with `verify`.

::

    draft_rules  the rules that a page must follow to be accepted     verify   quotes against their sources
    sentences    what a sentence says beyond its quotes               refresh  quotes whose sources changed
    sources      reads the sources of pages and keeps the report      audit    claims of any report
"""
