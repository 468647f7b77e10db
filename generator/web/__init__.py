"""Fetch: the only way to other hosts, polite and safe.

The way of an address, and of a call to an API::

    address ─> client ─> pages, robots ─> retries ─> cache ─┐                       ┌─> body ─> readers ─> Fetched
               archive?  github                            ├─> connection (guard) ─┤   cap    documents  archive
    Call ────> api ─────────────────────> retries ──────────┘   pace, names,        └─> body ─> Reply, or lines
                                                                addresses, deadline

Nothing passes by the guard: every hop of a redirect, every robots.txt and every call waits there for its host's turn,
and goes to an address that was checked. What goes wrong is an :class:`~generator.drafts.Outcome`, never an
exception that leaves :class:`~generator.web.client.Fetcher` (but for streams, which raise one).
"""
