"""What a run would ask of whom, and at what cost at most. Pure: nobody is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from generator.drafts import Brief
from generator.expand.job import ATTEMPTS
from generator.model import Query
from generator.search.catalogue import BY_NAME
from generator.search.chain import in_order, queries_of
from generator.search.local import NAME as LOCAL
from generator.search.named import search_plan
from generator.search.options import SearchOptions, providers
from generator.web.model import Call, Reply


@dataclass(frozen=True, slots=True)
class Asked:
    """One query, and who would be asked, in order, until enough is found."""

    query: Query
    providers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Forecast:
    """What one page would take."""

    brief: Brief
    named: tuple[str, ...]
    """The addresses that the plan names."""
    asked: tuple[Asked, ...]
    documents: int
    """How many are read, at most, at one attempt."""

    @property
    def searches(self) -> int:
        """Requests to search providers, at most, at one attempt."""
        return sum(name != LOCAL for asked in self.asked for name in asked.providers)


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run costs, at most."""

    searches: Mapping[str, int]
    """By provider; the local folder is not among them."""
    documents: int
    sections: int
    """Of all pages: a model is asked once for each."""
    attempts: int = ATTEMPTS

    def words(self, name: str) -> str:
        """What one search of this provider costs."""
        return BY_NAME[name].cost


def forecast(
    briefs: Sequence[Brief], options: SearchOptions, environ: Mapping[str, str], sources: int, *, has_documents: bool
) -> tuple[Forecast, ...]:
    """What each page would take."""
    made = providers(options, _nobody, environ)
    local = options.providers.index(LOCAL) if has_documents and LOCAL in options.providers else None
    ranks = {name: rank for rank, name in enumerate(options.providers)}
    found = []
    for brief in briefs:
        asked = []
        for query in queries_of(brief.part):
            names = [provider.name for provider in in_order(made, query)]
            if local is not None:  # it stands for every engine, so it has its place among those asked first
                own = sum(query.engine in provider.engines and ranks[provider.name] < local for provider in made)
                names.insert(own, LOCAL)
            asked.append(Asked(query, tuple(names)))
        named = tuple(hit.url for hit in search_plan(brief.part).hits)
        found.append(Forecast(brief, named, tuple(asked), sources))
    return tuple(found)


def cost(forecasts: Sequence[Forecast]) -> Cost:
    """What they cost together, if each query goes to all of its providers and each page reads all that it may."""
    searches: dict[str, int] = {}
    for one in forecasts:
        for asked in one.asked:
            for name in asked.providers:
                if name != LOCAL:
                    searches[name] = searches.get(name, 0) + 1
    return Cost(searches, sum(one.documents for one in forecasts), sum(len(one.brief.outline) for one in forecasts))


def _nobody(call: Call) -> Reply:
    raise AssertionError("a forecast asks nobody")
