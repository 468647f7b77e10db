"""Citations in the text: ``[@id]`` and its kin."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from planbook.citations.in_text import find_citations


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A [@rye].", [("rye", None)]),
        ("A [@rye, q1].", [("rye", "q1")]),
        ('A [@rye, sec. "On *flour* [new]"].', [("rye", 'sec. "On *flour* [new]"')]),
        ("A [@rye, p. 3; @oats-2].", [("rye", "p. 3"), ("oats-2", None)]),
        ("A [-@rye].", [("rye", None)]),
        ("A [@rye, sec.\nTwo].", [("rye", "sec. Two")]),
        ("- item [@rye]\n- item", [("rye", None)]),
        ("`[@rye]`", []),
        ("```\n[@rye]\n```\n", []),
        ("a\n\n    [@rye]\n", []),
        ("!!! note\n\n    a [@rye]\n\n    b [@rye, q1] `[@rye]`\n", [("rye", None), ("rye", "q1")]),
        ('!!! note "Bread"\n    a\n\n    b [@rye]\n\n    ```\n    [@rye]\n    ```\n', [("rye", None)]),
        ("!!! note\n    a\n\nb\n\n    [@rye]\n", []),
        ("- x\n\n    !!! tip\n        a\n\n        b [@rye]\n", [("rye", None)]),
        ("[@rye](https://x.example)", []),
        ("mail me@rye.example", []),
        ("[see @rye]", [("rye", None)]),
        ("A [see @rye, p. 3; also @oats-2].", [("rye", "p. 3"), ("oats-2", None)]),
        ("A [see @ryee, p. 3].", [("ryee", "p. 3")]),
        ("A [@rye,@oats-2], [@rye @oats-2].", [("rye", None), ("oats-2", None)] * 2),
        ("A [@rye, p. 3, @oats-2, ch. 4].", [("rye", "p. 3"), ("oats-2", "ch. 4")]),
        ("A [@rye and also @oatz-2].", [("rye", None), ("oatz-2", None)]),
        ('A [@rye, sec. "On @oats-2"].', [("rye", 'sec. "On @oats-2"')]),
        ("A [@rye p. 3] B [@{rye}] C [-@rye, q1].", [("rye", "p. 3"), ("rye", None), ("rye", "q1")]),
        ("@rye [p. 3] says, and so do @oats-2.", [("rye", "p. 3"), ("oats-2", None)]),
        ("Baker says so -@rye [pp. 1-2]; -@oats-2 too.", [("rye", "pp. 1-2"), ("oats-2", None)]),
        ("a-@rye --@rye x/-@rye", []),
        ("(@rye) *@rye* “@rye”", [("rye", None)] * 3),
        ("[ask @nobody-here] [mail a@rye.example] @nobody @ryes a@rye @rye.example", []),
        ("[see @rye](https://x.example) [@rye][1] <a title='@rye'>x</a> `@rye` \\@rye", []),
        ("A [see @rye; no citation].", [("rye", None)]),
        ("[@site.example:rye_1/a]", [("site.example:rye_1/a", None)]),
        ('A [@rye, sec. "Creating layouts\nfor A"].', [("rye", 'sec. "Creating layouts for A"')]),
        ('A [@rye, sec. "open\n\nB "c"].', []),
    ],
)
def test_citations_are_found(text: str, found: list[tuple[str, str | None]]) -> None:
    """Pandoc's forms, outside code and links; no handle, no address."""
    assert [(c.reference_id, c.locator) for c in find_citations(text, {"rye", "oats-2"})] == found


@pytest.mark.parametrize("text", ["[see @rye]", "[@rye p. 3]", "@rye", "@rye [p. 3]", "[ping @rye]"])
def test_other_forms_need_a_known_work(text: str) -> None:
    """Without a reference of that id, it is a text like any other."""
    assert find_citations(text) == ()
    assert find_citations(text, {"oats"}) == ()


PAGE = """---
title: Bread
references:
  - id: rye
    type: webpage
    title: Rye, a history
    URL: https://rye.example/a
    accessed: {date-parts: [[2026, 11, 20]]}
    custom: {quotes: {q1: "dark, and sour"}}
  - id: oats-2
    type: document
    title: Oats
---

Bread is old [@rye, q1], and so are oats [@oats-2; @rye, sec. "Two"].
"""


def test_pandoc_reads_the_same_citations(pandoc: str, tmp_path: Path) -> None:
    """Pandoc resolves every ``[@id]`` of a page from its front matter, and finds the citations that we find."""
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    command = [pandoc, "--from=markdown", "--to=json", str(page)]
    tree = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    cited = re.findall(r'"citationId": ?"([^"]+)"', json.dumps(tree["blocks"]))
    assert cited == [citation.reference_id for citation in find_citations(PAGE)]
    command = [pandoc, "--citeproc", "--to=plain", "--fail-if-warnings", str(page)]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr
    assert "rye, a history" in done.stdout.lower()
    assert "???" not in done.stdout
