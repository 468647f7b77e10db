"""The works that a page cites in its prose: real pages read by hand, a table of short ones, and laws.

The cases are in `cases/citations/*.md`; `tests.cases` reads and compares them.
"""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from generator.model import Reference
from generator.page.cited import find_references
from generator.page.works import is_same_page, work_key
from tests.cases import differences, read_cases

CASES = Path(__file__).parent / "cases" / "citations"
URI = "bread/10-rye.md"


def shown(reference: Reference) -> dict[str, Any]:
    """The reference as `planbook cite --json` names its fields."""
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


def test_titles_of_cases_are_unique() -> None:
    """No two cases have the same title in the same file."""
    ids = [str(case.id) for case in ALL_CASES]
    assert sorted(set(ids)) == sorted(ids)


# ---------------------------------------------------------------------------------------------- search pages


@pytest.mark.parametrize(
    "text",
    [
        "From [Results](https://www.google.com/search?q=rye) (accessed 2025-11-13):\n",
        "## Sources\n\n- [Results](https://scholar.google.com/scholar?q=rye)\n",
        "**Source**: https://duckduckgo.com/?q=rye\n",
        "## References\n\n1. Rye: https://arxiv.org/search/?query=rye&searchtype=all\n",
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

DAY = "2025-11-13"
TRUTH: dict[str, list[tuple[str, str | None, list[int]]]] = {
    "pages/cuda/10-docker-multistage-ml-optimization.md": [
        ("https://docs.docker.com/build/building/multi-stage/", DAY, [36, 464]),
        ("https://mveg.es/posts/optimizing-pytorch-docker-images-cut-size-by-60percent/", DAY, [67, 152, 283, 459]),
        ("https://docs.docker.com/build/cache/backends/", DAY, [130, 408, 473]),
        ("https://hub.docker.com/r/nvidia/cuda", DAY, [469]),
        ("arr-coc-0-1 CUPTI investigation", None, [479]),
        ("https://github.com/moby/moby/discussions/46426", None, [482]),
        ("https://docs.docker.com/build/buildkit/", None, [483]),
    ],
    "pages/cuda/11-pytorch-profiling-ecosystem.md": [
        ("https://docs.pytorch.org/docs/stable/profiler.html", DAY, [19, 608]),
        ("https://github.com/pytorch/kineto", DAY, [36, 120, 614]),
        ("https://pytorch.org/blog/automated-trace-collection/", DAY, [56, 401, 610]),
        ("https://pytorch.org/tutorials/recipes/recipes/profiler_recipe.html", DAY, [75, 609]),
        ("https://docs.nvidia.com/nsight-systems/", DAY, [138, 617]),
        ("https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html", DAY, [192, 618]),
        (
            "https://forums.developer.nvidia.com/t/nsight-compute-vs-nsight-systems-vs-pytorch-profiler/283271",
            DAY,
            [223, 619],
        ),
        ("https://pytorch.org/blog/trace-analysis-for-masses/", DAY, [525, 625]),
        ("https://pytorch.org/blog/introducing-pytorch-profiler-the-new-and-improved-performance-tool/", DAY, [611]),
        ("https://pytorch.org/blog/performance-debugging-of-production-pytorch-models-at-meta/", DAY, [622]),
        ("https://hta.readthedocs.io/", DAY, [626]),
        ("Local investigation experience", None, [629]),
        (
            "https://eunomia.dev/blog/2025/04/21/gpu-profiling-under-the-hood-an-implementation-focused-survey-of-modern-accelerator-tracing-tools/",
            DAY,
            [632],
        ),
        ("https://www.alcf.anl.gov/sites/default/files/2025-05/PyTorchProfiler_HZheng.pdf", DAY, [633]),
    ],
    "pages/cuda/12-pytorch-cmake-build-internals.md": [
        ("02-pytorch-build-system-compilation.md", None, [17, 601]),
        ("11-pytorch-profiling-ecosystem.md", None, [18, 602]),
        ("13-nvidia-container-cuda-packaging.md", None, [19, 603]),
        ("https://github.com/pytorch/pytorch/issues/14333", DAY, [40, 123, 606]),
        (
            "https://gitlab.maisondelasimulation.fr/agueroud/pytorch/-/blob/update-test-libtorch-path/cmake/Dependencies.cmake",
            DAY,
            [64, 607],
        ),
        ("https://discuss.pytorch.org/t/pytorch-profiler-cupti-warning/131011", DAY, [179, 608]),
        ("arr-coc-0-1 CUPTI Investigation", None, [553, 612]),
        ("https://cmake.org/cmake/help/latest/module/FindCUDA.html", DAY, [609]),
        ("CMake header-only detection pattern", None, [613]),
    ],
    "pages/cuda/13-nvidia-container-cuda-packaging.md": [
        ("https://hub.docker.com/r/nvidia/cuda", DAY, [13, 616]),
        (
            "https://stackoverflow.com/questions/56405159/what-is-the-difference-between-devel-and-runtime-tag-for-a-docker-container",
            DAY,
            [136, 618],
        ),
        ("https://docs.nvidia.com/cuda/cuda-installation-guide-linux/", DAY, [169, 476, 619]),
        (
            "https://medium.com/@juliuserictuliao/documentation-installing-cuda-on-ubuntu-22-04-2c5c411df843",
            DAY,
            [313, 620],
        ),
        (
            "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/arch-overview.html",
            DAY,
            [582, 617],
        ),
        ("arr-coc-0-1/training/CUPTI_INVESTIGATION_STUDY.md", None, [613]),
        ("https://developer.download.nvidia.com/compute/cuda/repos/", None, [623]),
        ("https://docs.nvidia.com/deploy/cuda-compatibility/", None, [624]),
    ],
    "pages/cuda/20-cupti-deep-dive-arr-coc.md": [
        ("https://developer.nvidia.com/cupti", DAY, [13, 96, 792]),
        ("https://github.com/pytorch/kineto", DAY, [40, 300, 795]),
        ("cuda/11-pytorch-profiling-ecosystem.md", None, [46, 225, 788]),
        ("https://docs.nvidia.com/cupti/", DAY, [76, 208]),
        ("https://pytorch.org/blog/automated-trace-collection/", DAY, [126, 189, 363, 796]),
        ("cuda/13-nvidia-container-cuda-packaging.md", None, [132, 789]),
        ("https://pytorch.org/docs/stable/profiler.html", DAY, [161, 794]),
        ("https://docs.nvidia.com/cupti/main/main.html", DAY, [288, 793]),
        ("arr-coc-0-1 CUPTI investigation", None, [482, 799]),
        ("arr-coc-0-1 training infrastructure", None, [800]),
    ],
    "drops/KNOWLEDGE-DROP-docker-multistage-2025-11-13.md": [
        ("https://mveg.es/posts/optimizing-pytorch-docker-images-cut-size-by-60percent/", None, [50]),
        ("https://docs.docker.com/build/building/multi-stage/", None, [55]),
        ("https://hub.docker.com/r/nvidia/cuda", None, [60]),
        ("https://docs.docker.com/build/cache/backends/", None, [64]),
    ],
    "drops/KNOWLEDGE-DROP-nvidia-packaging-2025-11-13.md": [
        ("https://hub.docker.com/r/nvidia/cuda", DAY, [25]),
        ("https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/arch-overview.html", DAY, [30]),
        (
            "https://stackoverflow.com/questions/56405159/what-is-the-difference-between-devel-and-runtime-tag-for-a-docker-container",
            DAY,
            [35],
        ),
        ("https://docs.nvidia.com/cuda/cuda-installation-guide-linux/", DAY, [39]),
        ("https://medium.com/@juliuserictuliao/documentation-installing-cuda-on-ubuntu-22-04-2c5c411df843", DAY, [44]),
    ],
    "drops/KNOWLEDGE-DROP-pytorch-cmake-2025-11-13.md": [
        ("https://github.com/pytorch/pytorch/issues/14333", DAY, [23]),
        (
            "https://gitlab.maisondelasimulation.fr/agueroud/pytorch/-/blob/update-test-libtorch-path/cmake/Dependencies.cmake",
            DAY,
            [28],
        ),
        ("https://discuss.pytorch.org/t/pytorch-profiler-cupti-warning/131011", DAY, [33]),
        ("https://cmake.org/cmake/help/latest/module/FindCUDA.html", DAY, [38]),
    ],
    "drops/KNOWLEDGE-DROP-pytorch-profiling-2025-11-13.md": [
        ("https://docs.pytorch.org/docs/stable/profiler.html", None, [56]),
        ("https://pytorch.org/tutorials/recipes/recipes/profiler_recipe.html", None, [57]),
        ("https://pytorch.org/blog/automated-trace-collection/", None, [58]),
        ("https://pytorch.org/blog/introducing-pytorch-profiler-the-new-and-improved-performance-tool/", None, [59]),
        ("https://github.com/pytorch/kineto", None, [60]),
        ("https://docs.nvidia.com/nsight-systems/", None, [63]),
        ("https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html", None, [64]),
        (
            "https://forums.developer.nvidia.com/t/nsight-compute-vs-nsight-systems-vs-pytorch-profiler/283271",
            None,
            [65],
        ),
        ("https://pytorch.org/blog/performance-debugging-of-production-pytorch-models-at-meta/", None, [68]),
        ("https://hta.readthedocs.io/", None, [69]),
        (
            "https://eunomia.dev/blog/2025/04/21/gpu-profiling-under-the-hood-an-implementation-focused-survey-of-modern-accelerator-tracing-tools/",
            None,
            [70],
        ),
        ("https://www.alcf.anl.gov/sites/default/files/2025-05/PyTorchProfiler_HZheng.pdf", None, [73]),
    ],
}
"""Of each page and drop: every work's address or its title's beginning, access date, and lines."""


@pytest.mark.parametrize("name", TRUTH)
def test_a_real_page(shared: Path, name: str) -> None:
    """What a person finds on a real page is found, and nothing else."""
    references, problems = find_references((shared / "samples" / name).read_text(encoding="utf-8"), name)
    found = [(reference.url or reference.title, reference.accessed, list(reference.lines)) for reference in references]
    expected = TRUTH[name]
    assert [what[: len(known)] for (what, _, _), (known, _, _) in zip(found, expected, strict=True)] == [
        what for what, _, _ in expected
    ]
    assert [rest for _, *rest in found] == [rest for _, *rest in expected]
    assert problems == ()


# ------------------------------------------------------------------------------------------------------- laws

PIECES = [
    *(
        "From ",
        "Source: ",
        "**Sources:**",
        "## Sources",
        "## References",
        "### Web (accessed 2025-11-13)",
        "\n",
        "\n\n",
    ),
    *(
        "- ",
        "  - ",
        "1. ",
        "[1] ",
        "[^1]: ",
        "| ",
        "> ",
        "**",
        "`",
        "```",
        "~~~",
        "---",
        " and ",
        ": ",
        " - ",
        "(",
        ")",
        "[",
        "]",
    ),
    *(
        "[Rye](https://rye.test/a)",
        "[Oats][1]",
        "[1]: https://oats.test/c",
        "https://wheat.test/b",
        "<https://x.test/y>",
    ),
    *(
        "(accessed 2025-11-13)",
        "Accessed: 2025-11-14",
        "URL: ",
        "Title: Rye",
        "arXiv:2301.01234",
        "doi:10.1234/a(b)",
        "None",
    ),
    *(
        "bread/11-wheat.md:3-4",
        "[page](../oats/01-oats.md)",
        "All sources accessed 2025-11-13",
        "Rye",
        "é",
        "\t",
        "<!--",
        "-->",
    ),
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
    pages = [key for key in keys if key.startswith("page:")]
    assert not any(is_same_page(a, b) for n, a in enumerate(pages) for b in pages[:n])


@given(st.lists(st.sampled_from(["Rye", "oven", "milling", "", "- note", "## Baking"]), max_size=12), st.data())
def test_lines_mention_the_work(around: list[str], data: st.DataObject) -> None:
    """Wherever a `From` line stands, it is found on that line."""
    n = data.draw(st.integers(0, len(around)))
    lines = [*around[:n], "", "From [Rye](https://rye.test/a):", "", *around[n:]]
    (reference,) = find_references("\n".join(lines), URI)[0]
    assert reference.lines == (lines.index("From [Rye](https://rye.test/a):") + 1,)


@given(PAGES.filter(lambda text: "\r" not in text))
def test_line_ends_make_no_difference(text: str) -> None:
    """A page with the line ends of Windows cites the same works on the same lines."""
    assert find_references(text.replace("\n", "\r\n"), URI) == find_references(text, URI)


@given(st.lists(st.sampled_from([piece for piece in PIECES if "`" not in piece and "~" not in piece]), max_size=30))
def test_nothing_is_found_in_a_fence(pieces: list[str]) -> None:
    """A fenced block cites nothing, whatever it holds."""
    assert find_references("````\n" + "".join(pieces) + "\n````\n", URI) == ((), ())


@pytest.mark.parametrize("head", ["", "From ", "- ", "## Sources\n- ", "## Sources\n| ", "[^1]: ", "**Sources**: "])
@pytest.mark.parametrize(
    "unit", ["[", "](", "[a](", "(", "https://", "a.md ", "a/", "1.", "*", "accessed ", "[1]", '"a']
)
def test_a_long_line_is_read_quickly(head: str, unit: str) -> None:
    """No pattern takes more than its share of a line of 4,000 characters."""
    text = head + (unit * 4000)[:4000] + " https://rye.test/a\n"
    started = time.perf_counter()
    find_references(text, URI)
    assert time.perf_counter() - started < 2
