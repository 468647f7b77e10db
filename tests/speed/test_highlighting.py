"""Code is highlighted with less work, and as by PyMdown Extensions."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import markdown
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pygments.lexers import get_all_lexers
from pymdownx.highlight import Highlight, HighlightExtension

from planbook_cache.disk import DiskCache
from planbook_speed import highlighting
from planbook_speed.highlighting import QuickHighlight
from tests.conftest import ROOT
from tests.speed.conftest import Site
from tests.speed.releases import assert_same_after_changes, building_with

EXTENSIONS = ["pymdownx.superfences", "pymdownx.inlinehilite"]
CODE = 'def f(x: int) -> str:\n    """A & B"""\n\n    return f"{x!r} < 5"  # <é>\n' * 4
TEXT = """# Code

```{head}
{code}
```

- In a list, `#!python x < 1` and

    ```{head}
    {indented}
    ```

    indented:

        x = 1 < 2
"""
HEADS = [
    *("", "python", "nothing-known", "PYTHON", "console", "php", "{.python}", "{.python #a .b data-x=1}"),
    *('python title="A & <b>"', 'python hl_lines="1 3"', 'python linenums="1"', 'python linenums="0"'),
    *('{.python linenums="2 3"}', '{ .yaml .annotate title="*a*" }', "text", "html", "html+jinja", "c++"),
]
OPTIONS: list[dict[str, Any]] = [
    *({}, {"linenums": True}, {"linenums": False}, {"anchor_linenums": True}, {"line_spans": "l"}, {"noclasses": True}),
    *({"use_pygments": False}, {"guess_lang": True}, {"auto_title": True}, {"pygments_lang_class": True}),
    *({"stripnl": False}, {"default_lang": "python"}, {"css_class": "code & more"}, {"pygments_style": "monokai"}),
    {"extend_pygments_lang": [{"name": "Console", "lang": "python", "options": {"tabsize": 2}}]},
    {"code_attr_on_pre": True, "linenums_style": "pymdownx-inline", "line_anchors": "a"},
]


def rendered(text: str, options: dict[str, Any], *others: Any) -> str:
    """The HTML of a text."""
    md = markdown.Markdown(
        extensions=["pymdownx.highlight", *EXTENSIONS, *others], extension_configs={"pymdownx.highlight": options}
    )
    return md.convert(text)


def page(head: str, code: str) -> str:
    """A page with code in two places."""
    return TEXT.format(head=head, code=code, indented=code.replace("\n", "\n    "))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_code_is_highlighted_as_by_their_highlighter(tmp_path: Path, options: dict[str, Any]) -> None:
    """It is the same with each option of the extension and each kind of fence, also from the cache."""
    text = "\n\n".join(page(head, CODE) for head in HEADS)
    theirs = rendered(text, options)
    assert theirs.count("return") > len(HEADS)
    for _ in range(2):
        assert rendered(text, options, QuickHighlight(DiskCache(tmp_path))) == theirs
    assert rendered(text, options, QuickHighlight()) == theirs


def test_each_language_is_highlighted_as_by_their_highlighter() -> None:
    """Of all languages with a name, on code of this repository."""
    code = (ROOT / "Makefile").read_text("utf-8")[:600] + CODE[:100]
    md = markdown.Markdown()
    ours, theirs = highlighting.KeptHighlighter(None, md), Highlight(md)
    names = [aliases[0] for _, aliases, *_ in get_all_lexers() if aliases][::7]
    assert len(names) > 50
    for name in names:
        assert ours.highlight(code, name) == theirs.highlight(code, name), name


PARTS = ["\n", " ", "\t", "a", "<", "&", ">", '"', "'''", "# x", "\r\n", "\ue000", "\ue000\n", "é", "\x02", "{", "```"]


@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join), st.sampled_from(["python", "text", "", "html"]))
@example("", "python")
@example("\n\n", "text")
@example("\ue000\n", "text")
def test_any_code_is_highlighted_as_by_their_highlighter(code: str, language: str) -> None:
    """Empty code, signs of HTML, and the sign that stands for code."""
    md = markdown.Markdown()
    ours, theirs = highlighting.KeptHighlighter(None, md), Highlight(md)
    assert ours.highlight(code, language) == theirs.highlight(code, language)


def test_a_block_is_highlighted_once(tmp_path: Path) -> None:
    """A block of an earlier build, on another page and with other options around it, is read from the cache."""
    rendered(page("python", CODE), {}, QuickHighlight(DiskCache(tmp_path)))
    entries = size(tmp_path)
    assert entries > len(CODE)
    html = rendered(
        "## Other\n\n" + page("python", CODE), {"css_class": "b"}, "tables", QuickHighlight(DiskCache(tmp_path))
    )
    assert html.count('<div class="b">') >= 2
    assert size(tmp_path) == entries
    rendered(page("python", CODE + "x"), {}, QuickHighlight(DiskCache(tmp_path)))
    assert size(tmp_path) > entries


def size(folder: Path) -> int:
    """The size of all files in a folder, in bytes."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


class Own(HighlightExtension):  # type: ignore[misc]
    """An extension that highlights in its own way."""

    def get_pymdownx_highlighter(self) -> type[Highlight]:
        """Return another highlighter."""
        return Loud


class Loud(Highlight):  # type: ignore[misc]
    """A highlighter of somebody else."""

    def highlight(self, src: str, *_: object, **__: object) -> str:
        """Return code in capitals."""
        return f"<pre>{src.upper()}</pre>"


def test_a_highlighter_of_others_is_left_alone() -> None:
    """An extension that offers one of its own keeps it."""
    html = markdown.Markdown(extensions=[Own(), *EXTENSIONS, QuickHighlight()]).convert("```python\nx = a\n```")
    assert html == "<pre>X = A</pre>"


def test_without_highlighted_code_nothing_is_registered() -> None:
    """Without PyMdown Extensions, the extension changes nothing."""
    md = markdown.Markdown(extensions=["fenced_code", QuickHighlight()])
    assert not any(isinstance(extension, QuickHighlight) for extension in md.registeredExtensions)
    assert md.convert("```python\nx\n```") == '<pre><code class="language-python">x\n</code></pre>'


OTHERS = {
    "interface": {"get_pymdownx_highlighter": "get_other_highlighter"},
    "parameter": {"code_block_count": "code_number"},
    "output": {"code = highlight(src, lexer, formatter)": "code = highlight(src + ' # new', lexer, formatter)"},
}
"""What a release of PyMdown Extensions may have in place of what it has."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.nightly) for name in OTHERS if name != "output"] + ["output"]
)
def test_a_release_with_another_highlighter(site: Site, tmp_path: Path, name: str) -> None:
    """Another interface, other parameters or other HTML: code is highlighted by that release alone."""
    with building_with(site, tmp_path / "other", "pymdownx", OTHERS[name]):
        assert_same_after_changes(site)


def test_zensical_s_extension_highlights_too() -> None:
    """The extension that its configuration lists has no cache, and makes Python look for garbage seldom."""
    before = gc.get_threshold()
    try:
        gc.set_threshold(700)  # Python's own; a command that ran in this process before may have raised it
        ours = rendered(page("python", CODE), {}, "planbook_speed.highlighting:QuickExtension")
        assert gc.get_threshold()[0] > 700
    finally:
        gc.set_threshold(*before)
    assert ours == rendered(page("python", CODE), {})
