"""The references that pages cite, and citations without one.

`planbook verify` checks them, with and without `--changes`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planbook.cli import project, targets
from planbook.library.pages import read_page
from planbook.model import Problem
from planbook.problems import BAD_FRONT_MATTER, UNKNOWN_CITATION
from planbook.rules.project import select_problems
from planbook.store import Settings

if TYPE_CHECKING:
    from planbook.research.proof.verify import CitedReference


def cited_references(
    settings: Settings, pages: Sequence[Path]
) -> tuple[Mapping[str, str], Mapping[str, Sequence[CitedReference]]]:
    """Return the texts of pages, and the references of those that cite any."""
    from planbook.research.proof.verify import read_cited_references

    paths = targets.page_paths(settings, pages)
    texts = {uri: project.page_text(path) for uri, path in paths.items()}
    calls = [(text, uri) for uri, text in texts.items()]
    [references_of_pages] = project.open_cache(settings).from_disk((read_cited_references, calls))
    return texts, {
        uri: of_page for uri, of_page in zip(texts, references_of_pages, strict=True) if of_page
    }


def report_lost_citations(settings: Settings, texts: Mapping[str, str]) -> Sequence[Problem]:
    """Print the Problems by which a citation has no source that can be read, and return them.

    A page's references are unknown if its front matter is not valid (K001); others are missing from
    it (K012).
    """
    raw = {uri: text.encode() for uri, text in texts.items()}
    calls = [(raw[uri], uri, False) for uri in texts]
    [parsed_pages] = project.open_cache(settings).from_disk((read_page, calls))
    problems = [problem for _, of_page in parsed_pages for problem in of_page]
    codes = {BAD_FRONT_MATTER, UNKNOWN_CITATION}
    lost = [problem for problem in problems if problem.code in codes]
    reported = select_problems(lost, project.project_code_filter(settings.root), raw)
    docs = settings.docs_dir.strip("/")
    for problem in reported:
        location = f"{docs}/{problem.uri}:{problem.line}"
        click.echo(f"{location}: {problem.message} {problem.code}", err=True)
    return reported
