"""The five seed plans, PART by PART, against a table written by hand; and our own plans against the seeds."""
# ruff: noqa: E501 - a table: one row, one line

from __future__ import annotations

from pathlib import Path

import pytest

from planbook.model import LineBudget, Part, Plan
from planbook.plan.parse import parse_bytes

D, OFF = "done", "disabled"

# plan, number, state, page in cuda/, completed, budget, queries, points, section budgets, steps, reads, drop slug
TABLE = """
cuda-troubleshooting-deep 1 done 12-kernel-debugging-internals-expert|2025-11-13|500|4|14|125 125 125 125|6|2|kernel-debugging
cuda-troubleshooting-deep 2 done 13-memory-leak-profiling-expert|2025-11-13|505|4|14|125 125 125 125|6|3|memory-leak-profiling
cuda-troubleshooting-deep 3 done 14-mixed-precision-debugging-expert|2025-11-13|500|4|14|125 125 125 125|6|2|mixed-precision-debugging
cuda-troubleshooting-deep 4 done 15-production-deployment-troubleshooting-expert|2025-11-13|500|4|14|125 125 125 125|6|2|production-deployment
cupti-investigation-insights 1 done 20-cupti-deep-dive-arr-coc|2025-11-13 21:30|400|4|6|100 100 100 100|5|2|cupti-deep-dive
cupti-investigation-insights 2 disabled 21-docker-build-strategy-patterns||400|3|5|120 100 100 80|5|1|docker-strategies
cupti-investigation-insights 3 disabled 22-pytorch-cmake-detection-deep-dive||400|3|5|120 120 80 80|5|1|pytorch-cmake
cupti-investigation-insights 4 disabled 23-cuda-installation-methods-comparison||400|3|5|100 100 100 100|5|1|cuda-installation
docker-cuda-profiling 1 done 10-docker-multistage-ml-optimization|2025-11-13|400|4|7|100 100 100 100|5|1|docker-multistage
docker-cuda-profiling 2 done 11-pytorch-profiling-ecosystem|2025-11-13|400|4|9|120 120 80 80|5|2|pytorch-profiling
docker-cuda-profiling 3 done 12-pytorch-cmake-build-internals|2025-11-13 15:45|400|4|8|120 120 80 80|5|2|pytorch-cmake
docker-cuda-profiling 4 done 13-nvidia-container-cuda-packaging|2025-11-13 16:45|400|4|8|120 120 80 80|5|1|nvidia-packaging
nvidia-official-builds 1 done 14-nvidia-pytorch-container-builds|2025-11-13 15:45|400|3|6|120 120 80 80|5|1|nvidia-pytorch-builds
nvidia-official-builds 2 done 15-nvidia-deep-learning-examples|2025-11-13 21:49 PST|400|3|6|120 120 80 80|5|1|nvidia-examples
nvidia-official-builds 3 done 16-nvidia-cuda-compilation-best-practices|2025-11-13 04:50 UTC|400|3|6|120 120 80 80|5|2|nvidia-compilation
nvidia-official-builds 4 done 17-nvidia-performance-optimization-patterns|2025-11-13 21:48|400|3|6|120 120 80 80|5|2|nvidia-optimization
pytorch-cuda-compilation 1 done 02-pytorch-build-system-compilation|2025-11-13 19:21|700|3|6|100 150 150 100 150 50|5|3|pytorch-compilation
pytorch-cuda-compilation 2 done 03-compute-capabilities-gpu-architectures|2025-11-13 19:45|750|3|7|100 100 150 100 150 100 50|5|2|compute-capabilities
pytorch-cuda-compilation 3 done 04-pytorch-custom-cuda-extensions|2025-02-03|800|3|6|100 150 200 150 100 100 100|5|1|custom-extensions
pytorch-cuda-compilation 4 done 05-tensor-core-programming-wmma-mma|2025-11-13 19:22|700|3|5|100 200 150 150 100 100|5|1|tensor-cores
pytorch-cuda-compilation 5 done 06-pytorch-jit-torch-compile|2025-02-03 10:15|750|3|5|100 150 200 150 100 150|5|1|jit-compile
pytorch-cuda-compilation 6 done 07-mixed-precision-training-internals|2025-02-03|800|3|5|100 200 150 200 100 150|5|2|mixed-precision
""".strip().splitlines()

CHECKBOXES = {
    "cuda-troubleshooting-deep": {" ": 129, "✓": 4},
    "cupti-investigation-insights": {" ": 58, "✓": 1},
    "docker-cuda-profiling": {" ": 78, "✓": 4},
    "nvidia-official-builds": {" ": 77, "✓": 4},
    "pytorch-cuda-compilation": {" ": 16, "✓": 6},
}


def read_plans(folder: Path) -> dict[str, Plan]:
    """The plans in `folder`, by name without date."""
    plans = {}
    for path in sorted([*folder.glob("*.md"), *folder.glob("completed/*.md")]):
        name = path.stem.rsplit("-20", 1)[0]
        plans[name] = parse_bytes(path.read_bytes(), path.name)[0]
    return plans


@pytest.fixture(scope="module")
def seeds(shared: Path) -> dict[str, Plan]:
    """The five seeds."""
    return read_plans(shared / "seeds")


@pytest.fixture(scope="module")
def ours() -> dict[str, Plan]:
    """The plans of this repository."""
    return read_plans(Path(__file__).parents[2] / "plans")


def part_of(plans: dict[str, Plan], row: str) -> tuple[Part, list[str]]:
    """The PART that a row of the table speaks of, and the row's cells."""
    head, *cells = row.split("|")
    name, number, state, page = head.split(" ")
    parts = [part for part in plans[name].parts if part.number == int(number)]
    assert len(parts) == 1
    return parts[0], [state, page, *cells]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: " ".join(row.split(" ")[:2]))
def test_a_seed_part(seeds: dict[str, Plan], row: str) -> None:
    """Each PART of the seeds is read as a person reads it."""
    part, (state, page, completed, budget, queries, points, sections, steps, reads, slug) = part_of(seeds, row)
    assert part.state == state
    assert part.targets == (f"cuda/{page}.md",)
    assert part.completed == (completed or None)
    assert part.lines_budget == LineBudget(int(budget), int(budget))
    assert len(part.queries) == int(queries)
    assert len(part.points) == int(points)
    assert [s.lines_budget.low for s in part.sections if s.lines_budget] == [int(n) for n in sections.split(" ")]
    assert [step.number for step in part.steps] == list(range(int(steps)))
    assert len(part.reads) == int(reads)
    assert part.drop is not None
    assert part.drop.startswith(f"KNOWLEDGE-DROP-{slug}-2025-")


def test_the_seeds_boxes_are_counted(seeds: dict[str, Plan]) -> None:
    """Boxes are counted over the whole plan, those in fenced outlines are not."""
    assert {name: dict(plan.checkboxes) for name, plan in seeds.items()} == CHECKBOXES


def test_budgets_that_do_not_add_up_are_told(shared: Path) -> None:
    """A section sum of 900 against 800 is a Problem on the PART's line, and so are the others of their kind."""
    path = next((shared / "seeds").glob("pytorch-*.md"))
    _, problems = parse_bytes(path.read_bytes(), path.name)
    assert [(p.line, p.code) for p in problems] == [(171, "P017"), (252, "P017"), (329, "P017"), (404, "P017")]
    assert "800 lines, its sections add up to 900" in problems[0].message


def test_our_plans_are_canonical(ours: dict[str, Plan]) -> None:
    """Every PART of ours has its status line, title, goal and outline, and shares its drop's name with no other."""
    parts = [part for plan in ours.values() for part in plan.parts]
    assert len(parts) >= 22
    assert all(p.status_line and p.sections and p.page_title and p.goal for p in parts)
    assert all(p.points or all(section.points for section in p.sections) for p in parts)
    drops = [p.drop for p in parts if p.drop]  # pages that were split off another have none
    assert len(drops) >= 22
    assert len({*drops}) == len(drops)
