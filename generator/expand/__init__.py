"""Expand: brings the stages of research together, and writes down what they give.

::

    select ─> Brief ─> Job ─> runner: search, fetch, extract, compose, gates ─> Result ─┐   many side by side
                                                                                        │
              commit <─ move <─ INDEX, SKILL <─ page, drop, mark <─ Record <────────────┘   one writer, in PART order

A runner takes values and gives values; it writes nothing. The coordinator keeps what each stage gave (`store.ledger`),
so that a run that was stopped or killed goes on where it was.
"""
