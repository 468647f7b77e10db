"""A backslash before punctuation means for Python-Markdown what it means for CommonMark: that the character is text."""

from __future__ import annotations

import re
import string

import markdown
import pytest
from markdown_it import MarkdownIt

from planbook.markdown.extensions import read_syntax
from planbook.markdown.normalize import fix_markdown

EXTENSIONS = (
    *("sane_lists", "tables", "attr_list", "md_in_html", "admonition", "footnotes", "def_list", "pymdownx.tabbed"),
    *("pymdownx.details", "pymdownx.superfences", "pymdownx.tasklist", "pymdownx.arithmatex"),
)


def rendered(text: str) -> str:
    """The HTML of a page's fixed text."""
    return markdown.markdown(fix_markdown(text, {}, read_syntax(dict.fromkeys(EXTENSIONS))), extensions=EXTENSIONS)


def words(html: str) -> str:
    """What a reader sees of HTML."""
    text = re.sub(r"<[^<>]*>", "", html)
    for entity, char in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"')):
        text = text.replace(entity, char)
    return re.sub(r"&#(\d+);", lambda found: chr(int(found[1])), text).replace("&amp;", "&").strip()


@pytest.mark.parametrize("char", string.punctuation)
@pytest.mark.parametrize("form", ["a \\{}b", "\\{}b>", "- \\{}b", "a\\\\\\{}b", "**\\{}**", "# a \\{} b"])
def test_escaped_punctuation_is_text(char: str, form: str) -> None:
    """All 32 characters that CommonMark lets authors escape are shown, as its reference shows them."""
    text = form.format(char)
    assert words(rendered(text)) == words(MarkdownIt("commonmark").render(text))


@pytest.mark.parametrize(
    "text",
    [
        "\\<script>x\\</script>",
        "- a\n\n    \\<script>x",
        "> \\<script>x",
        "| a |\n| --- |\n| \\<script>x |",
        "# \\<script>x",
        "!!! note\n    a\n\n    \\<script>x",
        '??? tip "T"\n    !!! note\n        \\<script>x',
        '=== "Tab"\n    \\<script>x',
        "<div markdown>\n\\<script>x\n</div>",
        "<details>\n<summary>S</summary>\n\n\\<script>x\n\n</details>",
        "A note[^1].\n\n[^1]: \\<script>x\n\n    \\<script>y",
        "Term\n:   \\<script>x",
        "- [ ] \\<script>x",
        "[\\<script>x](https://a.example)",
        "\\\\\\<script>x",
    ],
)
def test_an_escaped_element_is_none(text: str) -> None:
    """In every block that may have text, an author who escapes a tag gets no element."""
    html = rendered(text)
    assert "<script" not in html
    assert "<script>x" in words(html)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("`\\<b>` and ``\\&``", "<code>\\&lt;b&gt;</code> and <code>\\&amp;</code>"),
        ("    \\<b>", "<code>\\&lt;b&gt;"),
        ("```\n\\<b>\n```", "\\&lt;b&gt;"),
        ("!!! note\n    a\n\n        \\<b>", "<code>\\&lt;b&gt;"),
        ("!!! note\n    a\n\n    ```\n    \\<b>\n    ```", "\\&lt;b&gt;"),
        ("\\\\<b>x</b>", "\\<b>x</b>"),
        ("<div>\\<b>x</b></div>", "<div>\\<b>x</b></div>"),
        ("a <b title='\\'>x</b>", "<b title='\\'>"),
        ("$a \\& b$", "a \\& b"),
        ("$$\na \\& b\n$$", "a \\& b"),
        ("[a](b\\&c)", 'href="b\\&amp;c"'),
        ("[a]\n\n[a]: b\\&c", 'href="b\\&amp;c"'),
    ],
)
def test_where_a_backslash_is_none_of_these_it_stays(text: str, kept: str) -> None:
    """Code, HTML, formulas, addresses, and a backslash that is itself escaped, are as without a fix."""
    assert kept in rendered(text)


def test_the_text_of_a_wikilink_is_text() -> None:
    """A tag that its author escaped is no tag, also behind an escaped backslash; the address stays."""
    wikilink = r"[[cup|\<img src=x onerror=alert()> \\\<b>]]"
    link = r"[\<img src=x onerror=alert()> \\\<b>](a/cup\_1.md)"
    html = markdown.markdown(fix_markdown(f"See {wikilink}.\n", {wikilink: link}), extensions=EXTENSIONS)
    assert '<a href="a/cup_1.md">' in html or r'<a href="a/cup\_1.md">' in html
    assert words(html) == r"See <img src=x onerror=alert()> \<b>."
    assert "<img" not in html
    assert "<b>" not in html
