"""The sections of the benchmark's plans, written by the writer `llm` from the documents of Debian packages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from bench.evidence.model_server import ModelServer, played_model
from planbook.model import DropUri, PageUri, Part, Plan, PlanUri, Section, State
from planbook.research.drafts import Brief, Evidence, Source
from planbook.research.evidence.rank import find_evidence
from planbook.research.search.document_folder import Folder
from planbook.research.web.client import Fetcher
from planbook.research.web.model import Unfetched
from planbook.research.writers.llm import LlmWriter
from planbook.research.writers.page import compose_quotes

_PLAYED_S = 86_400.0
"""Time that a player has for an answer."""


@dataclass(frozen=True)
class PlannedPage:
    """A page to write, with its evidence."""

    name: str
    brief: Brief
    sources: tuple[Source, ...]
    evidence: tuple[Evidence, ...]


def planned_pages(files: Sequence[Path]) -> Iterator[PlannedPage]:
    """Yield the pages that the keys describe, from all documents of their packages; absent packages are skipped."""
    for package in (package for file in files for package in yaml.safe_load(file.read_text(encoding="utf-8"))):
        sources = tuple(_sources(Path(package["folder"])))
        for n, page in enumerate(package["pages"] if sources else (), 1):
            brief = page_brief(package["package"], n, page)
            yield PlannedPage(f"{package['package']}-{n}", brief, sources, find_evidence(brief, sources))


def page_brief(package: str, n: int, page: Mapping[str, Any]) -> Brief:
    """Return the brief of a page."""
    sections = tuple(
        Section(section["title"], points=tuple(point["text"] for point in section["points"]))
        for section in page["sections"]
    )
    uri = f"{package}/{n:02}.md"
    part = Part(n, page["title"], 1, 1, State.OPEN, (uri,), goal=page.get("description"), sections=sections)
    plan = Plan(PlanUri(f"plans/{package}.md"), package, (), (part,), ())
    return Brief(plan, part, PageUri(uri), DropUri(f"plans/KNOWLEDGE-DROP-{package}-{n}.md"), page["title"])


def _sources(path: Path) -> Iterator[Source]:
    folder = Folder(path, path.as_posix())
    for n, name in enumerate(sorted(name for name in folder.files() if name.endswith((".html", ".htm")))):
        try:
            fetched = folder.read(name)
        except Unfetched:
            continue
        if fetched.text.strip():
            yield Source(f"d{n:03}", fetched)


def write_sections(pages: Iterable[PlannedPage], play: Path, records: Sequence[dict[str, Any]], by: str) -> None:
    """Write all pages at the same time, and beside them those of `extract`, into the folder `play`."""
    models, out = ModelServer(records, play, by), play / "pages"
    day = datetime.now(UTC).date()
    with models.serve() as url, Fetcher(allow_loopback=True) as fetcher, ThreadPoolExecutor(200) as executor:

        def write(page: PlannedPage) -> None:
            """Write one page; an error is written instead of it."""
            writer = LlmWriter(
                played_model("writer", url), played_model("judge", url), fetcher.stream, timeout_s=_PLAYED_S
            )
            for kind, write_page in (("extract", compose_quotes), ("llm", writer.write)):
                file = out / kind / f"{page.name}.md"
                file.parent.mkdir(parents=True, exist_ok=True)
                try:
                    draft = write_page(page.brief, page.sources, page.evidence, day)
                except Exception as error:  # noqa: BLE001 - the other pages go on
                    file.with_suffix(".error").write_text(f"{type(error).__name__}: {error}\n", encoding="utf-8")
                else:
                    file.write_text(draft.text, encoding="utf-8")

        waiting = [executor.submit(write, page) for page in pages]
        for one in waiting:
            one.result()
