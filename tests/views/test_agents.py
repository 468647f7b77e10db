"""What programs read: twins, llms.txt, and the schema of progress.json."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import strategies as st

from planbook.library import Library, link_tree
from planbook.markdown.front_matter import split_front_matter
from planbook.model import PageUri, Tree
from planbook.views.agents import complete_front_matter, llms_txt, title_and_description, twin
from planbook.views.folders import folder_indexes
from planbook.views.frame import Site, completed_meta
from planbook.views.progress import SCHEMA, progress_files, progress_to_json

PLAN = """# Bread & <rye>

## PART 1: Create bread/1-rye.md (10 lines)

- [✓] PART 1: Create bread/1-rye.md (Completed 2026-01-02 10:00 PST)

## PART 2: Create bread/2-oats.md

- [✓] PART 2: Create bread/2-oats.md

## PART 3: Create bread/3-wheat.md

**Title**: Wheat [hard]

- [ ] PART 3: Create bread/3-wheat.md
"""
RYE = "# Rye\n\nOld & dark.\n\nFrom [Rye, a history](https://rye.example/a) (accessed 2026-01-02):\n\n- old\n"
OATS = "---\ntitle: Oats  # ours\nx: [1,\n  2]\n---\n\n# Oats\n\nSee [rye](1-rye.md).\n"
PAGES = {"bread/1-rye.md": RYE, "bread/2-oats.md": OATS, "about.md": "# About\n\nThis is a base.\n"}


def library(plan: str = PLAN) -> Library:
    """Two written pages, a planned one, and one beside the base."""
    return link_tree(Tree({"plans/bread.md": plan.encode()}, {}, {uri: text.encode() for uri, text in PAGES.items()}))


def made(site_url: str = "https://bread.example/x/") -> dict[str, str]:
    """The files for programs."""
    base = library()
    every = folder_indexes(base, frozenset({"about.md"}))
    texts = PAGES | {"bread/3-wheat.md": "# Wheat\n\nNot yet.\n"}
    known = [(base.page_by_uri.get(uri), base.by_uri.get(PageUri(uri))) for uri in texts]
    twins = {
        uri: twin(text, page, completed_meta(entry) if entry else {})
        for (uri, text), (page, entry) in zip(texts.items(), known, strict=True)
    }
    others = {"about.md": title_and_description(texts["about.md"], "about.md")}
    site = Site("Bread", site_url, description="All on bread.")
    return twins | {"llms.txt": llms_txt(base, every, site, texts, others)}


def test_a_twin_is_its_file() -> None:
    """The body is the same to the byte; the front matter keeps its words and gains what the site knows."""
    files = made()
    meta, _ = split_front_matter(files["bread/1-rye.md"])
    assert files["bread/1-rye.md"].endswith(f"---\n\n{RYE}")
    assert {
        "title": "Rye",
        "plan": "bread",
        "part": 1,
        "state": "done",
        "description": "Old & dark.",
    }.items() <= meta.items()
    works: Any = meta["references"]
    assert [(work["title"], work["URL"]) for work in works] == [("Rye, a history", "https://rye.example/a")]
    oats = files["bread/2-oats.md"]
    assert oats.startswith("---\ntitle: Oats  # ours\nx: [1,\n  2]\n")
    assert oats.endswith("---\n\n# Oats\n\nSee [rye](1-rye.md).\n")
    assert split_front_matter(oats)[0]["title"] == "Oats"


def test_dashes_at_a_values_end_end_nothing() -> None:
    """A title or description may end as front matter does."""
    for value in ("a---", "a ---", "---", "a\n---\nb"):
        text = complete_front_matter("# X\n", {"title": value, "part": 1})
        assert split_front_matter(text) == ({"title": value, "part": 1}, "# X")


def test_a_twin_of_broken_front_matter_is_the_file() -> None:
    """What cannot be read cannot be added to."""
    assert twin("---\na: [\n---\n# X\n", None, {}) == "---\na: [\n---\n# X\n"
    with pytest.raises(ValueError, match="expected"):
        complete_front_matter("---\na: [\n---\n# X\n", {"b": 1})


keys = st.sampled_from(["a", "b", "title", "x-y"])
values = (
    st.text(st.characters(exclude_categories=["Cs"]))
    | st.integers()
    | st.booleans()
    | st.lists(st.integers(), max_size=2)
)


def test_metadata_without_dashes_is_written_with_them() -> None:
    """MkDocs alone reads `Title: Tea` at the top of a page: the twin says it in the form that every tool reads."""
    text = complete_front_matter("Title: Tea\nTags: green\n\n# Body\n", {"title": "x", "part": 1})
    assert split_front_matter(text) == ({"title": "Tea", "tags": "green", "part": 1}, "# Body")
    assert text.startswith("---\n")
    closed_by_dots = "---\ntitle: Tea\n...\n# Body\n"
    assert complete_front_matter(closed_by_dots, {"part": 1}) == "---\ntitle: Tea\npart: 1\n...\n# Body\n"


def test_llms_txt(golden: Any) -> None:
    """Written pages by folder, planned ones, the rest as optional; links to twins."""
    files = made()
    golden(Path(__file__).parents[1] / "golden" / "agents" / "llms.txt", files["llms.txt"])
    addresses = re.findall(r"\]\(https://bread\.example/x/([^)]+)\)", files["llms.txt"])
    assert len(addresses) == 5
    assert {address for address in addresses if address != "progress.json"} <= files.keys()


def test_without_an_address_links_are_relative() -> None:
    """A site that does not know its own address has links that hold within it."""
    assert "](bread/1-rye.md)" in made("")["llms.txt"]


def test_progress_meets_its_schema() -> None:
    """And the schema is one, and refuses what is not progress."""
    schema = json.loads(progress_files(library(), {})[SCHEMA])
    jsonschema.Draft202012Validator.check_schema(schema)
    shown = json.loads(json.dumps(progress_to_json(library(), {})))
    jsonschema.validate(shown, schema)
    for wrong in ({**shown, "more": 1}, {**shown, "version": 2}, {"version": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)
