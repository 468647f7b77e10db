"""Everything read from one page's file, cached by content."""

from __future__ import annotations

from dataclasses import replace

from generator.budgets import without_budget
from generator.citations.references import read_references
from generator.citations.source_lists import lists_sources
from generator.markdown.document import read_document
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
    page = replace(page, references=references, links=written_links(text), sections=_sections(text))
    return page, (*problems, *found, *of_references)


def _sections(text: str) -> tuple[str, ...]:
    headings = (node for node in read_document(text).tree.children if node.name == "Heading" and node.level == 2)
    titles = (without_budget(heading.all_text()).strip() for heading in headings)
    return tuple(title for title in titles if title and not lists_sources(title))
