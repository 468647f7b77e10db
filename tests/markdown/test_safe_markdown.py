"""Plan text put into a page: its meaning stays, and nothing else of it reaches the page.

The Markdown that a view makes is built by Python-Markdown with the extensions of our `mkdocs.yml`, and the result read
again: only the elements that a plan may use are in it, and its text is the plan's, to the letter.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from planbook.markdown.escape import CONTROL_CHARACTERS
from planbook.markdown.safe_markdown import bullets, code, inline, table
from tests.markdown.hostile_texts import HOSTILE, TEXTS, Reader
from tests.markdown.outline import built, commonmark, lists_of

ALLOWED = {"p", "strong", "em", "code", "a", "h1", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "div"}
FRAME = {"a": {"href", "class", "title", "id"}, "h1": {"id"}, "code": {"class"}, "th": {"style"}, "td": {"style"}}
"""The attributes that may stand in a page, by element: none of them runs anything."""


REFERENCE = MarkdownIt("commonmark", {"html": False}).disable(["entity", "autolink"])


def squeezed(text: str) -> str:
    """The text with every run of blanks as one: that is how HTML shows it."""
    return " ".join(text.split())


def shown(markdown: str) -> str:
    """What a reader sees of inline Markdown, by CommonMark without HTML, entities and bare addresses."""
    return squeezed(Reader(REFERENCE.renderInline(markdown)).text)


def assert_safe(html: str) -> None:
    """Only elements and attributes that a plan may use are in it, and links lead to the web."""
    for tag, attributes in Reader(html).elements:
        assert tag in ALLOWED, (tag, html)
        assert set(attributes) <= FRAME.get(tag, set()), (tag, attributes, html)
        if tag == "a":
            assert re.match(r"https?://|#", attributes["href"] or ""), html


NO_CONTROLS = TEXTS.map(
    lambda text: CONTROL_CHARACTERS.sub("", re.sub(r"[\x0b\x0c\x1c-\x1f\x7f-\x9f\u2028\u2029]", "", text))
)
"""Text of which every sign is seen."""

PLACES = {
    "running text": "so {}",
    "a heading": "# {}",
    "an item": "-   so {}",
    "a cell": "| a | b |\n| --- | --- |\n| {} | c |",
    "bold": "**{}** so",
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_harmless(text: str, place: str) -> None:
    """It is harmless in every place where a view puts it."""
    assert_safe(built(place.format(inline(text))))
    assert_safe(built(place.format(code(text))))


@given(TEXTS, st.sampled_from(sorted(PLACES)))
def test_inline_is_harmless(text: str, place: str) -> None:
    """Inline Markdown of a plan makes no element but those it may make, whatever it is."""
    assert_safe(built(PLACES[place].format(inline(text))))


@given(NO_CONTROLS)
@example("a [b](https://example.org) *c*")
def test_inline_shows_what_the_plan_says(text: str) -> None:
    """Its text is, word for word, what CommonMark shows of the plan's (but for blanks at the edges of code)."""
    got, expected = squeezed(Reader(built("so " + inline(text))).text), squeezed("so " + shown(text))
    assert got.replace(" ", "") == expected.replace(" ", "")
    assert "`" in text or got == expected


@given(NO_CONTROLS.map(squeezed).filter(bool))
def test_code_is_shown_to_the_letter(text: str) -> None:
    """Code is one `code` element with its text, also in a cell."""
    reader = Reader(built("so " + code(text)))
    assert [tag for tag, _ in reader.elements] == ["p", "code"]
    assert squeezed(reader.text) == squeezed(f"so {text}")
    cell = Reader(built(f"| a | b |\n| --- | --- |\n| {code(text)} | c |"))
    assert [tag for tag, _ in cell.elements].count("td") == 2
    assert squeezed(cell.text) == squeezed(f"a b {text} c")


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**bold** and *em*", "<strong>bold</strong> and <em>em</em>"),
        ("`x = y`", "<code>x = y</code>"),
        ("`a|b`", "<code>a|b</code>"),
        ("[site](https://example.org/a)", '<a href="https://example.org/a">site</a>'),
        ("[**site**](https://example.org/a)", '<a href="https://example.org/a"><strong>site</strong></a>'),
        ("[mail](mailto:a@example.org)", "mail"),
        ("![image](https://example.org/a.png)", "image"),
        ("snake_case_name", "snake_case_name"),
        ("C++ & C#", "C++ &amp; C#"),
        ("a < b", "a &lt; b"),
    ],
)
def test_what_a_plan_means_is_kept(text: str, html: str) -> None:
    """Emphasis, code and links to the web stay; of other links and images their words do."""
    made = built("so " + inline(text))
    entities = {"&#43;": "+", "&#124;": "|", "&#38;": "&amp;", "&#60;": "&lt;", "&#35;": "#"}
    for entity, character in entities.items():
        made = made.replace(entity, character)
    assert made == f"<p>so {html}</p>"


def test_bullets() -> None:
    """A list, an item a line, as deep as its indent says."""
    assert bullets(["a", "b"]) == "- a\n- b\n"
    assert bullets(["a", "", " "]) == "- a\n"  # Python-Markdown takes `- a` for a heading where `- ` is below it
    text = f"1. so\n{bullets(['a', 'b'], indent='    ')}"
    assert lists_of(built(text)) == lists_of(commonmark(text))


def test_table() -> None:
    """A pipe table with its columns aligned; a cell is one line."""
    assert table(("A", "B", "C"), [("1", "2\n3", "4")], "lrc") == (
        "| A | B | C |\n| --- | ---: | :---: |\n| 1 | 2 3 | 4 |\n"
    )
    assert built(table(("A",), [("1",)])).count("<td>") == 1
