"""What `mkdocs.yml` says of a project."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.store import read_settings

LISTED = """\
site_name: Tea
site_description: All of tea.
nav:
  - Home: index.md
plugins:
  - search
  - planbook:
      plans_dir: plans
      expand:
        workers: 2

        writer: extract
"""
MAPPED = """\
plugins:
  planbook:
    expand: {workers: 2, writer: extract}
"""


def test_the_site_is_told(tmp_path: Path) -> None:
    """Its name, description and navigation, as far as the file has them."""
    (tmp_path / "properdocs.yml").write_text(LISTED)
    settings = read_settings(tmp_path)
    assert (settings.site_name, settings.site_description) == ("Tea", "All of tea.")
    assert (settings.nav, settings.config) == ([{"Home": "index.md"}], "properdocs.yml")
    (tmp_path / "properdocs.yml").write_text("nav: what\n")
    assert (read_settings(tmp_path).site_name, read_settings(tmp_path).nav) == ("", None)


@pytest.mark.parametrize(
    ("text", "lines"), [(LISTED, {"workers": 10, "writer": 12}), (MAPPED, {"workers": 3, "writer": 3})]
)
def test_the_options_of_expand_have_their_lines(tmp_path: Path, text: str, lines: dict[str, int]) -> None:
    """Each key with the line that it stands on, for messages; in both forms of `plugins`."""
    (tmp_path / "mkdocs.yml").write_text(text)
    settings = read_settings(tmp_path)
    assert settings.expand == {"workers": 2, "writer": "extract"}
    assert settings.expand_lines == lines


@pytest.mark.parametrize("text", ["", "plugins: [planbook]\n", "plugins:\n  - planbook:\n      expand: soon\n"])
def test_without_options_there_are_none(tmp_path: Path, text: str) -> None:
    """No configuration, no option, or one that is no mapping."""
    (tmp_path / "mkdocs.yml").write_text(text)
    assert (read_settings(tmp_path).expand, read_settings(tmp_path).expand_lines) == ({}, {})
