"""Briefs by their outline, and documents by their paragraphs."""

from __future__ import annotations

from planbook.model import DropUri, LineBudget, PageUri, Part, Plan, PlanUri, Query, Section, State
from planbook.research.drafts import Brief, Source
from tests.research.documents import document


def outline(*sections: tuple[str, list[str]], title: str = "Rye bread", queries: tuple[str, ...] = ()) -> Brief:
    """A brief whose outline is this: titles and points."""
    made = tuple(Section(name, LineBudget(60, 60), tuple(points)) for name, points in sections)
    asked = tuple(Query("web", text) for text in queries)
    part = Part(1, "Rye", 1, 1, State.OPEN, ("bread/1-rye.md",), sections=made, queries=asked)
    plan = Plan(PlanUri("plans/bread.md"), "Bread", (), (part,), ())
    return Brief(plan, part, PageUri("bread/1-rye.md"), DropUri("plans/KNOWLEDGE-DROP-rye-2026-11-20.md"), title)


def page(n: int, *paragraphs: str) -> Source:
    """A source of its own host with these paragraphs."""
    return document("\n\n".join(paragraphs), url=f"https://h{n}.test/{n}", name=f"source-{n}")
