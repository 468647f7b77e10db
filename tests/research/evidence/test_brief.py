"""The brief of a PART."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from planbook.markdown.front_matter import split_front_matter
from planbook.model import PageUri
from planbook.problems import REQUIRED_KEYS
from planbook.research.drafts import KnownPage
from planbook.research.evidence.brief import render_brief
from planbook.research.evidence.dossier import Dossier
from planbook.research.writers.page_keys import add_missing_keys
from tests.conftest import ROOT
from tests.research.documents import brief
from tests.research.expand.kiln_works import work

GOLDEN = ROOT / "tests" / "golden" / "research"


def test_golden(golden: Callable[[Path, str], None]) -> None:
    """The whole brief of a PART: task, outline, queries, what is known, the page's form, the rules, the drop."""
    golden(GOLDEN / "brief.md", render_brief(brief()))


def test_the_example_is_completed_to_what_the_gates_want() -> None:
    """It has what a writer decides; the keys that a page must hold are added, of this very PART."""
    example = re.search(r"```yaml\n(---\n.*?)```", render_brief(brief()), re.DOTALL)
    assert example is not None
    assert set(split_front_matter(example[1])[0]) == {"description", "tags"}
    meta, _ = split_front_matter(add_missing_keys(example[1], brief(), date(2026, 11, 20)))
    assert set(REQUIRED_KEYS) < set(meta)
    assert (meta["plan"], meta["part"], meta["title"]) == ("small-images", 1, "Small images with Kiln")


def test_each_section_names_the_works_to_read_whole() -> None:
    """Those with the best passages about its points, with their sizes; no change log, no whole manual."""
    text = "# Layers\n\nSmall images share the layers of one base. A layer is read by all builds.\n"
    changes = f"# Changelog\n\n## 1.1.0\n\n- {text[10:]}\n\n## 1.0.0\n\n- {text[10:]}\n"
    manual = "# Manual\n\n" + "".join(f"Pinning small image {n} by digest is step {n}.\n\n" for n in range(1_000))
    works = (work("layers", text), work("changes", changes), work("manual", manual))
    dossier = Dossier(brief(), sources=works)
    lines = re.findall(r"^For section \d, read whole: .*$", render_brief(brief(), dossier), re.MULTILINE)
    assert lines
    assert all(line.endswith("read whole: `layers` (21 tokens).") for line in lines)


@given(st.text(), st.text())
def test_the_base_s_words_stay_words(title: str, line: str) -> None:
    """What stands in the base, and what the plan says, is no heading, fence or HTML of the brief."""
    known = (KnownPage(PageUri("a.md"), title, f"Read {title}"),)
    odd = replace(brief(), known=known, unresolved=(line,), part=replace(brief().part, gaps=(title,)))
    plain = replace(odd, known=(replace(known[0], title="x", reason="x"),), unresolved=("x",))
    plain = replace(plain, part=replace(brief().part, gaps=("x",)))
    markdown = MarkdownIt("commonmark")
    shapes = [
        [token.type for token in markdown.parse(render_brief(each)) if token.type not in {"inline"}]
        for each in (odd, plain)
    ]
    assert shapes[0].count("heading_open") == shapes[1].count("heading_open")
    assert shapes[0].count("fence") == shapes[1].count("fence")
    assert "html_block" not in shapes[0]
