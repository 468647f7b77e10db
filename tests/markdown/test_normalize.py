"""Fixed Markdown has the lists that CommonMark sees, and nothing else about it changes.

Python-Markdown runs with the extensions of our `mkdocs.yml`; markdown-it-py says what CommonMark gives.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planbook.library.links import find_links, rebase_links
from planbook.markdown.budgets import strip_budget
from planbook.markdown.normalize import fix_markdown
from tests.cases import read_cases
from tests.conftest import ROOT
from tests.growth import DRAWN, assert_linear
from tests.markdown.outline import Lists, built, commonmark, lists_of

CASES = Path(__file__).parent / "cases"
SIGNS = str.maketrans({"→": "\t", "␍": "\r", "·": " "})


def signed(text: str) -> str:
    """The text that a case means, whose white space and end are written with signs."""
    return text.translate(SIGNS).replace("␄\n", "")


def cases(name: str) -> list[object]:
    """The cases of the file, each a test of its own."""
    found = read_cases(CASES / name)
    return [pytest.param(signed(text), signed(expected), id=title) for title, text, expected in found]


def drawn(lists: Lists, indent: str = "") -> str:
    """The items of all lists: a line each, nested ones indented, with a blank line between two lists."""
    lines: list[str] = []
    number = 0
    for kind, words, inner in lists:
        place, _, shape = kind.partition(" of ")
        if place == "first":
            lines.append("\n" if lines else "")
            number = 0 if shape == "ul" else int(shape.removeprefix("ol "))
        lines.append(f"{indent}{'-' if shape == 'ul' else f'{number}.'} {words}".rstrip() + "\n")
        lines.append(drawn(inner, indent + "   "))
        number += 1
    return "".join(lines)


@pytest.mark.parametrize(("text", "expected"), cases("lists.md"))
def test_lists_are_those_of_commonmark(text: str, expected: str) -> None:
    """The case says what CommonMark gives, and the fixed text gives it under Python-Markdown."""
    assert drawn(lists_of(commonmark(text))) == expected
    assert drawn(lists_of(built(fix_markdown(text)))) == expected


@pytest.mark.parametrize(("text", "expected"), cases("kept.md"))
def test_what_needs_no_fix_is_kept(text: str, expected: str) -> None:
    """The text comes back to the letter."""
    assert not expected
    assert fix_markdown(text) == text


@pytest.mark.parametrize(("text", "expected"), cases("fixed.md"))
def test_what_is_fixed_is_written_so(text: str, expected: str) -> None:
    """Where the lists do not tell it, the case shows the fixed text itself."""
    assert fix_markdown(text) == expected


# ------------------------------------------------------------------------------------------- headings


@pytest.mark.parametrize(
    "heading", ["Section 1: Stages (~100 lines)", "3. Layers (80-100 lines)", "Tags (~1,200 lines)"]
)
def test_links_lead_to_headings_without_budgets(heading: str) -> None:
    """A link to the anchor that the heading had leads to it, as does one to the anchor that it has now."""
    (anchor,) = re.findall(r'id="([^"]+)"', built(f"## {heading}\n"))
    html = built(fix_markdown(f"[there](#{anchor})\n\n## {heading}\n"))
    assert anchor in re.findall(r'<h2 id="[^"]+">.*<a id="([^"]+)"></a>', html)
    assert "lines" not in re.sub(r"<[^>]*>", "", html)
    (new,) = re.findall(r'<h2 id="([^"]+)"', built(f"## {strip_budget(heading)}\n"))
    assert f'<h2 id="{new}"' in html


# ---------------------------------------------------------------------------------------------- links

KNOWN = frozenset({"index.md", "a/x.md", "a/y.md", "b/z.md", "b/deep/w.md", "x.md", "b/c d.md"})


@pytest.mark.parametrize(
    ("uri", "link", "expected"),
    [
        ("a/x.md", "[z](b/z.md)", "[z](../b/z.md)"),
        ("a/x.md", "[z](b/z.md#part)", "[z](../b/z.md#part)"),
        ("a/x.md", '[z](b/z.md "Title")', '[z](../b/z.md "Title")'),
        ("a/x.md", "[z](<b/z.md>)", "[z](<../b/z.md>)"),
        ("a/x.md", "[own folder](a/y.md)", "[own folder](y.md)"),
        ("b/deep/w.md", "[z](b/z.md) and [x](a/x.md)", "[z](../z.md) and [x](../../a/x.md)"),
        ("a/x.md", "- [z](b/z.md)\n  - [y](a/y.md)\n", "-   [z](../b/z.md)\n    -   [y](y.md)\n"),
        ("a/x.md", "[home](./index.md)", "[home](../index.md)"),
    ],
)
def test_links_from_the_root_are_fixed(uri: str, link: str, expected: str) -> None:
    """A link that leads to a page only from the base's root leads there from the page."""
    assert fix_markdown(link, rebase_links(find_links(link), uri, KNOWN)) == expected


@pytest.mark.parametrize(
    ("uri", "link"),
    [
        ("a/x.md", "[y](y.md)"),  # right as it stands
        ("a/x.md", "[z](../b/z.md)"),
        ("a/y.md", "[x](x.md)"),  # there is one beside it, and one at the root
        ("x.md", "[z](b/z.md)"),  # from the root, relative and rooted are the same
        ("a/x.md", "[none](b/none.md)"),  # leads nowhere either way: MkDocs is to tell
        ("a/x.md", "[z](/b/z.md)"),
        ("a/x.md", "[z](https://example.org/b/z.md)"),
        ("a/x.md", "[z](b/z.html)"),
        ("a/x.md", "[z](#b/z.md)"),
        ("a/x.md", "`[z](b/z.md)`"),
        ("a/x.md", "```\n[z](b/z.md)\n```"),
        ("a/x.md", "    [z](b/z.md)"),
        ("a/x.md", "<!-- [z](b/z.md) -->"),
        ("a/x.md", "[z](b/../../b/z.md)"),
        ("", "[z](b/z.md)"),  # no page, no place to lead from
    ],
)
def test_other_links_are_left(uri: str, link: str) -> None:
    """What leads somewhere, leads nowhere in any case, or is no link, stays to the letter."""
    assert fix_markdown(link, rebase_links(find_links(link), uri, KNOWN)) == link


# ---------------------------------------------------------------------------------------------- laws

REBASED = {"c.md": "../c.md"}
WORDS = ["rye", "wheat", "dark rye", "**bold**", "`- code`", "2024.", "v1.2", "well-known", "a - b", "Käse", "3) no"]
TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(lambda words: "so " + " ".join(words))
FENCE = ["```sh", "- no list", "    1. neither", "```"]


@st.composite
def lists(draw: st.DrawFn, indent: int = 0, depth: int = 0) -> list[str]:
    """The lines of a list whose items hold text, paragraphs, code and lists, indented in the ways that are found."""
    bullet = draw(st.sampled_from(["-", "*", "+", "1.", "1)", "n."]))
    gap = draw(st.sampled_from([1, 1, 1, 2, 3]))
    lead = draw(st.integers(0, 3)) if depth == 0 else 0
    first = draw(st.sampled_from([1, 1, 3, 10]))
    lines: list[str] = []
    for number in range(first, first + draw(st.integers(1, 3))):
        marker = f"{number}." if bullet == "n." else bullet
        column = indent + lead + len(marker) + gap
        pad = " " * column
        lines.append(f"{' ' * (indent + lead)}{marker}{' ' * gap}{draw(TEXT)}")
        match draw(st.integers(0, 9 if depth < 3 else 5)):
            case 0:
                lines.append(" " * draw(st.sampled_from([0, indent, column])) + draw(TEXT))
            case 1:
                lines += [*draw(st.sampled_from([[], [""]])), *(pad + line for line in FENCE)]
            case 2:
                lines += ["", pad + draw(TEXT), *draw(st.sampled_from([[], [""]]))]
            case 3:
                lines += [pad + "> " + draw(TEXT), *draw(st.sampled_from([[], [""]]))]
            case nested if nested > 5:
                lines += draw(st.sampled_from([[], [], [""]]))
                lines += draw(lists(column + draw(st.integers(0, 3)), depth + 1))
        lines += draw(st.sampled_from([[], [], [], [""]]))
    return lines


PROSE = TEXT.map(lambda text: [text])
OTHERS = st.sampled_from([FENCE, ["## Heading"], ["| a | b |", "|---|---|", "| - x | 1. y |", ""], ["***"]])


@st.composite
def pages(draw: st.DrawFn) -> str:
    """Pages of lists between other blocks, most of them without a blank line between."""
    lines: list[str] = []
    for block in draw(st.lists(st.one_of(lists(), lists(), PROSE, OTHERS), min_size=1, max_size=4)):
        lines += [*block, *draw(st.sampled_from([[], [""]]))]
    return "\n".join(lines) + "\n"


@given(pages())
def test_nesting_is_that_of_commonmark(text: str) -> None:
    """Every item stands in the list, and under the item, where CommonMark sees it, with its own words."""
    assert drawn(lists_of(built(fix_markdown(text)))) == drawn(lists_of(commonmark(text)))


@given(pages().map(lambda text: "".join(f"> {line}\n" for line in text.splitlines())))
def test_nesting_in_a_quote_is_that_of_commonmark(text: str) -> None:
    """The same holds within a block quote."""
    assert drawn(lists_of(built(fix_markdown(text)))) == drawn(lists_of(commonmark(text)))


@given(pages())
def test_fixing_twice_changes_nothing_more(text: str) -> None:
    """What is fixed needs no fixing."""
    once = fix_markdown(text)
    assert fix_markdown(once) == once


@given(pages())
def test_every_word_survives_in_order(text: str) -> None:
    """Only marks, blanks and line ends change."""
    assert re.findall(r"\w+", fix_markdown(text)) == re.findall(r"\w+", text)


ROWS = "| a | b |\n| --- | --- |\n| 1 | 2 |\n"
SHOWN_TABLES = {
    "below a paragraph": (f"The table:\n{ROWS}", f"The table:\n\n{ROWS}"),
    "below two lines": (f"One\ntwo | three\n{ROWS}", f"One\ntwo | three\n\n{ROWS}"),
    "indented": ("One\n  | a |\n  |---|\n", "One\n\n  | a |\n  |---|\n"),
    "line ends as they are": ("One\r\n| a |\r\n|---|\r\n", "One\r\n\n| a |\r\n|---|\r\n"),
    "text below it": (f"One\n{ROWS}two\n", f"One\n\n{ROWS}two\n"),
    "with room": (f"One\n\n{ROWS}", f"One\n\n{ROWS}"),
    "first": (ROWS, ROWS),
    "other columns": ("One\n| a | b |\n|---|\n", "One\n| a | b |\n|---|\n"),
    "in code": (f"```\nOne\n{ROWS}```\n", f"```\nOne\n{ROWS}```\n"),
    "in a quote": ("> One\n> | a |\n> |---|\n", "> One\n> | a |\n> |---|\n"),
}


@pytest.mark.parametrize(("text", "expected"), SHOWN_TABLES.values(), ids=SHOWN_TABLES)
def test_a_table_below_a_paragraph_is_separated(text: str, expected: str) -> None:
    """A table may interrupt a paragraph on GitHub; Python-Markdown needs a blank line."""
    assert fix_markdown(text) == expected


ABOVE = st.lists(st.sampled_from(["text\n", "a | b\n", "| a | b |\n", "\n", "# H\n", "- x\n", "> q\n", "<b>x</b>\n"]))


@given(st.lists(ABOVE.map("".join)).map(lambda above: "".join(f"{text}{ROWS}\n" for text in above)))
@example(f"One\n{ROWS}")
def test_tables_are_those_of_github(text: str) -> None:
    """As many, each with the same cells; a second run changes nothing more."""
    cells = re.compile(r"<table|<t[hd][^>]*>\s*(.*?)\s*</t[hd]>")
    assert cells.findall(built(fix_markdown(text))) == cells.findall(commonmark(text))
    assert fix_markdown(fix_markdown(text)) == fix_markdown(text)


ODD = st.lists(
    st.builds(
        lambda indent, text: " " * indent + text,
        st.integers(0, 8),
        st.sampled_from(
            [
                *("- a", "1. b", "2) c", "-", "text", "", "```", "~~~", "> q", "> - r", "# H", "---", "| a |"),
                *("<div>", "</div>", "<!-- c -->", "[x]: y", "!!! note", "- - d", "a  ", "a\\", "\t- e", "===", "\r"),
            ]
        )
        | st.text(max_size=8),
    ),
    max_size=12,
).map("\n".join)


@given(ODD)
def test_no_text_crashes(text: str) -> None:
    """Any text is fixed into some text, with its words in order but for the tags that fixing adds."""
    added = {"br", "markdown"}
    assert_linear(fix_markdown, text, DRAWN)
    words = [word for word in re.findall(r"\w+", fix_markdown(text, REBASED)) if word not in added]
    assert words == [word for word in re.findall(r"\w+", text) if word not in added]


@given(st.text(alphabet=st.characters(exclude_characters="-*+.)`~<\\", exclude_categories=["Cs"])))
def test_text_without_lists_comes_back_unchanged(text: str) -> None:
    """Where neither list, fence, tag nor escape can be, not a byte changes; `test_escapes.py` has those."""
    assert fix_markdown(text, REBASED) == text


# ---------------------------------------------------------------------------------------------- real files


def test_real_pages_have_all_their_lists(shared: Path) -> None:
    """On every real page, drop and plan, all items are found, no other ones, each in its place."""
    paths = [*sorted((shared / "samples").rglob("*.md")), *sorted((shared / "seeds").glob("*.md"))]
    assert len(paths) > 9
    wrong, count = [], 0
    for path in paths:
        text = path.read_text(encoding="utf-8")
        expected = drawn(lists_of(commonmark(text)))
        count += len(expected.splitlines())
        wrong += [path.name] if drawn(lists_of(built(fix_markdown(text)))) != expected else []
        assert fix_markdown(fix_markdown(text)) == fix_markdown(text)
    assert wrong == []
    assert count > 1_000


def test_our_own_files_have_all_their_lists() -> None:
    """Our plans and pages show under Python-Markdown what they show on GitHub."""
    paths = [*sorted((ROOT / "plans").rglob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]
    texts = [re.sub(r"\A---\n.*?\n---\n", "", path.read_text("utf-8"), flags=re.DOTALL) for path in paths]
    wrong = [
        path.name
        for path, text in zip(paths, texts, strict=True)
        if not re.search(r"^(?:!!!|\?\?\?)", text, re.MULTILINE)
        and drawn(lists_of(built(fix_markdown(text)))) != drawn(lists_of(commonmark(text)))
    ]
    assert wrong == []
