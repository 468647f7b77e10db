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
    page = document_page("documents/a/hard.md", "a/hard.md", DOCUMENT, [("tea/01.md", "Water")])
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
    page = document_page("documents/b.txt", "b.txt", "1 < 2\n\n# no heading\n", [("a.md", "A")])
    assert page.startswith('---\ntitle: "b.txt"\n')
    assert page.endswith("<pre>1 &lt; 2&#10;&#10;# no heading</pre>\n</section>\n")


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a/hard.md", "documents/a/hard.md"),
        ("hard.markdown", "documents/hard.markdown.md"),
        ("b.txt", "documents/b.txt.md"),
    ],
)
def test_each_document_has_a_page_of_its_own(path: str, uri: str) -> None:
    """A document's page is named by its path."""
    assert document_uri(path) == uri
    assert is_text(path)


@pytest.mark.parametrize("path", ["a.pdf", "a.html", "a"])
def test_what_is_no_text_has_none(path: str) -> None:
    """Such as HTML, whose scripts would run."""
    assert not is_text(path)
