"""The base as a bundle of the Open Knowledge Format 0.2: pages with their provenance, lists of them, and a log. Pure.

The format: https://github.com/GoogleCloudPlatform/knowledge-catalog/blob/main/okf/SPEC.md
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from generator.citations.references import base_uri
from generator.library import Library, natural_order
from generator.markdown.front_matter import split_front_matter
from generator.markdown.plain_text import count
from generator.markdown.safe_markdown import inline
from generator.model import Page, PageUri, Reference, State
from generator.page.render import render_page
from generator.views.checks import BY_HAND, GOOD, WRITERS, PageCheck, SourceStatus, day_of, mappings, statements
from generator.views.index import FOLDER_INDEXES, GRAPH, PROGRESS, SOURCES
from generator.views.labels import relative
from generator.views.metadata import Site, describe
from generator.views.portable.tree import Citations, Form, portable_tree
from generator.views.works import is_work, status_of

VERSION = "0.2"
CHECKER = "process:planbook-verify"
KEYS = ("type", "title", "description", "tags", "status", "generated", "verified", "stale_after", "sources")
AMISS = frozenset({SourceStatus.GONE, SourceStatus.MISSING, SourceStatus.CHANGED})
STATUSES = ("draft", "stable", "deprecated")
OVERVIEWS = frozenset({PROGRESS, SOURCES, GRAPH})
LOG = "log.md"
STALE_DAYS = 90
"""Days after which a page whose sources were checked counts as stale."""
FOLDERS_OWN = re.compile(r"(?<![^/])(?:index|README)\.md$")


@dataclass(frozen=True, slots=True)
class Bundle:
    """Everything that a bundle is made from."""

    library: Library
    checks: Mapping[str, PageCheck]
    """The valid results, by page."""

    def files(
        self, texts: Mapping[str, str], named: frozenset[str], site: Site, earlier_log: str = ""
    ) -> dict[str, str]:
        """Return the files of all pages, lists and the log by path; the log keeps the entries of `earlier_log`."""
        form = Form(Citations.FOOTNOTES, "overview.md", self.head)
        files = portable_tree(self.library, texts, named, site, form)
        files = {path: text for path, text in files.items() if PurePosixPath(path).name != "index.md"}
        heads = {path: split_front_matter(text)[0] for path, text in files.items() if path.endswith(".md")}
        return files | _lists(heads) | {LOG: self.log(site, earlier_log)}

    def head(self, uri: str, head: str) -> str:
        """Return the front matter of a page: what it has, with the format's own fields completed."""
        meta: dict[str, Any] = split_front_matter(head)[0]
        page = self.library.page_by_uri.get(uri)
        kind = "Overview" if uri in OVERVIEWS else "Knowledge Page" if page else "Planned Page"
        check = self.checks.get(uri)
        whole = check if check and check.is_current else None
        by_id = {str(own.get("id") or f"source-{n}"): own for n, own in enumerate(mappings(meta.get("sources")), 1)}
        sources = [{**self._source(page.uri, r, check), **by_id.get(r.id, {})} for r in page.references] if page else []
        found: dict[str, Any] = {
            **{key: meta.get(key) for key in ("title", "description", "tags")},
            "type": meta["type"] if isinstance(meta.get("type"), str) and meta["type"] else kind,
            "status": meta["status"] if meta.get("status") in STATUSES else self._status(uri, page),
            "generated": _generated(meta.get("generated"), meta.get("author")),
            "verified": [*mappings(meta.get("verified")), *_verified(whole)],
            "stale_after": meta.get("stale_after") or _stale_after(whole),
            "sources": [source for source in sources if source.get("resource")],
        }
        ordered = {key: found[key] for key in KEYS if found[key]}
        rest = {key: value for key, value in meta.items() if key not in {*KEYS, "references"}}
        return render_page({**ordered, **rest}, "", has_links_masked=True).rstrip("\n") + "\n"

    def _source(self, uri: PageUri, reference: Reference, check: PageCheck | None) -> dict[str, object]:
        """Return an entry of ``sources``; without a resource if it is a page that the base lacks."""
        found, resource = check.by_id.get(reference.id) if check else None, reference.url or reference.title
        if not is_work(reference):
            target = base_uri(reference.url, uri, self.library.page_by_uri)
            resource = relative(FOLDERS_OWN.sub("overview.md", target), uri) if target else ""
        source = {
            **{"id": reference.id, "resource": resource, "title": reference.title, "accessed": reference.accessed},
            "state": status_of(reference, found).value if is_work(reference) else "",
            **{"checked": found.day if found else "", "quotes": dict(reference.quotes)},
        }
        return {key: value for key, value in source.items() if value}

    def _status(self, uri: str, page: Page | None) -> str:
        entry = self.library.by_uri.get(PageUri(uri))
        is_finished = entry is None or entry.state is State.DONE
        said = {s.kind: s for s in statements(page, None, None)} if page else {}
        is_unseen = "generated" in said and said["generated"].label == "Generated" and said["reviewed"].holds == "no"
        return "draft" if (entry and not page) or not is_finished or is_unseen else "stable"

    def log(self, site: Site, earlier: str) -> str:
        """Return the days on which pages were created and updated, newest first."""
        days: dict[str, dict[str, None]] = defaultdict(dict)
        for day, lines in re.findall(r"^## (\d{4}-\d{2}-\d{2})\n+((?:\* .*\n?)*)", earlier, re.MULTILINE):
            days[day] |= dict.fromkeys(lines.splitlines())
        pages = [page for page in self.library.pages if page.uri.rpartition("/")[2] not in (*FOLDER_INDEXES, LOG)]
        for page in sorted(pages, key=lambda page: natural_order(page.uri)):
            told = describe(page, self.library.by_uri.get(page.uri), site, "")
            for day, kind in ((told.published, "Creation"), (told.modified, "Update")):
                if day:
                    days[day][f"* **{kind}**: [{inline(page.title)}](/{quote(page.uri)})"] = None
        shown = ["\n".join([f"\n## {day}", "", *days[day], ""]) for day in sorted(days, reverse=True)]
        return "".join(["# Update log\n", *shown])


def _generated(value: object, author: object) -> dict[str, object]:
    """Return who or what wrote a page, and when; empty if the page does not say."""
    said = value if isinstance(value, dict) else {"writer": value}
    if said.get("by"):
        return dict(said)
    writer, model, day = said.get("writer"), said.get("model"), day_of(said.get("date"))
    if not writer or not day:
        return {}
    by = f"planbook/{model}" if model else f"process:{'planbook-' if writer in WRITERS else ''}{writer}"
    if writer in BY_HAND:
        by = f"human:{author}" if isinstance(author, str) and author else ""
    by = re.sub(r"[^\w:./-]+", "-", by)
    return {"by": by, "at": f"{day}T00:00:00Z"} if by else {}


def _verified(check: PageCheck | None) -> list[dict[str, object]]:
    """Return the check of a page if it found all of its quotes, in sources that are all in order."""
    every = [found for found in check.by_id.values() if found.status is not SourceStatus.OFFWEB] if check else []
    if not check or not check.quotes or check.found < check.quotes or any(s.status not in GOOD for s in every):
        return []
    scope = f"{count(check.quotes, 'quote')} found in {count(len(every), 'source')}"
    return [{"by": CHECKER, "at": check.time, "scope": scope}]


def _stale_after(check: PageCheck | None) -> date | None:
    """Return the day from which on a checked page counts as stale: at once if a source is amiss."""
    is_stale = any(source.status in AMISS for source in check.by_id.values()) if check else False
    return date.fromisoformat(check.time[:10]) + timedelta(days=0 if is_stale else STALE_DAYS) if check else None


def _lists(heads: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return ``index.md`` for each folder: its pages by type, and the folders in it."""
    folders: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted(heads, key=natural_order):
        folder, _, file = path.rpartition("/")
        meta = heads[path]
        title, about = (inline(html.unescape(str(meta.get(key) or ""))) for key in ("title", "description"))
        line = f"* [{title or inline(file)}]({quote(file)}){f' - {about}' if about else ''}\n"
        folders[folder][f"{meta['type']}s"].append(line)
        for parent in PurePosixPath(path).parents[1:]:
            folders["" if str(parent) == "." else str(parent)]
    for folder in sorted(filter(None, folders), key=natural_order):
        above, _, own = folder.rpartition("/")
        folders[above]["Folders"].append(f"* [{inline(own)}]({quote(own)}/)\n")
    texts = {}
    for folder, groups in folders.items():
        text = "\n".join(f"# {title}\n\n{''.join(lines)}" for title, lines in groups.items())
        head = "" if folder else f'---\nokf_version: "{VERSION}"\n---\n\n'
        texts[f"{folder}/index.md".lstrip("/")] = head + text
    return texts
