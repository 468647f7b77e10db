"""What `mkdocs.yml` says of a project."""

from __future__ import annotations

from pathlib import Path

import pytest
from mkdocs.config import load_config

from planbook.store import RefusedError, find_root, read_settings

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
    found = {key: line for key, line in settings.plugin_lines.items() if key.startswith("expand.")}
    assert found == {f"expand.{key}": line for key, line in lines.items()}


PARENT = """\
site_name: All teas
docs_dir: pages
plugins:
  planbook:
    plans_dir: work
    expand: {workers: 2}
"""


def test_what_is_inherited_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As MkDocs merges files: mappings within mappings, over any number of files, each relative to its own."""
    root = tmp_path / "teas" / "green"
    (root / "pages").mkdir(parents=True)
    (tmp_path / "mkdocs.yml").write_text(PARENT)
    (root.parent / "base.yml").write_text("INHERIT: ../mkdocs.yml\nsite_url: !ENV [TEA_URL, 'https://tea.example/']\n")
    (root / "mkdocs.yml").write_text("INHERIT: ../base.yml\nplugins:\n  planbook:\n    expand: {writer: extract}\n")
    monkeypatch.setenv("TEA_URL", "https://green.example/")
    settings = read_settings(root)
    assert (settings.root, settings.site_name, settings.docs_dir) == (root, "All teas", "pages")
    assert (settings.plans_dir, settings.site_url) == ("work", "https://green.example/")
    assert settings.expand == {"workers": 2, "writer": "extract"}
    assert settings.plugin_lines == {"expand": 4, "expand.writer": 4}
    theirs = load_config(str(root / "mkdocs.yml"))
    assert (theirs.site_name, theirs.site_url, theirs.docs_dir) == ("All teas", settings.site_url, str(root / "pages"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("INHERIT: none.yml\n", "none.yml"),
        ("INHERIT: mkdocs.yml\n", "inherits from itself"),
        ("INHERIT: [a]\n", ""),
        ("a: [\n", "line 2"),
        ("a: \xff\n", "#x"),
        ("a: !!bool maybe\n", "maybe"),
        ('a: !!int ""\n', ""),
        ("a: 0x" + "f" * 5_000 + "\n", "more than 3,000 digits"),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path: Path, text: str, words: str) -> None:
    """The file, and what is wrong with it: no traceback, and no settings that are not the project's."""
    (tmp_path / "mkdocs.yml").write_bytes(text.encode("latin-1"))
    with pytest.raises(RefusedError, match=r"mkdocs\.yml cannot be read") as raised:
        read_settings(tmp_path)
    assert words in str(raised.value)


@pytest.mark.parametrize("name", ["mkdocs.yml", "mkdocs.yaml", "properdocs.yml", "properdocs.yaml"])
def test_each_name_of_a_configuration_is_known(tmp_path: Path, name: str) -> None:
    """MkDocs and ProperDocs look for either ending."""
    (tmp_path / name).write_text("docs_dir: pages\n")
    (tmp_path / "pages").mkdir()
    assert (read_settings(tmp_path).docs_dir, find_root(tmp_path / "pages")) == ("pages", tmp_path)
