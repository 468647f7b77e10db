"""Local documents as pages of the site."""

from __future__ import annotations

import pytest

from planbook.views.bibliography.document_pages import document_page, document_uri, is_text

DOCUMENT = """\
---
title: Hard water
---

# Hard water

<script>alert(1)</script>

Soft & *hard* [water](javascript:alert(1)) <b>.

## Film

- a list

  with two paragraphs

```html
<i>

</i>
```
"""


def test_a_document_is_text() -> None:
    """Prose and headings are readable, all else is as written; no HTML, link or blank line of it is the page's."""
    page = document_page("documents/a/hard.md", "a/hard.md", DOCUMENT.encode(), [("tea/01.md", "Water")])
    head, _, section = page.partition('<section class="pb-document">\n')
    assert head.startswith('---\ntitle: "Hard water"\nsearch:\n  exclude: true\n')
    assert "Cited by [Water](../../tea/01.md)." in head
    assert section == (
        "<pre>&lt;script&gt;alert(1)&lt;/script&gt;</pre>\n"
        "<p>Soft &amp; hard water .</p>\n"
        "<h2>Film</h2>\n"
        "<pre>- a list&#10;&#10;  with two paragraphs</pre>\n"
        "<pre>```html&#10;&lt;i&gt;&#10;&#10;&lt;/i&gt;&#10;```</pre>\n"
        "</section>\n"
    )


def test_plain_text_is_as_written() -> None:
    """Its page has the file's name as its title, and the text unchanged."""
    page = document_page("documents/b.txt", "b.txt", b"1 < 2\n\n# no heading\n", [("a.md", "A")])
    assert page.startswith('---\ntitle: "b.txt"\n')
    assert page.endswith("<pre>1 &lt; 2&#10;&#10;# no heading</pre>\n</section>\n")


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a/hard.md", "documents/a/hard.md"),
        ("hard.markdown", "documents/hard.markdown.md"),
        ("b.txt", "documents/b.txt.md"),
        ("c.HTML", "documents/c.HTML.md"),
    ],
)
def test_each_document_has_a_page_of_its_own(path: str, uri: str) -> None:
    """A document's page is named by its path."""
    assert document_uri(path) == uri
    assert is_text(path)


@pytest.mark.parametrize("path", ["a.pdf", "a.svg", "a"])
def test_what_is_no_text_has_none(path: str) -> None:
    """Such as pictures, whose scripts would run."""
    assert not is_text(path)


HTML = b"""\
<!doctype html><html><head><title>Hard &amp; soft
water</title><style>p {}</style><script>alert(1)</script></head>
<body onload="alert(1)"><nav><p>Home</p><script>alert("</nav>")</script></nav>
<main><h1>Hard &amp; soft water</h1>
<p>Soft <b>water</b> <a href="javascript:alert(1)">keeps</a>
   the leaves.<p>Hard &lt;script&gt; does not.<br>Never.
<h3 onclick="x()">Table</h3><table><tr><th>Water<th>Time</tr><tr><td>soft</td><td>3 min</td></tr></table>
<ul><li>one<li><img src=x onerror=alert(1)>two</ul>
<pre>$ kettle --on

  &lt;/section&gt;</pre></main><footer>Imprint</footer></body></html>
"""


def test_an_html_document_is_text() -> None:
    """Its main element is readable; no markup, attribute or script of it is the page's."""
    page = document_page("documents/hard.html", "hard.html", HTML, [("a.md", "A")])
    head, _, section = page.partition('<section class="pb-document">\n')
    assert head.startswith('---\ntitle: "Hard & soft water"\n')
    assert section == (
        "<p>Soft water keeps the leaves.</p>\n"
        "<p>Hard &lt;script&gt; does not. Never.</p>\n"
        "<h3>Table</h3>\n"
        "<p>Water | Time</p>\n"
        "<p>soft | 3 min</p>\n"
        "<ul><li>one</li></ul>\n"
        "<ul><li>two</li></ul>\n"
        "<pre>$ kettle --on&#10;&#10;  &lt;/section&gt;</pre>\n"
        "</section>\n"
    )


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"<nav><p>All is in here.", "<p>All is in here.</p>"),
        ("<meta charset=latin-1><p>Übergang".encode("latin-1"), "<p>Übergang</p>"),
        ("<meta charset=no-such><p>Übergang".encode("latin-1"), "<p>Übergang</p>"),
        (b"<p>a</main></p></p></nav><p>b<![CDATA[<b>", "<p>a</p>\n<p>b</p>"),
        (b"<p>1 < 2 &amp;&amp; 3 <4", "<p>1 &lt; 2 &amp;&amp; 3 &lt;4</p>"),
        (b"<p>" * 50_000 + b"<div>" * 50_000 + b"end", "<p>end</p>"),
        (b"<p>x</p><script>never ended", "<p>x</p>"),
    ],
)
def test_odd_html_has_its_text(raw: bytes, text: str) -> None:
    """Elements that never end, encodings, nesting."""
    assert text in document_page("documents/a.html", "a.html", raw, [("a.md", "A")])


def test_html_is_read_in_linear_time() -> None:
    """Unclosed markup is not searched again from each of its beginnings."""
    for form in (b"<!--", b"<a ", b"&", b"<![", b"<?", b'<a b="'):
        document_page("documents/a.html", "a.html", form * 20_000, [("a.md", "A")])
