"""Which works come first."""

from __future__ import annotations

from dataclasses import replace

from planbook.research.drafts import Source
from planbook.research.evidence.dossier import Dossier
from planbook.research.evidence.subject import factors_of
from planbook.research.evidence.work_scores import score_works
from tests.research.documents import brief
from tests.research.expand.kiln_works import work

SAID = "Small images share the layers of one base. A layer is read by all builds.\n"
FILLER = "The kettle is on the shelf beside the window, and nobody has used it for a year.\n\n"


def names(*works: Source) -> list[str]:
    """The ids of the works with a score, the highest first."""
    dossier = Dossier(brief(), sources=works)
    scores = score_works(dossier.brief, dossier.sources, dossier.evidence)
    return sorted(scores, key=lambda name: -scores[name])


def titled(source: Source, title: str, url: str = "") -> Source:
    """A work with a title, that a search found."""
    fetched = replace(source.fetched, title=title, url=url or source.fetched.url)
    return replace(source, fetched=fetched, queries=("layers",))


def test_a_work_whose_title_names_the_point_comes_first() -> None:
    """It comes before another one that says the same."""
    first, second = work("one", f"{SAID}\n{FILLER}"), work("two", f"{FILLER}{SAID}")
    assert names(titled(first, "Kettles"), titled(second, "Small images"))[0] == "two"
    assert names(titled(first, "Small images"), titled(second, "Kettles"))[0] == "one"


def test_a_work_whose_title_the_points_have_comes_first() -> None:
    """A longer title has other words, which are what it is about."""
    url = "https://one.example/variants.md"
    longer = titled(work("longer", f"{FILLER}Each variant of an image weighs more.\n"), "Variants of kettles", url)
    whole = titled(work("whole", f"{FILLER}A variant of the image weighs less.\n"), "Variants", url)
    assert names(longer, whole)[0] == "whole"


def test_a_long_work_comes_behind_a_short_one() -> None:
    """It has a good passage on anything; each doubling counts."""
    long = work("long", f"{SAID}\n{FILLER * 400}")
    assert names(long, work("short", f"{FILLER}{SAID}\n"))[0] == "short"


def test_what_is_for_contributors_comes_last() -> None:
    """Its folder or name tells; its passages count half, as those on another subject."""
    url = "https://one.example/docs/contributing/agenda.md"
    own, other = titled(work("own", SAID), "Layers", url), titled(work("other", f"{FILLER}{SAID}"), "Layers")
    assert names(own, other)[0] == "other"
    assert factors_of(brief(), (own, other)) == {"own": 0.5}
