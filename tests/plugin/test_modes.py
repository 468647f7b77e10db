"""The option `markdown`: pages are read as on GitHub, or as Python-Markdown reads them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.plugin.conftest import Built, Project, build, built_strictly
from tests.plugin.neighbours import configuration

PAGE = "# T\n\n#tag\n\n- a\n  > b\n  > c\n\nhttps://a.example/b_c and \\<b>\n"
AS_ON_GITHUB = (
    "<p>#tag</p> <ul> <li>a<blockquote> <p>b c</p> </blockquote> </li> </ul> "
    '<p><a href="https://a.example/b_c">https://a.example/b_c</a> and &lt;b&gt;</p>'
)
AS_BY_PYTHON = '<h1 id="tag">tag</h1>'
SYNTAX = """
from markdown.extensions import Extension
from markdown.inlinepatterns import SimpleTagInlineProcessor

class Shout(SimpleTagInlineProcessor):
    pass

class ShoutExtension(Extension):
    def extendMarkdown(self, md):
        md.inlinePatterns.register(Shout(r"()!!(.+?)!!", "strong"), "shout", 50)

def on_config(config):
    config.markdown_extensions.append(ShoutExtension())
"""


def site(project: Project, mode: str | None, *others: object, hook: str = "", **files: str) -> Path:
    """A project with the option, further plugins, a hook and pages by their names."""
    ours: object = "planbook" if mode is None else {"planbook": {"markdown": mode}}
    hooks = {"hooks": ["hook.py"]} if hook else {}
    pages = {f"docs/{name}.md": text for name, text in files.items()}
    settings = configuration([ours, *others], **hooks)
    return project({"mkdocs.yml": settings, "hook.py": hook, "docs/index.md": "# Home\n"} | pages)


def text(built: Built, uri: str) -> str:
    """The article of a page without runs of blanks."""
    html = built.html(uri).partition("<article")[2].partition("</article>")[0]
    return re.sub(r"\s+", " ", html)


@pytest.mark.parametrize("others", [(), ("planbook-speed",)], ids=["alone", "with planbook-speed"])
def test_the_option_and_front_matter_choose(project: Project, others: tuple[str, ...]) -> None:
    """Each page is read in its own mode, also one after another, and again where the mode changed."""
    other = f"---\nmarkdown: python\n---\n{PAGE}"
    root = site(project, "github", *others, page=PAGE, other=other, third=PAGE)
    built = built_strictly(root)
    assert AS_ON_GITHUB in text(built, "page")
    assert AS_ON_GITHUB in text(built, "third")
    assert AS_BY_PYTHON in text(built, "other")
    (root / "docs/other.md").write_text(PAGE)
    (root / "docs/third.md").write_text(other)
    built = built_strictly(root)
    assert AS_ON_GITHUB in text(built, "other")
    assert AS_BY_PYTHON in text(built, "third")


def test_python_markdown_reads_by_default(project: Project) -> None:
    """A site that names no mode is as it was; a page may still ask for the other one."""
    built = built_strictly(site(project, None, page=PAGE, new=f"---\nmarkdown: github\n---\n{PAGE}"))
    assert AS_BY_PYTHON in text(built, "page")
    assert AS_ON_GITHUB in text(built, "new")


def test_an_unknown_mode_of_a_page_is_reported(project: Project) -> None:
    """It names the page and what may stand there; the page is read as the others."""
    built = build(site(project, "github", page=f"---\nmarkdown: gitlab\n---\n{PAGE}"))
    assert "page.md: `markdown` in the front matter is 'gitlab', not github or python" in built.log
    assert AS_ON_GITHUB in text(built, "page")


def test_syntax_that_only_python_markdown_reads_keeps_the_site(project: Project) -> None:
    """One line names the processor; its syntax works on every page."""
    built = built_strictly(site(project, "github", hook=SYNTAX, page=f"{PAGE}\n!!loud!!\n"))
    lines = [line for line in built.log.splitlines() if "does not read the syntax" in line]
    assert len(lines) == 1
    assert "Shout" in lines[0]
    assert "<strong>loud</strong>" in text(built, "page")
    assert AS_BY_PYTHON in text(built, "page")


def test_links_titles_contents_and_warnings_are_those_of_mkdocs(project: Project) -> None:
    """Addresses are rewritten, broken ones reported, and anchors known, but those in code."""
    page = (
        "# A *title*\n\n[b](b.md#here) [own](#a-title) [no](no.md) [x](b.md#nowhere)\n"
        "\n## Part `c`\n\n!!! note\n\n    [b](b.md)\n"
    )
    other = '# B\n\n<a id="here"></a>\n\n`<a id="nowhere"></a>`\n'
    root = site(project, "github", a=page, b=other)
    settings = (root / "mkdocs.yml").read_text().removesuffix("}")
    (root / "mkdocs.yml").write_text(settings + ', "validation": {"links": {"anchors": "warn"}}}')
    built = build(root)
    html = built.html("a")
    assert html.count('href="../b/"') >= 1
    assert 'href="../b/#here"' in html
    assert "<title>A title" in html
    assert 'href="#part-c"' in html
    assert "contains a link 'no.md', but the target is not found" in built.log
    assert "'b.md' does not contain an anchor '#nowhere'" in built.log
    assert "'#here'" not in built.log


def test_budgets_root_links_wikilinks_and_citations_work(project: Project) -> None:
    """What Planbook itself does to links, headings and citations is the same in both modes."""
    page = """---
references:
  - id: a
    title: Title A
    URL: https://a.example/
---
# P

## Part (~100 lines)

[from the root](notes/q.md), [[q]] and `[[q]]`. Said [@a].
"""
    built = built_strictly(site(project, "github", **{"notes/p": page, "notes/q": "# Q\n"}))
    html = text(built, "notes/p")
    assert '<h2 id="part">Part <a id="part-100-lines"></a>' in html
    assert html.count('href="../q/"') >= 2
    assert "<code>[[q]]</code>" in html
    assert 'id="ref-a"' in html
