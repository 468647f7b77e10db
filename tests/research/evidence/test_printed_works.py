"""What `find` prints of passages that its reader has."""

from __future__ import annotations

from planbook.citations.quotes import words
from planbook.research.drafts import Source
from planbook.research.evidence.dossier import Dossier
from planbook.research.evidence.printed_works import MOST_AGAIN, Request, render_found
from planbook.research.web.model import Fetched, Outcome
from tests.research.documents import brief


def test_the_first_passages_that_were_shown_are_named() -> None:
    """By their ids alone, so that new ones are not hidden behind them."""
    texts = [f"## Oven {n}\n\nThe oven of number {n} is hot at night in the cellar.\n" for n in range(8)]
    text = "# Ovens\n\n" + "\n".join(texts)
    url = "https://kiln.example/ovens"
    work = Source("ovens", Fetched(url, Outcome.OK, text=text, visible=words(text), media_type="text/markdown"))
    dossier = Dossier(brief(), sources=(work,))
    printed = render_found(dossier, "oven hot at night", Request(2_000), lambda name, _: name != "ovens#7")
    assert [name for name, _ in printed.whole] == ["ovens#7"]
    (line,) = [line for line in printed.text.splitlines() if line.startswith("Shown before: ")]
    assert line.count("`ovens#") == MOST_AGAIN
    assert printed.names_shown


def test_only_passages_that_are_near_are_worth_a_way_to_them() -> None:
    """Those that share a word alone, as hundreds do, are not named as more."""
    near = "".join(f"## Kiln {n}\n\nThe kiln number {n} whistles at night in the cellar.\n\n" for n in range(6))
    far = "".join(f"## Wall {n}\n\nThe wall number {n} of brick stands at night.\n\n" for n in range(30))
    text = f"# Kilns\n\n{near}{far}"
    url = "https://kiln.example/kilns"
    work = Source("kilns", Fetched(url, Outcome.OK, text=text, visible=words(text), media_type="text/markdown"))
    dossier = Dossier(brief(), sources=(work,))
    few = render_found(dossier, "kiln whistles in the cellar at night", Request(60, is_sized=True, questions=2))
    assert "4 passages more as near: --tokens 240, or --ids" in few.text
    enough = render_found(dossier, "kiln whistles in the cellar at night", Request(1_000, is_sized=True))
    assert " more" not in enough.text
