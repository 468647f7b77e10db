"""Fetch: the only way to other hosts, polite and safe.

The way of an address::

    address ─> addresses ─> robots ─> pace ─> client ─> body ──> documents ─> Fetched
               refused?     allowed?  turn    one hop   capped   HTML, PDF (a process of its own), text

Every hop of a redirect goes through all of it again. What goes wrong is an :class:`~generator.model.Outcome`, never an
exception that leaves :meth:`Fetcher.fetch() <generator.research.fetch.client.Fetcher.fetch>`.
"""
