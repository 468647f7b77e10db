"""Reuse of the last build's output for pages that have not changed: neither rendered by their template nor written."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from mkdocs.commands.build import log as log_of_build
from mkdocs.structure.nav import Link
from mkdocs.structure.toc import AnchorLink

from generator.cache import DiskCache
from generator.speed.fingerprint import UnclearError, canonical_text, digest
from generator.speed.previous_output import PreviousOutput, stamp
from generator.speed.records import LogRecorder
from generator.speed.writer import PageWriter

if TYPE_CHECKING:
    from mkdocs.structure.pages import Page

USUAL = frozenset(
    {*("nav", "pages", "base_url", "extra_css", "extra_javascript", "mkdocs_version", "properdocs_version")}
    | {*("build_date_utc", "config", "page")}
)
"""Variables in the context of every page; plugins added all others."""
COVERED_ELSEWHERE = frozenset(
    {*("file", "previous_page", "next_page", "parent", "children", "toc", "render", "title", "active", "_Page__active")}
    | {*("_StructureItem__parent", "_parent", "markdown", "update_date", "present_anchor_ids", "links_to_anchors")}
)
"""Attributes of a page that no template of Material's reads, or that are included in another way."""
TAGS = "material.plugins.tags."


@dataclass(slots=True)
class Written:
    """A page's file as the last build left it."""

    key: str
    output: str
    """The digest of the output, if other plugins changed it."""
    stamp: list[int]


@dataclass
class Outputs:
    """The pages of one build."""

    cache: DiskCache
    previous: PreviousOutput
    site: Path
    inputs_digest: str = ""
    """The digest of all inputs of templates besides the page; empty if nothing can be reused."""
    has_others: bool = False
    """True if other plugins change the output of templates."""
    before: dict[str, Written] = field(default_factory=dict)
    now: dict[str, Written] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)
    """Pages for which MkDocs gets nothing to write."""
    writer: PageWriter | None = None
    """The thread that writes pages; ``None`` if other plugins process them after us."""

    def render(self, template: jinja2.Template, context: Mapping[str, Any], make: Callable[[], str]) -> str:
        """Return the template's output for a page; empty if the last build's file is reused."""
        page: Page = context["page"]
        try:
            key = digest(self.inputs_digest, template.name or "", page_facts(page, context))
        except UnclearError:
            return make()
        uri = page.file.dest_uri
        last = self.before.get(uri)
        is_same = last is not None and last.key == key and last.stamp == self.previous.stamp(uri)
        if is_same and not self.has_others and self.previous.restore(uri):
            self.left.add(page.file.src_uri)
            self.now[uri] = self.before[uri]
            return ""
        return self._made(uri, key, make)

    def _made(self, uri: str, key: str, make: Callable[[], str]) -> str:
        name = digest("html", key)
        html = self.cache.get(name, str) if self.has_others else None
        if html is None:
            with LogRecorder() as recorder:
                html = make()
            if recorder.records or recorder.has_warned:  # messages recur only if the page is rendered again
                return html
            if self.has_others:
                self.cache.put(name, html)
        self.now[uri] = Written(key, "", [])
        return html

    def finished(self, page: Page, output: str) -> str:
        """Return the output to write for a page, after all plugins; empty if the last build's file is reused."""
        uri = page.file.dest_uri
        written = self.now.get(uri)
        if page.file.src_uri in self.left:
            return output
        if written is not None and self.has_others:
            written.output = digest(output)
            last = self.before.get(uri)
            is_same = last is not None and last.output == written.output and last.stamp == self.previous.stamp(uri)
            if is_same and output.strip() and self.previous.restore(uri):
                self.left.add(page.file.src_uri)
                return ""
        return self._written(page, output)

    def _written(self, page: Page, output: str) -> str:
        """Write the page in the thread and return nothing for MkDocs to write, if no plugin needs it in between."""
        if self.writer is None or not output or output.isspace():
            return output
        self.writer.write(page.file.abs_dest_path, output)
        self.left.add(page.file.src_uri)
        return ""

    def note(self) -> None:
        """Record the state of the written files, before other plugins may change them at the end of the build.

        Raises:
            OSError: a page could not be written.
        """
        self.finish()
        if self.writer is not None and self.writer.error is not None:
            raise self.writer.error
        for uri, written in self.now.items():
            written.stamp = stamp(self.site / uri) or []

    def finish(self) -> None:
        """Wait until all is written."""
        if self.writer is not None:
            self.writer.finish()

    def facts(self) -> dict[str, Written]:
        """Return the data that the next build needs, for pages whose files have not changed since they were written."""
        return {
            uri: written
            for uri, written in self.now.items()
            if written.stamp and written.stamp == stamp(self.site / uri)
        }

    def template_class(self) -> type[jinja2.Template]:
        """Return a template class that renders a page only if it has changed."""
        outputs = self

        class PageTemplate(jinja2.Template):
            """A template that first looks for a page's output of the last build."""

            def render(self, *arguments: Any, **named: Any) -> str:
                """The template's text."""
                context = arguments[0] if len(arguments) == 1 and not named else {}
                page = context.get("page") if isinstance(context, dict) else None
                if page is None or not page.active or "nav" not in context:
                    return super().render(*arguments, **named)
                return outputs.render(self, context, functools.partial(super().render, context))

        return PageTemplate


class SkippedPageFilter(logging.Filter):
    """Suppresses MkDocs' warnings about empty pages where the output was left empty on purpose."""

    def __init__(self, outputs: Outputs) -> None:
        super().__init__()
        self._outputs = outputs

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True if the record should be logged."""
        message = record.getMessage()
        if not message.startswith("Page skipped: '"):
            return True
        return message.split("'")[1] not in self._outputs.left

    def __enter__(self) -> SkippedPageFilter:
        log_of_build.addFilter(self)
        return self

    def __exit__(self, *_: object) -> None:
        log_of_build.removeFilter(self)


def page_facts(page: Page, context: Mapping[str, Any]) -> str:
    """Return everything that a template may read of a page and of values that plugins added, as text.

    Raises:
        UnclearError: a value has no canonical text.
    """
    file = page.file
    own = {key: value for key, value in vars(page).items() if key not in COVERED_ELSEWHERE}
    around = [
        None if other is None else [str(other.title), other.url] for other in (page.previous_page, page.next_page)
    ]
    added = {key: value for key, value in context.items() if key not in USUAL}
    usual = [context[key] for key in ("base_url", "extra_css", "extra_javascript", "mkdocs_version")]
    parts = [str(page.title), page.url, page.is_homepage, around, [file.src_uri, file.dest_uri, file.edit_uri]]
    return canonical_text(
        [own, parts, [_toc(item) for item in page.toc], usual, {key: _plain(v) for key, v in added.items()}]
    )


def _toc(item: AnchorLink) -> list[object]:
    rest = {key: value for key, value in vars(item).items() if key != "children"}
    return [rest, [_toc(child) for child in item.children]]


def _plain(value: object) -> object:
    """Return a value that plugins give to templates, with tags and links as plain data."""
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, Link):
        return [value.title, value.url]
    if type(value).__module__.startswith(TAGS):
        return {key: _plain(part) for key, part in vars(value).items()}
    return value
