"""The output of each page: reused, taken from the cache, or rendered by its template.

MkDocs renders the template of every page. Here, :meth:`PageOutputs.render` first decides what to do
for a page (:class:`Decision`), and then does it. There are two chances to reuse the file of the
last build. The first compares what the page's events depend on, before plugins complete its
context; nothing of the page is read then. The second compares all that the template can read.
"""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from planbook_speed import digests, internals, logs, reasons
from planbook_speed.cached_page import html_digest
from planbook_speed.page_facts import facts_before_context, page_facts
from planbook_speed.reasons import Reason
from planbook_speed.site_files import WrittenFile

if TYPE_CHECKING:
    import jinja2
    from mkdocs.structure.pages import Page

    from planbook_cache.disk import DiskCache
    from planbook_speed.site_files import SiteFiles

ERROR_PAGE = "404.html"


@dataclass(frozen=True, slots=True)
class TemplateInputs:
    """All that templates read besides a page, and what is known of each page before its template.

    It is complete when the last plugin has handled `on_env`.
    """

    parts: Mapping[str, str]
    """The digest of each input that all templates share, by its name."""
    digest: str
    """The digest of all of them."""
    late_facts: Callable[[], str]
    """Returns the digest of what plugins may have changed since then, page by page. Raises
    UnclearError."""
    page_inputs: Mapping[str, Sequence[str]]
    """The digests of all that each page's events depend on, by ``src_uri``; empty if unknown."""
    sources: Mapping[str, str]
    """The digest of each page's file, by ``src_uri``: templates may show it."""
    html: Mapping[str, str]
    """The digest of each page's HTML before its template, by address, for a build that is made
    ahead."""
    changed_by: str
    """The plugin that changes the output of templates, as a reason to build pages again; empty if
    none does."""


class OutputAction(Enum):
    """Ways to get the output of a page."""

    REUSE = "move the file of the last build back; MkDocs writes none"
    TAKE_FROM_CACHE = "write what the template gave in an earlier build; other plugins change it"
    RENDER = "render the template"

    @property
    def done(self) -> str:
        """The word of a verbose build for it."""
        match self:
            case OutputAction.REUSE:
                return "reused"
            case OutputAction.TAKE_FROM_CACHE:  # they may make the same of it
                return "given to plugins again"
            case OutputAction.RENDER:
                return "built again"


@dataclass(frozen=True, slots=True)
class Decision:
    """The way to get the output of a page, and the reason for it."""

    action: OutputAction
    reason: str
    file: WrittenFile | None
    """The record of the page's file for the next build; ``None`` if what the template reads cannot
    be compared, so that it is rendered in each build."""
    output: str = ""
    """The output in the cache."""

    @property
    def sentence(self) -> str:
        """The line of a verbose build about the page."""
        return f"{self.action.done}: {self.reason}"


class PageOutputs:
    """The outputs of the pages of one build.

    Args:
        cache: Has outputs of templates which other plugins change.
        files: The files of the site.
        inputs: What templates read.
        explain: Says of a page (``src_uri``) what is done with it, if anybody wants to know.
    """

    def __init__(
        self,
        cache: DiskCache,
        files: SiteFiles,
        inputs: TemplateInputs,
        explain: Callable[[str, str], None] | None,
    ) -> None:
        self._cache = cache
        self._files = files
        self._inputs = inputs
        self._explain = explain
        self._listeners: list[Callable[[], object]] = []
        """Complete the context of the current page, if its template is rendered."""
        self._reused: set[str] = set()
        """Pages whose files are taken from the last build, by ``src_uri``: MkDocs writes none."""
        self._is_early = False
        """True while pages are built before MkDocs comes to them."""
        self._early_decisions: dict[str, Decision] = {}
        """The decisions for these pages, by ``src_uri``."""

    def say_what_all_share(self) -> None:
        """Say which inputs of all templates have changed, for which all pages are built again."""
        if self._explain is not None and self._files.last_build.parts and self._changed_parts:
            reason = reasons.changed(self._changed_parts)
            self._explain(reasons.ALL_PAGES, f"{OutputAction.RENDER.done}: {reason}")

    def render(
        self, template: jinja2.Template, context: Mapping[str, Any], make: Callable[[], str]
    ) -> str:
        """Return the output for a page; empty if its file is reused, so that MkDocs writes none.

        Args:
            template: The page's template.
            context: What plugins and MkDocs pass to it.
            make: Renders it.
        """
        page: Page = context["page"]
        self._files.ready.receive(page.file.dest_uri)
        # The listeners that wait change what this digest is made of.
        key_of_inputs = self._key_of_inputs(template, page, context)
        decision = self._reuse_by_inputs(page, key_of_inputs)
        if decision is None:
            self.complete_context()
            decision = self._decide_by_facts(template, page, context, key_of_inputs)
        self._say(page.file.src_uri, decision)
        return self._carry_out(decision, page, make)

    @contextlib.contextmanager
    def deciding_early(self) -> Iterator[None]:
        """Build pages before MkDocs comes to them, and say then what was done."""
        self._is_early = True
        try:
            yield
        finally:
            self._is_early = False

    def _say(self, src_uri: str, decision: Decision) -> None:
        """Say what is done with a page, once.

        A page that was built early is compared with its own early file when MkDocs comes to it. The
        answer is that of the first time, which compared it with the last build.
        """
        if self._explain is None:
            return
        if self._is_early:
            self._early_decisions[src_uri] = decision
            return
        early_decision = self._early_decisions.get(src_uri, decision)
        was_built_early = early_decision.action is OutputAction.RENDER
        answer = early_decision if was_built_early else decision
        self._explain(src_uri, answer.sentence)

    def call_later(self, listener: Callable[[], object]) -> None:
        """Have a listener complete the context of the current page, if it is rendered."""
        self._listeners.append(listener)

    def complete_context(self) -> None:
        """Call the listeners that wait."""
        listeners = self._listeners
        self._listeners = []
        for listener in listeners:
            listener()

    def _reuse_by_inputs(self, page: Page, key_of_inputs: str) -> Decision | None:
        """Return the decision to reuse the page, if its inputs are those of the last build."""
        last = self._files.last(page.file.dest_uri)
        if last is None or not key_of_inputs or last.key_of_inputs != key_of_inputs:
            return None
        file = self._files.reusable(page.file.dest_uri, last.key)
        return None if file is None else Decision(OutputAction.REUSE, Reason.SAME.of(), file)

    def _decide_by_facts(
        self,
        template: jinja2.Template,
        page: Page,
        context: Mapping[str, Any],
        key_of_inputs: str,
    ) -> Decision:
        """Return what to do for a page, by all that its template can read."""
        dest_uri = page.file.dest_uri
        try:
            facts = self._facts(template, page, context)
        except digests.UnclearError as error:
            reason = self._with_plugin(Reason.UNCLEAR.of(str(error)))
            return Decision(OutputAction.RENDER, reason, None)
        file = WrittenFile(
            digests.digest(self._inputs.digest, *facts),
            self._inputs.html.get(dest_uri, ""),
            key_of_inputs=key_of_inputs,
            facts=[digests.digest(fact)[: reasons.FACT_CHARACTERS] for fact in facts],
        )
        if self._inputs.changed_by:
            return self._decide_with_plugin(dest_uri, file)
        last = self._files.reusable(dest_uri, file.key)
        if last is not None:
            same = replace(last, key_of_inputs=key_of_inputs, facts=file.facts)
            return Decision(OutputAction.REUSE, Reason.SAME.of(), same)
        reason = self._what_changed(dest_uri, file) or Reason.NO_FILE.of()
        return Decision(OutputAction.RENDER, reason, file)

    def _decide_with_plugin(self, dest_uri: str, file: WrittenFile) -> Decision:
        """Return what to do for a page whose output another plugin changes.

        The file of the last build has what the plugin made of it then; `finish` compares them.
        """
        output = self._cache.get(_name_of_output(file), str)
        changed = self._what_changed(dest_uri, file)
        if output is None:
            reason = self._with_plugin(changed or Reason.NO_TEMPLATE_CACHED.of())
            return Decision(OutputAction.RENDER, reason, file)
        reason = self._with_plugin(changed or Reason.TEMPLATE_IS_CACHED.of())
        return Decision(OutputAction.TAKE_FROM_CACHE, reason, file, output)

    def _carry_out(self, decision: Decision, page: Page, make: Callable[[], str]) -> str:
        """Do what was decided, and return the output for MkDocs to write."""
        dest_uri = page.file.dest_uri
        if decision.file is None:
            return make()
        match decision.action:
            case OutputAction.REUSE:
                self._listeners.clear()
                self._reused.add(page.file.src_uri)
                self._files.reuse(dest_uri, decision.file)
                return ""  # MkDocs writes no empty page
            case OutputAction.TAKE_FROM_CACHE:
                self._files.written[dest_uri] = decision.file
                return decision.output
            case OutputAction.RENDER:
                return self._render(dest_uri, decision.file, make)

    def _render(self, dest_uri: str, file: WrittenFile, make: Callable[[], str]) -> str:
        """Return what the template gives, and record the file, unless messages were logged.

        Messages recur in the next build only if the page is rendered again.
        """
        with logs.LogRecorder() as recorder:
            output = make()
        if recorder.records or recorder.has_warned:
            return output
        if self._inputs.changed_by:
            self._cache.put(_name_of_output(file), output)
        self._files.written[dest_uri] = file
        return output

    def _what_changed(self, dest_uri: str, file: WrittenFile) -> str:
        """Return the reason why a page's file is another than the last one; empty if none is known.

        What all pages share is compared part by part.
        """
        last = self._files.last(dest_uri)
        if last is None:
            has_file = self._files.last_site.stamp(dest_uri) is not None
            return (Reason.NO_RECORD if has_file else Reason.NEW).of()
        facts = reasons.changed_facts(reasons.FACTS, last.facts, file.facts)
        return reasons.changed([*facts, *self._changed_parts])

    @functools.cached_property
    def _changed_parts(self) -> list[str]:
        """The names of the inputs of all templates that are others than in the last build."""
        return reasons.changed_parts(self._files.last_build.parts, self._inputs.parts)

    def _with_plugin(self, reason: str) -> str:
        """Return a reason with the plugin that changes the output, if there is one."""
        return "; ".join(filter(None, [reason, self._inputs.changed_by]))

    def _key_of_inputs(
        self, template: jinja2.Template, page: Page, context: Mapping[str, Any]
    ) -> str:
        """Return the digest of what a page's events depend on; empty if that is unknown."""
        inputs = self._inputs.page_inputs.get(page.file.src_uri)
        if not inputs or self._inputs.changed_by:
            return ""
        try:
            return digests.digest(
                self._inputs.digest,
                self._inputs.late_facts(),
                template.name or "",
                *inputs,
                html_digest(page),
                facts_before_context(page, context),
            )
        except digests.UnclearError:
            return ""

    def _facts(
        self, template: jinja2.Template, page: Page, context: Mapping[str, Any]
    ) -> list[str]:
        """Return all that a page's template can read, in the order of :data:`reasons.FACTS`.

        Raises:
            UnclearError: a value cannot be compared.
        """
        return [
            template.name or "",
            html_digest(page),
            self._inputs.sources.get(page.file.src_uri, ""),
            self._inputs.late_facts(),
            *page_facts(page, context),
        ]

    def render_error(self, context: Mapping[str, Any], make: Callable[[], str]) -> str:
        """Return the output of the page for missing addresses.

        It shows nothing but the navigation.
        """
        try:
            late_facts = self._inputs.late_facts()
        except digests.UnclearError:
            return make()
        values = map(str, (context["base_url"], context["extra_css"]))
        name = digests.digest(ERROR_PAGE, self._inputs.digest, late_facts, *values)
        output = self._cache.get(name, str)
        if output is None:
            output = make()
            self._cache.put(name, output)
        return output

    def finish(self, page: Page, output: str) -> str:
        """Return the output to write for a page, after all plugins.

        Empty if they made the same of it as in the last build: then that file is reused.
        """
        dest_uri = page.file.dest_uri
        written = self._files.written.get(dest_uri)
        if written is None or not self._inputs.changed_by or page.file.src_uri in self._reused:
            return output
        digest = digests.digest(output)
        self._files.written[dest_uri] = replace(written, output=digest)
        last = self._files.last(dest_uri)
        is_same = last is not None and last.output == digest and output.strip()
        if last is None or not is_same or not self._files.last_site.has_unchanged(dest_uri, last):
            return output
        self._files.last_site.approve(dest_uri)
        self._reused.add(page.file.src_uri)
        return ""

    def is_no_reused_page(self, record: logging.LogRecord) -> bool:
        """Return False for MkDocs' warning that the output of a reused page is empty."""
        message = record.getMessage()
        if not message.startswith(internals.SKIPPED):
            return True
        # It is between quotation marks, and may have one itself.
        src_uri = message.partition("'")[2].rpartition("'")[0]
        return src_uri not in self._reused


def _name_of_output(file: WrittenFile) -> str:
    """Return the name of a template's output in the cache."""
    return digests.digest("html", file.key)
