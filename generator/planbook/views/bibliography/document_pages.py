"""Local documents that pages cite, as pages of the site: readers open them from the references.

Their text is shown as text: neither HTML nor links of a document are the author's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from markupsafe import Markup, escape

from planbook.markdown.document import read_document
from planbook.markdown.safe_markdown import code, inline
from planbook.markdown.syntax import Node, syntax_tree
from planbook.model import PageUri
from planbook.views.page_heads import NOT_SEARCHED, generated_head, text_line
from planbook.views.template import link

FOLDER = "documents"
"""The folder of the site that has the documents."""
PUBLISHED = frozenset({".md", ".markdown", ".mdx", ".txt", ".text", ".rst"})
"""The formats that are text, by suffix in lower case."""


def document_uri(path: str) -> PageUri:
    """Return the page of a document; `path` is relative to the folder of documents."""
    path_in_site = PurePosixPath(FOLDER, path)
    return PageUri(str(path_in_site) if path_in_site.suffix == ".md" else f"{path_in_site}.md")


def is_text(path: str) -> bool:
    """Return True for a document that a page can show."""
    return PurePosixPath(path).suffix.lower() in PUBLISHED


def document_page(file: str, path: str, text: str, citing: Sequence[tuple[str, str]]) -> str:
    """Return the page of a document.

    Args:
        file: its path in the project.
        path: its path in the folder of documents.
        text: its content.
        citing: uri and title of each page that cites it.
    """
    document, suffix = read_document(text), PurePosixPath(file).suffix.lower()
    name = document.meta.get("title")
    title = name if isinstance(name, str) and name.strip() else PurePosixPath(file).name
    is_markdown = suffix not in {".txt", ".text", ".rst"}
    blocks = _blocks(document.body, title) if is_markdown else [_verbatim(text)]
    page_uri = str(document_uri(path))
    by = ", ".join(f"[{inline(other)}]({link(uri, page_uri)})" for uri, other in citing)
    head = generated_head(text_line("title", title), NOT_SEARCHED, "hide: [toc]")
    return (
        f"{head}# {inline(title)}\n\n"
        f"A source of this site, as it was read: {code(file)}. Cited by {by}.\n\n"
        f'<section class="pb-document">\n{"".join(blocks)}</section>\n'
    )


def _blocks(body: str, title: str) -> Iterator[str]:
    """Yield the blocks of Markdown as HTML; what is neither heading nor prose is as written."""
    for node in syntax_tree(body).children:
        words = " ".join(node.all_text().split())
        if node.name == "Heading" and words != title:
            level = max(2, node.level)
            yield Markup("<h{0}>{1}</h{0}>\n").format(level, words)
        elif node.name == "Paragraph" and words:
            yield Markup("<p>{}</p>\n").format(words)
        elif node.name not in {"Heading", "Paragraph", "Rule"}:
            yield _verbatim(_source(node, body))


def _source(node: Node, body: str) -> str:
    return body[node.start : node.end].strip("\n")


def _verbatim(text: str) -> str:
    """Return text in one line of HTML: a blank line would end the block."""
    lines = escape(text.strip("\n")).replace("\n", Markup("&#10;"))
    return Markup("<pre>{}</pre>\n").format(lines)
