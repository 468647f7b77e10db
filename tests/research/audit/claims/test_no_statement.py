"""Items, rows and titles that cite and say nothing of what they name: they are no claims, and counted as such."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from planbook.cli import main
from planbook.research.audit.claims.no_statement import has_marks, is_entry, lists_links, names_only
from tests.files import put

NAMES = {
    "a name and its file": "Tea Standard 53 — tea-standard-53.md",
    "a title": "tea-571 — Damage Mechanisms of Pots in the Tea Industry.",
    "a work": "Leaf, A. & Pot, B. (eds.) — Handbook of Kettles, 3rd ed., Wiley, 2000 (ISBN 978-0-471-49192-7).",
    "a number of a work": "arxiv-2307.13702",
    "names of tools": "Kettle 4, Pot and the Teacup (Steel)",
}
STATEMENTS = {
    "a verb of few letters": "Tea Standard 53 is `tea.md`.",
    "a word": "Tea Standard 53 — limits",
    "a figure with a unit": "Kettle 4: 90 %",
    "an amount": "Kettle 4: $12",
    "another script": "Kettle 4 使用八十度的水",
    "a formula in another script": "标准白噪声是此公式的特例 $x_l = 0.5$",
}
ROWS_OF_NAMES = ("Kettle 90 (Steel) | ✓", "Kettle 90 | ✓ | -", "Kettle 90 | Yes | No", "Kettle 4 | Pot (Steel)")
ROWS = ("Kettle 90 (Steel) | 12", "Kettle 90 | ~500 | ✓", "Kettle 90 | 2026-04-22", "Kettle 90 | holds water | ✓")


def test_names_alone_say_nothing() -> None:
    """A verb, a word with a meaning, or a figure with a unit does, in any script."""
    assert [name for name, text in NAMES.items() if not names_only(text, is_row=False)] == []
    assert [name for name, text in STATEMENTS.items() if names_only(text, is_row=False)] == []
    assert [row for row in ROWS_OF_NAMES if not names_only(row, is_row=True)] == []
    assert [row for row in ROWS if names_only(row, is_row=True)] == []


def test_marks_entries_and_headings_are_told() -> None:
    """A mark says yes or no; an entry begins with what it names; a heading says that links follow."""
    assert [has_marks(row) for row in ("Kettle | ✅", "Kettle | n/a", "Kettle | 4")] == [True, True, False]
    assert [is_entry(item) for item in ("[Tea](t.md) - x", "**Tea**: x", "Tea is green")] == [True, True, False]
    headings = ("## Related Pages", "## See also", "### Public references", "## 参考资料", "## Cross-References")
    assert all(map(lists_links, headings))
    assert not any(map(lists_links, ("## Sources of heat", "## Observations from sources", "## Links of a chain")))


SOURCE = """# Kettle Standard 53

The kettle holds the heat for an hour.

## Kettles that whistle loudly

| Kettle | Whistles at home |
| --- | --- |
| Kettle 90 of blue steel | ✓ |
"""
CITE = "^[raw/tea.md]"


def audited(root: Path, monkeypatch: pytest.MonkeyPatch, page: str) -> dict[str, Any]:
    """What an audit of a page says."""
    put(root, {"raw/tea.md": SOURCE, "page.md": f"# Tea\n\n{page}\n"})
    monkeypatch.chdir(root)
    result: dict[str, Any] = json.loads(
        CliRunner().invoke(main, ["audit", "page.md", "--offline", "--format", "json"]).stdout
    )
    return result


@pytest.mark.parametrize(
    "page",
    [
        f"- **Kettle Standard 53** — {CITE}",
        f"| Kettle | Steel |\n| --- | --- |\n| Kettle 90 {CITE} | ✓ |",
        "## Related pages\n\n- **Kettles**: [all about kettles](raw/tea.md) with similar titles (55%)",
    ],
)
def test_what_states_nothing_is_counted_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    """It is neither found nor absent, though each of its words is in the source."""
    result = audited(tmp_path, monkeypatch, page)
    assert (result["claims"], result["no_statement"]) == ([], 1)
    said = CliRunner().invoke(main, ["audit", "page.md", "--offline", "--page", "audit.md"])
    note = "No statement: 1 citation in pointers, names and titles"
    assert note in said.stdout
    assert note in Path("audit.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "verdict"),
    [
        (f"| Kettle | Whistles |\n| --- | --- |\n| Kettle 90 of blue steel {CITE} | ✓ |", "found verbatim"),
        (f"| Kettle | Whistles |\n| --- | --- |\n| Kettle 90 of blue steel {CITE} | ✗ |", "not judged"),
        (f"Kettles that whistle loudly {CITE}", "not judged"),
        (f"The kettle holds the heat for an hour. {CITE}", "found verbatim"),
        ('## Related\n\n- **Kettles**: "the kettle holds the heat for an hour" [tea](raw/tea.md)', "found verbatim"),
    ],
)
def test_a_mark_and_a_heading_are_no_words_of_a_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str, verdict: str
) -> None:
    """A row is found with its marks; words of a heading alone are read by somebody; a quote counts anywhere."""
    (claim,) = audited(tmp_path, monkeypatch, page)["claims"]
    assert claim["verdict"] == verdict, claim["reason"]
