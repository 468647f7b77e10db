"""Everything read from one page's file, cached by content."""

from __future__ import annotations

from dataclasses import replace

from generator.citations.references import read_references
from generator.model import Page, Problem
from generator.page.links import written_links
from generator.page.parse import decoded, parse_page


def read_page(raw: bytes, uri: str, is_replaced: bool) -> tuple[Page, tuple[Problem, ...]]:
    """Return the page in a file's bytes, with its references and links, and its Problems (K001 to K013).

    A page that the generator replaces has neither references nor links.
    """
    text, problems = decoded(raw, uri)
    page, found = parse_page(text, uri)
    if is_replaced:
        return page, (*problems, *found)
    references, of_references = read_references(text, uri)
    page = replace(page, references=references, links=written_links(text))
    return page, (*problems, *found, *of_references)
