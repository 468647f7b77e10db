"""Links that cite nothing, templates, sources that were swapped, and files of which there are two of a name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from planbook.cli import main
from planbook.research.audit.claims.cited_claims import read_cited_claims
from planbook.research.audit.claims.placeholders import is_placeholder
from tests.files import put

TEA = """# Tea

Water at 80 degrees keeps the catechins in the leaf of the bush.

The tea room has 1,240 cups of steel.
"""
OATS = "# Oats\n\nOats are sown in the spring, when the soil has 12 degrees, by all farmers of the hill.\n"


def audited(root: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], page: str) -> list[dict[str, Any]]:
    """The claims of a page of a wiki beside some files."""
    put(root, {**files, "wiki/page.md": page})
    monkeypatch.chdir(root)
    done = CliRunner().invoke(main, ["audit", "wiki/page.md", "--root", ".", "--offline", "--format", "json"])
    claims: list[dict[str, Any]] = json.loads(done.stdout)["claims"]
    return claims


PLACEHOLDERS = [
    *("raw/...", "raw/<file>", "raw/{slug}.md", "path/to/file.md", "raw/source-slug.md", "raw/articles/source-file.md"),
    *("raw/filename.md", "raw/your-source.md", "raw/YYYY-MM-DD-slug.md", "raw/x.md", "https://example.com/page"),
    *("https://docs.example.org/a", "https://your-site.com/a", "http://localhost:8000/a"),
]
REAL = [
    *("raw/tea.md", "raw/page_141.md", "raw/articles/source-code-of-tea.md", "src/kettle.py", "raw/2026-06-09-tea.md"),
    *("https://tea.test/a", "https://example.tea.test/a", "https://[broken", "raw/files-of-tea.md"),
]


@pytest.mark.parametrize("written", PLACEHOLDERS)
def test_a_path_of_a_template_is_a_placeholder(written: str) -> None:
    """It names no file that somebody could look for."""
    assert is_placeholder(written)


@pytest.mark.parametrize("written", REAL)
def test_other_paths_are_none(written: str) -> None:
    """Those with such a word in them are none, either."""
    assert not is_placeholder(written)


def test_a_placeholder_is_no_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless there is a file of this name; a missing file of another name is one."""
    page = (
        "Append a note to each paragraph. ^[raw/source-slug.md]\n\nSee how it is done ([a](https://example.com/x)).\n\n"
        "Water is good for the tea. ^[raw/file.md]\n\nWater is good for the cup. ^[raw/gone.md]\n"
    )
    found = audited(tmp_path, monkeypatch, {"raw/file.md": TEA}, page)
    assert [source["URL"] for claim in found for source in claim["sources"]] == ["raw/file.md", "raw/gone.md"]


SWAPPED = {
    "verbatim": ("Water at 80 degrees keeps the catechins in the leaf of the bush", "raw/oats.md"),
    "a quote": ('They write "water at 80 degrees keeps the catechins in the leaf"', "raw/oats.md"),
    "a short quote beside its citation": ('It is a matter of "keeps the catechins in the leaf"', "raw/oats.md"),
    "its figure": ("In the tea room there are 1,240 cups, all of steel", "raw/oats.md"),
}


@pytest.mark.parametrize(("claim", "cited"), SWAPPED.values(), ids=SWAPPED)
def test_a_swapped_source_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str, cited: str) -> None:
    """If another source of the page has the words, or the figure in a similar passage."""
    files = {"raw/tea.md": TEA, "raw/oats.md": OATS}
    page = f"{claim}. ^[{cited}]\n\nThe tea room is old. ^[raw/tea.md]\n"
    found = audited(tmp_path, monkeypatch, files, page)[0]
    assert (found["verdict"], "raw/tea.md" in found["reason"]) == ("not found", True), found["reason"]


def test_what_no_source_has_is_not_swapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor what is only similar, or in a source that could not be read."""
    files = {"raw/tea.md": TEA, "raw/oats.md": OATS}
    page = (
        "The tea room may have cups of steel. ^[raw/oats.md]\n\nThe old wall is 1,777 feet long. ^[raw/oats.md]\n\n"
        f"{TEA.splitlines()[2]} ^[raw/oats.md] ^[raw/gone.md]\n\nThe tea room is old. ^[raw/tea.md]\n"
    )
    found = audited(tmp_path, monkeypatch, files, page)
    assert [claim["verdict"] for claim in found] == ["not judged", "not judged", "unreadable", "not judged"]


def test_a_claim_may_be_in_its_source_in_other_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though another source of the page has it word for word."""
    oats = f"{OATS}\nCatechins stay in the leaf of the bush when the water is at 80 degrees, and all is kept.\n"
    page = f"{TEA.splitlines()[2]} ^[raw/oats.md]\n\nThe tea room is old. ^[raw/tea.md]\n"
    found = audited(tmp_path, monkeypatch, {"raw/tea.md": TEA, "raw/oats.md": oats}, page)
    assert found[0]["verdict"] == "not judged", found[0]["reason"]


MENTIONS = {
    "an object": "The 91 cups pair well with [[raw/tea]].",
    "of a verb": "The 91 cups extend [[raw/tea]] to oats.",
    "compared": "The 91 cups are more than [[raw/tea]].",
    "a sum": "The 91 cups + [[raw/tea]] are one.",
    "a word": "The 91 cups of [[raw/tea]] are here.",
}
CITATIONS = {
    "at the end": "The tea room has 91 cups [[raw/tea]].",
    "behind a dash": "The tea room has 91 cups — [[raw/tea]]",
    "in brackets": "The tea room has 91 cups ([[raw/tea]]) of steel.",
    "at the beginning": "According to [[raw/tea]], the tea room has 91 cups.",
    "as the subject": "[[raw/tea]] says that the tea room has 91 cups.",
    "with lines": "The tea room of [[raw/tea:5]] has 91 cups of steel.",
}


@pytest.mark.parametrize("claim", MENTIONS.values(), ids=MENTIONS)
def test_a_link_may_be_a_word_of_its_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str) -> None:
    """Then the figures of the sentence may be from elsewhere."""
    (found,) = audited(tmp_path, monkeypatch, {"raw/tea.md": TEA}, f"# Cups\n\n{claim}\n")
    assert found["verdict"] == "not judged", found["reason"]


@pytest.mark.parametrize("claim", CITATIONS.values(), ids=CITATIONS)
def test_other_links_cite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str) -> None:
    """A figure that the file does not have is a finding."""
    (found,) = audited(tmp_path, monkeypatch, {"raw/tea.md": TEA}, f"# Cups\n\n{claim}\n")
    assert found["verdict"] in {"not found", "figures differ"} or "#L5" in str(found["sources"]), found["reason"]


def test_notes_on_sources_mention_their_neighbours() -> None:
    """What they say is from the source that they are about; a note in brackets still cites."""
    text = "It is the 5th pot in 19 days [[raw/tea]].\n\nIt has 19 cups. ^[raw/tea.md]\n"
    first, second = read_cited_claims(text, "wiki/sources/pot.md", lambda _: "raw/tea.md")
    assert (first.is_mention, second.is_mention) == (True, False)
    (other,) = read_cited_claims("It is the 5th pot in 19 days [[raw/tea]].\n", "wiki/pot.md", lambda _: "raw/tea.md")
    assert not other.is_mention


def test_a_file_right_below_a_folder_of_sources_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two whose paths end alike; of two such files, nobody knows which one."""
    files = {"raw/repos/tea.md": TEA, "raw/deep/repos/tea.md": OATS}
    page = "---\nsources: [repos/tea.md]\n---\nThe tea room has 1,240 cups of steel.\n"
    (found,) = audited(tmp_path, monkeypatch, files, page)
    assert found["sources"][0]["URL"] == "raw/repos/tea.md"
    (found,) = audited(tmp_path, monkeypatch, {"old/raw/repos/tea.md": TEA}, page)
    assert found["sources"][0]["state"] == "missing"


LABELS = {
    "a label of a citation": "The tea room is old [Source](../raw/tea.md).",
    "in brackets": "The tea room is old ([the tea paper](../raw/tea.md)).",
    "in brackets with a word": "The tea room is old (see: [the tea paper](../raw/tea.md)).",
}


@pytest.mark.parametrize("text", LABELS.values(), ids=LABELS)
def test_the_label_of_a_citation_is_no_word_of_the_claim(text: str) -> None:
    """It says where the source is, and nothing else."""
    (claim,) = read_cited_claims(f"{text}\n", "wiki/page.md", lambda _: "raw/tea.md")
    assert claim.text == "The tea room is old."


def test_a_sentence_ends_behind_its_citation() -> None:
    """Also if the next one begins with a name in small letters."""
    text = "The tea room has cups [Source](../raw/tea.md). napkin has 91 of them [Source](../raw/oats.md).\n"
    claims = read_cited_claims(text, "wiki/page.md", lambda written: written.removeprefix("../"))
    assert [(claim.text, claim.urls) for claim in claims] == [
        ("The tea room has cups.", ("raw/tea.md",)),
        ("napkin has 91 of them.", ("raw/oats.md",)),
    ]


def test_a_row_of_places_says_nothing() -> None:
    """Of lists of lines and paths no figure is a claim."""
    head = "| Cups | Where |\n| --- | --- |\n"
    rows = "| 403 | `src/a.py:3`, review/b.md:235, `src/a.py:9` |\n| Steel | `src/a.py:3` and 12 |\n"
    claims = read_cited_claims(f"{head}{rows}", "page.md", lambda _: "src/a.py")
    assert [claim.text for claim in claims] == ["Steel | and 12"]


def test_a_key_may_be_the_name_of_a_saved_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bibliography need not name the file; in two folders of sources, nobody knows which one."""
    bib = "@article{mill2017,\n title={Tea}, doi={10.1000/tea}\n}\n@article{oat2018,\n title={Oats}, url={https://oats.test/a}\n}\n"
    files = {"refs.bib": bib, "papers/mill2017.md": TEA, "papers/oat2018.md": OATS, "raw/oat2018.txt": OATS}
    page = "The tea room has 1,240 cups of steel [@mill2017].\n\nOats are sown in the spring [@oat2018].\n"
    first, second = audited(tmp_path, monkeypatch, files, page)
    assert (first["verdict"], first["sources"][0]["URL"]) == ("found verbatim", "papers/mill2017.md")
    assert second["sources"][0]["URL"] == "https://oats.test/a"
