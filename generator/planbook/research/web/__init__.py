"""Fetch pages and call APIs: the only way to other hosts, polite and safe.

A URL and an API call take these steps::

    URL ──> client (robots.txt, redirects) ──> github ──> retries ─┐
    Call ─> client (redirects, secrets) ────────────────> retries ─┴─> Guard ─> host
                                                                       connection

    response ─> responses ─> readers ─────────> document_text ─────> Fetched ─> archive
                outcome,     other processes    main_content,
                size, charset                   html_to_markdown

Read `client` first, then `document_text`. The guard checks addresses (`reach`) and waits for its
host's turn (`rate_limits`). `html_to_markdown` does what it says, with `inline_markdown`,
`code_blocks`, `html_tables` and `fixed_layout`. `model` has the values of requests and results, and
`authority` the host of a URL. `doubts` tells a page that is not what its address names, and
`archive` keeps what arrived.

Nothing bypasses the guard: every redirect, every robots.txt and every call waits there for its
host's turn, and connects only to an address that was checked. Failures are returned as an
:class:`~planbook.research.web.model.Outcome`; :class:`~planbook.research.web.client.Fetcher` does
not raise for them, except while streaming.
"""
