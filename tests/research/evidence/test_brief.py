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
from planbook.research.evidence.brief import compose_brief, render_brief
from planbook.research.evidence.dossier import Dossier
from planbook.research.evidence.work_scores import CHARS_PER_TOKEN
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


def test_a_brief_for_a_runner_lists_sections() -> None:
    """With their passages and sizes, for whoever can read them; a program gets more passages instead."""
    text = "# Layers\n\nSmall images share the layers of one base.\n\n## Keys\n\nA layer is read by all builds.\n"
    changes = "# Changelog\n\n## 1.1.0\n\n- Small images share layers.\n\n## 1.0.0\n\n- Small images are read.\n"
    dossier = Dossier(brief(), sources=(work("layers", text), work("changes", changes)))
    listed = compose_brief(brief(), dossier, lists_sections=True).text
    command = f"{brief().plan.slug} {brief().part.number}"
    assert f"`planbook read ID#3-7 ID#12 --for {command}`" in listed
    assert re.search(
        r"^- `layers` \(`layers\.example/kiln`\): #1 Layers \(\d+\); #2 Keys \(\d+\)$", listed, re.MULTILINE
    )
    assert "Also read, with their numbers of passages: `changes`" in listed
    assert "#1 Layers" not in compose_brief(brief(), dossier).text


def test_sections_have_the_room_of_some_passages() -> None:
    """A host cuts what is longer: with many sections, the likely ones are listed, and all passages keep their ids."""
    manual = "# Manual\n\n" + "".join(
        f"## Step {n}\n\nPinning small image {n} by digest is step {n}.\n\n" for n in range(1_000)
    )
    dossier = Dossier(brief(), sources=(work("manual", manual),))
    composed = compose_brief(brief(), dossier, tokens=3_000, lists_sections=True)
    least = len(compose_brief(brief(), dossier, tokens=0, lists_sections=True).text)
    assert len(composed.text) <= max(3_000 * CHARS_PER_TOKEN, least)
    (more,) = re.findall(r"; (\d+) more$", composed.text, re.MULTILINE)
    assert int(more) == 1_000 - len(re.findall(r"#\d+ Step", composed.text))
    assert composed.passages


def test_a_point_whose_passages_have_no_room_names_them() -> None:
    """A reader asks for them by their ids."""
    dossier = Dossier(brief(), sources=(work("layers", "# Layers\n\nSmall images share the layers of one base.\n"),))
    assert "\nSee `layers#1`.\n" in compose_brief(brief(), dossier, tokens=0).text
    assert "\nSee `layers#1` (below 1." in compose_brief(brief(), dossier).text


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
