"""Everything read from one page's file, cached by content."""

from __future__ import annotations

from dataclasses import replace

from generator.citations.references import read_references
from generator.citations.source_lists import lists_sources
from generator.model import Page, Problem
from generator.page.links import written_links
from generator.page.parse import decoded, parse_page, section_titles


def read_page(raw: bytes, uri: str, is_replaced: bool) -> tuple[Page, tuple[Problem, ...]]:
    """Return the page in a file's bytes, with its references and links, and its Problems (K001 to K013).

    A page that the generator replaces has neither references nor links.
    """
    text, problems = decoded(raw, uri)
    page, found = parse_page(text, uri)
    if is_replaced:
        return page, (*problems, *found)
    references, of_references = read_references(text, uri)
    sections = tuple(title for title in section_titles(text) if not lists_sources(title))
    page = replace(page, references=references, links=written_links(text), sections=sections)
    return page, (*problems, *found, *of_references)
