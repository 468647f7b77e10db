"""The sections of works, and which of them a writer may need."""

from __future__ import annotations

from planbook.research.drafts import Excerpt, Source
from planbook.research.evidence.dossier import Dossier
from planbook.research.evidence.listed_sections import rank_sections, sections_of
from tests.research.documents import brief
from tests.research.expand.kiln_works import work

LAYERS = "# Layers\n\nSmall images share the layers of one base.\n\nA layer is read by all builds.\n\n"
KETTLE = "## Kettles\n\nThe kettle is on the shelf beside the window, and nobody has used it.\n\n"


def characters(_name: str, excerpt: Excerpt) -> int:
    """The size of a passage."""
    return len(excerpt.text)


def ranked(*works: Source) -> list[str]:
    """The sections, best first."""
    dossier = Dossier(brief(), sources=works)
    sections = list(sections_of(dossier.passages.by_id, characters))
    return [f"{section.work}{section.place} {section.heading}" for section in rank_sections(dossier, sections)]


def test_a_section_has_a_heading_a_range_and_a_size() -> None:
    """Passages below one heading are one section; a range of one passage is its number."""
    long = "".join(f"The kiln of step {n} burns for {'very ' * 90}long.\n\n" for n in range(3))
    dossier = Dossier(brief(), sources=(work("kiln", f"# Kiln\n\n{long}{KETTLE}"),))
    first, second = sections_of(dossier.passages.by_id, characters)
    assert (first.place, first.heading, second.place, second.heading) == ("#1-3", "Kiln", "#4", "Kettles")
    assert first.tokens == sum(len(dossier.passages.by_id[f"kiln#{n}"].text) for n in (1, 2, 3)) // 4
    assert list(sections_of({}, characters)) == []


def test_sections_on_the_points_come_first() -> None:
    """Then those beside them, as a reader wants what surrounds an answer; change logs are left out."""
    changes = work("changes", "# Changelog\n\n## 1.1.0\n\n- Small images.\n\n## 1.0.0\n\n- Small layers.\n")
    works = (work("other", f"# Other\n\n{KETTLE}"), work("layers", f"{LAYERS}{KETTLE}"), changes)
    assert ranked(*works) == ["layers#1 Layers", "layers#2 Kettles", "other#1 Kettles"]


def test_without_an_answer_the_order_of_works_stays() -> None:
    """No section has a score then."""
    assert ranked(work("other", f"# Other\n\n{KETTLE}"), work("more", f"# More\n\n{KETTLE}")) == [
        "other#1 Kettles",
        "more#1 Kettles",
    ]
