"""Results that cannot be read leave their places to those behind them, and nobody is asked without end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from generator.expand.events import JobOutcome, Result
from generator.web.model import Fetched, Outcome
from tests.expand.stages import Asker, World
from tests.expand.test_runner import PLAN, attempt, make_job

WITHOUT_ADDRESS = PLAN.replace("- [ ] https://named.test/a\n", "").replace('- [ ] Search: "leaves"\n', "")
"""One query, and nothing else to read."""
GOOD = tuple(f"https://good.test/{n}" for n in range(6))


def bad(n: int, outcome: Outcome) -> Fetched:
    """What an address gives that cannot be read; what is refused costs no request."""
    return Fetched(f"https://bad{n}.test/", outcome, "no", requests=int(outcome is not Outcome.REFUSED))


def world(*first: Fetched, good: int = 6) -> World:
    """One query that finds what cannot be read, and good documents behind it."""
    made = World()
    made.add("water", *(one.url for one in first), *GOOD[:good])
    made.documents |= {one.url: one for one in first}
    return made


def read(result: Result) -> list[str]:
    """The documents that were read."""
    return [source.fetched.url for source in result.sources if source.id]


@pytest.mark.parametrize("outcome", [one for one in Outcome if one not in {Outcome.OK, Outcome.MOVED}])
def test_good_results_behind_bad_ones_are_read(outcome: Outcome) -> None:
    """As many as the limit of a query lets in, whatever came of those before them."""
    result, _ = attempt(make_job(WITHOUT_ADDRESS), world(*(bad(n, outcome) for n in range(6))), results=3)
    assert (result.outcome, read(result)) == (JobOutcome.DONE, list(GOOD[:3]))


def test_copies_and_redirects_are_no_further_documents() -> None:
    """Nor is a page without a text: the next result takes the place of each."""
    there = world(bad(1, Outcome.OK), bad(2, Outcome.OK), bad(3, Outcome.OK), bad(4, Outcome.OK))
    one, two, three, four = (f"https://bad{n}.test/" for n in range(1, 5))
    first = there.documents[GOOD[0]]
    there.documents[one] = replace(first, url=one)
    there.documents[two] = replace(first, url=two)
    there.documents[three] = replace(first, url=three, final_url=one, text=f"{first.text}\nMore.")
    there.documents[four] = replace(first, url=four, text=" ")
    result, _ = attempt(make_job(WITHOUT_ADDRESS), there, results=3)
    assert read(result) == [one, GOOD[1], GOOD[2]]


def test_the_next_provider_is_asked_for_what_the_first_could_not_give() -> None:
    """It takes part in the account; and nothing is asked where enough could be read."""
    job = make_job(WITHOUT_ADDRESS)
    dead, other = world(*(bad(n, Outcome.GONE) for n in range(6)), good=1), world()

    def providers(ask: object) -> tuple[Asker, ...]:
        return (Asker(dead, dead.ask, "first"), Asker(other, other.ask, "second"))

    dead.documents |= other.documents
    result, _ = attempt(job, dead, providers=providers, results=3)
    assert read(result) == [GOOD[0], *GOOD[1:3]]
    assert [search.provider for search in result.searched] == ["plan", "first", "second"]
    enough, _ = attempt(job, other, providers=lambda ask: (Asker(other, ask), Asker(dead, ask)), results=3)
    assert [search.provider for search in enough.searched] == ["plan", "searxng"]


@pytest.mark.parametrize("outcome", [Outcome.GONE, Outcome.REFUSED])
def test_dead_results_have_an_end(outcome: Outcome) -> None:
    """Four addresses are asked for each document that is wanted; those that are refused unasked do not count."""
    made = World()
    for n in range(50):
        made.add(f"q{n}", *(f"https://dead{n}.test/{m}" for m in range(40)))
    made.documents = {url: Fetched(url, outcome, "no", requests=int(outcome is Outcome.GONE)) for url in made.documents}
    queries = "".join(f'- [ ] Search: "q{n}"\n' for n in range(50))
    result, _ = attempt(make_job(WITHOUT_ADDRESS.replace('- [ ] Search: "water"\n', queries)), made, sources=5)
    asked = [url for url in made.asked if url.startswith("https://")]
    assert result.outcome is JobOutcome.FAILED
    assert len(asked) == (20 if outcome is Outcome.GONE else 50 * 24)
