"""The rule for quotes of files of the base's own repository."""

from __future__ import annotations

from collections.abc import Iterator

from planbook.citations.identifiers import is_web
from planbook.citations.references import cited_path, items_by_id
from planbook.citations.working_tree_quotes import find_changes, read_cited_lines
from planbook.model import Problem
from planbook.rules.project import Project


def check_working_tree_quotes(project: Project) -> Iterator[Problem]:
    """Yield K019 for each quote that its file no longer has, or has in other lines than cited."""
    files, raw = project.sources, project.pages
    if files is None:
        return
    for page in project.library.pages:
        if page.uri not in raw:
            continue
        items = items_by_id(dict(page.meta))
        for work in page.references:
            item, address = items.get(work.id), work.url or ""
            is_path = bool(item and work.quotes and address) and not (work.file or is_web(address))
            working_file = (
                files.read_working_file(cited_path(address), page.uri) if is_path else None
            )
            if item is None or working_file is None:
                continue
            path, text = working_file
            lines = raw[page.uri].decode("utf-8", errors="replace").split("\n")
            line = next((n for n, text_line in enumerate(lines, 1) if address in text_line), 1)
            cited = read_cited_lines(work.quotes, item)
            for change in find_changes(work.quotes, cited, path, text):
                defect = f"@{work.id}: {change.message}"
                location = (path, change.line)
                yield Problem(page.uri, line, "K019", defect, place=location)
