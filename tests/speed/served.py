"""Pages that a server shows."""

from __future__ import annotations

from tests.plugin.serving import Server, plain


def page_of(server: Server, uri: str) -> str:
    """A page without what MkDocs adds to it while serving; empty if there is none."""
    try:
        return plain(server.page(uri))
    except OSError:
        return ""
