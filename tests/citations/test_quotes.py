"""When quoted words stand in a source."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.citations.quotes import (
    FORMS,
    Readings,
    TextForm,
    contains_quote,
    find_passage_around,
    fold,
    printable_markdown,
    split_at,
    words,
)

SEEN = {
    "# Rye *bread* `now`": "Rye bread now",
    "**Flour.** Then\nwater.": "Flour. Then water.",
    "[the mill](https://rye.test/a) & \\*stars\\*": "the mill & *stars*",
    "a &amp; b &#60;c&#62;": "a & b <c>",
    "one<br>two <b>three</b>": "one two three",
    "- rye\n- oats\n    - steel-cut": "rye oats steel-cut",
    "| Grain | g |\n| --- | ---: |\n| Rye | `500` |": "Grain g Rye 500",
    "```sh\nbake  --hot\n```": "bake --hot",
    "<div>hidden</div>\n\nshown": "shown",
    "~~old~~ new": "old new",
    "> said\n> so": "said so",
}


@pytest.mark.parametrize(("markdown", "seen"), SEEN.items())
def test_what_a_reader_sees(markdown: str, seen: str) -> None:
    """Marks, tags and addresses are gone; blocks, cells and lines are blanks apart."""
    assert words(markdown) == seen


def test_a_quote_stands_as_seen_or_as_written() -> None:
    """In the visible text, in the Markdown, or in what is seen of that; to the letter but for white space."""
    texts = Readings("Home\n\nRye bread rises.", "# Rye\n\nRye **bread** rises.\u00a0 \\*Slowly\\*.")
    for quote in ("Home", "Rye bread\nrises.", "Rye **bread** rises.", "rises. *Slowly*."):
        assert contains_quote(quote, texts)
    for quote in ("rye bread", "Rye bread rises!", "Ryebread", "", " \n"):
        assert not contains_quote(quote, texts)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_each_form_of_a_text_has_quotes_that_none_above_it_has(form: TextForm) -> None:
    """A quote is compared to the letter in each."""
    having = [other.name for other in FORMS if form.quote in other.of(form.source)]
    assert having[0] == form.name
    assert contains_quote(form.quote, Readings("", form.source))
    assert not contains_quote(f"{form.quote} x", Readings("", form.source))


def test_a_quote_of_a_sentence_and_its_code() -> None:
    """As briefs show them, without the fence and other lines of markup between them; other lines stay between."""
    source = (
        'Add a **stream** to it:\n\n{% tabs %}\n{% tab title="CLI" %}\n```bash\nkiln add --layers 3\n```\n'
        "{% endtab %}\n\nThen <b>look</b>.\n\n~~~ text\nkiln look\n~~~\n"
    )
    texts = Readings("", source)
    assert contains_quote("Add a **stream** to it:\n\nkiln add --layers 3", texts)
    assert contains_quote("kiln add --layers 3\n\nThen <b>look</b>.\n\nkiln look", texts)
    assert not contains_quote("Add a **stream** to it:\n\nkiln look", texts)
    around = find_passage_around("Add a **stream** to it:\n\nkiln add --layers 3", source)
    assert around is not None
    assert source[slice(*around[1:])].startswith("Add a **stream**")
    assert "kiln add --layers 3" in around[0]


RST = "Start the kiln:\n\n.. code-block:: bash\n   :caption: Start\n\n   kiln start --heat 40\n\nThen wait.\n"
PICTURES = "Click **Dry Run** to test the rules.\n\n    ![the button](../img/run.png)\n\nClick **Run** to run them.\n"


def test_a_quote_may_leave_out_lines_without_words() -> None:
    """Directives of reStructuredText and pictures, as passages leave them out."""
    assert contains_quote("Start the kiln:\n\nkiln start --heat 40\n\nThen wait.", Readings("", RST))
    assert contains_quote("Click **Dry Run** to test the rules. Click **Run** to run them.", Readings("", PICTURES))
    assert not contains_quote("Start the kiln: Then wait.", Readings("", RST))


def test_a_quote_may_leave_out_tags_that_no_reader_sees() -> None:
    """Anchors and line breaks in the rows of a table, as briefs print them; code and placeholders stay."""
    row = (
        '| <a id="opt-idle" href="#opt-idle" title="#opt-idle">`transport.`<br />`idle`</a> '
        "| Closes `<a id=x>` after <time>.<br/>0 is never. | 180s |"
    )
    printed = "| `transport.` `idle` | Closes `<a id=x>` after <time>. 0 is never. | 180s |"
    assert printable_markdown(row) == printed
    assert contains_quote(printed, Readings("", f"# Timeouts\n\n| Name | Use | Default |\n|---|---|---|\n{row}\n"))
    assert printable_markdown(r"\<a\> is a tag") == "<a> is a tag", "what its author escaped is text"


def test_composed_letters_are_one() -> None:
    """Unicode's ways to write a letter make no difference."""
    assert contains_quote("cafe\u0301", Readings("caf\u00e9", ""))


@given(st.text(), st.text(min_size=1), st.text())
def test_what_is_copied_stands(before: str, quote: str, after: str) -> None:
    """Whole words of a text stand in it, and no text is too odd to be read."""
    text = f"{before} {quote} {after}"
    assert contains_quote(quote, Readings(text, "")) or not fold(quote)
    assert len([*Readings("", text)]) == 1 + len(FORMS)


CODE = "def boil(water):\n    # to the top\n    return water + 60\n\n\ndef cool():\n    pass\n"
PROSE = "# Rye\n\nRye **bread** rises [slowly](x.md),\nas bakers know.\n\nOats.\n\n- one\n- two of them"
HTML = "Bread\nis left to rise for an hour and then it is baked\nOats"
WHOLE = "Rye bread rises slowly, as bakers know."


@pytest.mark.parametrize(
    ("quote", "text", "kind", "paragraph", "lines"),
    [
        ("Rye bread rises slowly, as", PROSE, "", f"Rye {WHOLE} Oats.", (3, 4)),
        ("Oats.", PROSE, "", f"{WHOLE} Oats. one two of them", (6, 6)),
        ("return water + 60", CODE, "code", CODE[: CODE.index("\n\n")], (3, 3)),
        ("Oats. one two of", PROSE, "", f"{WHOLE} Oats. one two of them", (6, 9)),
        ("to rise", HTML, "html", "is left to rise for an hour and then it is baked", (2, 2)),
        ("no words", PROSE, "", None, None),
    ],
)
def test_a_quote_stands_in_its_paragraph(
    quote: str, text: str, kind: str, paragraph: str | None, lines: tuple[int, int] | None
) -> None:
    """As plain text without markup, also over several blocks; code keeps its lines; a short one has its neighbours."""
    found = find_passage_around(quote, text, is_code=kind == "code", by_line=kind == "html")
    assert (found[0] if found else None) == paragraph
    assert (tuple(text.count("\n", 0, at) + 1 for at in found[1:]) if found else None) == lines


@given(st.integers(0, 400), st.integers(0, 400), st.integers(1, 150))
def test_a_passage_has_at_most_120_words(before: int, behind: int, length: int) -> None:
    """With the whole quote if it has room, in its midst, and a mark where words are left out."""
    quote = " ".join(f"q{n}" for n in range(length))
    found = find_passage_around(quote, " ".join(["w"] * before + [quote] + ["w"] * behind))
    assert found
    assert len(found[0].replace("…", "").split()) == min(120, before + length + behind)
    assert split_at(quote, found[0])[1] == (quote if length <= 120 else "")


@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 200))
def test_a_passage_of_long_words_has_at_most_800_characters(before: int, behind: int, length: int) -> None:
    """Rows of a table in code have few blanks; the quote is whole, with about as much on each side."""
    word, quote = "RESET_GPU:" * 5, "q" * length
    found = find_passage_around(quote, " ".join([word] * before + [quote] + [word] * behind))
    assert found
    assert len(found[0]) <= 804
    opening, quoted, closing = split_at(quote, found[0])
    assert quoted == quote
    if min(before, behind) > 20:
        assert abs(len(opening) - len(closing)) <= len(word) + 1


def test_a_transcript_has_no_times_between_its_words() -> None:
    """A text with a few times keeps them: they are part of it."""
    lines = "".join(f"The kettle is on\n0{n}:15 the table, and hot.\n" for n in range(8))
    assert contains_quote("The kettle is on the table, and hot", Readings("", lines))
    assert not contains_quote("The train leaves for home", Readings("", "The train leaves\n10:15 for home"))
