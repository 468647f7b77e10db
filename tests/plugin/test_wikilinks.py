"""Wikilinks lead to the pages and files that they name, on the site, in its graph, in `check` and in exported files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from planbook.cli import main
from planbook.library.links import Names, find_links
from planbook.markdown.document import find_wikilinks
from tests.growth import assert_linear
from tests.plugin.conftest import Project, build, built_strictly

COFFEE = "Ka\u0308se"
"""A name as macOS writes it: decomposed (NFD)."""
NAMES = Names(
    {
        "index.md": ("Home",),
        "bread/rye.md": ("Dark rye", "Roggen"),
        "bread/Oat flakes.md": ("Oat flakes",),
        "a/note.md": ("Note",),
        "b/note.md": ("Note",),
        "b/deep/note.md": ("Note",),
        "lang/C.md": ("The language C",),
        "lang/C#.md": ("The language C#",),
        "lang/100%?.md": ("Per cent",),
        f"lang/{COFFEE}.md": (f"{COFFEE} und Brot",),
    },
    [f"img/{COFFEE}.png", "img/loaf.png", "img/rye.pdf", "bread/rye.md"],
)
CASES = {
    "file name": ("[[rye]]", "[rye](rye.md)"),
    "any case": ("[[RYE]]", "[RYE](rye.md)"),
    "text": ("[[rye|the *dark* one]]", "[the *dark* one](rye.md)"),
    "in a table": (r"[[rye\|dark]]", "[dark](rye.md)"),
    "suffix": ("[[rye.md]]", "[rye.md](rye.md)"),
    "path": ("[[bread/rye]]", "[bread/rye](rye.md)"),
    "end of a path": ("[[deep/note]]", "[deep/note](../b/deep/note.md)"),
    "relative path": ("[[./rye]] [[../bread/rye]]", "[./rye](rye.md) [../bread/rye](rye.md)"),
    "title": ("[[Dark rye]]", "[Dark rye](rye.md)"),
    "alias": ("[[roggen]]", "[roggen](rye.md)"),
    "spaces": ("[[Oat flakes]]", "[Oat flakes](Oat%20flakes.md)"),
    "heading": ("[[rye#Second rise]]", "[rye > Second rise](rye.md#second-rise)"),
    "heading in a heading": ("[[rye#A#B c|x]]", "[x](rye.md#b-c)"),
    "heading of this page": ("[[#Second rise]]", "[Second rise](#second-rise)"),
    "block": ("[[rye#^a1|x]]", "[x](rye.md)"),
    "image": ("![[loaf.png]]", "![](../img/loaf.png)"),
    "image with a width": ("![[loaf.png|300]]", "![](../img/loaf.png){ width=300 }"),
    "image with a text": ("![[loaf.png|A loaf]]", "![A loaf](../img/loaf.png)"),
    "file": ("[[rye.pdf]]", "[rye.pdf](../img/rye.pdf)"),
    "page as an embed": ("![[rye]]", "[rye](rye.md)"),
    "the nearest of several": ("[[note]]", "[note](../a/note.md)"),
    "missing": ("[[wheat]] ![[wheat.png]]", "[[wheat]] ![[wheat.png]]"),
    "an attribute of C++": ("[[nodiscard]] int f();", "[[nodiscard]] int f();"),
    "a link's text": ("[[1]](rye.md)", "[[1]](rye.md)"),
    "code": ("`[[rye]]`", "`[[rye]]`"),
    "a fence": ("```\n[[rye]]\n```", "```\n[[rye]]\n```"),
    "HTML": ("<pre>\n[[rye]]\n</pre>", "<pre>\n[[rye]]\n</pre>"),
    "escaped": (r"\[[rye]]", r"\[[rye]]"),
    "a number sign in a name": ("[[C#]] [[C]]", "[C#](../lang/C%23.md) [C](../lang/C.md)"),
    "a heading below such a name": ("[[C##A b|x]] [[C#A b|y]]", "[x](../lang/C%23.md#a-b) [y](../lang/C.md#a-b)"),
    "a title with a number sign": ("[[The language C#]]", "[The language C#](../lang/C%23.md)"),
    "other signs of addresses": ("[[100%?]]", "[100%?](../lang/100%25%3F.md)"),
    "a composed name of a decomposed file": ("[[Käse|x]]", "[x](../lang/Ka%CC%88se.md)"),
    "a decomposed name": (f"[[{COFFEE}|x]]", "[x](../lang/Ka%CC%88se.md)"),
    "a composed title": ("[[Käse und Brot|x]]", "[x](../lang/Ka%CC%88se.md)"),
    "a composed image": ("![[Käse.png]]", "![](../img/Ka%CC%88se.png)"),
    "a page of a PDF": ("![[rye.pdf#page=3]]", "[rye.pdf > page=3](../img/rye.pdf#page=3)"),
    "a part of an image": ("![[loaf.png#xywh=0,0,9,9]]", "![](../img/loaf.png#xywh=0,0,9,9)"),
    "a time, with a text": ("[[rye.pdf#t=1:30|x]]", "[x](../img/rye.pdf#t=1:30)"),
    "empty": ("[[]] [[ ]] [[#]] [[|x]] [[#|x]] [[#^]] ![[]]", "[[]] [[ ]] [[#]] [[|x]] [[#|x]] [[#^]] ![[]]"),
    "empty lists of a program": ("x = [[]], f([[], []])", "x = [[]], f([[], []])"),
    "an admonition": ("!!! note\n\n    See [[rye]].", "!!! note\n\n    See [rye](rye.md)."),
}


def linked(text: str, uri: str = "bread/wheat.md") -> str:
    """The text with its wikilinks as Markdown."""
    links = NAMES.read(find_links(text), uri)
    return re.sub(r"!?\[\[[^]]*\]\]", lambda raw: links[raw[0]].markdown if raw[0] in links else raw[0], text)


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_wikilinks_become_links(text: str, expected: str) -> None:
    """The links are those of `bread/wheat.md`; what names nothing stays as it is."""
    assert linked(text) == expected


def test_the_page_beside_or_at_the_top_is_meant() -> None:
    """With one of these there is no doubt; otherwise all that have the name are candidates, the nearest first."""
    assert NAMES.find("note", "b/x.md") == ["b/note.md"]
    assert NAMES.find("a/note", "b/x.md") == ["a/note.md"]
    assert NAMES.find("note", "index.md") == ["a/note.md", "b/note.md", "b/deep/note.md"]
    assert NAMES.suggested("notes") == "note"


def test_many_brackets_take_linear_time() -> None:
    """Wikilinks in hostile text of many brackets are found in linear time."""
    for piece in ("[[", "[[a|", "[[a]] ", "![[a#", "[[a]]]]"):
        assert_linear(find_wikilinks, piece)


FILES = {
    "mkdocs.yml": "site_name: x\ntheme: {name: material, font: false}\nmarkdown_extensions: [attr_list]\n"
    "plugins:\n  - planbook\n  - planbook-speed\n  - search\n",
    "docs/index.md": "# Home\n\nSee [[Dark rye]] and `[[rye]]`.\n",
    "docs/bread/rye.md": "---\ntitle: Dark rye\naliases: [Roggen]\n---\n\nBake [[wheat#Second rise|longer]] than "
    "usual, with ![[loaf.png|300]].\n\n- [[Wheta]]\n- [[note]]\n",
    "docs/bread/wheat.md": "# Wheat\n\nAs [[roggen]], not [[roggen#Third rise]].\n\n## Second rise\n\n[[#Of salt]], "
    "[[millers]].\n\n## Of [[salt]]\n\n[millers]: rye.md\n",
    "docs/a/note.md": "# A\n",
    "docs/b/note.md": "# B\n",
    "docs/img/loaf.png": "x",
}


def check(root: Path) -> list[str]:
    """The lines of `planbook check` on wikilinks."""
    done = CliRunner().invoke(main, ["check", "--root", str(root), "--select", "K037,K023"], prog_name="planbook")
    return done.stdout.splitlines()


def test_the_site_follows_wikilinks(project: Project) -> None:
    """They are links and images on pages, incoming links below them, rows of the graph; moved pages are followed."""
    root = project(FILES)
    built = built_strictly(root)
    assert '<a href="bread/rye/">Dark rye</a>' in built.html("")
    assert "<code>[[rye]]</code>" in built.html("")
    rye = built.html("bread/rye/")
    assert '<a href="../wheat/#second-rise">longer</a>' in rye
    assert '<img alt="" src="../../img/loaf.png" width="300"' in rye
    assert "[[Wheta]]" in rye
    assert 'content="Bake longer than usual, with .">' in rye
    assert '<strong>Linked from</strong> <a href="../../">Home</a><i> · </i><a href="../wheat/">Wheat</a>' in rye
    assert '<td>1: <a href="../bread/wheat/">Wheat</a></td>' in built.html("graph/")
    (root / "docs/bread/rye.md").rename(root / "docs/rye.md")
    assert '<a href="rye/">Dark rye</a>' in build(root).html("")
    assert '<a href="../../rye/">roggen</a>' in build(root).html("bread/wheat/")


def test_check_reports_wikilinks_that_lead_nowhere(project: Project) -> None:
    """With the nearest name, the candidates, or the heading; not in a base where no wikilink leads anywhere."""
    root = project(FILES)
    assert check(root) == [
        "docs/bread/rye.md:8:3: warning [[Wheta]] names no page or file; did you mean [[wheat]]? K037",
        "docs/bread/rye.md:9:3: warning [[note]] may be a/note.md, b/note.md; the first is linked: to choose one, "
        "write its path, as in [[a/note]] K037",
        "docs/bread/wheat.md:3:20: warning [[roggen#Third rise]] names a heading that bread/rye.md does not have K037",
        "docs/bread/wheat.md:9:7: warning [[salt]] names no page or file; write that page, or correct the name K037",
        "4 warnings",
    ]
    for path in (root / "docs").rglob("*.md"):
        path.write_text("Use [[nodiscard]] and [[1]].\n", "utf-8")
    assert check(root) == ["no problems found"]


def test_exported_files_have_plain_links(project: Project, tmp_path: Path) -> None:
    """Other engines know no wikilinks."""
    root = project(FILES)
    done = CliRunner().invoke(main, ["materialize", str(tmp_path / "out"), "--root", str(root)], prog_name="planbook")
    assert done.exit_code == 0, done.output
    rye = (tmp_path / "out/bread/rye.md").read_text("utf-8")
    assert "Bake [longer](wheat.md#second-rise) than" in rye
    assert "![](../img/loaf.png){ width=300 }" in rye
    assert "[Dark rye](bread/rye.md)" in (tmp_path / "out/index.md").read_text("utf-8")
