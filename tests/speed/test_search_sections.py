"""Our reader for the search finds in a page what Material's finds, or leaves it to that."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from material.plugins.search import plugin as material

from planbook_speed.search_sections import parse_sections

TAGS = "p div span code pre ul li h1 h2 h3 a sup br hr img title script".split()  # noqa: SIM905 - easier to read
ATTRIBUTES = (
    "",
    ' id="x"',
    ' class="linenodiv"',
    ' class="headerlink"',
    " data-search-exclude",
    ' a="<"',
    " b='c'",
    " /",
)
CODE = (
    *('<span class="k">', "<span>", "</span>", '<a id="x-1" name="x" href="#x"></a>', "a", " ", "\n", "&lt;"),
    *("&amp;amp;", "&quot;", "&", ">", "<b>", '<span class="linenodiv">', "<span data-search-exclude>", "<code>"),
    *("</code>",),
)
PIECES = st.one_of(
    st.sampled_from([f"<{tag}{attributes}>" for tag in TAGS for attributes in ATTRIBUTES]),
    st.sampled_from([f"</{tag}>" for tag in TAGS]),
    st.sampled_from(
        ["<!-- a -->", "&amp;", "&lt", "&", "<", ">", "\n", " ", "<SPAN>", "<script>", "</script>", "<svg/>"]
    ),
    st.text(max_size=5),
    st.lists(st.sampled_from(CODE), max_size=6).map(
        lambda pieces: f"<pre><span></span><code>{''.join(pieces)}</code></pre>"
    ),
)


def by_material(html: str) -> list[tuple[Any, ...]] | None:
    """The sections as Material's parser has them; none where it fails."""
    parser = material.Parser()
    try:
        parser.feed(html)
        parser.close()
    except (ValueError, AttributeError):
        return None
    return [(s.id, s.is_excluded(), bool(s.title), "".join(s.title), "".join(s.text)) for s in parser.data]


def by_us(html: str) -> list[tuple[Any, ...]] | None:
    """The sections as our reader has them; none where it leaves them to Material's."""
    found = parse_sections(html)
    return (
        None
        if found is None
        else [(s.id, s.is_excluded, bool(s.title), "".join(s.title), "".join(s.text)) for s in found]
    )


@given(st.lists(PIECES, max_size=14).map("".join))
@example('<div><h2 id="x">a</h2></div><p>b</p>')
@example("<div data-search-exclude><div>a</div>b</div>c")
@example('<h1 id="x">a <a class="headerlink">b</a></h1><p> </p><pre> \n </pre>')
@example("<p>a</p><p> </p>")
@example('<h1><h1 id="z"></h1> a</h1><ul class="linenodiv"></ul><a class="headerlink"><h2 id="y">b</h2></a>')
@example("<pre><ul>a</pre></ul>\n<b></b></pre><pre>&nbsp;<b></b></pre><pre>c</pre>")
@example('<ul><li> <h2 id="x">a</h2>b</li><li>\t</li></ul><p><b></b></p><p></p>c')
@example('<h1 id="a">b</h1><script src="c.js"></script><svg><title>d</title></svg>')
@example("<p>a<script>b </p> c</script>d</p><title>e<p>f</title>")
@example('<pre><code><span class="linenodiv"><span class="k"></span></code></pre><p>')
def test_what_we_read_is_what_material_reads(html: str) -> None:
    """On any HTML, be it as broken as it may."""
    found = by_us(html)
    assert found is None or found == by_material(html)


def test_scripts_titles_and_comments_are_read_by_us() -> None:
    """As long as they contain text only, and no sign of an end."""
    assert by_us("<p>a<!-- b -->\n c</p><!---->") == by_material("<p>a<!-- b -->\n c</p><!---->")
    assert by_us("<p>a<!-- b>c --></p>") is None
    assert by_us('<p>a</p><script src="c.js"></script><svg><title>d</title></svg><style>e</style>') is not None
    assert by_us("<title>a<b></b></title>") is None
    assert by_us("<title>a &amp; b</title>") is None
    assert by_us("<script>a") is None
