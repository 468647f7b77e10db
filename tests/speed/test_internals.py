"""What planbook-speed needs of other packages' internals was compared with the versions that are installed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

import pytest
from pygments.lexer import RegexLexer
from pygments.lexers import get_lexer_by_name

from generator.speed import internals
from generator.speed.search import indexes_as_material
from tests.conftest import ROOT

CHECKED = {
    **{"mkdocs": "1.6.1", "properdocs": "1.6.7", "mkdocs-material": "9.8.1", "Jinja2": "3.1.6"},
    **{"Markdown": "3.11.3", "Pygments": "2.21.0", "pymdown-extensions": "12.3"},
}
"""The versions that this module was checked against."""


def test_the_versions_are_checked() -> None:
    """With another version of a package: compare `internals` with its code and its changelog, then note the version."""
    assert {name: metadata.version(name) for name in CHECKED} == CHECKED


def test_the_code_of_material_is_known() -> None:
    """Our index of a page is that of Material's version that we test with."""
    assert indexes_as_material()


@pytest.mark.parametrize("path", sorted((ROOT / "generator/speed").glob("*.py")), ids=lambda path: path.stem)
def test_private_names_are_used_in_one_module(path: Path) -> None:
    """No other module imports a private name of another package."""
    private = re.findall(r"^from (?!generator)[\w.]+ import .*\b_[a-z]\w*", path.read_text("utf-8"), re.MULTILINE)
    assert private == [] or path.stem == "internals"


@pytest.mark.parametrize("language", ["python", "c++", "cuda", "bash", "dockerfile", "cmake", "js", "html", "sql"])
def test_lexers_try_fewer_rules_for_the_same_tokens(language: str) -> None:
    """A rule is skipped only where it cannot match: in code of the language, and in code of others."""
    lexer, by_character = get_lexer_by_name(language), internals.by_character(RegexLexer.get_tokens_unprocessed)
    paths = [Path(__file__), ROOT / "mkdocs.yml", ROOT / "docs/assets/look.css", ROOT / "Makefile"]
    for text in [
        *(path.read_text("utf-8") for path in paths),
        'for(;;) { x = "ſé"; } // \u212a <<<1, 2>>>\n\n$ls\n#if 1',
    ]:
        expected = list(RegexLexer.get_tokens_unprocessed(lexer, text))
        assert list(by_character(lexer, text)) == expected


BLOCKS = """# Title #

[TOC]

Set
---

> quote
    > more

!!! note "A"
    text

    - item

        deep

    second

??? tip
    folded

    again

=== "One"

    first

=== "Two"

    second

Term
:   Meaning

    of it

1. one[^1]

    two

[^1]: Note

    more of it

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
RENDER = """
import json, sys, markdown
from generator.speed import internals
if sys.argv[1] == "quick":
    internals.quicken_markdown()
names = ["abbr", "admonition", "attr_list", "def_list", "footnotes", "md_in_html", "tables", "toc"]
names += ["pymdownx.details", "pymdownx.quotes", "pymdownx.superfences", "pymdownx.tabbed", *sys.argv[2:]]
made = markdown.Markdown(extensions=names)
print(json.dumps([made.reset().convert(text) for text in json.load(sys.stdin)]))
"""


def rendered(texts: list[str], *extensions: str) -> list[str]:
    """The HTML of each text, which is the same from the quickened engine."""
    one, other = (
        subprocess.run(
            [sys.executable, "-c", RENDER, way, *extensions],
            input=json.dumps(texts),
            text=True,
            capture_output=True,
            check=True,
            cwd=ROOT,
        ).stdout
        for way in ("quick", "plain")
    )
    assert one == other
    found: list[str] = json.loads(one)
    return found


def test_a_long_block_is_classified_at_once() -> None:
    """However many letters its lines have: no line is tried again when a later one is not plain."""
    begun = time.perf_counter()
    assert not internals.PLAIN_BLOCK.fullmatch("some words of a paragraph\n" * 100 + "| a table |")
    assert internals.PLAIN_BLOCK.fullmatch("some words of a paragraph\n" * 100)
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
