"""The passages of a source."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from planbook.citations.quotes import Readings, contains_quote, words
from planbook.markdown.words import sentence_spans
from planbook.problems import MAX_CODE_LINES, MAX_QUOTE_WORDS
from planbook.research.drafts import Passage, PassageKind, Source
from planbook.research.evidence.blocks import MAX_CHARS
from planbook.research.evidence.brief import quotable_text, render_passage
from planbook.research.evidence.passages import excerpts, form_of
from planbook.research.evidence.quote_sizes import count_words
from planbook.research.web.model import Fetched, Outcome
from tests.cases import differences, read_cases
from tests.growth import assert_linear
from tests.research.documents import document, passages

CASES = list(read_cases(Path(__file__).parent / "cases" / "passages.md"))
BY_CHANCE = "Zq7Lw0Xk2Vd9Rb4Tn6Hs8Mf3Yc5Jp1Ga"


def shown(passage: Passage, term: str, *, is_first: bool) -> dict[str, Any]:
    """A passage as the table of cases writes it."""
    return {
        "kind": passage.kind.value,
        "text": passage.text,
        "headings": list(passage.headings),
        "joins": not is_first,
        "term": term,
        "cut": passage.is_cut,
    }


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_case(text: str, expected: str) -> None:
    """Each case of the table: the passages, in order."""
    found = [
        shown(passage, one.term, is_first=n == 0)
        for one in excerpts(document(text.rstrip("\n")), 1)
        for n, passage in enumerate(one.passages)
    ]
    assert list(differences(found, yaml.safe_load(expected))) == []


MARKDOWN = st.lists(
    st.sampled_from(
        [
            *("# Rye\n\n", "## *Oats* `x`\n\n", "Rye flour drinks a lot of water. "),
            *("So does **oats, e.g. 5 g. of**. ", "It goes on:\n", "- one item of a list\n", "  - one within it\n"),
            *("1. first of all things\n", "\n\n", "```py\nx = 1  # and so on\n\ny = 2\n```\n"),
            *("    indented code of a kind\n", "> quoted words of others\n"),
            *(
                "| a | b |\n|---|---|\n| c and more | d |\n",
                "<div>x</div>\n",
                "日本語の文章です。",
                "é — ü “q” ",
                "\t",
                "\r\n",
            ),
            *("word " * 100, "\\*esc\\* &amp; ", "~~~\n", "```\n", "---\n"),
        ]
    )
    | st.text(max_size=20),
    max_size=30,
).map("".join)


@given(MARKDOWN, st.sampled_from(["text/html", "text/plain", "application/json", "application/pdf"]))
def test_passages_are_to_the_letter(text: str, media_type: str) -> None:
    """Each is a piece of the text at its offset, of a quote's size, with an id of its own; in any form of text."""
    found = passages(document(text, media_type=media_type), 7)
    assert [passage.id for passage in found] == [f"s7p{n}" for n in range(1, len(found) + 1)]
    for passage in found:
        assert text[passage.start : passage.start + len(passage.text)] == passage.text
        assert passage.text == passage.text.rstrip()
        assert passage.text.strip()
        if passage.kind is PassageKind.CODE:
            assert passage.text.count("\n") < MAX_CODE_LINES
        elif passage.kind is not PassageKind.TABLE:
            assert count_words(passage.text) <= MAX_QUOTE_WORDS


def test_long_code_is_cut_at_an_empty_line() -> None:
    """A quote has as many lines as it may; what follows are excerpts of their own."""
    code = "\n".join(f"line_{n} = {n}" if n % 7 else "" for n in range(1, 100))
    first, *further = passages(document(f"```py\n{code}\n```\n"), 1)
    assert first.is_cut
    assert first.text == code[: len(first.text)]
    assert first.text.endswith("line_27 = 27")
    assert further[-1].text.endswith("line_99 = 99")


def test_a_list_of_contents_is_no_passage() -> None:
    """Items that are links and nothing else answer nothing, however long their titles are."""
    contents = "- [How warm a cup may be](faq.md#warm)\n- [Where all of the cups are kept](faq.md#kept)\n"
    assert passages(document(f"# Questions\n\n{contents}"), 1) == ()
    (led,) = passages(document(f"# Questions\n\nThe cups are kept on shelves that have names:\n\n{contents}"), 1)[:1]
    assert "shelves" in led.text
    assert len(passages(document(f"# Questions\n\n{contents}- A cup is warm at 40 degrees.\n"), 1)) == 1


HTML = """\
# Cups

<h2>Settings</h2>
<table>
  <tr><th>Setting</th><th>Meaning</th></tr>
  <tr>
    <td>`cup.warmth`</td>
    <td>How warm a <a href="cup.md">cup</a> is kept.
      <ul><li>Default: 40 degrees</li></ul></td>
  </tr>
</table>
<!-- <p>The cups of the draft were kept on the floor.</p> -->

<Tabs>
<TabItem value="sh" label="Shell">
```sh
cup fill --warm
cup empty
```

</TabItem>
</Tabs>

<details><summary>On shelves</summary><p>The cups are kept on shelves that have names.</p></details>
"""


def test_html_in_markdown_is_read() -> None:
    """A row defines what its first cell names; the code of tabs is code; comments and heads of tables are none."""
    read = [(one.term, one.kind, quotable_text(one), one.headings) for one in excerpts(document(HTML), 1)]
    assert read == [
        (
            "cup.warmth",
            PassageKind.DEFINITION,
            "How warm a cup is kept.\nDefault: 40 degrees",
            ("Cups", "Settings"),
        ),
        (
            "",
            PassageKind.CODE,
            "cup fill --warm\ncup empty\n\nThe cups are kept on shelves that have names.",
            ("Cups", "Settings"),
        ),
    ]
    readings = Readings(words(HTML), HTML)
    texts = [text for _, _, text, _ in read]
    assert all(contains_quote(line, readings) for text in texts for line in text.split("\n\n"))


def test_imports_of_components_are_no_passage() -> None:
    """Those of MDX, which begin many pages; code that imports stays."""
    imports = "import Tabs from '@theme/Tabs';\nimport { Cup } from \"./cup\"\n"
    told = "The cups are kept on shelves that have names.\n"
    (first, code) = passages(document(f"{imports}\n{told}\n```js\n{imports}```\n"), 1)
    assert (first.text, code.text.strip()) == (told.strip(), imports.strip())


def test_the_rows_of_a_long_table_keep_their_columns_and_names() -> None:
    """Later rows know the head of their table, and the cells of a row that is too long its name."""
    rows = "".join(f"| Field{n} | {'word ' * 30}end{n}. | No |\n" for n in range(6))
    long = f"| AckWait | {'The server waits for an answer. ' * 20} | Yes |\n"
    table = f"# Kiln\n\n| Field | Description | Editable |\n| --- | --- | --- |\n{rows}{long}"
    work = Source("kiln", Fetched("https://kiln.example/x", Outcome.OK, text=table, media_type="text/markdown"))
    found = excerpts(work, 1)
    tables = [one for one in found if one.passages[0].kind is PassageKind.TABLE]
    assert [bool(one.passages[0].columns) for one in tables] == [False] + [True] * (len(tables) - 1)
    assert tables[1].passages[0].columns.startswith("| Field | Description |")
    cells = [one for one in found if one.term == "AckWait"]
    assert cells
    assert all("The server waits for an answer." in one.text for one in cells)
    assert "“Kiln / AckWait”" in render_passage("kiln#9", cells[0])
    assert "“Kiln / Field | Description | Editable”" in render_passage("kiln#3", tables[1])
    assert "|  " not in quotable_text(tables[0])


def test_values_that_are_set_off_below_a_heading_are_kept() -> None:
    """Manuals of settings quote the default between the heading of a setting and its text."""
    text = (
        "# Settings\n\n## Firing time\n\n> Default: `600`\n\nMinutes that the kiln is kept hot before it may cool.\n\n"
        '## Glaze\n\n> Default: `"v1"`\n\n## Home\n\nSee: the index\n'
    )
    first, second = passages(document(text), 1)
    assert "Default: `600`" in first.text
    assert first.text.endswith("before it may cool.")
    assert second.text.strip() == 'Default: `"v1"`'


def test_rows_below_a_blank_line_belong_to_the_table_above() -> None:
    """No table for a renderer, and a row to whoever wrote it; a line with bars elsewhere is none."""
    head = "| Metric | Meaning |\n| --- | --- |"
    row = "| kiln_last_fired_at | The time of the last firing, or 0 if there was none |"
    first, second = passages(document(f"{head}\n| kiln_heat | The heat of the kiln |\n\n{row}\n"), 1)
    assert first.text == f"{head}\n| kiln_heat | The heat of the kiln |"
    assert (second.text, second.columns, second.kind) == (row, "| Metric | Meaning |", PassageKind.TABLE)
    assert not passages(document("The kilns are old.\n\n| Home | Kilns | Contact us |\n"), 1)[1:]


def test_a_long_table_is_cut_below_a_row() -> None:
    """Its head and the first rows stay together; further rows are excerpts of their own."""
    rows = "".join(f"| grain number {n} | {n} grams |\n" for n in range(60))
    first, *further = passages(document(f"| Grain | Grams |\n| --- | --- |\n{rows}"), 1)
    assert first.is_cut
    assert first.text.startswith("| Grain | Grams |\n| --- | --- |\n| grain number 0")
    for passage in (first, *further):
        assert passage.text.endswith("|")
        assert count_words(passage.text.replace("|", "").replace("-", "")) <= MAX_QUOTE_WORDS
    assert all(f"| grain number {n} |" in " ".join(p.text for p in (first, *further)) for n in range(60))


def test_credentials_are_no_passage() -> None:
    """What looks like a key is not carried on to a page."""
    text = f"The key of the mill is api_key = {BY_CHANCE} as it seems.\n\n```\napi_key = '{BY_CHANCE}'\n```\n"
    assert passages(document(text), 1) == ()


def test_code_that_pulls_in_files_is_no_passage() -> None:
    """Some sites read such lines within code, too."""
    assert passages(document("```\nsome code\n--8<-- 'secrets.txt'\n```\n"), 1) == ()


FORMS = {
    ("https://rye.test/a", "text/html"): "markdown",
    ("https://rye.test/a.md", "text/plain"): "markdown",
    ("file:///notes/a.MD", ""): "markdown",
    ("https://rye.test/a.txt", "text/plain"): "plain",
    ("https://rye.test/a.pdf", "application/pdf"): "plain",
    ("https://rye.test/a.py", "text/html"): "markdown",
    ("https://raw.rye.test/x/a.py", "text/plain"): "code",
    ("https://raw.rye.test/x/a%20b.CU", "text/plain"): "code",
    ("https://raw.rye.test/x/Dockerfile", "text/plain"): "code",
    ("https://raw.rye.test/x/Dockerfile.dockerfile", "text/plain"): "code",
    ("https://raw.rye.test/x/CMakeLists.txt", "text/plain"): "code",
    ("https://api.rye.test/x", "application/json"): "code",
}


@pytest.mark.parametrize(("address", "form"), FORMS.items())
def test_the_form_of_a_text(address: tuple[str, str], form: str) -> None:
    """It is Markdown, code or plain text, by the address's ending and the media type."""
    assert form_of(document("x", *address)) == form


def test_plain_text() -> None:
    """Paragraphs between empty lines, below a short line as a heading, are joined; marks are letters."""
    text = "Rye\n\n2.1 The *loaf*\nIt needs a_b and\na day.  So it is.\n\n- dark bread of rye\n- light bread of oats\n"
    found = passages(document(text, "file:///rye.txt", "text/plain"), 1)
    assert [(p.kind.value, p.text, p.headings, p.is_markdown) for p in found] == [
        ("list", text[text.index("It") :].rstrip(), ("2.1 The *loaf*",), False)
    ]


def test_source_code() -> None:
    """Statements that stand together, with the comments above them."""
    text = "# Bakes.\nimport oven\n\n\ndef bake():\n    oven.on()\n\n    return 1\n\n\n"
    text += "# Cools.\ndef cool():\n    oven.off()\n"
    found = passages(document(text, "https://raw.rye.test/bake.py", "text/plain"), 1)
    assert [(p.kind.value, p.text) for p in found] == [
        ("code", "# Bakes.\nimport oven"),
        ("code", "def bake():\n    oven.on()\n\n    return 1"),
        ("code", "# Cools.\ndef cool():\n    oven.off()"),
    ]


def test_only_so_much_is_looked_into() -> None:
    """A text without end takes no time without end."""
    text = "Rye flour drinks a lot of water. ".ljust(5_000) + "\n\n"
    found = passages(document(text * (MAX_CHARS // 4_000)), 1)
    assert found[-1].start < MAX_CHARS


SENTENCES = {
    "One is here. Two is here! Three?": ["One is here.", "Two is here!", "Three?"],
    "It is 4.1 GB, i.e. a lot. See Fig. 3 of J. Smith et al. for it.": [
        "It is 4.1 GB, i.e. a lot.",
        "See Fig. 3 of J. Smith et al. for it.",
    ],
    "He said “stop.” Then he left. (He did.) So.": ["He said “stop.”", "Then he left.", "(He did.)", "So."],
    "npm is small. npm stays one.": ["npm is small. npm stays one."],
    "See it with -d. -n or --dry-run only shows it. --all takes all.": [
        "See it with -d.",
        "-n or --dry-run only shows it.",
        "--all takes all.",
    ],
    "It grows. - So it does.": ["It grows. - So it does."],
    "Use `a. B` here. Now.": ["Use `a. B` here.", "Now."],
    "It needs CUDA 12.1. Then **run it.** Émile did.": ["It needs CUDA 12.1.", "Then **run it.**", "Émile did."],
    "一つ目です。二つ目です。": ["一つ目です。", "二つ目です。"],
    "": [],
}


@pytest.mark.parametrize(("text", "expected"), SENTENCES.items())
def test_sentences(text: str, expected: list[str]) -> None:
    """They end at their marks, not within code, abbreviations or numbers."""
    at = text.find("`")
    whole = [(at, text.rfind("`") + 1)] if at >= 0 else []
    assert [text[a:b] for a, b in sentence_spans(text, whole)] == expected


def test_the_spans_that_stay_whole_may_be_in_any_order() -> None:
    """A quotation after code, or before: none is split, and each sentence between them is one."""
    text = "He said “stop. Now.” twice. Use `a. B` here. Then go."
    spans = [(text.index(a), text.index(b) + 1) for a, b in (("“", "”"), ("`a", "B`"))]
    said = ["He said “stop. Now.” twice.", "Use `a. B` here.", "Then go."]
    for whole in (spans, spans[::-1]):
        assert [text[a:b] for a, b in sentence_spans(text, whole)] == said


def test_marks_of_notes_are_not_quoted() -> None:
    """Neither those of MyST nor those of GitHub; what a note says is prose, though MyST may write it in a fence."""
    text = (
        "# Rye\n\n:::{note}\nRye flour drinks a lot of water.\n:::\n\n"
        "> [!NOTE]\n> Sharing the oven is not supported today.\n\n"
        "```{warning}\nThe dough may run over when it is warm.\n```\n\n"
        "```{image} assets/dough.png\n:width: 800 pixels wide\n```\n\n"
        "```{code-block} console\n$ bake --oven hot --loaf rye\n```\n"
    )
    found = [(p.kind, p.text) for p in passages(document(text), 1)]
    assert found == [
        (PassageKind.PROSE, "Rye flour drinks a lot of water."),
        (PassageKind.PROSE, "Sharing the oven is not supported today."),
        (PassageKind.PROSE, "The dough may run over when it is warm."),
        (PassageKind.CODE, "$ bake --oven hot --loaf rye"),
    ]


def test_items_of_an_html_list_are_apart() -> None:
    """As a browser shows them, though they are in one cell of a table."""
    text = (
        "| Rye | Oats and more |\n| --- | --- |\n| <ul><li>Drinks water</li><li>Sours well</li></ul> | none at all |\n"
    )
    (passage,) = passages(document(text), 1)
    assert "Drinks water Sours well" in words(passage.text)


def test_no_passage_is_too_short_to_be_a_quote() -> None:
    """Also when one is divided, as the page shows something between its paragraphs: a writer quotes each part."""
    sentence = "The kinds of flour that a loaf may have, from rye to spelt."
    page = document(f"enum\n\n{sentence}\n")
    divided = replace(page, fetched=replace(page.fetched, visible=f"enum [source] {sentence}"))
    assert [passage.text for passage in passages(divided, 1)] == [sentence]


@pytest.mark.parametrize("unit", ["Tea is steeped at 83 degrees, (", "tea water [a](b) ", "Steep it. ", "word "])
def test_time_for_one_long_paragraph_grows_with_its_length(unit: str) -> None:
    """A paragraph of any length, with or without ends of sentences, pauses and links."""

    def read(text: str) -> object:
        fetched = Fetched("documents/tea.md", Outcome.OK, title="Tea", text=text, media_type="text/markdown")
        return excerpts(Source("tea", fetched), 0)

    assert_linear(read, unit, (8_000, 32_000, 128_000, 512_000))
