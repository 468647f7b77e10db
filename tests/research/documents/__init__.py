"""Documents as they were fetched, a plan to research them for, and a base: all made up."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import frontmatter

from planbook.citations.quotes import words
from planbook.model import DropUri, PageUri, Plan
from planbook.plan.parse import parse
from planbook.research.drafts import Brief, Passage, Source
from planbook.research.evidence.passages import excerpts
from planbook.research.selection import TitleIndex, find_referred_pages
from planbook.research.web.model import Fetched, Outcome

FOLDER = Path(__file__).parent
PLAN = "plans/small-images.md"
BASE = {
    PageUri(
        "images/01-layers.md"
    ): "# What a layer is\n\nKiln keeps a layer for each instruction.\n\nA layer is a diff.\n",
    PageUri("images/02-small-disks.md"): "# Small disks, large images\n\nNodes run full.\n",
    PageUri("tools/01-kiln.md"): "# Kiln\n\nA builder.\n",
}


@cache
def plan() -> Plan:
    """The plan, with two PARTs."""
    return parse((FOLDER / "plan.md").read_text(encoding="utf-8"), PLAN)[0]


@cache
def brief(number: int = 1) -> Brief:
    """The brief of one PART."""
    part = next(part for part in plan().parts if part.number == number)
    found, unresolved = find_referred_pages(
        part, TitleIndex({uri: text[2:].partition("\n")[0] for uri, text in BASE.items()})
    )
    return Brief(
        plan=plan(),
        part=part,
        page=PageUri(part.targets[0]),
        drop=DropUri("plans/KNOWLEDGE-DROP-small-images-2026-11-20.md"),
        title=part.page_title or part.title,
        known=found,
        unresolved=unresolved,
    )


@cache
def source(name: str) -> Source:
    """The document of this name (without its ending) as it was fetched."""
    path = next(path for path in FOLDER.glob(f"{name}.*"))
    meta, text = frontmatter.parse(path.read_text(encoding="utf-8"))
    fetched = Fetched(
        url=str(meta["url"]),
        outcome=Outcome.OK,
        status_code=200,
        final_url=str(meta["url"]),
        media_type=str(meta["media_type"]),
        text=text,
        visible=words(text) if meta["media_type"] == "text/html" else text,
        title=str(meta["title"]),
        author=str(meta["author"]) if "author" in meta else None,
        date=str(meta["date"]) if "date" in meta else None,
        language=str(meta["language"]) if "language" in meta else None,
        fetched=str(meta["fetched"]).replace(" ", "T").replace("+00:00", "Z"),
        requests=1,
    )
    return Source(str(meta["id"]), fetched, queries=() if name == "stages" else ("kiln image size",))


NAMES = ("stages", "cache", "variants", "blog", "mirror", "layers", "buildfile", "ticket")
"""All but the hostile one."""


def sources(*names: str) -> tuple[Source, ...]:
    """The documents of these names, or all but the hostile one."""
    return tuple(source(name) for name in names or NAMES)


def document(text: str, url: str = "https://rye.test/a", media_type: str = "text/html", name: str = "rye") -> Source:
    """A source with this text."""
    visible = words(text) if media_type == "text/html" else text
    fetched = replace(source("stages").fetched, url=url, final_url=url, text=text, visible=visible)
    return Source(name, replace(fetched, media_type=media_type))


def passages(given: Source, number: int) -> tuple[Passage, ...]:
    """The passages of a source's excerpts, in order."""
    return tuple(passage for one in excerpts(given, number) for passage in one.passages)
