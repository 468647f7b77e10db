"""`planbook audit`: citations of files beside a report, in the forms of agents' wikis and of documentation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from planbook.cli import main
from planbook.cli.audit import FirstFindings
from planbook.research.audit.audited_folder import AuditedFolder
from planbook.research.audit.claims.cited_claims import read_cited_claims
from planbook.research.audit.claims.local_citations import read_local_citations
from planbook.research.drafts import Excerpt
from planbook.research.proof.sentences import Quotation
from planbook_cache.disk import DiskCache
from tests.files import put
from tests.repositories import Repository, git, make_repository

WORDS = "Water at 80 degrees keeps the catechins in the leaf."
FILES = {
    "raw/tea.md": f"# Steeping\n\n{WORDS}\n\nHotter water draws bitter compounds out within the first 3 minutes.\n",
    "sources/notes.txt": "Cups are fired twice, and glazed in between.\n",
    "src/kettle.py": 'LIMIT = 30\n\n\ndef boil(seconds):\n    """Boil water for a number of seconds."""\n',
    "wiki/water.md": "# Water\n",
}
HEAD = "---\nsources:\n  - raw/tea.md\n  - {id: notes, path: sources/notes.txt}\n---\n"


def resolve(written: str) -> str | None:
    """The path of a file of the wiki, by its whole path or its name."""
    names = [path for path in FILES if path == written or path.removesuffix(".md").endswith(f"{written}")]
    return names[0] if len(names) == 1 else None


FORMS = {
    "inline note": ("Water keeps the leaf green.^[raw/tea.md]", "raw/tea.md"),
    "inline note with lines": ("Water keeps the leaf green.^[raw/tea.md:3-5]", "raw/tea.md#L3-L5"),
    "inline note in words": ("Water keeps the leaf green.^[raw/tea.md, lines 3-5]", "raw/tea.md#L3-L5"),
    "inline note with a hash": ("Water keeps the leaf green.^[raw/tea.md#sha256:0123456789abcdef]", "raw/tea.md"),
    "wikilink": ("Water keeps the leaf green [[raw/tea]].", "raw/tea.md"),
    "wikilink with lines and a label": ("Water keeps the leaf green. [[raw/tea#L3|Tea]]", "raw/tea.md#L3-L3"),
    "wikilink in a note": ("Water keeps the leaf green.^[[[raw/tea]]]", "raw/tea.md"),
    "footnote": ("Water keeps the leaf green.[^t]\n\n[^t]: raw/tea.md#L3-L5", "raw/tea.md#L3-L5"),
    "footnote with a wikilink": ("Water keeps the leaf green.[^t]\n\n[^t]: [[raw/tea]]", "raw/tea.md"),
    "label of the front matter": ("Water keeps the leaf green.[^notes]", "sources/notes.txt"),
    "number of the front matter": ("Water keeps the leaf green.[^1]", "raw/tea.md"),
    "number of a list": ("Water keeps the leaf green [1].\n\n## Sources\n\n1. raw/tea.md\n", "raw/tea.md"),
    "numbers side by side": (
        "Water keeps the leaf green.[1][1]\n\n## Sources\n\n1. raw/tea.md\n",
        "raw/tea.md",
    ),
    "number behind a word": ("Water keeps the leaf green[1].\n\n## Sources\n\n1. raw/tea.md\n", "raw/tea.md"),
    "number of a quote": (
        'Water keeps the leaf green [1].\n\n## Sources\n\n1. [raw/tea.md, "keeps the catechins in"]\n',
        "raw/tea.md",
    ),
    "footnote with a quote": (
        'Water keeps the leaf green.[^t]\n\n[^t]: raw/tea.md:3-5: "keeps the catechins in"',
        "raw/tea.md#L3-L5",
    ),
    "link": ("Water [keeps the leaf](raw/tea.md) green.", "raw/tea.md"),
    "code with lines": ("Water keeps the leaf green (`src/kettle.py:4-5`).", "src/kettle.py#L4-L5"),
    "address of lines": ("Water keeps the leaf green (src/kettle.py#L4-L5).", "src/kettle.py#L4-L5"),
    "an address of a file": ("Water [keeps the leaf](file://raw/tea.md) green.", "raw/tea.md"),
    "an address of lines of a file": (
        "Water [keeps the leaf](file://src/kettle.py#L4-L5) green.",
        "src/kettle.py#L4-L5",
    ),
    "an item that cites": ("- Water [keeps the leaf](raw/tea.md) green.", "raw/tea.md"),
    "one that is not there": ("Water keeps the leaf green.^[raw/gone.md]", "raw/gone.md"),
}


@pytest.mark.parametrize(("text", "place"), FORMS.values(), ids=FORMS)
def test_a_file_is_cited_in_each_form(text: str, place: str) -> None:
    """One claim is found, without its citation, with the file and the lines."""
    [claim] = read_cited_claims(f"{HEAD}# Tea\n\n{text}\n", "wiki/tea.md", resolve)
    assert (claim.text, claim.urls) == ("Water keeps the leaf green.", (place,))
    assert claim.line == 8


@pytest.mark.parametrize(
    "text",
    [
        "Water keeps the leaf green, see [[water]].",
        "Water keeps the [leaf](wiki/water.md) green.",
        "Water keeps the leaf green [[Leaf]].",
        "Boil it at 10:30 or 11:45, in src/kettle.py.",
        "```\nWater keeps the leaf green.^[raw/tea.md]\n```",
        "![Water keeps the leaf green](raw/tea.md)",
        "- [All about the steeping of tea](raw/tea.md)",
        "- See [[raw/tea]] — what the manual says of it",
        "1. [Steeping](raw/tea.md): a long manual on how tea is made",
    ],
)
def test_other_pages_times_and_code_are_no_citations(text: str) -> None:
    """A link to a page of the wiki proves nothing, unless it names lines."""
    assert read_cited_claims(f"# Tea\n\n{text}\n", "wiki/tea.md", resolve) == ()


def test_several_ranges_of_a_file_are_cited() -> None:
    """Each is a place of its own, and none is left over in the claim."""
    text = "Water keeps the leaf green (`raw/tea.md:1,3-5`).\n"
    [claim] = read_cited_claims(text, "wiki/tea.md", resolve)
    assert (claim.text, claim.urls) == ("Water keeps the leaf green.", ("raw/tea.md#L1-L1", "raw/tea.md#L3-L5"))


def test_some_numbers_may_be_files_and_others_addresses() -> None:
    """Each is a source of the claim."""
    listed = "## References\n\n1. raw/tea.md\n2. Knives, https://knives.test/\n"
    [both, one] = read_cited_claims(f"Forks are long [1, 2]. Knives are sharp [2].\n\n{listed}", "r.md", resolve)
    assert set(both.urls) == {"https://knives.test/", "raw/tea.md"}
    assert one.urls == ("https://knives.test/",)


@given(st.text(alphabet="ab [](){}^`:#/.\n-1L|@", max_size=200))
def test_lines_stay_and_nothing_is_raised(text: str) -> None:
    """Whatever the text: its lines are those of the report."""
    found = read_local_citations(text, {"sources": [1, None, {"path": 2}]}, lambda _: "raw/a.md")
    assert found.text.count("\n") == text.count("\n")


# --- the command -----------------------------------------------------------------------------------------------------

PAGE = f"""{HEAD}# Tea

The manual says "{WORDS[:-1]}".^[raw/tea.md:3]
It also says "Hotter water draws bitter compounds out within the first 3 minutes".^[raw/tea.md:3]
Hotter water draws bitter compounds out within the first 5 minutes. [[raw/tea]]
Boil water for a number of seconds (`src/kettle.py:5`).
Steam is invisible and hot.^[raw/steam.md]
Cups are fired twice, and glazed in between.[^notes]
"""


def run(*args: str) -> Result:
    """The command, without a network."""
    return CliRunner().invoke(main, ["audit", "--offline", *args])


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A wiki as the current folder."""
    put(tmp_path, FILES | {"wiki/tea.md": PAGE})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def claims(*args: str) -> list[dict[str, Any]]:
    """The audited claims."""
    found: list[dict[str, Any]] = json.loads(run(*args, "--format", "json").stdout)["claims"]
    return found


@pytest.mark.usefixtures("wiki")
def test_a_wiki_is_compared_with_its_files() -> None:
    """What is in the cited lines is found; other lines, other figures and missing files are told apart."""
    found = claims("wiki")
    assert [(claim["line"], claim["verdict"]) for claim in found] == [
        *((8, "found verbatim"), (9, "other lines"), (10, "figures differ")),
        *((11, "found verbatim"), (12, "unreadable"), (13, "found verbatim")),
    ]
    assert found[1]["reason"].endswith("is not in the cited lines; it is in line 5 of raw/tea.md")
    assert found[4]["codes"] == ["A001", "A007"]
    assert run("wiki").exit_code == 1


LISTED = """# Tea

Bitter compounds come out within 3 minutes [1]. Bitter compounds come out within 300 minutes [1].
The catechins stay in the leaf [2]. The catechins leave it [3].

## Sources

Paths are below the folder of the wiki.

1. [raw/tea.md, "draws bitter compounds out within the first 3 minutes"]
2. raw/tea.md: “keeps the catechins in the leaf”
3. raw/tea.md - "drives the catechins out of the leaf"
"""


def test_quotes_in_the_list_of_sources_are_compared(wiki: Path) -> None:
    """The quote of each number, and the figures of the claim in other words: a wrong one is not found."""
    put(wiki, {"wiki/listed.md": LISTED})
    found = claims("wiki/listed.md")
    assert [(claim["verdict"], len(claim["quotes"])) for claim in found] == [
        *(("found verbatim", 1), ("not found", 1), ("found verbatim", 1), ("not judged", 1)),
    ]
    assert "300" in found[1]["reason"]
    assert found[3]["reason"].startswith("“drives the catechins out of the leaf” is in other words than its source")


KEYED = """---
references:
  - id: tea
    title: Steeping
    custom:
      file: documents/tea.md
      quotes:
        q1: keeps **the catechins** in the leaf
        q2: Hotter water draws bitter compounds out within the first 5 minutes
---
# Tea

The catechins stay in the leaf [@tea, q1]. Bitter compounds come out later [@tea, q2].
"""


def test_quotes_by_key_are_compared(wiki: Path) -> None:
    """Those of a page of Planbook, with the marks of Markdown or without."""
    put(
        wiki,
        {"wiki/keyed.md": KEYED, "documents/tea.md": FILES["raw/tea.md"].replace("the catechins", "**the catechins**")},
    )
    assert [claim["verdict"] for claim in claims("wiki/keyed.md")] == ["found verbatim", "figures differ"]


def test_each_file_has_its_counts(wiki: Path) -> None:
    """At the end, with the files of which something is wrong first."""
    put(wiki, {"wiki/cups.md": "Cups are fired twice, and glazed in between.^[sources/notes.txt]\n"})
    lines = run("wiki").stdout.splitlines()
    at = lines.index("7 claims: 4 found verbatim, 1 other lines, 1 figures differ, 1 unreadable")
    assert lines[at + 2] == "not checked: 1 claim: 1 a source could not be read"
    shown = [line.split() for line in lines[at + 3 :]]
    assert shown == [
        ["file", "claims", "found", "inexact", "wrong", "open", "not", "read", "no", "source"],
        ["wiki/tea.md", "6", "3", "0", "2", "0", "1", "0"],
        ["wiki/cups.md", "1", "1", "0", "0", "0", "0", "0"],
        ["not", "checked:", "1", "file", "without", "a", "citation,", "with", "0", "statements"],
    ]
    data = json.loads(run("wiki", "--format", "json").stdout)["files"]
    counts = {"claims": 6, "found": 3, "inexact": 0, "differs": 1, "moved": 1, "wrong": 2}
    assert data[0] == {"uri": "wiki/tea.md", **counts, "open": 0, "unread": 1, "unsourced": 0}


def test_no_file_outside_the_folder_is_read(wiki: Path) -> None:
    """Not by a path that leads out, a link, or the name of a hidden file."""
    put(wiki.parent, {"secret.md": "The password is a word that nobody else may ever read.\n"})
    put(wiki, {".env": "PASSWORD=word that nobody else may ever read\n"})
    (wiki / "raw" / "out.md").symlink_to(wiki.parent / "secret.md")
    text = "The password is a word{}\n\n"
    marks = ("^[../secret.md]", "^[../../secret.md]", "^[.env:1]", "^[raw/out.md]", f"^[{wiki.parent}/secret.md]")
    put(wiki, {"wiki/tea.md": "".join(text.format(mark) for mark in marks)})
    done = run("wiki")
    assert "nobody else may ever read" not in done.output
    assert {claim["verdict"] for claim in claims("wiki")} <= {"unreadable"}


def test_what_cannot_be_read_is_not_checked(wiki: Path) -> None:
    """A claim with an unread source is neither right nor wrong, unless the other source has its words."""
    both = ".^[raw/steam.md] [[raw/tea]]\n\n"
    put(wiki, {"wiki/two.md": f'The manual says "Steam is invisible and very hot"{both}{WORDS[:-1]}{both}'})
    found = claims("wiki/two.md")
    assert [claim["verdict"] for claim in found] == ["unreadable", "found verbatim"]
    assert found[0]["reason"] == "not in the sources that could be read"
    assert "A004" not in found[0]["codes"]


def test_sources_of_the_page_are_those_of_its_quotes_and_figures(wiki: Path) -> None:
    """If no statement cites anything. A page is no source of itself, nor is another one of its name."""
    altered = WORDS.replace("keeps", "holds")[:-1]
    others = f'It says "{altered}".\n\nAsk "what is it good for at all?".\n\nTea is nice to have.\n'
    text = f"{HEAD}# Tea\n\n{WORDS}\n\n{others}"
    named = f"---\nsources: [tea.md]\n---\n{WORDS}\n"
    put(wiki, {"wiki/page.md": text, "wiki/pages/tea.md": named})
    (wiki / "wiki" / "tea.md").unlink()
    found = claims("wiki/page.md")
    verdicts = [(8, "found verbatim"), (10, "inexact quote"), (12, "not judged")]
    assert [(claim["line"], claim["verdict"]) for claim in found] == verdicts
    assert [source["URL"] for source in found[0]["sources"]] == ["raw/tea.md", "sources/notes.txt"]
    [claim] = claims("wiki/pages/tea.md")
    assert [source["URL"] for source in claim["sources"]] == ["raw/tea.md"]


def test_a_name_is_in_any_of_the_lines_cited_of_its_file(wiki: Path) -> None:
    """Lines of its body count, also those of a text in it; a key that a file has twice is of no place."""
    text = "\n".join(f"    lines.push(`\n\n# Heading {n}\n\nWords of a text.\n`)" for n in range(4))
    keys = "const a = {\n  water_limit: 3,\n}\n" * 2
    program = f"function boilWater() {{\n{text}\n}}\n\nfunction pourWater() {{\n  return 1\n}}\n{keys}"
    lines = {
        "one of two places": "`pourWater` (`src/pot.ts:3`, `src/pot.ts:28`)",
        "a text of the body": "`boilWater()` (`src/pot.ts:24`)",
        "the next function": "`boilWater()` (`src/pot.ts:28`)",
        "a key of two": "`water_limit` (`src/pot.ts:3`)",
    }
    page = "".join(f"The program heats the water in {line} of the pot.\n\n" for line in lines.values())
    put(wiki, {"src/pot.ts": program, "wiki/code.md": page})
    verdicts = ["not judged", "not judged", "other lines", "not judged"]
    found = claims("wiki/code.md")
    assert [claim["verdict"] for claim in found] == verdicts, [claim["reason"] for claim in found]


@pytest.mark.parametrize(
    "sources",
    ["\n  - [[leaf]]", " [[leaf], [notes]]", " [[leaf]]", "\n  - '[[leaf]]'", "\n  - path: [[leaf]]"],
)
def test_wikilinks_among_the_sources_need_no_quotation_marks(wiki: Path, sources: str) -> None:
    """YAML reads `[[leaf]]` as a list in a list."""
    put(
        wiki,
        {"raw/leaf.md": f"{WORDS}\n", "wiki/page.md": f"---\nsources:{sources}\n---\n{WORDS}\n\nIt holds 12 cups.\n"},
    )
    found = claims("wiki/page.md")
    assert [claim["sources"][0]["URL"] for claim in found] == ["raw/leaf.md"] * 2


def test_a_wikilink_among_the_sources_may_have_any_signs(wiki: Path) -> None:
    """It is the name of a note."""
    name = "Guinea's tea, green (2024)"
    put(wiki, {f"raw/{name}.md": f"{WORDS}\n", "wiki/page.md": f"---\nsources:\n  - [[{name}]]\n---\n{WORDS}\n"})
    [claim] = claims("wiki/page.md")
    assert [source["URL"] for source in claim["sources"]] == [f"raw/{name}.md"]


@pytest.mark.parametrize("folder", ["fontes", "Fuentes", "quellen", "\u6765\u6e90"])
def test_a_folder_of_sources_may_have_its_name_in_another_language(wiki: Path, folder: str) -> None:
    """A page cites its files in sentences."""
    put(wiki, {f"wiki/{folder}/Rye-2024.md": f"{WORDS}\n", "wiki/page.md": f"{WORDS} [[Rye-2024]]\n"})
    [claim] = claims("wiki/page.md")
    assert claim["verdict"] == "found verbatim"


def test_the_empty_line_behind_the_last_one_is_no_missing_line(wiki: Path) -> None:
    """Editors and programs count it."""
    put(wiki, {"wiki/page.md": 'It will "Boil water for a number of seconds" (`src/kettle.py:1-6`).\n'})
    assert [claim["verdict"] for claim in claims("wiki/page.md")] == ["found verbatim"]
    put(wiki, {"wiki/page.md": 'It will "Boil water for a number of seconds" (`src/kettle.py:1-7`).\n'})
    [claim] = claims("wiki/page.md")
    assert "src/kettle.py has 5 lines, and no lines 1 to 7" in str(claim)


def test_a_drawing_in_the_page_makes_no_claim(wiki: Path) -> None:
    """The address of its namespace is no source."""
    drawing = (
        '<svg viewBox="0 0 9 9" xmlns="http://www.w3.org/2000/svg">\n<text>All 12 weights are 1 in sum</text>\n</svg>'
    )
    put(wiki, {"wiki/page.md": f"# Tea\n\n{drawing}\n\n{WORDS} [[raw/tea]]\n"})
    [claim] = claims("wiki/page.md")
    assert (claim["line"], claim["verdict"]) == (7, "found verbatim")


def test_links_alone_make_no_claim(wiki: Path) -> None:
    """Their labels are titles, whatever the list above them is called."""
    links = "- [[tea|All about the steeping of 12 green teas]]\n\nTools: [[tea]], [[water|Hot water for 3 cups]].\n"
    put(wiki, {"raw/leaf.md": "All about the steeping of 12 green teas\n"})
    head = "---\nsources: [raw/leaf.md]\n---\n# Tea\n\n## \u5173\u8054\u9875\u9762\n\n"
    put(wiki, {"wiki/page.md": head + links})
    assert claims("wiki/page.md") == []


def test_a_block_quotation_below_the_title_is_the_pages_own(wiki: Path) -> None:
    """It says what the page is about; another one with a source is a quotation."""
    words = "The kettle of the house sings whenever someone has filled it with cold water"
    put(
        wiki,
        {"wiki/page.md": f"# Tea\n\n> {words}. \u2014 [[raw/tea]]\n\nText.\n\n> {words} again. \u2014 [[raw/tea]]\n"},
    )
    found = claims("wiki/page.md")
    assert [(claim["line"], claim["verdict"]) for claim in found] == [(3, "not judged"), (7, "not found")]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("`boil_water` is called in the first line (`src/kettle.py:50-60`).", "not found"),
        ("Modify `boil_water` for the new arguments (`src/kettle.py:50-60`).", "unreadable"),
        ("It is clear where the helper is to be seen (`src/kettle.py:50-60`).", "unreadable"),
    ],
)
def test_missing_lines_make_a_statement_on_a_program_wrong(wiki: Path, text: str, verdict: str) -> None:
    """A step of a plan, and a pointer, state nothing of the file."""
    put(wiki, {"wiki/page.md": f"# Tea\n\n{text}\n"})
    [claim] = claims("wiki/page.md")
    assert claim["verdict"] == verdict, claim["reason"]


LISTED_BELOW = """# Kettle

Tea is old, and nobody knows since when.

## Boiling

It will "Boil water for a number of seconds". The limit is 30 seconds for all water.

It has its own source (`raw/tea.md:3`).

**Section sources**
- [kettle.py](file://src/kettle.py#L1-L5)
- [tea.md](file://raw/tea.md#L3-L5)

## Cups

Cups hold water for a number of seconds.

**Diagram sources**
- [kettle.py](file://src/kettle.py#L1-L5)
"""


def test_sources_that_are_listed_below_a_section_are_those_of_its_statements(wiki: Path) -> None:
    """They are those of the statements without one, and of no other section; a diagram's are of no statement."""
    put(wiki, {"wiki/page.md": LISTED_BELOW})
    found = claims("wiki/page.md")
    both = ["src/kettle.py#L1-L5", "raw/tea.md#L3-L5"]
    assert [(claim["line"], [source["URL"] for source in claim["sources"]]) for claim in found] == [
        (7, both),
        (7, both),
        (9, ["raw/tea.md#L3-L3"]),
    ]
    assert found[0]["verdict"] == "found verbatim"
    put(wiki, {"wiki/page.md": LISTED_BELOW.replace("limit is 30", "limit is 31")})
    assert claims("wiki/page.md")[1]["verdict"] == "not judged"  # the section may have it from elsewhere


@pytest.mark.parametrize("field", ["raw: '[[raw/tea]]'", "source_file: raw/tea.md", "source_path: raw/tea.md"])
def test_a_page_names_the_one_file_that_it_was_written_from(wiki: Path, field: str) -> None:
    """In a field of its own; an address there is none of a file."""
    head = f"---\nsource: https://tea.test/x\n{field}\n---\n"
    put(wiki, {"wiki/page.md": f"{head}{WORDS}\n\nIt holds 12 cups.\n"})
    (found, _) = claims("wiki/page.md")
    assert [source["URL"] for source in found["sources"]] == ["raw/tea.md"]
    put(wiki, {"wiki/page.md": f"---\nsources: []\n{field}\n---\n{WORDS}\n"})
    assert [claim["sources"][0]["URL"] for claim in claims("wiki/page.md")] == ["raw/tea.md"]
    put(wiki, {"wiki/page.md": f"---\nsource_path: https://tea.test/x\n---\n{WORDS}\n"})
    assert claims("wiki/page.md") == []


def test_a_saved_page_is_read_instead_of_its_host(wiki: Path) -> None:
    """If one file of a folder raw names the address; a note elsewhere is in other words."""
    links = {n: f"([{n}](https://tea.test/{n}))" for n in "abc"}
    page = f"{WORDS[:-1]} {links['a']}.\n\nSteam burns it {links['b']}.\n\nIt is hot {links['c']}.\n"
    saved = {f"raw/{n}.md": f"---\ntitle: Tea\nurl: 'http://www.tea.test/{n}'\n---\n{WORDS}\n" for n in "ab"}
    two = {"raw/d.md": saved["raw/b.md"], "sources/c.md": "---\nurl: https://tea.test/c\n---\nIt is.\n"}
    put(wiki, {"wiki/page.md": page, **saved, **two})
    found = claims("wiki/page.md")
    assert [claim["verdict"] for claim in found] == ["found verbatim", "unreadable", "unreadable"]
    assert (found[0]["sources"][0]["URL"], found[0]["sources"][0]["detail"]) == (
        "https://tea.test/a",
        "saved in raw/a.md",
    )


def test_a_name_is_looked_for_in_the_lines_cited_for_it(wiki: Path) -> None:
    """If it is defined elsewhere in the file, the lines are wrong; other words near a citation say nothing."""
    lines = (
        "`boil_water()` (`src/kettle.py:4`)",
        "`boil_water` at `src/kettle.py:1`",
        "`pour_tea` (`src/kettle.py:200`)",
    )
    text = "".join(f"The program has the function {line} for water.\n\n" for line in lines)
    more = "\n" * 8
    put(wiki, {"src/kettle.py": f"LIMIT = 30\n{more}def boil_water(seconds):\n    pass\n", "wiki/code.md": text})
    found = claims("wiki/code.md")
    assert [claim["verdict"] for claim in found] == ["other lines", "other lines", "not found"]
    assert found[1]["reason"] == "“boil_water” is not in the cited lines; it is defined in line 10 of src/kettle.py"
    put(wiki, {"wiki/code.md": "The function `boil_water` (`src/kettle.py:11`) heats the water up.\n"})
    assert claims("wiki/code.md")[0]["verdict"] == "not judged"


def test_lines_may_be_those_of_another_name_before_them(wiki: Path) -> None:
    """What a function makes is named behind it; the citation before that ends what may be meant."""
    program = "class SumOfCups:\n    pass\n" + "\n" * 20 + "def fold_cups(cups):\n    return cups\n"
    page = "".join(
        f"The program {words} of the kettle.\n\n"
        for words in (
            "has `fold_cups`, which makes a `SumOfCups` (`src/cups.py:23`)",
            "has `fold_cups` (`src/cups.py:23`), which makes a `SumOfCups` (`src/cups.py:23`)",
        )
    )
    put(wiki, {"src/cups.py": program, "wiki/code.md": page})
    assert [claim["verdict"] for claim in claims("wiki/code.md")] == ["not judged", "other lines"]


def test_lines_in_the_body_of_a_name_are_its_lines(wiki: Path) -> None:
    """As far as its indentation goes; names that every program has are not looked for."""
    body = "".join(f"    step_{n} = {n}\n" for n in range(20))
    program = f"class BigKettle:\n{body}\n\nmode = 1\n{body.replace('    ', '')}"
    names = (
        *("`BigKettle` (`src/kettle.py:12`)", "`BigKettle` (`src/kettle.py:32`)", "`mode` (`src/kettle.py:12`)"),
        *("`step_19` (`src/kettle.py:1`)", "`step_19` (`src/kettle.py:30`)"),
    )
    text = "".join(f"The water is heated by {name} of the program.\n\n" for name in names)
    put(wiki, {"src/kettle.py": program, "wiki/code.md": text})
    verdicts = ["not judged", "other lines", "not judged", "not judged", "other lines"]
    assert [claim["verdict"] for claim in claims("wiki/code.md")] == verdicts


def test_a_number_may_be_written_otherwise(wiki: Path) -> None:
    """A version in a name is the version; another one is nowhere in the source."""
    source = "The suite pull-tea-main-1-31 of the tea failed on the node v1.32.0 with the cups.\n"
    claim = "The suite of the tea failed on the node with the cups of {} [[raw/suite]].\n\n"
    put(wiki, {"raw/suite.md": source, "wiki/code.md": "".join(map(claim.format, ("1.31", "1.32", "1.33")))})
    found = claims("wiki/code.md")
    assert [claim["verdict"] for claim in found] == ["not judged", "not judged", "not found"]
    assert found[2]["reason"] == "“1.33” is nowhere in its sources"


@pytest.mark.usefixtures("wiki")
def test_a_quote_belongs_to_the_citation_beside_it() -> None:
    """Of one that stands elsewhere in the sentence, nothing is said."""
    far = "which is what most people whom we have asked at home and elsewhere believe to this day, as far as we know"
    Path("wiki/far.md").write_text(f'They say "tea is always drunk cold", {far} [[raw/tea]].\n', encoding="utf-8")
    assert [claim["verdict"] for claim in claims("wiki/far.md")] == ["not judged"]


# --- the folder as a whole -------------------------------------------------------------------------------------------


def test_an_unchanged_file_is_not_compared_again(wiki: Path) -> None:
    """The results are the same, and the command says so; a change of the page or of a source counts."""
    put(wiki, {"wiki/cups.md": "Cups are fired twice, and glazed in between.^[sources/notes.txt]\n"})
    first, second = run("wiki").stdout, run("wiki").stdout
    assert second == f"{first}2 of 2 files unchanged since an earlier audit\n"
    put(wiki, {"raw/tea.md": f"# Steeping\n\n\n{WORDS}\n"})
    changed = run("wiki").stdout
    assert changed.endswith("1 of 2 files unchanged since an earlier audit\n")
    assert "not in the cited lines; it is in line 4 of raw/tea.md" in changed
    put(wiki, {"raw/steam.md": "Steam is invisible and hot.\n"})
    assert "wiki/tea.md:12: found verbatim" in run("wiki").stdout


def test_an_audit_that_is_interrupted_goes_on_where_it_was(wiki: Path) -> None:
    """What was compared before is kept, and the passages of a source are ranked once for all claims of a page."""
    calls: list[list[str]] = []
    shown: list[str] = []

    def rank(_: Sequence[Excerpt], texts: Sequence[str]) -> list[list[tuple[Quotation, float]]]:
        calls.append(list(texts))
        if any("twice" in text for text in texts):
            raise KeyboardInterrupt
        return [[] for _ in texts]

    tea = f"{WORDS[:-1]}.^[raw/tea.md]\n\nTea is drunk hot by most people.^[raw/tea.md]\n"
    pages = {"wiki/tea.md": tea, "wiki/cups.md": "Cups are fired twice, and glazed in between.^[sources/notes.txt]\n"}
    put(wiki, pages)
    for _ in range(2):
        folder = AuditedFolder(wiki, "documents/", DiskCache(wiki / "cache"))
        reports = folder.read_pages(pages)
        with pytest.raises(KeyboardInterrupt):
            folder.compare(reports, {}, lambda _: (), rank, shown.append)
    assert calls == [
        [WORDS, "Tea is drunk hot by most people."],
        *[["Cups are fired twice, and glazed in between."]] * 2,
    ]
    assert shown[:2] == [f"comparing page {n} of 2 with its sources: {uri}" for n, uri in enumerate(pages, 1)]


def test_a_long_audit_shows_the_first_wrong_claims(wiki: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three of them, on standard error; its results come at its end."""
    quote = 'The manual says "water at {} degrees keeps the catechins in the leaf".^[raw/tea.md]'
    pages = {f"wiki/{n}.md": f"{WORDS[:-1]}.^[raw/tea.md]\n\n{quote.format(n)}\n" for n in range(81, 86)}
    put(wiki, pages)

    def shown(first: FirstFindings) -> list[str]:
        folder = AuditedFolder(wiki, "documents/", DiskCache(wiki / "cache"), first.watch)
        folder.compare(folder.read_pages(pages), {}, lambda _: (), lambda _, texts: [[] for _ in texts])
        return capsys.readouterr().err.splitlines()

    assert shown(FirstFindings()) == []
    lines = shown(FirstFindings(after_s=0))
    assert [line.partition(":")[0] for line in lines] == ["wiki/81.md", "wiki/82.md", "wiki/83.md"]
    assert lines[0].startswith("wiki/81.md:3: figures differ: the quote says “81”, the source “80”")


def test_claims_in_other_words_are_on_the_page_alone(wiki: Path) -> None:
    """If one is written: they are most claims of a wiki. The totals count them."""
    put(wiki, {"wiki/cups.md": "Most cups of the house are blue, and some have a lid.^[sources/notes.txt]\n"})
    place = "wiki/cups.md:1: not judged"
    assert place in run("wiki").stdout
    shown = run("wiki", "--page", "audit.md").stdout
    assert place not in shown
    assert "1 not judged" in shown
    assert "wiki/cups.md:1" in (wiki / "audit.md").read_text(encoding="utf-8")


def test_the_page_has_counts_and_places(wiki: Path) -> None:
    """It is written where the user says, and is no report of the next audit."""
    put(wiki, {"wiki/cups.md": "Cups are fired twice, and glazed <b>in between</b>.\n"})
    run("wiki", "--page", "wiki/audit.md")
    page = (wiki / "wiki" / "audit.md").read_text(encoding="utf-8")
    assert "7 statements in 3 files: 6 with a source, 3 found in it." in page
    assert "| [wiki/tea.md](tea.md) | 6 | 6 | 3 | 0 | 1 | 1 | 0 | 0 | 1 | 0 |" in page
    assert "Not checked: 2 files without a citation, with 1 statement." in page
    assert "- [wiki/tea.md:9](tea.md#L9): It also says" in page
    assert page.index("## In other lines than the cited ones") < page.index("## Files") < page.index("## Not checked")
    assert "wiki/audit.md" not in run("wiki", "--page", "wiki/audit.md").stdout
    assert "wiki/audit.md" not in run("wiki").stdout
    assert "wiki/audit.md" not in run("wiki", "--page", "second.md").stdout
    run(".", "--page", "audit.md")
    assert (wiki / "audit.md").read_text(encoding="utf-8").startswith("# Audit of test")


def test_the_page_names_the_sources_that_have_nothing_similar(wiki: Path) -> None:
    """Whoever checks a claim that is not found has to know where to look."""
    put(wiki, {"wiki/rain.md": 'The notes say "snow lies deep upon cold hills".^[sources/notes.txt]\n'})
    run("wiki", "--page", "audit.md")
    page = (wiki / "audit.md").read_text(encoding="utf-8")
    assert "    - nothing similar in sources/notes.txt\n" in page


def test_a_file_that_cannot_be_read_stops_no_audit(wiki: Path) -> None:
    """It is named, and counts as not checked; as the only one it is an error."""
    (wiki / "wiki" / "odd.md").write_bytes(b"Caf\xe9 is no tea.\n")
    done = run("wiki")
    assert "wiki/tea.md:8: found verbatim" in done.stdout
    assert done.stderr.startswith("not checked: wiki/odd.md")
    assert run("wiki/odd.md").stdout == ""
    assert run("wiki/odd.md").exit_code == 1


def test_saved_sources_are_no_pages(wiki: Path) -> None:
    """A folder `raw` below the audited one is read as a source only, and no address in it is asked for."""
    put(wiki, {"raw/tea.md": "# Tea\n\nSteam is hot and rises up, as is said ([s](https://tea.test/)).\n"})
    assert "https://tea.test/" not in run(".").stdout
    assert "https://tea.test/" in run("raw").stdout


# --- bibliographies --------------------------------------------------------------------------------------------------

BIBTEX = r"""
@article{rye2019, title = {Rye {B}read}, doi = {10.1234/rye\_2019}, file = {Full text:../raw/tea.md:TXT}}
@misc{oats, title = {Oats}, howpublished = {\url{https://oats.test/a}}}
@article{paper, title = {A paper}, eprint = {2401.00001}, archiveprefix = {arXiv}}
@book{shelf, title = {A printed book}}
@broken{
"""
CSL = [
    {"id": "cups", "type": "webpage", "title": "Cups", "URL": "https://cups.test/"},
    {"id": "oats", "type": "webpage", "title": "Other oats", "URL": "https://other.test/"},
]


def test_keys_of_bibliographies_are_citations(wiki: Path) -> None:
    """A file that an entry names is read; an entry without a place and an unknown key are not checked."""
    keys = ("rye2019", "oats", "cups", "paper", "shelf", "unknown")
    text = "".join(f"{WORDS[:-1]} [@{key}].\n\n" for key in keys)
    put(wiki, {"wiki/refs.bib": BIBTEX, "more.json": json.dumps(CSL), "wiki/keys.md": text})
    put(wiki, {"package.json": json.dumps({"name": "no bibliography"})})
    found = {claim["sources"][0]["URL"]: claim for claim in claims("wiki/keys.md")}
    assert list(found) == [
        *("raw/tea.md", "https://oats.test/a", "https://cups.test/", "https://arxiv.org/abs/2401.00001"),
        *("wiki/refs.bib@shelf", "@unknown"),
    ]
    assert found["raw/tea.md"]["verdict"] == "found verbatim"
    assert found["wiki/refs.bib@shelf"]["codes"] == ["A002", "A007"]
    assert found["wiki/refs.bib@shelf"]["sources"][0]["detail"].endswith("neither an address nor a file of shelf")
    assert found["@unknown"]["codes"] == ["A001", "A007"]


def test_the_front_matter_names_the_bibliography(wiki: Path) -> None:
    """Then no other one is read."""
    put(wiki, {"wiki/refs.bib": BIBTEX, "more.json": json.dumps(CSL)})
    put(wiki, {"wiki/keys.md": f"---\nbibliography: ../more.json\n---\n{WORDS[:-1]} [@oats; @rye2019].\n"})
    [claim] = claims("wiki/keys.md")
    assert [source["URL"] for source in claim["sources"]] == ["https://other.test/", "@rye2019"]


@pytest.mark.usefixtures("wiki")
def test_without_a_bibliography_a_name_in_brackets_is_no_citation() -> None:
    """Packages and people have such names, too."""
    Path("wiki/keys.md").write_text("The package is one of many others [@babel/core].\n", encoding="utf-8")
    assert claims("wiki/keys.md") == []


KEYED_FORMS = {
    "LaTeX": (r"\cite{rye2019}", ["raw/tea.md"]),
    "behind a tie": (r"~\cite{rye2019}", ["raw/tea.md"]),
    "in brackets": (r"\citep{rye2019}", ["raw/tea.md"]),
    "in the text": (r"\citet*{rye2019}", ["raw/tea.md"]),
    "BibLaTeX": (r"\parencite{rye2019}", ["raw/tea.md"]),
    "with a page": (r"\autocite[p.~3]{rye2019}", ["raw/tea.md"]),
    "with words before it": (r"\citep[see][p.~3]{rye2019}", ["raw/tea.md"]),
    "several": (r"\cite{oats, rye2019}", ["https://oats.test/a", "raw/tea.md"]),
    "an unknown one": (r"\cite{unknown}", ["@unknown"]),
    "MultiMarkdown": ("[#rye2019]", ["raw/tea.md"]),
    "MultiMarkdown, with a page": ("[p. 3][#rye2019]", ["raw/tea.md"]),
    "a wikilink": ("[[@rye2019]]", ["raw/tea.md"]),
    "a wikilink with a label": ("[[@rye2019|Rye, 2019]]", ["raw/tea.md"]),
}


@pytest.mark.parametrize(("written", "urls"), KEYED_FORMS.values(), ids=KEYED_FORMS)
def test_keys_are_read_in_the_forms_of_latex_and_of_notes(wiki: Path, written: str, urls: list[str]) -> None:
    """As Pandoc's `[@rye2019]`: the sentence is the same without them."""
    put(wiki, {"wiki/refs.bib": BIBTEX, "wiki/keys.md": f"{WORDS[:-1]} {written}.\n"})
    [claim] = claims("wiki/keys.md")
    assert [source["URL"] for source in claim["sources"]] == urls
    assert (claim["claim"], claim["quotes"]) == (WORDS, [])


@pytest.mark.parametrize("written", ["[#Pots]", "[[#Pots]]", r"\nocite{rye2019}", r"`\cite{rye2019}`", "[[@nobody]]"])
def test_headings_and_code_are_no_keys(wiki: Path, written: str) -> None:
    """Nor is what the bibliography does not have in a form that notes use for other things."""
    put(wiki, {"wiki/refs.bib": BIBTEX, "wiki/keys.md": f"{WORDS[:-1]} {written}.\n"})
    assert claims("wiki/keys.md") == []


# --- a wiki in the repository that it is about ------------------------------------------------------------------

BLOB = "https://github.com/leaf/tea/blob"
LINKED = (
    f'The manual says "{WORDS[:-1]}" ([tea.md:3]({BLOB}/main/raw/tea.md#L3)).\n\n'
    f"{WORDS[:-1]} ([tea.md:5]({BLOB}/main/raw/tea.md#L5)).\n\n"
    f'The manual says "{WORDS[:-1]}" ([tea.md]({BLOB}/main/raw/tea.md#L5)).\n\n'
    f"The function `boil_water` ([kettle.py:1]({BLOB}/main/src/kettle.py#L1)) heats the water.\n\n"
    f"The water is heated by [`boil_water`]({BLOB}/main/src/kettle.py#L12) of the program.\n\n"
    f"All of the programs of the kettle are in one folder ([src]({BLOB}/main/src)).\n"
)
BOIL = "LIMIT = 30\n" + "\n" * 8 + "def boil_water(seconds):\n    wait(seconds)\n    return seconds\n"


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with its code and a wiki that links to the code on its host."""
    repository = make_repository(tmp_path / "tea")
    repository.commit({"raw/tea.md": FILES["raw/tea.md"], "src/kettle.py": BOIL, "wiki/code.md": LINKED})
    monkeypatch.chdir(repository.root)
    return repository


def test_a_wiki_in_a_clone_is_compared_with_its_code(clone: Repository) -> None:
    """Without an option: lines count as those of a file beside it, and a folder is not missing."""
    git(clone.root, "remote", "add", "origin", "git@github.com:Leaf/tea.git")
    found = claims("wiki")
    verdicts = ["found verbatim", "not judged", "other lines", "other lines", "not judged", "unreadable"]
    assert [claim["verdict"] for claim in found] == verdicts
    assert found[2]["reason"].endswith("is not in the cited lines; it is in line 3 of raw/tea.md")
    assert found[3]["reason"] == "“boil_water” is not in the cited lines; it is defined in line 10 of src/kettle.py"
    assert found[5]["sources"][0]["state"] == "unreachable"
    assert found[0]["sources"][0]["detail"].startswith(f"commit {git(clone.root, 'rev-parse', 'HEAD')[:12]}")


def test_a_clone_without_the_remote_is_known_by_its_files(clone: Repository) -> None:
    """Most of the cited files are there. Of another repository, nothing is read."""
    path = clone.root / "wiki" / "code.md"
    put(
        clone.root,
        {
            "raw/more.md": "# More\n",
            "wiki/more.md": f"All that is known of tea is here ([m]({BLOB}/main/raw/more.md)).\n",
        },
    )
    clone.commit({})
    assert "found verbatim" in {claim["verdict"] for claim in claims("wiki")}
    path.write_text(LINKED.replace("/raw/tea.md", "/other/tea.md"), encoding="utf-8")
    assert {claim["verdict"] for claim in claims("wiki")} == {"unreadable"}
    git(clone.root, "remote", "add", "origin", "https://github.com/leaf/coffee.git")
    path.write_text(LINKED.replace("/raw/tea.md", "/x.md").replace("/src/kettle.py", "/y.py"), encoding="utf-8")
    assert {claim["verdict"] for claim in claims("wiki")} == {"unreadable"}


def test_a_commit_in_an_address_is_read_at_that_commit(clone: Repository) -> None:
    """Also if the file has changed since."""
    git(clone.root, "remote", "add", "origin", "https://github.com/leaf/tea")
    before = git(clone.root, "rev-parse", "HEAD")
    refs = (before, before[:7], "main", "0123456789")
    text = "".join(f"{WORDS[:-1]} ([tea]({BLOB}/{ref}/raw/tea.md#L3)).\n\n" for ref in refs)
    clone.commit({"raw/tea.md": "# Steeping\n\nNothing is known of it.\n", "wiki/code.md": text})
    verdicts = ["found verbatim", "found verbatim", "not judged", "unreadable"]
    assert [claim["verdict"] for claim in claims("wiki")] == verdicts


def test_a_commit_that_a_mirror_lacks_is_not_missing(clone: Repository, tmp_path: Path) -> None:
    """Also an abbreviated one: the mirror may be older. A branch that it lacks is."""
    mirror = clone.mirror(tmp_path / "mirror")
    texts = (f"{WORDS[:-1]} ([tea]({BLOB}/{ref}/raw/tea.md#L3)).\n\n" for ref in ("0123456789", "next"))
    put(tmp_path / "notes", {"page.md": "".join(texts)})
    arguments = ["audit", str(tmp_path / "notes"), "--offline", "--format", "json", "--mirror", f"leaf/tea={mirror}"]
    found = json.loads(CliRunner().invoke(main, arguments).stdout)["claims"]
    assert [claim["sources"][0]["state"] for claim in found] == ["unreachable", "missing"]
