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
from planbook.views.bibliography.html_text import TextBlock, decode_html, read_document_text
from planbook.views.page_heads import NOT_SEARCHED, generated_head, text_line
from planbook.views.template import link

FOLDER = "documents"
"""The folder of the site that has the documents."""
_HTML = frozenset({".html", ".htm", ".xhtml"})
PUBLISHED_SUFFIXES = frozenset({".md", ".markdown", ".mdx", ".txt", ".text", ".rst", *_HTML})
"""The formats that have text, by suffix in lower case."""


def document_uri(path: str) -> PageUri:
    """Return the page of a document; `path` is relative to the folder of documents."""
    path_in_site = PurePosixPath(FOLDER, path)
    return PageUri(str(path_in_site) if path_in_site.suffix == ".md" else f"{path_in_site}.md")


def is_text(path: str) -> bool:
    """Return True for a document that a page can show."""
    return PurePosixPath(path).suffix.lower() in PUBLISHED_SUFFIXES


def document_page(file: str, path: str, raw: bytes, citing: Sequence[tuple[str, str]]) -> str:
    """Return the page of a document.

    Args:
        file: its path in the project.
        path: its path in the folder of documents.
        raw: its content.
        citing: uri and title of each page that cites it.
    """
    name, blocks = _render_document(file, raw)
    title = name or PurePosixPath(file).name
    page_uri = str(document_uri(path))
    by = ", ".join(f"[{inline(other)}]({link(uri, page_uri)})" for uri, other in citing)
    head = generated_head(text_line("title", title), NOT_SEARCHED, "hide: [toc]")
    return (
        f"{head}# {inline(title)}\n\n"
        f"A source of this site, as it was read: {code(file)}. Cited by {by}.\n\n"
        f'<section class="pb-document">\n{"".join(blocks)}</section>\n'
    )


def _render_document(file: str, raw: bytes) -> tuple[str, Sequence[str]]:
    """Return the title of a document, which may be empty, and its blocks as HTML."""
    suffix = PurePosixPath(file).suffix.lower()
    if suffix in _HTML:
        page = read_document_text(decode_html(raw))
        return page.title, [_text_block(block) for block in page.blocks if block.text != page.title]
    text = raw.decode("utf-8", "replace")
    document = read_document(text)
    name = document.meta.get("title")
    title = name.strip() if isinstance(name, str) else ""
    if suffix in {".txt", ".text", ".rst"}:
        return title, [_html_line(text)]
    return title, list(_blocks(document.body, title or PurePosixPath(file).name))


def _text_block(block: TextBlock) -> str:
    """Return a block of an HTML document as HTML of ours."""
    if block.kind == "pre":
        return _html_line(block.text)
    if block.kind == "li":
        return Markup("<ul><li>{}</li></ul>\n").format(block.text)
    tag = max("h2", block.kind) if block.kind != "p" else "p"
    return Markup("<{0}>{1}</{0}>\n").format(tag, block.text)


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
            yield _html_line(_source(node, body))


def _source(node: Node, body: str) -> str:
    return body[node.start : node.end].strip("\n")


def _html_line(text: str) -> str:
    """Return text in one line of HTML: a blank line would end the block."""
    lines = escape(text.strip("\n")).replace("\n", Markup("&#10;"))
    return Markup("<pre>{}</pre>\n").format(lines)
