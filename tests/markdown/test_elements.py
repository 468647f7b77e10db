"""The HTML of pages: names for those who do not see tables and task lists, and Planbook's own blocks."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import markdown
import pytest
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from planbook.markdown.elements import NAME, NamedElements, OwnBlocks, PageFrame, add_frame, link_sources
from tests.growth import assert_linear

CODE = (
    '<code><span class="k">do</span><span class="w"> </span><span class="s s-a">a</span><span class="s">b</span></code>'
)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<tr><th></th><th>a</th></tr>", "<tr><td></td><th>a</th></tr>"),
        ('<th style="text-align: left;"> </th>', '<td style="text-align: left;"></td>'),
        ("<th>a</th><td></td>", "<th>a</th><td></td>"),
        ("<thead></thead>", "<thead></thead>"),
        ("<code>&lt;th&gt;&lt;/th&gt;</code>", "<code>&lt;th&gt;&lt;/th&gt;</code>"),
        ('<th><img alt="x"></th>', '<th><img alt="x"></th>'),
        (CODE, CODE),
        ('<input type="checkbox" disabled/> a', '<input type="checkbox" disabled aria-label="to do"/> a'),
        ('<input type="checkbox" disabled checked/>', '<input type="checkbox" disabled checked aria-label="done"/>'),
    ],
)
def test_elements_have_names(html: str, expected: str) -> None:
    """An empty header becomes a cell, a box gets a label; all else stays, code to the byte."""
    assert NamedElements().run(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<a href="../b/">b</a>', '<a href="b/">b</a>'),
        ('<a class="x" href="../">up</a>', '<a class="x" href="./">up</a>'),
        ('<img src="c.svg">', '<img src="a/c.svg">'),
        ('<a href="../../d/?q=1#e">d</a>', '<a href="../d/?q=1#e">d</a>'),
        ('<a href="https://a.example/">', '<a href="https://a.example/">'),
        ('<a href="mailto:a@b.example">', '<a href="mailto:a@b.example">'),
        ('<a href="#here"><a href="/root/"><a href="">', '<a href="#here"><a href="/root/"><a href="">'),
        ('<a href="../b.md#c">', '<a href="../b.md#c">'),
        ("<code>&lt;a href=&quot;../b/&quot;&gt;</code>", "<code>&lt;a href=&quot;../b/&quot;&gt;</code>"),
    ],
)
def test_links_in_html_are_made_relative_to_the_source(html: str, expected: str) -> None:
    """On a page with a folder of its own; on an index page, source and address have the same folder."""
    assert link_sources(html, SimpleNamespace(path="f/a.md", url="f/a/")) == expected
    assert link_sources(html, SimpleNamespace(path="f/index.md", url="f/")) == html


def test_html_is_added_around_the_text() -> None:
    """After the first heading, else at the start; nothing is lost without a heading."""
    assert add_frame("<h1>a</h1><p>b</p>", PageFrame("<i>x</i>", "<b>y</b>")) == "<h1>a</h1>\n<i>x</i><p>b</p><b>y</b>"
    assert add_frame("<p>b</p>", PageFrame(above="<i>x</i>")) == "\n<i>x</i><p>b</p>"
    assert add_frame("<p>b</p>", PageFrame(below="<b>y</b>")) == "<p>b</p><b>y</b>"
    notice = add_frame('<div class="admonition">', PageFrame(is_planned=True))
    assert notice == '<div data-search-exclude class="admonition">'


OURS = """<p class="pb-common">5 *works* &middot; [a](b.md)</p>
<ol class="pb-references">
<li id="ref-a&amp;b" data-id="none"><cite>*a*</cite><br><hr />
<blockquote id="r1.q1">b
&#10;c</blockquote></li>
</ol>"""


def rendered(folder: Path, text: str, *extensions: str) -> tuple[str | None, set[str] | None]:
    """The HTML and the ids that MkDocs finds on a page."""
    config = MkDocsConfig()
    config.load_dict({"site_name": "a", "markdown_extensions": ["md_in_html", "footnotes", *extensions]})
    assert config.validate()[0] == []
    (folder / "a.md").write_text(text)
    file = File("a.md", str(folder), str(folder), use_directory_urls=True)
    page = Page(None, file, config)
    page.read_source(config)
    page.render(config, Files([file]))
    return page.content, page.present_anchor_ids


def test_anchors_are_read_from_raw_html_alone(tmp_path: Path) -> None:
    """In the mode `github`, an id in code is no anchor for MkDocs; one in HTML is, in a list, too."""
    text = '# a\n\n`<b id="code">`\n\n- <a id="item"></a> b\n\n```html\n<b id="fence">\n```\n\n<p id="block">c</p>\n'
    _, anchors = rendered(tmp_path, text, "planbook.markdown.github")
    assert anchors is not None
    assert {"item", "block"} <= anchors
    assert anchors.isdisjoint({"code", "fence"})


@pytest.mark.parametrize(
    "text",
    [
        f"# a\n\n{OURS}\n",
        f"# a[^1]\n\n{OURS}\n\n{OURS}\n \n*b*\n\n[^1]: c\n",
        f"a\n{OURS}\nb",
        f"    {OURS}\n\n- a\n\n    {OURS}\n",
        f"<div>\n\n{OURS}\n</div>\n\n*a*\n",
        '# a\n\n<div class="pb-drop">\n<p>*a*</p>\n\n<p class="pb-b" id="b">*b*</p>\n</div>\n\n*c*\n',
        '# a\n\n<div class="pb-drop" markdown>\n*a* <b id="b">b</b>\n</div>\n\n*c*\n',
        '# a\n\n<div class="pb-drop">\n*a*\n\n*b* <b>c</b>\n',
        '# a\n\n`<p class="pb-a" id="b">`\n\n&lt;p class="pb-a" id="c">\n',
    ],
)
def test_own_blocks_bypass_the_parsers(tmp_path: Path, text: str) -> None:
    """Planbook's HTML blocks, and what only looks like them, give the same page and ids as without the extension."""
    assert rendered(tmp_path, text, NAME) == rendered(tmp_path, text)


def test_ids_of_own_blocks_are_known(tmp_path: Path) -> None:
    """MkDocs checks links to them."""
    assert {"ref-a&b", "r1.q1"} <= (rendered(tmp_path, f"# a\n\n{OURS}\n", NAME)[1] or set())


@pytest.mark.parametrize("unit", ['\n\n<a class="pb-', "<br ", "<br>\n", "<a>\n", " id=", "a\n", ">"])
def test_hostile_html_is_read_in_linear_time(unit: str) -> None:
    """Blocks and tags that are opened and never closed, over and over."""
    blocks = OwnBlocks(markdown.Markdown())

    def read(text: str) -> object:
        """Read a block with `text` in it."""
        return blocks.run(f'\n\n<p class="pb-x">{text}/>\n\n'.split("\n"))

    assert_linear(read, unit, (3_000, 12_000, 48_000))
