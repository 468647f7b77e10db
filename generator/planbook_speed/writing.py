"""The second stage of a build: its files are written, or taken from the last build.

:class:`Writing` has MkDocs find static files, search indexes and pages that have not changed. The
other pages are built by workers in a first build (:meth:`Writing._build_ahead`), and the pages of
saved files first while serving (:meth:`Writing._build_changed_pages`).
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page

from planbook_speed import digests, internals, logs, reasons, template_inputs
from planbook_speed.ahead import may_fork, start_ahead
from planbook_speed.cached_navigation import CachedNav, cache_navigation
from planbook_speed.cached_page import digest_html
from planbook_speed.listeners import (
    READING_NO_OTHER,
    TEMPLATE_EVENTS,
    WRITING_NO_OTHER,
    call_if_rendered,
    changing_outputs,
    last_plugin,
    undeclared_listener,
)
from planbook_speed.page_outputs import PageOutputs
from planbook_speed.reload import ChangedPages
from planbook_speed.search_index import CachedSearch
from planbook_speed.site_files import PreviousBuild, SiteFiles, WrittenFile
from planbook_speed.template_inputs import TemplateInputs
from planbook_speed.templates import page_template_class

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from jinja2 import Environment
    from mkdocs.structure.files import Files

    from planbook_speed.build_setup import BuildSetup
    from planbook_speed.reading import Reading

ENTRIES = (
    '{% import "partials/nav-item.html" as item with context %}'
    '{% for entry in nav.items %}{{ item.render(entry, "__nav_" ~ loop.index, 1) }}{% endfor %}'
)
"""Material's navigation, without what surrounds it."""


@contextlib.contextmanager
def _leave_as_it_is(page: Page) -> Iterator[None]:
    """Undo what a build of a page sets on it and on its file.

    MkDocs builds the page once more, which sets it anew. What is left would be another input of its
    template, which would then be rendered a second time.
    """
    attributes = (vars(page), vars(page.file))
    attributes_before = [dict(of_object) for of_object in attributes]
    try:
        yield
    finally:
        for of_object, before in zip(attributes, attributes_before, strict=True):
            of_object.clear()
            of_object.update(before)


def _no_late_digest() -> str:
    """Return the digest of nothing: no plugin can change what templates read page by page."""
    return ""


class Writing:
    """The site of one build, from `on_env` to its end.

    Args:
        setup: What the build begins with.
        reading: The stage before, with all pages read.
        env: The environment of templates, after all plugins have changed it.
        files: All files.
    """

    def __init__(self, setup: BuildSetup, reading: Reading, env: Environment, files: Files) -> None:
        self._setup = setup
        self._reading = reading
        self._env = env
        self._files = files
        self._listeners = changing_outputs(setup.config)
        site = Path(setup.config.site_dir)
        self.site = SiteFiles(site, setup.previous_build, setup.previous_site, self._known_files())
        self._inputs: TemplateInputs | None = None
        """The inputs of templates; ``None`` if they are not clear: every page is rendered then."""
        self._pages: PageOutputs | None = None
        self._changed_pages: ChangedPages | None = None
        """The pages that are shown before the build ends, while serving."""

    def _known_files(self) -> frozenset[str] | None:
        """Return all files that MkDocs may write; ``None`` if other plugins may write some.

        Only while serving: the folder is temporary then, and nobody else writes into it.
        """
        setup = self._setup
        if not setup.session.is_serving:
            return None
        events = [*setup.config.plugins.events]
        if undeclared_listener(setup.config, events, (), WRITING_NO_OTHER) is not None:
            return None
        return frozenset(file.dest_uri for file in self._files)

    def begin(self) -> None:
        """Have MkDocs find the files that have not changed."""
        setup = self._setup
        navigation = self._cache_navigation()
        for search in setup.searches:
            search.index.write_into(self.site)
        if not internals.FILES.why_not:
            for file in self._files:
                if type(file) is File and not file.is_documentation_page():
                    internals.replace_copying(file, partial(self.site.copy_file, file))
        try:
            inputs = self._read_inputs()
        except digests.UnclearError as error:
            self._render_all_pages(reasons.Reason.MAY_CHANGE_OTHERS.of(str(error)))
        else:
            self._set_up_reuse(inputs, navigation)

    def _cache_navigation(self) -> CachedNav | None:
        """Have each entry of the navigation be rendered once; ``None`` if that is not certain."""
        setup = self._setup
        try:
            if internals.TEMPLATES.why_not:
                raise digests.UnclearError(internals.TEMPLATES.why_not)
            undeclared = undeclared_listener(
                setup.config, ("page_context",), setup.options.repeatable
            )
            if undeclared is not None:
                raise digests.UnclearError(
                    f"the plugin {undeclared.plugin!r} might change it in on_{undeclared.event} "
                    "(see `repeatable`)"
                )
            language = setup.config.theme.get("language") or "en"
            return cache_navigation(self._env, self._reading.navigation.items, language)
        except digests.UnclearError as error:
            setup.session.log_once(f"the navigation is not cached: {error}")
            return None

    def _render_all_pages(self, reason: str) -> None:
        """Leave all pages to MkDocs: what their templates read is not clear."""
        setup = self._setup
        setup.session.log_once(f"output is not reused: {reason}")
        self._reading.read_reused_pages(reason)
        if setup.explain is not None:
            for file in self._files.documentation_pages():
                setup.explain(file.src_uri, f"built again: {reason}")

    def _read_inputs(self) -> TemplateInputs:
        """Return what templates read.

        Raises:
            UnclearError: they may read something else.
        """
        setup = self._setup
        self._refuse_late_changes()
        navigation = self._reading.navigation
        shared = template_inputs.read_shared_inputs(setup.config, self._env, navigation)
        shared[reasons.LEVELS] = digests.digest(logs.levels())
        late_digest: Callable[[], str] = _no_late_digest
        if undeclared_listener(setup.config, TEMPLATE_EVENTS, (), READING_NO_OTHER) is not None:
            known = dict(self._env.globals)
            late_digest = partial(
                template_inputs.read_late_digest, setup.config, self._env, navigation, known
            )
        changed_by = ""
        if self._listeners:
            plugin = internals.plugin_of(setup.config, self._listeners[0])
            changed_by = reasons.describe_undeclared(plugin, "post_page")
        html_digests: dict[str, str] = {}
        if self._is_built_ahead():
            html_digests = {page.file.dest_uri: digest_html(page) for page in self._reading.pages}
        return TemplateInputs(
            shared=shared,
            shared_digest=digests.digest_of_inputs(shared),
            late_digest=late_digest,
            event_inputs=self._reading.event_inputs,
            source_digests={uri: file.digest for uri, file in self._reading.sources.items()},
            html_digests=html_digests,
            changed_by=changed_by,
        )

    def _refuse_late_changes(self) -> None:
        """Raise UnclearError if a plugin may change what templates read, page by page.

        Plugins that declare what they read are clear.
        """
        setup = self._setup
        undeclared = undeclared_listener(
            setup.config, ("page_context",), setup.options.repeatable, READING_NO_OTHER
        )
        if undeclared is not None:
            raise digests.UnclearError(f"{undeclared} (see `repeatable`)")
        if last_plugin(setup.config, "env") is not setup.plugin:
            *_, last_listener = setup.config.plugins.events["env"]
            plugin = internals.plugin_of(setup.config, last_listener)
            raise digests.UnclearError(f"the plugin {plugin!r} in on_env")

    def _is_whole(self) -> bool:
        """Return True if a page's file is as its template made it: no other plugin changes it."""
        is_last = last_plugin(self._setup.config, "post_page") is self._setup.plugin
        return is_last and not self._listeners

    def _is_built_ahead(self) -> bool:
        """Return True in a build whose pages are built in workers: the first one of a process."""
        session = self._setup.session
        return self._is_whole() and (session.is_first or not session.is_serving)

    def _set_up_reuse(self, inputs: TemplateInputs, navigation: CachedNav | None) -> None:
        """Have each page's template be rendered only if the page has changed."""
        setup = self._setup
        self._inputs = inputs
        self._pages = PageOutputs(setup.disk, self.site, inputs, setup.explain)
        self._pages.say_what_all_share()
        internals.log_of_build.addFilter(self._pages.is_no_reused_page)
        has_own_language = navigation is not None and navigation.has_own_language
        self._env.template_class = page_template_class(self._pages, has_own_language)
        if self._env.cache is not None:
            self._env.cache.clear()  # it has templates of another class, from plugins' `on_env`
        if inputs.event_inputs:
            call_if_rendered(setup.config, self._pages.call_later, setup.is_nested)
        if navigation is not None and setup.session.is_serving:
            navigation.share(setup.session.compiled.navigation_of(inputs.shared_digest))
        if self._is_built_ahead():
            self._build_ahead(inputs)
        elif self._is_whole():
            self._build_changed_pages(inputs, self._pages)

    def _build_ahead(self, inputs: TemplateInputs) -> None:
        """Have workers build the pages that have certainly changed, and the search indexes."""
        setup = self._setup
        changed = [page for page in self._reading.pages if self._has_changed(page, inputs)]
        if not may_fork(setup, changed, ("page_context",)):
            return
        page_files = self._files.documentation_pages()

        def work(item: object) -> dict[str, WrittenFile]:
            """Write the files of a search, or of a page."""
            self.site.take_written()  # of an item that has failed
            if isinstance(item, CachedSearch):
                item.write_ahead(self._reading.pages, setup.config)
            elif isinstance(item, Page):
                self._build_page(item, page_files)
                item.content = item.markdown = ""  # not needed here again
            files = self.site.with_stamps(self.site.take_written())
            return {dest_uri: file for dest_uri, file in files.items() if file.stamp}

        load = partial(self._load_templates, changed, page_files)
        items = [*setup.searches, *changed]
        self.site.ready.expect(start_ahead(items, work, setup.options.workers, load))

    def _has_changed(self, page: Page, inputs: TemplateInputs) -> bool:
        """Return True if a page is known to differ from what the last build left.

        Inputs of all templates, its HTML or its file do; its own inputs are read in its turn.
        """
        dest_uri = page.file.dest_uri
        if self._setup.previous_build.template_inputs != inputs.shared:
            return True
        previous = self._setup.previous_build.files.get(dest_uri)
        if previous is None or previous.html_digest != inputs.html_digests[dest_uri]:
            return True
        return previous.stamp != self._setup.previous_site.stamp(dest_uri)

    def _build_changed_pages(self, inputs: TemplateInputs, outputs: PageOutputs) -> None:
        """Build the pages of changed files before all others, so that they can be shown."""
        setup = self._setup
        browsers = setup.session.reload
        if browsers is None or self._reading.renderer is None or internals.STEPS.why_not:
            return
        undeclared = undeclared_listener(setup.config, ("page_context",), setup.options.repeatable)
        if undeclared is not None or not setup.previous_site.is_exclusive:
            return
        are_inputs_same = setup.previous_build.template_inputs == inputs.shared
        unchanged = self._reading.reused if are_inputs_same else {}
        page_files = self._files.documentation_pages()
        self._changed_pages = ChangedPages(browsers, setup.previous_site)
        with outputs.deciding_early():
            for page in self._reading.pages:
                if page.file.src_uri not in unchanged:
                    with _leave_as_it_is(page):
                        self._build_page(page, page_files)
        # They are found as ready when MkDocs builds them with all others.
        self.site.ready.add(self.site.take_written())
        for search in setup.searches:
            search.index.clear()  # MkDocs adds each page again
        self._changed_pages.complete()

    def _build_page(self, page: Page, page_files: Sequence[File]) -> None:
        """Build a page as MkDocs will."""
        internals.build_page(
            page,
            self._setup.config,
            page_files,
            self._reading.navigation,
            self._env,
            excluded=page.file.inclusion.is_excluded(),
        )

    def _load_templates(self, pages: Sequence[Page], page_files: Sequence[File]) -> None:
        """Render the entries of the navigation as on the pages, and one page without its text.

        Workers have the templates and the entries then, and share their memory.
        """
        entries = self._env.from_string(ENTRIES)
        features = self._setup.config.theme.get("features") or []
        one_of_each_section = {(id(page.parent), page.is_index): page for page in pages}
        for page in one_of_each_section.values():
            self._try_render(page, page_files, entries, features=features)
        page = pages[0]
        content = vars(page)["content"]
        page.content = ""
        self._try_render(page, page_files, "main.html")
        vars(page)["content"] = content

    def _try_render(
        self,
        page: Page,
        page_files: Sequence[File],
        template: jinja2.Template | str,
        **added: object,
    ) -> None:
        """Render a template for a page, without need of its output."""
        page.active = True
        # An error will occur again when MkDocs renders the page, and then be reported.
        with contextlib.suppress(Exception):
            compiled = self._env.get_template(template)
            navigation = self._reading.navigation
            context = internals.get_context(navigation, page_files, self._setup.config, page)
            jinja2.Template.render(compiled, {**context, **added})
        page.active = False

    def show_changed_pages(self) -> None:
        """Show the pages of saved files in browsers, once: MkDocs has copied the static files."""
        if self._changed_pages is not None:
            self._changed_pages.show()

    def finish_page(self, page: Page, output: str) -> str:
        """Return the output to write for a page, after all plugins; empty if its file is reused."""
        if self._pages is None:
            return output
        output = self._pages.finish(page, output)
        if self._changed_pages is not None and output:
            self._changed_pages.add(page.file.dest_uri, output)
        return output

    def put_files_in_place(self) -> None:
        """Move files of the last build back, before plugins work on the whole site.

        In a site of this server's builds alone, no plugin does: the files are in their places at
        the end.
        """
        if not self._setup.previous_site.is_exclusive:
            self._setup.previous_site.restore_approved()
        self.site.read_stamps()

    def record(self) -> PreviousBuild:
        """Return the record of this build for the next one."""
        return replace(
            self.site.record(),
            template_inputs={} if self._inputs is None else self._inputs.shared,
            rendering_inputs=self._setup.rendering_inputs,
            plugin_inputs=self._reading.plugin_inputs,
        )

    def end(self, *, has_failed: bool) -> None:
        """End the build: the site has no files of others, and browsers get answers."""
        if self._changed_pages is not None:
            self._changed_pages.end(has_failed=has_failed)
        if self._pages is not None:
            internals.log_of_build.removeFilter(self._pages.is_no_reused_page)
        self.site.discard_ready()
