"""The files of repositories, at a commit, that a reference records as its source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from planbook.citations.repository_files import COMMIT, RepositoryFile, parse_file_url

CUSTOM = ("quotes", "file", "fragments", "lines", "sha256", "permalink")
"""The fields of ``custom`` that Planbook reads beside the fields of CSL, too; CSL has none of these
names."""


def custom_of(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a CSL item has under ``custom``.

    What of it stands beside the other fields instead is added.
    """
    custom = item.get("custom")
    beside = {key: item[key] for key in CUSTOM if key in item}
    return {**beside, **custom} if isinstance(custom, dict) else beside


def read_recorded_lines(item: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """Return the first and last line of each quote whose lines an item records, by key."""
    lines = custom_of(item).get("lines")
    if not isinstance(lines, dict):
        return {}
    recorded: dict[str, tuple[int, int]] = {}
    for key, span in lines.items():
        match span:
            case [int(first), int(last)] if 0 < first <= last:
                recorded[str(key)] = first, last
    return recorded


def make_line_links(item: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the key and the address of each quote whose lines are recorded.

    The address is that of the lines in the file at the item's URL.
    """
    file = parse_file_url(str(item.get("URL") or ""))
    if file is None or not file.is_pinned:
        return
    for key, lines in read_recorded_lines(item).items():
        yield key, replace(file, lines=lines).url


def read_pin(item: Mapping[str, Any]) -> RepositoryFile | None:
    """Return the file at a commit that a CSL item cites.

    It is named by the item's URL, or by the origin recorded under ``custom``.
    """
    custom = custom_of(item)
    for address in (item.get("URL"), custom.get("permalink")):
        file = parse_file_url(str(address or ""))
        if file and file.is_pinned:
            return file
    repository, path, commit = (
        str(custom.get(key) or "").strip("/") for key in ("repository", "path", "commit")
    )
    commit = commit.lower()
    is_pinned_file = "/" in repository and path and COMMIT.fullmatch(commit)
    return RepositoryFile(repository, commit, path) if is_pinned_file else None
