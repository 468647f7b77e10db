"""The Markdown of pages in pieces, as answers for programs cite and search it."""

from __future__ import annotations

from dataclasses import dataclass

from planbook.library.pages import parse_page
from planbook.markdown.document import read_document
from planbook.views.search import IndexedPage, word_weights


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A heading with the text below it, up to the next heading of any level."""

    title: str
    level: int
    start: int
    """Offset of the heading in the body."""
    end: int


@dataclass(frozen=True, slots=True)
class PageText:
    """A page's Markdown without front matter, in pieces."""

    body: str
    lines_above: int
    """Number of lines of the file above the body."""
    pieces: list[TextPiece]
    folded: str
    """The titles and texts of all pieces in lower case, a line each."""

    def text_of(self, piece: TextPiece) -> str:
        """Return the text of a piece, with blanks as single spaces."""
        return " ".join(self.body[piece.start : piece.end].split())


def read_text(text: str, uri: str) -> PageText:
    """Return a page's text in pieces."""
    document, page = read_document(text), parse_page(text, uri)[0]
    headings = [node for node in document.outline if node.name == "Heading" and not node.depth]
    if headings and headings[0].level == 1:
        del headings[0]
    titles = [
        (page.title, 1, 0),
        *((node.all_text().strip(), node.level, node.start) for node in headings),
    ]
    ends = [*(start for _, _, start in titles[1:]), len(document.body)]
    pieces = [TextPiece(*title, end) for title, end in zip(titles, ends, strict=True)]
    folded = (
        f"{piece.title}\n{' '.join(document.body[piece.start : piece.end].split())}"
        for piece in pieces
    )
    return PageText(document.body, document.lines_above, pieces, "\n".join(folded).lower())


def index_text(text: str, uri: str) -> IndexedPage:
    """Return a page's words for the search."""
    page_text, tags = read_text(text, uri), parse_page(text, uri)[0].meta_value("tags")
    pieces_as_words = [
        (piece.title.split(), page_text.text_of(piece).split()) for piece in page_text.pieces
    ]
    words = word_weights(
        pieces_as_words, [str(tag) for tag in tags] if isinstance(tags, list) else []
    )
    return IndexedPage(uri, "", "", words)
