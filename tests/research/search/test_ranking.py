"""Many results as one list: a work once, the best first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planbook.citations.identifiers import work_key
from planbook.model import Query
from planbook.research.search.api_answers import Hit, Searched
from planbook.research.search.chain import rank_works
from planbook.research.web.model import Outcome


def found(provider: str, text: str, *urls: str) -> Searched:
    """A search that found these."""
    hits = tuple(Hit(url, f"title of {url}") for url in urls)
    return Searched(Query("web", text), provider, Outcome.OK, hits)


A, B, C = "https://tea.example/a", "https://tea.example/b", "https://tea.example/c"
SPELLINGS = (
    "https://tea.example/a",
    "http://tea.example/a",
    "https://www.tea.example/a/",
    "https://TEA.example/a?utm_source=x",
    "https://tea.example/a#part",
    "https://tea.example/a/index.html",
)
"""Of one work."""
PAPERS = (
    "https://arxiv.org/abs/2205.14135",
    "http://arxiv.org/pdf/2205.14135v2",
    "https://doi.org/10.48550/arXiv.2205.14135",
)


def test_a_work_once_with_all_that_led_to_it() -> None:
    """Spellings of one address are one candidate, which keeps every query."""
    searches = [found(f"p{n}", f"query {n}", url) for n, url in enumerate(SPELLINGS)]
    (candidate,) = rank_works(searches)
    assert candidate.url == SPELLINGS[0]
    assert candidate.queries == tuple(f"query {n}" for n in range(len(SPELLINGS)))
    assert len(rank_works([found("p", "q", *PAPERS)])) == 1


def test_found_by_two_is_better_than_found_once() -> None:
    """Reciprocal ranks add up over queries and providers."""
    searches = [found("p", "q1", A, B), found("p", "q2", C, B)]
    assert [candidate.url for candidate in rank_works(searches)] == [B, A, C]


def test_two_spellings_in_one_search_count_once() -> None:
    """A provider that repeats itself gets no second voice."""
    once, twice = rank_works([found("p", "q", A)]), rank_works([found("p", "q", A, SPELLINGS[1])])
    assert once[0].score == twice[0].score


def test_what_the_plan_names_comes_first() -> None:
    """In the plan's order, whatever others found; with the plan's address, and the others' queries."""
    plan = found("plan", "", B, A)
    candidates = rank_works([found("p", "q", C, SPELLINGS[3]), plan])
    assert [candidate.url for candidate in candidates] == [B, A, C]
    named = next(candidate for candidate in candidates if candidate.url == A)
    assert named.queries == ("q",)
    assert rank_works([plan])[0].queries == ()


def test_the_title_is_of_the_first_that_has_one() -> None:
    """A hit without a title borrows that of another."""
    bare = Searched(Query("web", "q"), "tavily", Outcome.OK, (Hit(A, ""),))
    (candidate,) = rank_works([bare, found("p", "q", A)])
    assert candidate.title == f"title of {A}"


URLS = st.sampled_from([*SPELLINGS, *PAPERS, A, B, C, "https://x.example/", "file:///documents/a.md"])
SEARCHES = st.lists(
    st.builds(
        lambda provider, text, urls: found(provider, "" if provider == "plan" else text, *urls),
        st.sampled_from(["searxng", "brave", "plan"]),
        st.sampled_from(["green tea", "black tea", "water"]),
        st.lists(URLS, max_size=5),
    ),
    max_size=6,
)


@given(SEARCHES)
def test_every_hit_is_in_one_candidate(searches: list[Searched]) -> None:
    """No work twice, none lost, and no query that led to it forgotten."""
    candidates = rank_works(searches)
    keys = [work_key(candidate.url) for candidate in candidates]
    hits = [(hit, search.query.text) for search in searches for hit in search.hits]
    assert sorted(set(keys)) == sorted(keys)
    assert set(keys) == {work_key(hit.url) for hit, _ in hits}
    for candidate in candidates:
        led = {query for hit, query in hits if work_key(hit.url) == work_key(candidate.url) and query}
        assert set(candidate.queries) == led
        assert candidate.url in {hit.url for hit, _ in hits}
