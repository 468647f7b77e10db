"""The index of error messages that pages explain."""

from __future__ import annotations

from collections.abc import Sequence

from planbook.library import ListedPage
from planbook.library.names import natural_order
from planbook.markdown.escape import verbatim
from planbook.markdown.plain_text import count
from planbook.markdown.safe_markdown import code, inline, table
from planbook.views import template
from planbook.views.page_heads import list_head


def messages_page(pages: Sequence[ListedPage]) -> str:
    """Return the index of the messages that `pages` explain, each with its meaning and section."""
    about = "Exact error messages, each with its meaning and the section that explains it."
    pages = sorted(
        (page for page in pages if page.messages), key=lambda page: natural_order(page.uri)
    )
    messages = (
        f"**{count(sum(len(page.messages) for page in pages), 'message')}** on "
        f"{count(len(pages), 'page')}"
    )
    text = [
        list_head("Messages", about),
        f"# Messages\n\n{messages}. Search for the words on your screen.\n",
    ]
    for page in pages:
        links = [
            f"[{verbatim(m.section)}]({template.link(page.uri)}{m.anchor})" for m in page.messages
        ]
        rows = (
            (code(m.text), verbatim(m.meaning), link)
            for m, link in zip(page.messages, links, strict=True)
        )
        text.append(
            f"\n## {inline(page.title)}\n\n{table(('Message', 'It means', 'Explained in'), rows)}"
        )
    return "".join(text)
