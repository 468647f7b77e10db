"""Files of public repositories, and the addresses that name them."""

from __future__ import annotations

import pytest

from planbook.citations.repository_files import RepositoryFile, parse_file_url

COMMIT = "51ccd4e" + "0" * 33


@pytest.mark.parametrize(
    ("url", "file"),
    [
        ("https://github.com/tea/steep/blob/main/docs/rye.md", RepositoryFile("tea/steep", "main", "docs/rye.md")),
        (
            f"https://raw.githubusercontent.com/tea/steep/{COMMIT.upper()}/kettle.py",
            RepositoryFile("tea/steep", COMMIT, "kettle.py"),
        ),
        (
            "https://www.github.com/tea/steep/blob/main/kettle.py#L20-L12",
            RepositoryFile("tea/steep", "main", "kettle.py", (12, 20)),
        ),
        (
            "https://gitlab.example/tea/cups/steep/-/blob/main/kettle.py#L3",
            RepositoryFile("gitlab.example/tea/cups/steep", "main", "kettle.py", (3, 3), is_gitlab=True),
        ),
    ],
)
def test_an_address_of_a_file_is_read(url: str, file: RepositoryFile) -> None:
    """A commit is in small letters, and lines are in order."""
    assert parse_file_url(url) == file


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/tea/steep",
        "https://github.com/tea/steep/blob/main",
        "https://github.com/tea/steep/blob/main/../kettle.py",
        "https://ann@github.com/tea/steep/blob/main/kettle.py",
        "ftp://github.com/tea/steep/blob/main/kettle.py",
        "https://[::1/tea/steep/blob/main/kettle.py",
    ],
)
def test_other_addresses_name_no_file(url: str) -> None:
    """Repositories, paths that lead out, passwords and other schemes do not."""
    assert parse_file_url(url) is None


def test_a_file_that_is_rendered_is_addressed_as_its_source() -> None:
    """Only there does a host show the numbers of lines."""
    page = RepositoryFile("tea/steep", COMMIT, "docs/rye.md", (3, 5))
    assert page.url == f"https://github.com/tea/steep/blob/{COMMIT}/docs/rye.md?plain=1#L3-L5"
    assert page.is_pinned
