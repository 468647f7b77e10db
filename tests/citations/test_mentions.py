"""The works that a page cites in its prose: real pages read by hand, a table of short ones, and laws.

The cases are in `cases/*.md`; `tests.cases` reads and compares them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from planbook.citations.identifiers import work_key
from planbook.citations.mentions import find_references
from planbook.model import Reference
from tests.cases import differences, read_cases
from tests.citations.truth import read_truth, score

CASES = Path(__file__).parent / "cases"
URI = "bread/10-rye.md"


def shown(reference: Reference) -> dict[str, Any]:
    """The reference as `planbook cite --format=json` names its fields."""
    return {
        "id": reference.id,
        "URL": reference.url,
        "title": reference.title,
        "accessed": reference.accessed,
        "lines": list(reference.lines),
    }


# ----------------------------------------------------------------------------------------- short pages


ALL_CASES = [
    pytest.param(text, expected, id=f"{path.stem}: {title}")
    for path in sorted(CASES.glob("*.md"))
    for title, text, expected in read_cases(path)
]


@pytest.mark.parametrize(("text", "expected"), ALL_CASES)
def test_a_case(text: str, expected: str) -> None:
    """A page's references are those of the case, no more and no fewer."""
    references, problems = find_references(text, URI)
    assert list(differences([shown(reference) for reference in references], yaml.safe_load(expected))) == []
    assert problems == ()


# ---------------------------------------------------------------------------------------------- search pages


@pytest.mark.parametrize(
    "text",
    [
        "From [Results](https://www.google.com/search?q=rye) (accessed 2025-11-13):\n",
        "## Sources\n\n- [Results](https://scholar.google.com/scholar?q=rye)\n",
        "**Source**: https://duckduckgo.com/?q=rye\n",
        "## References\n\n1. Rye: https://arxiv.org/search/?query=rye&searchtype=all\n",
        "Sources searched:\n- https://www.bing.com/search?q=rye\n",
    ],
)
def test_a_search_page_is_a_problem(text: str) -> None:
    """A page of results that is cited is no reference, and K010 names its line."""
    references, (problem,) = find_references(text, URI)
    assert references == ()
    assert (problem.code, problem.uri) == ("K010", URI)
    assert "http" in text.splitlines()[problem.line - 1]


def test_a_search_page_in_running_text_is_none() -> None:
    """A link to a page of results that nothing cites is just a link."""
    assert find_references("Look [here](https://www.google.com/search?q=rye).\n", URI) == ((), ())


# ----------------------------------------------------------------------------- real pages, read by hand

SAMPLES = read_truth((Path(__file__).parent / "samples.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", SAMPLES)
def test_a_real_page(shared: Path, name: str) -> None:
    """What a person finds on a real page is found, and nothing else: works, titles, access dates, lines."""
    found = find_references((shared / "samples" / name).read_text(encoding="utf-8"), name)
    scored = score(name, SAMPLES[name], *found)
    assert scored.wrong == []
    assert scored.counts["recall"][1] >= 4


# ------------------------------------------------------------------------------------------------------- laws

PIECES = [
    *("From ", "Source: ", "**Sources:**", "## Sources", "## References", "### Web (accessed 2025-11-13)", "\n"),
    *("\n\n", "- ", "  - ", "1. ", "[1] ", "[^1]: ", "| ", "> ", "**", "`", "```", "~~~", "---", " and ", ": ", " - "),
    *("(", ")", "[", "]", "[Rye](https://rye.test/a)", "[Oats][1]", "[1]: https://oats.test/c", "https://wheat.test/b"),
    *("<https://x.test/y>", "(accessed 2025-11-13)", "Accessed: 2025-11-14", "URL: ", "Title: Rye", "arXiv:2301.01234"),
    *("doi:10.1234/a(b)", "None", "bread/11-wheat.md:3-4", "[page](../oats/01-oats.md)"),
    *("All sources accessed 2025-11-13", "Rye", "é", "\t", "<!--", "-->"),
]
PAGES = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))


@given(PAGES)
@example("## Sources\n| a\n|-\n| https://a.test/b")
@example("[x]: https://a.test/b\n\nFrom [x]:")
def test_every_text_is_read(text: str) -> None:
    """No text crashes the reading; ids are distinct, lines exist, works stand in order of first mention."""
    references, problems = find_references(text, URI)
    count = text.replace("\r\n", "\n").count("\n") + 1
    ids = [reference.id for reference in references]
    assert len(set(ids)) == len(ids)
    for reference in references:
        assert re.fullmatch(r"[a-z0-9][a-z0-9-]*", reference.id)
        assert reference.lines == tuple(sorted(set(reference.lines)))
        assert 1 <= reference.lines[0] <= reference.lines[-1] <= count
        assert reference.title.strip()
        assert reference.accessed is None or re.fullmatch(r"\d{4}-\d\d-\d\d", reference.accessed)
    assert [r.lines[0] for r in references] == sorted(r.lines[0] for r in references)
    assert all(1 <= problem.line <= count for problem in problems)


@given(PAGES)
def test_works_are_distinct(text: str) -> None:
    """No two references are the same work."""
    keys = [work_key(reference.url) for reference in find_references(text, URI)[0] if reference.url]
    assert len(set(keys)) == len(keys)
    paths = {"/" + key.removeprefix("page:") for key in keys if key.startswith("page:")}
    assert not any(a.endswith(b) for a in paths for b in paths - {a})


@given(PAGES.filter(lambda text: "\r" not in text))
def test_line_ends_make_no_difference(text: str) -> None:
    """A page with the line ends of Windows cites the same works on the same lines."""
    assert find_references(text.replace("\n", "\r\n"), URI) == find_references(text, URI)


@given(st.lists(st.sampled_from([piece for piece in PIECES if "`" not in piece and "~" not in piece]), max_size=30))
def test_nothing_is_found_in_a_fence(pieces: list[str]) -> None:
    """A fenced block cites nothing, whatever it holds."""
    assert find_references("````\n" + "".join(pieces) + "\n````\n", URI) == ((), ())
