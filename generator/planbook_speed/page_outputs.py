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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from planbook_speed import digests, internals, logs, reasons
from planbook_speed.cached_page import digest_html
from planbook_speed.own_inputs import OwnInputs, inputs_before_context, read_own_inputs
from planbook_speed.reasons import NotRecorded, Reason
from planbook_speed.site_files import WrittenFile

if TYPE_CHECKING:
    import jinja2
    from mkdocs.structure.pages import Page

    from planbook_cache.disk import DiskCache
    from planbook_speed.site_files import SiteFiles
    from planbook_speed.template_inputs import TemplateInputs

ERROR_PAGE = "404.html"


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
        has_previous = bool(self._files.previous_build.template_inputs)
        if self._explain is not None and has_previous and self._changed_shared:
            reason = reasons.describe_changed_inputs(self._changed_shared)
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
        event_key = self._event_key(template, page, context)
        decision = self._reuse_by_event_inputs(page, event_key)
        if decision is None:
            self.complete_context()
            decision = self._decide_by_own_inputs(template, page, context, event_key)
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

    def _reuse_by_event_inputs(self, page: Page, event_key: str) -> Decision | None:
        """Return the decision to reuse the page, if its events had the same inputs."""
        previous = self._files.previous(page.file.dest_uri)
        if previous is None or not event_key or previous.event_key != event_key:
            return None
        file = self._files.reusable(page.file.dest_uri, previous.key)
        return None if file is None else Decision(OutputAction.REUSE, Reason.SAME.of(), file)

    def _decide_by_own_inputs(
        self, template: jinja2.Template, page: Page, context: Mapping[str, Any], event_key: str
    ) -> Decision:
        """Return what to do for a page, by all that its template can read."""
        dest_uri = page.file.dest_uri
        try:
            own_inputs = self._read_own_inputs(template, page, context)
        except digests.UnclearError as error:
            reason = self._with_plugin(Reason.UNCLEAR.of(str(error)))
            return Decision(OutputAction.RENDER, reason, None)
        file = WrittenFile(
            digests.digest(self._inputs.shared_digest, *own_inputs),
            self._inputs.html_digests.get(dest_uri, ""),
            event_key=event_key,
            own_inputs=own_inputs.starts(),
        )
        if self._inputs.changed_by:
            return self._decide_with_plugin(dest_uri, file)
        previous = self._files.reusable(dest_uri, file.key)
        if previous is not None:
            same = replace(previous, event_key=event_key, own_inputs=file.own_inputs)
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
            self._files.not_recorded[dest_uri] = NotRecorded.UNCLEAR
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
            self._files.not_recorded[dest_uri] = NotRecorded.MESSAGE
            return output
        if self._inputs.changed_by:
            self._cache.put(_name_of_output(file), output)
        self._files.written[dest_uri] = file
        return output

    def _what_changed(self, dest_uri: str, file: WrittenFile) -> str:
        """Return the reason why a page's file is another than before; empty if none is known."""
        previous = self._files.previous(dest_uri)
        if previous is None and self._files.previous_site.stamp(dest_uri) is not None:
            cause = self._files.previous_build.why_not_recorded(dest_uri)
            return Reason.NO_RECORD.of(cause.value)
        if previous is None or previous.own_inputs is None or file.own_inputs is None:
            return Reason.NEW.of()
        names = file.own_inputs.changed_names(previous.own_inputs)
        return reasons.describe_changed_inputs([*names, *self._changed_shared])

    @functools.cached_property
    def _changed_shared(self) -> list[str]:
        """The names of the inputs of all templates that are others than in the last build."""
        previous = self._files.previous_build.template_inputs
        return reasons.changed_names(previous, self._inputs.shared)

    def _with_plugin(self, reason: str) -> str:
        """Return a reason with the plugin that changes the output, if there is one."""
        return "; ".join(filter(None, [reason, self._inputs.changed_by]))

    def _event_key(self, template: jinja2.Template, page: Page, context: Mapping[str, Any]) -> str:
        """Return :attr:`WrittenFile.event_key` for a page; empty if its inputs are unknown."""
        event_inputs = self._inputs.event_inputs.get(page.file.src_uri)
        if event_inputs is None or self._inputs.changed_by:
            return ""
        try:
            return digests.digest(
                self._inputs.shared_digest,
                self._inputs.late_digest(),
                template.name or "",
                *event_inputs.texts(),
                digest_html(page),
                inputs_before_context(page, context),
            )
        except digests.UnclearError:
            return ""

    def _read_own_inputs(
        self, template: jinja2.Template, page: Page, context: Mapping[str, Any]
    ) -> OwnInputs:
        """Return digests of all that a page's template can read of it. Raises UnclearError."""
        source_digest = self._inputs.source_digests.get(page.file.src_uri, "")
        late_digest = self._inputs.late_digest()
        return read_own_inputs(page, context, template, source_digest, late_digest)

    def render_error(self, context: Mapping[str, Any], make: Callable[[], str]) -> str:
        """Return the output of the page for missing addresses.

        It shows nothing but the navigation.
        """
        try:
            late_digest = self._inputs.late_digest()
        except digests.UnclearError:
            return make()
        values = map(str, (context["base_url"], context["extra_css"]))
        name = digests.digest(ERROR_PAGE, self._inputs.shared_digest, late_digest, *values)
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
        self._files.written[dest_uri] = replace(written, output_digest=digest)
        previous = self._files.previous(dest_uri)
        if previous is None or previous.output_digest != digest or not output.strip():
            return output
        if not self._files.previous_site.has_unchanged(dest_uri, previous):
            return output
        self._files.previous_site.approve(dest_uri)
        self._reused.add(page.file.src_uri)
        return ""

    def is_no_reused_page(self, record: logging.LogRecord) -> bool:
        """Return False for MkDocs' warning that the output of a reused page is empty."""
        message = record.getMessage()
        if not message.startswith(internals.SKIPPED_MESSAGE):
            return True
        # It is between quotation marks, and may have one itself.
        src_uri = message.partition("'")[2].rpartition("'")[0]
        return src_uri not in self._reused


def _name_of_output(file: WrittenFile) -> str:
    """Return the name of a template's output in the cache."""
    return digests.digest("html", file.key)
