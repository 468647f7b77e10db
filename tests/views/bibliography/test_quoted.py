"""Quotes from files with marks, as a reader sees them."""

from __future__ import annotations

import pytest

from planbook.views.bibliography.quoted import dedent_code, quote_html

FILE = "https://github.com/kettle/steep/blob/1f0c/docs/{}"


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (
            "* **Single** has ``kettle.com/cup`` resources",
            "• <strong>Single</strong> has <code>kettle.com/cup</code> resources",
        ),
        ("a `--warm` cup\n- and another", "a <code>--warm</code> cup\n• and another"),
        ("call brew(**leaves, **water)", "call brew(**leaves, **water)"),
        ("2 ** 3 ** 4 and a * b", "2 ** 3 ** 4 and a * b"),
        ("an ` alone, and ``two", "an ` alone, and ``two"),
        ("<b>bold</b> & `<i>`", "bold &amp; <code>&lt;i&gt;</code>"),
        ("a `vector<int>` of <cup> cups", "a <code>vector&lt;int&gt;</code> of &lt;cup&gt; cups"),
        ("the :command:`brew` and :py:func:`~tea.pot.pour` of", "the <code>brew</code> and <code>pour</code> of"),
        (":var:`CUP <CUP_<SIZE>_OF>`, {ref}`a pot<whole-pot>`", "<code>CUP</code>, <code>a pot</code>"),
        ("use the `kettle <https://kettle.com>`__ tool", "use the kettle tool"),
        ("hot::cup and a:b:`c`", "hot::cup and a:b:<code>c</code>"),
        (".. note:: stir\n   once", "<strong>Note:</strong> stir   once"),
        (
            ".. option:: --warm\n\n .. versionadded:: 3.24\n\n Warm it.",
            "<code>--warm</code>\n\nAdded in 3.24:\n\n Warm it.",
        ),
        ("Pour:\n\n.. code-block:: console\n\n   $ pour", "Pour:\n\n\n   $ pour"),
        ("-5 degrees - or *more*", "-5 degrees - or *more*"),
        (r"\**Kettle** stays", r"\**Kettle** stays"),
        ("see [4.7](https://kettle.com/4.7) and [it](#steep)", "see 4.7 and it"),
        ("leaves[0](water) and ![a cup](cup.png)", "leaves[0](water) and ![a cup](cup.png)"),
    ],
)
def test_marks_of_a_text_are_shown_as_what_they_mean(words: str, shown: str) -> None:
    """Code, strong emphasis and items; whatever is none of them stays as it is, as text."""
    for name in ("steep.md", "steep.rst#L10-L12"):
        assert str(quote_html(words, FILE.format(name))) == shown


def test_tags_of_a_page_are_not_shown() -> None:
    """Those of HTML; its signs are."""
    words = "<li><b>CUPS</b>\nAll &lt;n&gt; cups of map<int>."
    assert quote_html(words, FILE.format("steep.shtml")) == "CUPS\nAll <n> cups of map<int>."


def test_documentation_of_a_program_is_text() -> None:
    """It has marks and no signs of code; other lines of the same file are code."""
    words = "Returns ``None`` if\n        :func:`~tea.pour` was called."
    expected = "Returns <code>None</code> if\n<code>pour</code> was called."
    assert str(quote_html(words, FILE.format("pot.py"))) == expected
    code = "x = brew(``a``, b[0], *c) { return ``d`` }"
    assert 'class="pb-code"' in str(quote_html(code, FILE.format("pot.py")))


@pytest.mark.parametrize("name", ["steep.html", "steep", "md"])
def test_other_sources_are_shown_as_they_are(name: str) -> None:
    """On the web, two stars and ticks mean something else."""
    words = "**leaves** and `water`"
    assert quote_html(words, FILE.format(name)) == words


@pytest.mark.parametrize(
    ("words", "name", "is_code"),
    [
        ("brew(**leaves, **water)", "steep.py", True),
        ("if cup is None:\n    return", "steep.py", True),
        ('set(KETTLES "7.5;8.0")', "CMakeLists.txt", True),
        ("RUN boil --now && pour", "Dockerfile.cup", True),
        ("for (leaf : leaves) {\n    // a leaf of the first flush is best\n}", "steep.cpp", True),
        ("the tea of the first flush steeps three minutes", "steep.py", True),
        ('return fmt.Errorf("the pot is cold")', "steep.go", True),
        ("at least one cup is enabled but empty", "steep.go", True),
        ("kettle: hot", "steep.yaml", True),
        ("brew(**leaves, **water)", "steep.md", False),
        ("    KETTLE=hot LEAVES=green ./brew", "steep.rst", True),
        ("brew(**leaves, **water)", "steep.html", False),
        ("kettle:\n  hot: true", "steep.md", False),
        ("```yaml\nkettle:\n  hot: true\n```", "steep.md", True),
    ],
)
def test_code_is_told_by_its_file(words: str, name: str, is_code: bool) -> None:
    """All of a program, a configuration or a log is code; of a text, a block is."""
    html = str(quote_html(words, FILE.format(name)))
    assert html.startswith('<code class="pb-code">') == is_code


def test_a_fence_is_not_shown() -> None:
    """The lines around a block of code are none of its own."""
    words = "```yaml\nkettle:\n  hot: true\n```"
    assert str(quote_html(words, FILE.format("steep.md"))) == '<code class="pb-code">kettle:\n  hot: true</code>'


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("    pour(\n        tea,\n    )", "pour(\n    tea,\n)"),
        ("if hot:\n            pour()", "if hot:\n    pour()"),
        ("pour(\n            tea,\n        )", "pour(\n    tea,\n)"),
        ("a = 1\n\n\n\n        b = 2\n", "a = 1\n\nb = 2"),
        ("a\n\tb\n\t\tc", "a\nb\n    c"),
    ],
)
def test_code_begins_at_the_edge(words: str, shown: str) -> None:
    """It does so also where the quote has lost the indentation of its first line."""
    assert dedent_code(words) == shown
