"""The functions that replace those of Python-Markdown and Pygments do the same."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import markdown
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pygments.lexer import RegexLexer
from pygments.lexers import get_lexer_by_name

from planbook_speed import internals, replacements
from tests.conftest import ROOT


@pytest.mark.parametrize("language", ["python", "c++", "cuda", "bash", "dockerfile", "cmake", "js", "html", "sql"])
def test_lexers_try_fewer_rules_for_the_same_tokens(language: str) -> None:
    """A rule is skipped only where it cannot match: in code of the language, and in code of others."""
    lexer = get_lexer_by_name(language)
    paths = [Path(__file__), ROOT / "mkdocs.yml", ROOT / "docs/assets/look.css", ROOT / "Makefile"]
    for text in [
        *(path.read_text("utf-8") for path in paths),
        'for(;;) { x = "ſé"; } // \u212a <<<1, 2>>>\n\n$ls\n#if 1',
    ]:
        expected = list(RegexLexer.get_tokens_unprocessed(lexer, text))
        assert list(replacements.read_code(lexer, text)) == expected


BLOCKS = """# Title #

[TOC]

> quote

!!! note "A"
    text

    - item

        deep

    second

??? tip
    folded

=== "One"

    first

Term
:   Meaning

1. one[^1]

    two

[^1]: Note

[link]: https://example.org/ "Title"

<div markdown>
**bold** [link]
</div>

| a | b |
| - | - |
| 1 | `2` |
"""
LINES = """text a|- a|* a|*a*|*[a]: b|**a**|+ a|1. a|# a|#a|---|- - -|===|=== "a"|> a|: a|[a]: /b|[^1]: a|/// a
    a|  a|!!! note|??? note|`a`|(a)|"a"|é|✅ a|_a_|___|1|-|<b>|<div markdown>|\x02a|\\# a|&amp;|~~~
> ~~~|# a {: #b }|a\\_b { .c }|{ .d }"""
TABLE = ["a | b", "- | -", "| a"]
EXTENSIONS = ["abbr", "admonition", "attr_list", "def_list", "footnotes", "md_in_html", "tables", "toc"]
EXTENSIONS += ["pymdownx.highlight", "pymdownx.inlinehilite", "pymdownx.tasklist"]
EXTENSIONS += [f"pymdownx.{name}" for name in ("details", "quotes", "superfences", "tabbed")]


@contextmanager
def quickened() -> Iterator[None]:
    """Replace the engines' functions as in a worker, for a while."""
    old = [(owner, name, vars(owner)[name]) for owner, name, _ in replacements.REPLACEMENTS]
    replacements.install()
    try:
        yield
    finally:
        for owner, name, function in old:
            setattr(owner, name, function)


def rendered(texts: list[str], *extensions: str, **options: object) -> list[str]:
    """The HTML of each text, which is the same from the quickened engine."""
    every: Any = {"extensions": [*EXTENSIONS, *extensions], "extension_configs": {"pymdownx.highlight": options}}
    made = markdown.Markdown(**every)
    plain = [(markdown.Markdown(**every) if options else made.reset()).convert(text) for text in texts]
    with quickened():
        assert [replacements.engine_with(**every).convert(text) for text in texts] == plain
    return plain


def test_a_long_block_is_classified_at_once() -> None:
    """However many letters its lines have: no line is tried again when a later one is not plain."""
    begun = time.perf_counter()
    assert not replacements.PLAIN_BLOCK.fullmatch("some words of a paragraph\n" * 100 + "| a table |")
    assert replacements.PLAIN_BLOCK.fullmatch("some words of a paragraph\n" * 100)
    assert time.perf_counter() - begun < 1


def test_text_is_searched_for_the_same_patterns() -> None:
    """A pattern is skipped only where it would change nothing."""
    (html,) = rendered([BLOCKS])
    assert all(tag in html for tag in ('class="toc"', "<details", "tabbed-set", "<dd>", "footnote", "<table"))


@pytest.mark.parametrize("extension", ["sane_lists", "pymdownx.saneheaders", "pymdownx.blocks.admonition"])
def test_blocks_are_read_by_the_same_processors(extension: str) -> None:
    """A processor is skipped only for blocks that it leaves alone, whatever line follows which, in lists too."""
    lines = re.split("[|\n]", LINES) + TABLE
    pairs = [f"{one}{between}{other}" for one in lines for other in lines for between in ("\n", "\n\n", "\n    ")]
    assert len({*rendered(pairs, extension)}) > len(pairs) / 2


HOSTILE = """* ** *** _ \\* \\\\ ` `` ``` [ ] ( ) [a] [a](b) ![a](b "c") [TOC] [^1] [^1]: {#a} {.b} {: #c } < > & &amp;
<b> </b> <div> <div~markdown> </div> <p> </p> <!-- --> <br> <https://a.example/?b> # ## === --- > - 1. + : | !!!~note
???~tip ===~"a" [~] a b é K 1 x_y_z **a** *b* ***c*** **a*b**c* ```python ```{.c~#d} \x02 \x03 \x02klzzwxh:0000\x03
\x02klzzwxh:9\x03 \x02klzzwxh: \x02wzxhzdk:0\x03 \x02wzxhzdk:7\x03 \x0242\x03 \x02amp\x03 if(a<b&&c)"""
PARTS = [*(part.replace("~", " ") for part in HOSTILE.split()), *"\n \t~", "~~~", "\n\n", "\n    ", "  \n", "\r\n"]
TEXTS = st.lists(st.sampled_from(PARTS), max_size=40).map("".join)


@given(st.lists(TEXTS, min_size=3, max_size=3), st.sampled_from(["linenums", "line_spans", "noclasses", "stripnl"]))
@example(["[a]: /b\n\n*[c]: d\n\n[^1]: e", "[a] c[^1]", "# a\n\n# a"], "stripnl")
@example(["\x02klzzwxh:\x02klzzwxh:0000\x03*a*", "**a *b* c** d_e *f", "<p>\x02wzxhzdk:0\x03</p><b>"], "stripnl")
@example(["> " * 40 + "a", "*a **b " * 60 + "** *" * 60, "[" * 200 + "a" + "](b)" * 200], "stripnl")
@example(["> ```\n> a\n```", "    ```\n    a\n\n    ```\n", "```python\na\n~~~\n```\n```"], "line_spans")
def test_hostile_texts_give_the_same_pages(texts: list[str], option: str) -> None:
    """Unbalanced markers, placeholders and fences are rendered as by the engine, and no page changes the next."""
    rendered(texts, **{option: "a" if option == "line_spans" else True})


@pytest.mark.parametrize("name", sorted(name for name in internals.PURE if "." in name))
def test_no_pure_extension_keeps_a_page(name: str) -> None:
    """An engine that rendered other pages gives the same HTML as a new one."""
    texts = [BLOCKS, LINES.replace("|", "\n\n"), BLOCKS + "\n\n" + LINES.replace("|", "\n")]
    plain = [markdown.Markdown(extensions=[name]).convert(text) for text in texts]
    with quickened():
        assert [replacements.engine_with(extensions=[name]).convert(text) for text in texts] == plain
