"""Pages show what GitHub shows with the smallest configuration, and what a user has configured holds."""

from __future__ import annotations

import re

import pytest

from planbook.plugin.configuration import EXTENSIONS, missing_extensions
from tests.plugin.conftest import Project, built_strictly

PAGE = """# Engines

1. **Pull**:
    ```bash
    docker pull debian
    ```
2. **Run**:
   ```bash
   docker run debian
   ```

- one
  - two
    ```python
    x = 1
    ```

<details>
<summary>More</summary>

Some **bold** text.

- inside

</details>

- [ ] open
- [x] done

A statement[^1].

[^1]: A note.
"""


def article(project: Project, markdown: str, page: str = PAGE) -> str:
    """The article of a page, without runs of blanks, on a site with these lines of configuration."""
    root = project(
        {
            "mkdocs.yml": "site_name: x\ntheme: {name: material, font: false}\nplugins: [planbook]\n" + markdown,
            "plans/x.md": "## PART 1: Create x/1.md\n\n- [ ] PART 1: Create x/1.md\n",
            "docs/page.md": page,
        }
    )
    html = built_strictly(root).html("page").partition("<article")[2].partition("</article>")[0]
    return re.sub(r"\s+", " ", html)


FORMULA = '# Engines\n\n$$\nx\n- y\n+ z\n$$\n\n=== "A"\n    Text\n    - a\n\nGood is\n- soft\n'


def test_blocks_of_configured_extensions_are_those_of_plain_mkdocs(project: Project) -> None:
    """A formula and a tab are as Python-Markdown renders them; the list below them is fixed."""
    markdown = "markdown_extensions:\n  - pymdownx.arithmatex: {generic: true}\n  - pymdownx.tabbed\n"
    html = article(project, markdown, FORMULA)
    assert "\\[ x - y + z \\]</div>" in html
    assert re.search(r"Text\s+- a</p>", html)
    assert "<li>soft</li>" in html


def test_pages_need_no_configured_extension(project: Project) -> None:
    """Fences inside lists, `<details>`, task lists and footnotes come out as GitHub shows them."""
    html = article(project, "")
    assert len(re.findall(r'<li><strong>(?:Pull|Run)</strong>: <div class="highlight">', html)) == 2
    assert re.search(r'<li>two ?<div class="highlight">', html)
    assert "```" not in html
    assert "<strong>bold</strong>" in html
    assert "<li>inside</li>" in html
    assert html.count('type="checkbox"') == 2
    assert 'class="footnote-ref"' in html


def test_configured_fences_stay(project: Project) -> None:
    """A custom fence is made as its author configured it, in a bundle of extensions too."""
    fences = "[{name: drawing, class: drawing, format: !!python/name:pymdownx.superfences.fence_code_format }]"
    configured = "markdown_extensions:\n  - pymdownx.extra:\n      pymdownx.superfences:\n        custom_fences: "
    html = article(project, f"{configured}{fences}\n", "# X\n\n```drawing\na -> b\n```\n")
    assert '<pre class="drawing">' in html


def test_configured_footnotes_stay(project: Project) -> None:
    """An option of an extension holds; a bundle without superfences gets them all the same."""
    html = article(project, "markdown_extensions:\n  - extra: {footnotes: {BACKLINK_TEXT: back}}\n")
    assert ">back</a>" in html
    assert html.count('class="highlight"') == 3


@pytest.mark.parametrize(
    ("configured", "brought"),
    [
        ("toc", ""),
        ("footnotes", "footnotes"),
        ("markdown.extensions.footnotes", "footnotes"),
        ("markdown.extensions.footnotes:FootnoteExtension", "footnotes"),
        ("pymdownx.superfences:SuperFencesCodeExtension", "pymdownx.superfences"),
        ("markdown.extensions.extra", "attr_list footnotes md_in_html"),
        ("pymdownx.extra", "attr_list footnotes md_in_html pymdownx.superfences"),
    ],
)
def test_an_extension_is_known_by_each_of_its_names(configured: str, brought: str) -> None:
    """What is configured is not added again, since an extension that comes twice loses the user's options."""
    assert set(EXTENSIONS) - set(missing_extensions([configured])) == set(brought.split())
