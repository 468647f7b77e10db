"""Pages in the mode `github` are what GitHub shows, with Material's blocks on top."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import read_cases
from tests.markdown.github.engine import github, python
from tests.markdown.github.rendered import normalized

CASES = Path(__file__).parent.parent / "cases" / "github.md"


@pytest.mark.parametrize(
    ("text", "expected"),
    [pytest.param(text, html, id=title) for title, text, html in read_cases(CASES)],
)
def test_html_is_as_the_case_says(text: str, expected: str) -> None:
    """Text, elements and attributes; the space between blocks does not count."""
    assert normalized(github(text)) == normalized(expected)


SAME = {
    "admonitions within one another": """
!!! note "A **bold** `t`"

    One [link].

    - x

        !!! tip
            inner

            ??? danger "D"
                deep

    ```py title="x.py" linenums="1" hl_lines="1"
    a = 1
    ```

???+ quote

    Open.

!!! warning ""
    Without a title.

[link]: https://e.example
""",
    "tabs": """
=== "A"

    a1

=== "B *x*"

    ``` bash
    x
    ```

    === "C"
        c

- li

    === "L1"

        l1

    === "L2"

        l2

===! "New"

    set

text
""",
    "blocks with slashes": """
/// note | Title *x*
Body **b**

//// tip
inner
////

///

![x](y.png)
/// caption
A *cap*
///

/// tab | A
a
///

/// tab | B
b
///

/// details | D
    open: true

in it
///
""",
    "elements of HTML with Markdown": """
<div class="grid cards" markdown>

-   :+1: __A__

    ---

    b `<b>`

</div>

<div markdown="1">
<h2 class="x">In HTML</h2>

*a*

```html
<div>
```
</div>

<details markdown="1"><summary>S</summary>
**x**
</details>
""",
    "elements that end below an item": """
<div class="result" markdown>
  <div class="grid cards" markdown>

- *a*
- b

  </div>
</div>

After *it*.
""",
    "footnotes": """
Text[^1] and[^note]. And[^1].

[^1]: First *x* `y`.
[^note]:
    Second

    - a
""",
    "abbreviations": """
The HTML spec. `HTML`, *HTML*.

*[HTML]: Hyper *Text*
""",
    "attributes": """
# Title { #own .x }

Para
{ .cls }

[a](b.md){ .btn } `c`{ .d } *e*{ .f } ![a](b.png){ width=3 }

| a | b |
|:-:|--:|
| x | z { .r } |
""",
    "a table of contents": """
[TOC]

## A
### B *c* `d`
## A
""",
    "code in a line": "`#!py x = 1` and `:::js y` and `plain` and `` a`b `` and ``#!js `c` ``\n",
    "custom fences": '```mermaid\ngraph LR\n  a --> b\n```\n\n``` { .py .x #y title="t" }\na = 1\n```\n',
    "indented code": "Text\n\n    a < b &amp;\n\n    c\n",
    "task lists": "- [ ] a\n- [x] b\n    - [X] c\n\n1. [ ] d\n",
    "definitions": "Term\n:   Definition *a*\n\n    more\n\nOther *o*\n\n:   d1\n",
    "blocks in definitions": """
Term

:   !!! note

        Body
        goes on

    More

Other

:   ??? tip "T"

        - x

:   === "A"

        a
""",
    "formulas": "$a_1$ and \\(b_1\\)\n\n\\[\nx *y*\n\\]\n\n\\begin{align}\nx\n\\end{align}\n",
    "signs, keys and emojis": "==m *a* `b`== and ==c== a == *b* == c :smile: ++ctrl+alt++ H~2~O ~~d~~\n",
    "comments": "<!-- a -->\n\n# T\n\nb <!-- c --> d\n",
    "a list that goes on": "1. one\n\n    ```py\n    x\n    ```\n\n2. two\n\n    more\n",
}


@pytest.mark.parametrize("text", SAME.values(), ids=SAME)
def test_what_both_read_alike_is_the_same_html(text: str) -> None:
    """Material's blocks as its documentation writes them: scripts and styles see no difference."""
    assert normalized(github(text)) == normalized(python(text))


def test_signs_written_as_entities_are_no_symbols() -> None:
    """Extensions that replace signs, such as arrows, see no signs that the author escaped."""
    html = github("a --> b --&gt; c <code>&lt;!-- d --&gt;</code>", "pymdownx.smartsymbols")
    assert html == "<p>a &rarr; b --&gt; c <code>&lt;!-- d --&gt;</code></p>"
