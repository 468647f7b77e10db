"""Reuse of the last build's output, and a navigation whose entries are rendered once.

MkDocs empties the site's folder at the start of every build, except for hidden files. So the files
of the last build are moved into a hidden folder, and unchanged ones are moved back before plugins
work on the whole site.

Material renders the navigation again for each page, with a recursive macro. For an entry that does
not contain the page, its output depends on the page only through relative addresses. Such an entry
is rendered once with markers around its addresses, which are replaced for each page.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import marshal
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import jinja2
import material
from jinja2.bccache import Bucket, BytecodeCache
from jinja2.environment import TemplateModule
from jinja2.runtime import Context, Macro
from mkdocs.structure.files import File
from mkdocs.structure.nav import Link
from mkdocs.structure.pages import Page

from planbook_speed import digests, internals, logs, reasons
from planbook_speed.cache import DiskCache, stamp_of_source
from planbook_speed.internals import LISTS_THEME, url_filter
from planbook_speed.pages import CachedPage, html_digest, toc_token

if TYPE_CHECKING:
    from mkdocs.structure.toc import AnchorLink
    from mkdocs.theme import Theme

    from planbook_speed.reload import EarlyReload


TEMPLATE = "partials/nav-item.html"
TABS = "partials/tabs-item.html"
LANGUAGE = "partials/language.html"
MACROS = {TEMPLATE: ("nav_item", "path", "level", "parent"), TABS: ("nav_item", "ref")}
"""Templates of Material's macros `render`, for navigation entries and for tabs, with the macros'
parameters, which distinguish them from other macros of that name."""
OPEN, SHUT = "\x02", "\x03"
"""The markers around an address: characters that are invalid in HTML."""
WITHIN = "\x04"
"""In place of an entry in a section that contains the page."""
MARK = re.compile(f"{OPEN}([^{OPEN}{SHUT}]*){SHUT}")


class NavContext(Context):
    """A context that runs Material's macro for navigation entries only if necessary."""

    cached_nav: CachedNav

    def call(self, obj: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call `obj`; for an entry that does not contain the page, return the cached output."""
        is_entry = (
            isinstance(obj, Macro)
            and obj.name == "render"
            and self.cached_nav.knows(obj, arguments)
        )
        added_by_jinja = {"_loop_vars", "_block_vars"}  # to every call
        if is_entry and named.keys() <= added_by_jinja:
            return self.cached_nav.render(self, obj, arguments)
        return super().call(obj, *arguments, **named)


class CachedNav:
    """The navigation entries rendered so far."""

    def __init__(self, macros: frozenset[tuple[str, ...]], entries: Sequence[Any]) -> None:
        self._macros = macros
        self._is_marking = False
        """True while an entry is rendered with markers for addresses."""
        self._entries = list(_all(entries))
        # MkDocs' entries have no hash; they live as long as this list.
        self._numbers = {id(entry): n for n, entry in enumerate(self._entries)}
        self._within: list[Any] | None = None
        self.has_own_language = False
        """True if the theme's translations are Material's."""
        self.html: dict[tuple[object, ...], MarkedHtml | None] = {}
        """The HTML of each entry; it is also valid for other builds if all inputs of templates are
        the same."""

    def url_filter(self) -> Callable[[Context, str], str]:
        """Return the filter `url` for Jinja.

        It is MkDocs' own; while entries are marked, it returns their addresses with markers.
        """

        @jinja2.pass_context
        def url(context: Context, value: str) -> str:
            """Return the address to write into the HTML."""
            if self._is_marking and _is_below_root(str(value)):
                return f"{OPEN}{value}{SHUT}"
            return str(url_filter(context, value))

        return url

    def knows(self, macro: Macro, arguments: tuple[Any, ...]) -> bool:
        """Return True for Material's macros, called for an entry as pages do.

        A tab may represent another entry.
        """
        names = tuple(macro.arguments)
        return names in self._macros and (names != MACROS[TABS] or len(arguments) == 1)

    def render(self, context: NavContext, macro: Macro, arguments: tuple[Any, ...]) -> str:
        """Return the HTML of an entry for the page of the context."""
        page: Page | None = context.get("page")
        entry = arguments[0]
        if self._is_marking and self._within is not None:
            self._within.append((self._number_of(entry), *arguments[1:3]))
            return WITHIN
        is_current = entry.active and not entry.children
        if self._is_marking or page is None or is_current:
            return str(macro(*arguments))
        marked = self._entry(context, macro, arguments, page)
        if marked is None:
            return str(macro(*arguments))
        folder = _folders_above(page.url)
        html = marked.for_folder(context, folder)
        if not marked.within:
            return html
        within = [(self._entries[number], *position, entry) for number, *position in marked.within]
        if not marked.entries:  # as on pages that they do not contain
            marked.entries = [self._entry(context, macro, inner, None) for inner in within]
        pieces = html.split(WITHIN)
        shown = [pieces[0]]
        for inner, one, piece in zip(within, marked.entries, pieces[1:], strict=True):
            if one is None or inner[0].active:
                shown.append(self.render(context, macro, inner))
            else:
                shown.append(one.for_folder(context, folder))
            shown.append(piece)
        return "".join(shown)

    def _entry(
        self, context: NavContext, macro: Macro, arguments: tuple[Any, ...], page: Page | None
    ) -> MarkedHtml | None:
        """Return the HTML of an entry, on a `page` that it may contain.

        ``None`` if it is another for every page.
        """
        entry, *position = arguments[:3]
        parent = arguments[3] if len(arguments) > 3 else None
        is_open = page is not None and entry.active
        if entry.active != is_open:
            return None
        number = self._number_of(entry)
        index = self._number_of_index(entry, page) if page and is_open else None
        is_in_active = bool(parent and parent.active)
        features = tuple(context.get("features") or ())
        key = (tuple(macro.arguments), number, *position, is_open, index, is_in_active, features)
        if key not in self.html:
            marked = None
            if number is not None and _is_plain(entry):
                marked = self._marked(macro, arguments, [] if is_open else None)
            self.html[key] = marked
        return self.html[key]

    def _number_of(self, entry: Any) -> int | None:
        """Return the place of an entry in the navigation; ``None`` if it is not there."""
        return self._numbers.get(id(entry))

    def _number_of_index(self, section: Any, page: Page) -> int | None:
        """Return the place of the page, if it is the section's index."""
        is_its_index = page.is_index and page in section.children
        return self._number_of(page) if is_its_index else None

    def _marked(
        self, macro: Macro, arguments: tuple[Any, ...], within: list[Any] | None
    ) -> MarkedHtml | None:
        """Return an entry's HTML.

        The entries in it are left out if these are to be added to `within`.
        """
        self._is_marking, self._within = True, within
        try:
            html = str(macro(*arguments))
        finally:
            self._is_marking, self._within = False, None
        has_whole_marks = html.count(OPEN) == html.count(SHUT) == len(MARK.findall(html))
        entries = within or []
        has_all_entries = html.count(WITHIN) == len(entries)
        are_known = all(number is not None for number, *_ in entries)
        is_clear = has_whole_marks and has_all_entries and are_known
        return MarkedHtml(html, entries) if is_clear else None


class MarkedHtml:
    """The HTML of an entry, with markers around its addresses.

    Args:
        html: the HTML.
        within: the number, the path and the level of each entry in it that is left out.
    """

    def __init__(self, html: str, within: list[Any]) -> None:
        self._html, self.within = html, within
        self.entries: list[MarkedHtml | None] = []
        addresses = MARK.findall(html)
        self._tops = {_first_folder(address) for address in addresses} - {"."}
        self._above = {
            parts[:n]
            for parts in map(_parts_of_address, addresses)
            for n in range(1, len(parts) + 1)
        }
        """All folders in its addresses."""
        self._made: dict[object, str] = {}

    def for_folder(self, context: Context, parts: tuple[str, ...]) -> str:
        """Return the HTML for the context's page, which is in a folder.

        All pages at one depth share their relative addresses, unless an address is in one of their
        folders. Likewise, pages in sibling folders share them, unless an address is in one of these
        folders.
        """
        place: object = None
        if "" not in self._tops:
            if self._tops.isdisjoint(parts[:1]):
                place = len(parts)
            elif parts not in self._above:
                place = parts[:-1]
        html = self._made.get(place) if place is not None else None
        if html is None:
            html = MARK.sub(lambda mark: url_filter(context, mark[1]), self._html)
            if place is not None:
                self._made[place] = html
        return html


@functools.lru_cache(maxsize=1024)
def _folders_above(url: str) -> tuple[str, ...]:
    """Return the folders above a page's address, as MkDocs counts them."""
    above, _, name = url.rpartition("/")
    return _parts_of_address(above if "." in name else url)


def _parts_of_address(address: str) -> tuple[str, ...]:
    """Return the parts of an address below the root."""
    return tuple(part for part in address.split("/") if part not in {"", "."})


def _is_below_root(address: str) -> bool:
    """Return True if an address is relative to the site's root.

    It is written differently on each page.
    """
    try:
        return not (address.startswith(("/", "#")) or "\\" in address or urlsplit(address).scheme)
    except ValueError:  # it is left to MkDocs
        return False


def _first_folder(address: str) -> str:
    """Return the first folder of an address, `.` for the root itself.

    Empty for anything but a plain path.
    """
    first = address.partition("/")[0]
    if address in {"", ".", "./"}:
        return "."
    return first if re.fullmatch(r"[\w%-][\w.~%-]*", first) and "/.." not in address else ""


def _is_plain(entry: Any) -> bool:
    """Return True if an entry contains no lists of pages, such as a blog's.

    Material shows a single page of these.
    """
    return not hasattr(entry, "pages") and all(map(_is_plain, entry.children or ()))


def _all(entries: Sequence[Any]) -> Iterator[Any]:
    for entry in entries:
        yield entry
        yield from _all(entry.children or ())


def is_tree(entries: Sequence[Any]) -> bool:
    """Return True if each entry has its section as parent.

    Then a section is active when a page in it is.
    """
    return all(
        all(child.parent is entry for child in entry.children) and is_tree(entry.children)
        for entry in entries
        if entry.children
    )


def cache_nav(env: jinja2.Environment, entries: Sequence[Any], language: str) -> CachedNav | str:
    """Make the environment render the entries once.

    Return a reason why not, if the result might differ.
    """
    if not is_tree(entries):
        return "it contains a page twice"
    try:
        is_own = {name: _is_own(env, name) for name in MACROS}
        languages = (LANGUAGE, *(f"partials/languages/{part}.html" for part in (language, "en")))
        has_own_language = all(_is_own(env, name) for name in languages)
    except jinja2.TemplateNotFound:
        return "the theme does not have Material's navigation"
    if not is_own[TEMPLATE]:
        return f"{TEMPLATE} is not Material's"
    if (
        env.filters.get("url") is not url_filter
        or env.context_class is not Context
        or env.autoescape
    ):
        return "a plugin changed how templates are rendered"
    cached_nav = CachedNav(frozenset(MACROS[name] for name in MACROS if is_own[name]), entries)
    env.filters["url"] = cached_nav.url_filter()
    cached_nav.has_own_language = has_own_language
    env.context_class = type("NavContext", (NavContext,), {"cached_nav": cached_nav})
    return cached_nav


def _is_own(env: jinja2.Environment, name: str) -> bool:
    """Return True if a template is Material's own."""
    path = env.get_template(name).filename
    return (
        bool(path)
        and Path(str(path)).resolve()
        == (Path(material.__file__).parent / "templates" / name).resolve()
    )


HIDDEN = ".planbook-speed"
ERROR_PAGE = "404.html"
SEARCH = "search/"
"""The files of the search index: Material's, and those that another plugin divides it into."""


class PreviousOutput:
    """The last build's output in a site's folder."""

    def __init__(self, site: Path) -> None:
        self._site, self._aside = site, site / HIDDEN
        self._approved: set[str] = set()
        self.known: frozenset[str] = frozenset()
        """All files, if they are known: nobody has changed them since, or writes others."""
        self._new, self._shown_ns = set[str](), 0
        """This build's files among them, and the time at which all were moved back."""

    def set_aside(self, known: frozenset[str]) -> None:
        """Move all files that are not hidden aside; if that fails, MkDocs deletes them."""
        self.drop()
        if not self._site.is_dir():
            return
        entries = [path for path in self._site.iterdir() if not path.name.startswith(".")]
        with contextlib.suppress(OSError):
            self._aside.mkdir()
            for path in entries:
                path.rename(self._aside / path.name)
            self.known = known

    def stamp(self, uri: str) -> list[int] | None:
        """Return the stamp of a file that was moved aside, if it exists."""
        return stamp(f"{self._aside}/{uri}")

    def restore(self, uri: str, written: Written) -> bool:
        """Have `flush` move a file back.

        Return False if it was changed, or there is another in its place.
        """
        if not self.known:  # somebody may have changed it
            is_as_written = written.stamp == self.stamp(uri)
            if not is_as_written or os.path.lexists(f"{self._site}/{uri}"):
                return False
        self._approved.add(uri)
        return True

    def flush(self) -> None:
        """Move the files back: whole folders, where nothing else is in them.

        A file written since then stays.
        """
        if self._approved and self.known:
            if not self._shown_ns:
                self.show()
            for uri in self.known - self._approved - self._new:
                self._remove_unless_written(f"{self._site}/{uri}")
        elif self._approved:
            self._move(f"{self._aside}/", f"{self._site}/", "")
        self._approved = set()
        self.known = frozenset()
        self._shown_ns = 0

    def _remove_unless_written(self, path: str) -> None:
        """Remove a file of the last build, and empty folders, unless this build has written it."""
        with contextlib.suppress(OSError):  # it is gone, or its folder contains others
            written_ns = os.stat(path).st_mtime_ns  # noqa: PTH116 - for thousands of files
            if written_ns < self._shown_ns:
                os.unlink(path)  # noqa: PTH108
                os.removedirs(os.path.dirname(path))  # noqa: PTH120

    def show(self) -> None:
        """Move this build's files among those of the last one, and all back.

        Some of them may be out of date.
        """
        there, here = f"{self._aside}/", f"{self._site}/"
        tops = [entry.path for entry in os.scandir(here) if not entry.name.startswith(".")]
        new = set(filter(os.path.isfile, tops))
        for top in tops:
            for folder, _, names in os.walk(top):
                new |= {f"{folder}/{name}" for name in names}
        self._new = {path.removeprefix(here) for path in new}
        for uri in self._new:
            self._clear_place(there, uri)
            os.makedirs(os.path.dirname(there + uri), exist_ok=True)  # noqa: PTH103, PTH120
            os.replace(here + uri, there + uri)  # noqa: PTH105
        for path in filter(os.path.isdir, tops):
            shutil.rmtree(path)  # empty folders
        for entry in os.scandir(there):
            os.rename(entry.path, here + entry.name)  # noqa: PTH104
        self._shown_ns = os.stat(here).st_mtime_ns  # noqa: PTH116 - by the clock of the files

    def _clear_place(self, there: str, uri: str) -> None:
        """Remove a folder that has become the file `uri`, or a file that has become a folder."""
        place = there + uri
        while not os.path.lexists(place):
            place = os.path.dirname(place)  # noqa: PTH120
        is_own_place = place == there + uri
        is_folder = os.path.isdir(place)  # noqa: PTH112
        if is_folder and is_own_place:
            shutil.rmtree(place)
        elif not is_folder and not is_own_place:
            os.unlink(place)  # noqa: PTH108

    def _move(self, there: str, here: str, folder: str) -> bool:
        """Return True if the whole folder may be moved; otherwise move back what may be of it."""
        with os.scandir(f"{there}{folder}") as found:
            uris = {f"{folder}{entry.name}": entry.is_dir(follow_symlinks=False) for entry in found}
        kept = []
        for uri, is_folder in uris.items():
            is_kept = self._move(there, here, f"{uri}/") if is_folder else uri in self._approved
            if is_kept:
                kept.append(uri)
        if uris and len(kept) == len(uris) and not os.path.lexists(f"{here}{folder}"):
            return True
        if kept:
            os.makedirs(f"{here}{folder}", exist_ok=True)  # noqa: PTH103
        for uri in kept:
            if not os.path.lexists(f"{here}{uri}"):
                os.rename(f"{there}{uri}", f"{here}{uri}")  # noqa: PTH104
        with contextlib.suppress(OSError):  # something is left
            os.rmdir(f"{there}{folder}")  # noqa: PTH106
        return False

    def drop(self) -> None:
        """Delete the files that were not moved back."""
        if self._aside.exists():
            shutil.rmtree(self._aside, ignore_errors=True)


def stamp(path: str) -> list[int] | None:
    """Return a file's size and modification time in nanoseconds; ``None`` if there is no file."""
    try:
        found = os.stat(path)  # noqa: PTH116 - for thousands of files
    except OSError:
        return None
    return [found.st_size, found.st_mtime_ns]


@dataclass(slots=True)
class Written:
    """A file as the last build left it."""

    key: str
    html: str = ""
    """The digest of the page's HTML before it was built."""
    output: str = ""
    """The digest of the output, if other plugins changed it."""
    stamp: list[int] = field(default_factory=list)
    short_key: str = ""
    """The digest of the same inputs, those of its events in place of what the events added; empty
    if unknown."""
    facts: list[str] = field(default_factory=list)
    """The start of the digest of each of :data:`reasons.FACTS`; empty for other files than
    pages."""


@dataclass
class LastBuild:
    """The data that a build stores for the next one."""

    inputs_digest: str = ""
    files: dict[str, Written] = field(default_factory=dict)
    known: frozenset[str] = frozenset()
    """All files of the site, if no other plugin writes any."""
    parts: dict[str, str] = field(default_factory=dict)
    """The digest of each input that all templates share, by its name."""
    extensions: dict[str, str] = field(default_factory=dict)
    """The digest of each input that the rendering of all pages shares."""


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
    why_others: str = ""
    """The plugin that does, as a reason to build pages again."""
    last: LastBuild = field(default_factory=LastBuild)
    before: LastBuild = field(default_factory=LastBuild)
    """The inputs that all pages of the last build shared."""
    now: dict[str, Written] = field(default_factory=dict)
    known: frozenset[str] = frozenset()
    """The files that MkDocs may write, if no other plugin writes any."""
    left: set[str] = field(default_factory=set)
    """Pages that MkDocs must not write."""
    workers: Iterator[tuple[object, dict[str, Written]]] | None = None
    """Returns the files that workers write into the site meanwhile, where this build finds them as
    the last one's."""
    _ahead: dict[str, Written] = field(default_factory=dict)
    """The files received from them."""
    page_inputs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The digests of all that each page's events depend on, by ``src_uri``."""
    waiting: list[Callable[[], object]] = field(default_factory=list)
    """Listeners that complete the context of the current page, once its template is rendered."""
    _html: dict[str, str] = field(default_factory=dict)
    """The digest of each page's HTML before the first page was built."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """The digest of each page's file, by ``src_uri``: templates may show it."""
    late_facts: Callable[[], str] = str
    """Returns the digest of what plugins may have changed since `inputs_digest`, page by page."""
    parts: dict[str, str] = field(default_factory=dict)
    """The inputs in `inputs_digest`, by name."""
    extensions: dict[str, str] = field(default_factory=dict)
    """The inputs that the rendering of all pages shares."""
    explain: Callable[[str, str], None] | None = None
    """Says of a page (``src_uri``) why it is built again, if anybody wants to know."""
    reload: EarlyReload | None = None
    """Shows the pages whose files have changed, if they are built before all others."""

    def render(
        self, template: jinja2.Template, context: Mapping[str, Any], make: Callable[[], str]
    ) -> str:
        """Return the template's output for a page; empty if the last build's file is reused."""
        page: Page = context["page"]
        uri, short_key = page.file.dest_uri, ""
        if self.reload is not None and self.reload.is_due:
            self.previous.show()
            self.reload.show()
        self.receive(uri)
        last = self.last.files.get(uri)
        with contextlib.suppress(digests.UnclearError):
            short_key = self._short_key(template, page, context)
        if (
            last is not None
            and short_key
            and last.short_key == short_key
            and self.reuse(uri, last.key)
        ):
            self.waiting.clear()
            self.left.add(page.file.src_uri)
            self._explain(page, last, last.facts)
            return ""
        self.complete()
        try:
            own = (
                template.name or "",
                html_digest(page),
                self.sources.get(page.file.src_uri, ""),
                self.late_facts(),
            )
            facts = [*own, *page_facts(page, context)]
        except digests.UnclearError as error:
            self._explain(page, None, [], f"{error}, which cannot be compared")
            return make()
        key = digests.digest(self.inputs_digest, *facts)
        facts = [digests.digest(fact)[:8] for fact in facts]
        if not self.has_others and self.reuse(uri, key):
            self.now[uri].short_key, self.now[uri].facts = short_key, facts
            self.left.add(page.file.src_uri)
            self._explain(page, last, facts)
            return ""
        self._explain(page, last, facts)
        name = digests.digest("html", key)
        output = self.cache.get(name, str) if self.has_others else None
        if output is None:
            with logs.LogRecorder() as recorder:
                output = make()
            if (
                recorder.records or recorder.has_warned
            ):  # messages recur only if the page is rendered again
                return output
            if self.has_others:
                self.cache.put(name, output)
        self.now[uri] = Written(key, self._html.get(uri, ""), short_key=short_key, facts=facts)
        return output

    def _explain(
        self, page: Page, last: Written | None, facts: Sequence[str], reason: str = ""
    ) -> None:
        """Say why a page is built again, or that it is not."""
        if self.explain is None:
            return
        if last is None:
            reason = reason or reasons.NEW
        elif page.file.src_uri in self.left:
            self.explain(
                page.file.src_uri, "reused: nothing that its template can read has changed"
            )
            return
        else:
            of_site = reasons.changed_parts(self.before.parts, self.parts)
            reason = reasons.changed(
                [*reasons.changed_facts(reasons.FACTS, last.facts, facts), *of_site]
            )
        if self.has_others:
            reason = f"{reason or 'its template is taken from the cache'}; {self.why_others}"
        self.explain(
            page.file.src_uri,
            f"built again: {reason or 'its file in the site is missing, or was changed'}",
        )

    def render_error(self, context: Mapping[str, Any], make: Callable[[], str]) -> str:
        """Return the output of the page for missing addresses.

        It shows nothing but the navigation.
        """
        try:
            late = self.late_facts()
        except digests.UnclearError:
            return make()
        shown = map(str, (context["base_url"], context["extra_css"]))
        name = digests.digest(ERROR_PAGE, self.inputs_digest, late, *shown)
        output = self.cache.get(name, str)
        if output is None:
            output = make()
            self.cache.put(name, output)
        return output

    def complete(self) -> None:
        """Call the listeners that wait."""
        waiting, self.waiting = self.waiting, []
        for listener in waiting:
            listener()

    def _short_key(self, template: jinja2.Template, page: Page, context: Mapping[str, Any]) -> str:
        inputs = self.page_inputs.get(page.file.src_uri, [])
        if not inputs or self.has_others:
            return ""
        added = {
            key: _plain_value(value) for key, value in context.items() if key not in internals.USUAL
        }
        set_earlier = digests.digest(*_texts_of_facts(_attributes(page)))
        facts = [_place_in_navigation(page), set_earlier, digests.canonical_text(added)]
        own = self.inputs_digest, self.late_facts(), template.name or "", *inputs, html_digest(page)
        return digests.digest(*own, marshal.dumps(facts, 2))

    def reuse(self, uri: str, key: str) -> bool:
        """Move a file of the last build back if its inputs are the same; return True if so."""
        last = self.last.files.get(uri)
        if last is None or last.key != key:
            return False
        if not self.previous.restore(uri, last) and (
            uri not in self._ahead or last.stamp != stamp(f"{self.site}/{uri}")
        ):
            return False
        self.now[uri] = last
        return True

    def receive(self, uri: str) -> None:
        """Receive files from workers until the one with `uri` is there, or no more come."""
        while self.workers is not None and uri not in self._ahead:
            _, files = next(self.workers, (None, None))
            if files is None:
                self.workers = None
            elif any(uri.startswith(SEARCH) for uri in files):  # all files of the index
                self.last.files = {
                    uri: file for uri, file in self.last.files.items() if not uri.startswith(SEARCH)
                }
            self._ahead |= files or {}
            self.last.files |= files or {}

    def copy_file(self, file: File, dirty: bool = False) -> None:
        """Do the same as MkDocs' `File.copy_file`, unless the last build copied the same file."""
        is_new = file.dest_uri not in self.now
        source = stamp_of_source(file.abs_src_path) if file.abs_src_path and is_new else None
        key = f"{file.abs_src_path} {source}"
        if source is None:
            File.copy_file(file, dirty)
        elif not self.reuse(file.dest_uri, key):
            File.copy_file(file, dirty)
            self.now[file.dest_uri] = Written(key)

    def finished(self, page: Page, output: str) -> str:
        """Return the output to write for a page, after all plugins.

        Empty if the last build's file is reused.
        """
        uri = page.file.dest_uri
        written = self.now.get(uri)
        if written is not None and self.has_others and page.file.src_uri not in self.left:
            written.output = digests.digest(output)
            last = self.last.files.get(uri)
            is_same = last is not None and last.output == written.output and output.strip()
            if last is not None and is_same and self.previous.restore(uri, last):
                self.left.add(page.file.src_uri)
                return ""
        if self.reload is not None and output:
            self.reload.note(uri, output)
        return output

    def is_told(self, record: logging.LogRecord) -> bool:
        """Return False for MkDocs' warnings about pages whose output was left empty on purpose."""
        message = record.getMessage()
        return not message.startswith(internals.SKIPPED) or message.split("'")[1] not in self.left

    def outdated(self, pages: Sequence[Page]) -> list[Page]:
        """Return the pages that have certainly changed since the last build."""
        self._html = {page.file.dest_uri: html_digest(page) for page in pages}
        if self.last.inputs_digest != self.inputs_digest:
            return list(pages)
        return [page for page in pages if not self._may_be_current(page.file.dest_uri)]

    def _may_be_current(self, uri: str) -> bool:
        last = self.last.files.get(uri)
        return (
            last is not None
            and last.html == self._html[uri]
            and last.stamp == self.previous.stamp(uri)
        )

    def note(self) -> None:
        """Move files back, and record the state of the others.

        Other plugins may change them at the end.
        """
        if not self.previous.known:
            self.previous.flush()
        for uri, written in self.now.items():
            written.stamp = written.stamp or stamp(f"{self.site}/{uri}") or []

    def data(self) -> LastBuild:
        """Return the data that the next build needs.

        It is that of pages whose files have not changed since they were written.
        """
        self.previous.flush()
        found = {
            u: w
            for u, w in self.now.items()
            if w.stamp and (self.known or w.stamp == stamp(f"{self.site}/{u}"))
        }
        known = self.known and self.known.union(found)
        return LastBuild(self.inputs_digest, found, known, self.parts, self.extensions)

    def let_go(self) -> None:
        """Remove files of workers that this process has not taken, as after an error."""
        self.previous.known = frozenset()
        self.receive("")
        for uri, written in self._ahead.items():
            if self.now.get(uri) is not written and written.stamp == stamp(f"{self.site}/{uri}"):
                Path(f"{self.site}/{uri}").unlink()
                with contextlib.suppress(OSError):  # it contains others
                    os.removedirs(os.path.dirname(f"{self.site}/{uri}"))  # noqa: PTH120
        self.previous.flush()

    def template_class(self, has_own_language: bool) -> type[jinja2.Template]:
        """Return a template class that renders a page only if it has changed."""
        outputs, modules = self, dict[str | None, TemplateModule]()

        class PageTemplate(jinja2.Template):
            """A template that reuses a page's output of the last build if possible."""

            def render(self, *arguments: Any, **named: Any) -> str:
                """The template's text."""
                context = arguments[0] if len(arguments) == 1 and not named else {}
                page = context.get("page") if isinstance(context, dict) else None
                if (
                    self.name == ERROR_PAGE
                    and page is None
                    and context
                    and context.keys() <= internals.USUAL
                ):
                    return outputs.render_error(context, functools.partial(super().render, context))
                if page is None or not page.active or "nav" not in context:
                    outputs.complete()
                    return super().render(*arguments, **named)
                return outputs.render(self, context, functools.partial(super().render, context))

            def make_module(self, *arguments: Any, **named: Any) -> TemplateModule:
                """Return what a template imports.

                The translations are the same for every template.
                """
                module = modules.get(self.name) or super().make_module(*arguments, **named)
                if self.name == LANGUAGE and has_own_language and not modules:
                    modules[LANGUAGE] = module
                    vars(module)["t"] = functools.cache(vars(module)["t"])
                return module

        return PageTemplate


class CompiledTemplates(BytecodeCache):
    """Caches compiled templates in memory while a site is served.

    Jinja checks by their source if an entry is valid.

    The HTML of the navigation is kept with them, as long as all inputs of templates are the same.
    """

    def __init__(self) -> None:
        self._code: dict[str, bytes] = {}
        self._inputs_digest, self._nav = "", dict[tuple[object, ...], MarkedHtml | None]()

    def nav_of(self, inputs_digest: str) -> dict[tuple[object, ...], MarkedHtml | None]:
        """Return the HTML of navigation entries that builds with these inputs have rendered."""
        if self._inputs_digest != inputs_digest:
            self._inputs_digest, self._nav = inputs_digest, {}
        return self._nav

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a template's bytecode, if it is cached."""
        if bucket.key in self._code:
            bucket.bytecode_from_string(self._code[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store a template's compiled bytecode."""
        self._code[bucket.key] = bucket.bytecode_to_string()

    def share(self, theme: Theme, cache: DiskCache) -> None:
        """Have the theme's environments share templates.

        Files are listed again only if a folder has changed.
        """
        make = theme.get_env

        def get_env() -> jinja2.Environment:
            """Return a new environment, which has the shared templates."""
            env = make()
            env.bytecode_cache = self
            vars(env)["list_templates"] = functools.partial(_files_of_theme, theme, cache, env)
            return env

        vars(theme)["get_env"] = get_env


def _files_of_theme(
    theme: Theme, cache: DiskCache, env: jinja2.Environment, **chosen: Any
) -> list[str]:
    facts = [
        theme.dirs,
        theme.static_templates,
        getattr(chosen.get("filter_func"), "__qualname__", ""),
    ]
    key = digests.digest(digests.packages(), digests.canonical_text(facts))
    last = (
        cache.get(key, tuple[dict[str, list[int]], list[str]]) if facts[-1] == LISTS_THEME else None
    )
    if last is not None and all(stamp(folder) == then for folder, then in last[0].items()):
        return last[1]
    names = jinja2.Environment.list_templates(env, **chosen)
    folders = {
        path: stamp(path)
        for top in theme.dirs
        for path in (top, *(path for path, *_ in os.walk(top)))
    }
    if facts[-1] == LISTS_THEME and all(
        s and s[1] < time.time_ns() - RECENT_NS for s in folders.values()
    ):
        cache.put(key, (folders, names), is_latest=True)
    return names


RECENT_NS = 2_000_000_000
"""The time in which a folder may change again and keep its stamp."""


def page_facts(page: Page, context: Mapping[str, Any]) -> Iterator[str]:
    """Yield digests of all that a template may read of a page, except its HTML.

    Values that plugins added are among them. They are in the order of :data:`reasons.FACTS`.

    Raises:
        UnclearError: a value has no canonical text.
    """
    own = _attributes(page)
    added = {
        key: _plain_value(value) for key, value in context.items() if key not in internals.USUAL
    }
    usual = [
        context[key] for key in ("base_url", "extra_css", "extra_javascript", "mkdocs_version")
    ]
    groups: list[Mapping[Any, Any]] = [own, page.meta or {}, added]
    for facts in (
        *groups,
        {"place": _place_in_navigation(page)},
        {"usual": usual},
        {"toc": _toc(page)},
    ):
        yield digests.digest(*_texts_of_facts(facts))


def _attributes(page: Page) -> dict[str, Any]:
    """Return a page's attributes that are not compared in another way.

    Those that plugins set on its file are among them.

    Raises:
        UnclearError: the page is of a class of a plugin, which may give it others.
    """
    if type(page) is not Page and not isinstance(page, CachedPage):
        raise digests.UnclearError(f"a page of the class {type(page).__qualname__!r}")
    own = {
        key: value for key, value in vars(page).items() if key not in internals.COVERED_ELSEWHERE
    }
    of_file = {
        f"file {key}": value
        for key, value in vars(page.file).items()
        if key not in internals.OF_A_FILE
    }
    return {**{key: value for key, value in own.items() if key != "meta"}, **of_file}


def _texts_of_facts(facts: Mapping[Any, Any]) -> Iterator[str | bytes]:
    """Yield all names and values, each as a text that is another one for another value."""
    for key, value in facts.items():
        yield key if isinstance(key, str) else f"\0{digests.canonical_text(key)}"
        digests.require_finite(value)
        try:
            # The version without references: the same for equal values.
            yield marshal.dumps(value, 2)
        except ValueError:  # not only plain types
            yield digests.canonical_text(value)


def _place_in_navigation(page: Page) -> list[object]:
    """Return a page's title, its files and addresses, and its neighbours."""
    file, around = page.file, [page.previous_page, page.next_page]
    titles = [None if other is None else [str(other.title), other.url] for other in around]
    return [
        str(page.title),
        page.url,
        page.is_homepage,
        titles,
        [file.src_uri, file.dest_uri, file.edit_uri],
    ]


def _toc(page: Page) -> list[object]:
    """Return a page's table of contents as plain data."""
    tokens = page._speed_tokens if isinstance(page, CachedPage) else list(map(toc_token, page.toc))
    return [_plain_entry(item) for item in page.toc] if None in tokens else tokens


def _plain_entry(item: AnchorLink) -> dict[str, object]:
    rest = vars(item)
    return (
        rest | {"children": [_plain_entry(child) for child in item.children]}
        if item.children
        else rest
    )


def _plain_value(value: object) -> object:
    """Return a value that plugins pass to templates, with tags and links as plain data."""
    if isinstance(value, list | tuple):
        return [_plain_value(part) for part in value]
    if isinstance(value, Link):
        return [value.title, value.url]
    if type(value).__module__.startswith(internals.TAGS):
        return {key: _plain_value(part) for key, part in vars(value).items()}
    return value
