"""What plans name themselves: addresses, repositories, files, papers."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.citations.identifiers import work_key
from planbook.model import Part, Section, State, Step, Task
from planbook.plan.parse import parse
from planbook.research.search.api_answers import web_address
from planbook.research.search.chain import addresses_in, search_plan

GH = "https://github.com"


@pytest.mark.parametrize(
    ("line", "addresses"),
    [
        ("https://tea.example/a, and https://tea.example/b.", ["https://tea.example/a", "https://tea.example/b"]),
        ("see [Tea](https://tea.example/Tea_(plant)).", ["https://tea.example/Tea_(plant)"]),
        ("`https://tea.example/a`", ["https://tea.example/a"]),
        ("http://user:pw@tea.example/", []),
        ("https://tea.example/{version}/x", []),
        ("https://tea.example/<name>", []),
        ("the GitHub repo `tea/steep`", [f"{GH}/tea/steep"]),
        ("tea/steep repository", [f"{GH}/tea/steep"]),
        ("the `tea/steep` repo", [f"{GH}/tea/steep"]),
        ("tea/steep repository and kettle-lab/boil repository", [f"{GH}/tea/steep", f"{GH}/kettle-lab/boil"]),
        ('mcp__github__get_file_contents(owner: "tea", repo: "steep", path: "src/a.py")', [f"{GH}/tea/steep"]),
        ("CI/CD repository", []),
        ("Tea GitHub (tea/steep) build documentation", [f"{GH}/tea/steep"]),
        ("GitHub tea/steep code", [f"{GH}/tea/steep"]),
        ("github.com/tea/steep.", [f"{GH}/tea/steep"]),
        ("gitlab.com/tea/steep", ["https://gitlab.com/tea/steep"]),
        ("GitHub tea/steep and GitHub kettle-lab/boil", [f"{GH}/tea/steep", f"{GH}/kettle-lab/boil"]),
        ("arXiv:2205.14135 on steeping", ["https://arxiv.org/abs/2205.14135"]),
        ("doi 10.1000/182, by A. Author", ["https://doi.org/10.1000/182"]),
        ("GitHub CI/CD", []),
        ("green/black/white tea scripts", []),
        ("docs/tea/01-water.md in the repository", []),
        ("nvidia-docker GitHub repo (container configs)", []),
        ("the tea house's documentation", []),
        ("either/or", []),
        ("", []),
    ],
)
def test_addresses_in_a_line(line: str, addresses: list[str]) -> None:
    """Each way in which plans name documents, and what only looks like one."""
    assert list(addresses_in(line)) == addresses


def part(**fields: object) -> Part:
    """A PART."""
    return Part(1, "Tea", 3, 9, State.OPEN, **fields)  # type: ignore[arg-type]


def test_all_places_are_read_once() -> None:
    """Sources, tasks and what the outline cites, in this order; a work once, however it is written."""
    tasks = (
        "Scrape https://www.tea.example/b/",
        'Search: "https://tea.example/q"',
        'Grep for "x" in https://x/',
        "Read it",
    )
    found = search_plan(
        part(
            sources=("Tea in depth: http://tea.example/a", "https://tea.example/a?utm_source=x"),
            steps=(Step(1, "s", tuple(Task(text, " ", 5) for text in tasks)),),
            sections=(Section("t", cite=("https://tea.example/c", "https://tea.example/b"), include=("a chart",)),),
        )
    ).hits
    assert [(hit.url, hit.title) for hit in found] == [
        ("http://tea.example/a", "Tea in depth"),
        ("https://www.tea.example/b/", "Scrape"),
        ("https://tea.example/c", "https://tea.example/c"),
    ]


def test_pages_of_results_are_no_documents() -> None:
    """A search that a plan writes as an address leads to sources, and is none."""
    assert search_plan(part(sources=("https://www.google.com/search?q=tea",))).hits == ()


@given(st.lists(st.text(max_size=60) | st.sampled_from(["https://x.example/a", "GitHub a/b", "github.com/a/b"])))
def test_whatever_a_plan_says(lines: list[str]) -> None:
    """No line breaks it; what it names can be asked for, and is named once."""
    found = search_plan(part(sources=tuple(lines))).hits
    assert all(web_address(hit.url) == hit.url for hit in found)
    assert len({work_key(hit.url) for hit in found}) == len(found)


def test_seeds(shared: Path) -> None:
    """The repositories that real plans name in words are found."""
    named = []
    for path in sorted((shared / "seeds").glob("*.md")):
        plan, _ = parse(path.read_text(encoding="utf-8"), path.name)
        named += [hit.url for one in plan.parts for hit in search_plan(one).hits]
    wanted = ("NVIDIA/DeepLearningExamples", "NVIDIA/cuda-samples", "NVIDIA/cutlass", "pytorch/pytorch")
    assert {f"{GH}/{name}" for name in wanted} <= set(named)
