"""Texts that try to be HTML, and a reader that sees what a browser would."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from hypothesis import strategies as st
from mkdocs.utils.yaml import yaml_load

from tests.conftest import ROOT

HOSTILE = [
    "<script>alert(1)</script>",
    "a <img src=x onerror=alert(1)> b",
    "</h1><script>alert(1)</script>",
    "title {: onclick=alert(1) }",
    "[text](JaVaScRiPt:alert(1) 'x')",
    "[text](data:text/html;base64,x)",
    "[text](//example.org)",
    "![image](https://example.org/x.png)",
    "![image](x){ onerror=alert(1) }",
    "<javascript:alert(1)>",
    "https://example.org/a_b_c?d=e&f=g",
    "[ref]: https://example.org",
    "[ref][id] and [id]",
    "[^1] and [^1]: footnote",
    "*[HTML]: abbreviation",
    "a | b || c",
    "[@x] and @user and [@x, p. 3]",
    "&lt;b&gt; &amp; &copy; &#60; &nbsp;",
    "a < b > c && d",
    "`code` and ``co`de`` and `a|b` and `",
    "`#!python print(1)` and `:::js x`",
    "```\nfence\n```",
    "# heading",
    "- list",
    "2) other",
    "> quote",
    "===",
    "---",
    "term\n: definition",
    "    indented",
    "!!! note",
    '=== "tab"',
    "||spoiler|| ~~old~~ ==mark== ++key++ ^^ins^^ ~sub~ ^sup^",
    ":smile: ::: class",
    "--8<-- 'file.md'",
    "<!-- planbook:state -->",
    "\\* \\< \\\\ \\",
    "trailing\\",
    "**unclosed",
    "_a_b_ __c__ snake_case_word",
    "$x^2$ \\(y\\) $$z$$",
    "%3Cscript%3E",
    "quotes \" and ' here",
    "\u202eright to left",
    "\x02wzxhzdk:0\x03",
    "STX\x02klzzwxh:0000\x03ETX",
    "see https://evil.test or www.evil.test or mailto:a@evil.test or <https://evil.test>",
    "{: onclick=alert(1) } { #id .class } {{ config }} {% raw %} {# x #}",
    "- [x] PART 1: done",
    "/// note",
    "::: module.name",
    "[TOC]",
    "snake_case_name --flag=a -x a*b*c 5 < 6 && 7 > 2 \\n C:\\temp",
    "12:30 std::vector 3.5 GB, 10. of May",
    "line one\n# line two\n\n    line three",
    "",
    " spaces at both ends ",
]


class Reader(HTMLParser):
    """Reads elements, their attributes and all text from HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._in_headerlink = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take an element."""
        self._in_headerlink = dict(attrs).get("class") == "headerlink"
        self.text += dict(attrs).get("alt") or ""
        if not self._in_headerlink:
            self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        self._in_headerlink = False

    def handle_data(self, data: str) -> None:
        """Take text."""
        self.text += "" if self._in_headerlink else data

    def handle_comment(self, data: str) -> None:
        """A comment is an element that no plan may make."""
        self.elements.append(("!--", {}))


TEXTS = st.one_of(
    st.sampled_from(HOSTILE),
    st.lists(st.sampled_from([*HOSTILE, "word", " ", "*", "_", "`", "[", "](", ")", "<", ">", "|", "{", "}", ":"])).map(
        "".join
    ),
    st.text(max_size=40),
    st.text(alphabet="*_`[]()<>{}|:#!&;\\~^=+-@\"' \nab1.", max_size=30),
)
"""Text of any kind, mostly of the worst."""


SITE = yaml_load(re.sub(r"!!python\S*", "", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))


EXTENSIONS = [next(iter(name)) if isinstance(name, dict) else name for name in SITE["markdown_extensions"]]
