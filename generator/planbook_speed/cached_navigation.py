"""A navigation whose entries are rendered once.

Material renders the navigation again for each page, with a recursive macro. For an entry that does
not contain the page, its output depends on the page only through relative addresses. Such an entry
is rendered once with markers around its addresses, which are replaced for each page.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import jinja2
import material
from jinja2.runtime import Context, Macro

from planbook_speed.digests import UnclearError
from planbook_speed.internals import url_filter

if TYPE_CHECKING:
    from mkdocs.structure.pages import Page

TEMPLATE = "partials/nav-item.html"
TABS = "partials/tabs-item.html"
LANGUAGE = "partials/language.html"
MACROS = {TEMPLATE: ("nav_item", "path", "level", "parent"), TABS: ("nav_item", "ref")}
"""Templates of Material's macros `render`, for navigation entries and for tabs, with the macros'
parameters, which distinguish them from other macros of that name."""
ADDRESS_START, ADDRESS_END = "\x02", "\x03"
"""The markers around an address: characters that are invalid in HTML."""
LEFT_OUT = "\x04"
"""In place of an entry in a section that contains the page."""
MARK = re.compile(f"{ADDRESS_START}([^{ADDRESS_START}{ADDRESS_END}]*){ADDRESS_END}")
"""An address between the markers: ``\\x02guide/\\x03``."""


class NavContext(Context):
    """A context that runs Material's macro for navigation entries only if necessary."""

    cached_nav: CachedNav

    def call(self, obj: Any, /, *arguments: Any, **kwargs: Any) -> Any:
        """Call `obj`; for an entry that does not contain the page, return the cached output."""
        is_entry = (
            isinstance(obj, Macro)
            and obj.name == "render"
            and self.cached_nav.knows(obj, arguments)
        )
        added_by_jinja = {"_loop_vars", "_block_vars"}  # to every call
        if is_entry and kwargs.keys() <= added_by_jinja:
            return self.cached_nav.render(self, obj, arguments)
        return super().call(obj, *arguments, **kwargs)


class CachedNav:
    """The navigation entries rendered so far.

    Args:
        macros: The parameters of each macro that is Material's own.
        entries: The navigation.
        has_own_language: True if the theme's translations are Material's.
    """

    def __init__(
        self,
        macros: frozenset[tuple[str, ...]],
        entries: Sequence[Any],
        has_own_language: bool,
    ) -> None:
        self.has_own_language = has_own_language
        self._macros = macros
        self._entries = list(_all_entries(entries))
        # MkDocs' entries have no hash; they live as long as this list.
        self._numbers = {id(entry): n for n, entry in enumerate(self._entries)}
        self._is_marking = False
        """True while an entry is rendered with markers for addresses."""
        self._left_out: list[Any] | None = None
        """The entries that are left out of the one that is rendered with markers; ``None`` if they
        are rendered in it."""
        self._html: dict[tuple[object, ...], MarkedHtml | None] = {}
        """The HTML of each entry."""

    def share(self, html: dict[tuple[object, ...], MarkedHtml | None]) -> None:
        """Use and complete the HTML of other builds in which all inputs of templates are the same.

        The key of an entry holds its place in the navigation, which is one of these inputs.
        """
        self._html = html

    def url_filter(self) -> Callable[[Context, str], str]:
        """Return the filter `url` for Jinja.

        It is MkDocs' own; while entries are marked, it returns their addresses with markers.
        """

        @jinja2.pass_context
        def url(context: Context, value: str) -> str:
            """Return the address to write into the HTML."""
            if self._is_marking and _is_below_root(str(value)):
                return f"{ADDRESS_START}{value}{ADDRESS_END}"
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
        entry = arguments[0]
        if self._is_marking and self._left_out is not None:
            self._left_out.append((self._number_of(entry), *arguments[1:3]))
            return LEFT_OUT
        page: Page | None = context.get("page")
        # The page's own entry shows its table of contents, which no other page has.
        is_current = entry.active and not entry.children
        marked = None
        if page is not None and not is_current and not self._is_marking:
            marked = self._entry(context, macro, arguments, page)
        if page is None or marked is None:
            return str(macro(*arguments))
        if marked.left_out:
            return self._render_section(context, macro, entry, marked)
        return marked.for_folder(context, _folders_above(page.url))

    def _render_section(
        self, context: NavContext, macro: Macro, section: Any, marked: MarkedHtml
    ) -> str:
        """Return the HTML of a section that contains the page of the context.

        Its entries are rendered one by one, as only one of them contains the page.
        """
        folder = _folders_above(context["page"].url)
        calls = [
            (self._entries[number], *position, section) for number, *position in marked.left_out
        ]
        if not marked.entries:  # as on pages that they do not contain
            marked.entries = [self._entry(context, macro, call, None) for call in calls]
        first, *texts_between = marked.for_folder(context, folder).split(LEFT_OUT)
        pieces = [first]
        for call, marked_entry, text in zip(calls, marked.entries, texts_between, strict=True):
            contains_page = call[0].active
            if marked_entry is None or contains_page:
                pieces.append(self.render(context, macro, call))
            else:
                pieces.append(marked_entry.for_folder(context, folder))
            pieces.append(text)
        return "".join(pieces)

    def _entry(
        self, context: NavContext, macro: Macro, arguments: tuple[Any, ...], page: Page | None
    ) -> MarkedHtml | None:
        """Return the HTML of an entry, on a `page` that it may contain.

        ``None`` if it is another for every page.
        """
        entry, *position = arguments[:3]
        parent = arguments[3] if len(arguments) > 3 else None
        is_open = page is not None and entry.active
        if entry.active != is_open:  # the entry contains the page, and is wanted as on others
            return None
        number = self._number_of(entry)
        index = self._number_of_index(entry, page) if page and is_open else None
        is_in_active = bool(parent and parent.active)
        features = tuple(context.get("features") or ())
        key = (tuple(macro.arguments), number, *position, is_open, index, is_in_active, features)
        if key not in self._html:
            marked = None
            if number is not None and _is_plain(entry):
                marked = self._render_marked(macro, arguments, [] if is_open else None)
            self._html[key] = marked
        return self._html[key]

    def _number_of(self, entry: Any) -> int | None:
        """Return the place of an entry in the navigation; ``None`` if it is not there."""
        return self._numbers.get(id(entry))

    def _number_of_index(self, section: Any, page: Page) -> int | None:
        """Return the place of the page, if it is the section's index."""
        is_its_index = page.is_index and page in section.children
        return self._number_of(page) if is_its_index else None

    def _render_marked(
        self, macro: Macro, arguments: tuple[Any, ...], left_out: list[Any] | None
    ) -> MarkedHtml | None:
        """Return an entry's HTML; ``None`` if the markers in it are not clear.

        The entries in it are left out if these are to be added to `left_out`.
        """
        self._is_marking = True
        self._left_out = left_out
        try:
            html = str(macro(*arguments))
        finally:
            self._is_marking = False
            self._left_out = None
        has_whole_marks = (
            html.count(ADDRESS_START) == html.count(ADDRESS_END) == len(MARK.findall(html))
        )
        entries = left_out or []
        has_all_entries = html.count(LEFT_OUT) == len(entries)
        are_known = all(number is not None for number, *_ in entries)
        is_clear = has_whole_marks and has_all_entries and are_known
        return MarkedHtml(html, entries) if is_clear else None


class MarkedHtml:
    """The HTML of an entry, with markers around its addresses.

    Args:
        html: the HTML.
        left_out: the number, the path and the level of each entry in it that is left out.
    """

    def __init__(self, html: str, left_out: list[Any]) -> None:
        self._html = html
        self.left_out = left_out
        self.entries: list[MarkedHtml | None] = []
        """The HTML of these entries on pages that they do not contain, once it is needed."""
        addresses = MARK.findall(html)
        self._tops = {_first_folder(address) for address in addresses} - {"."}
        self._above = {
            folders[:n]
            for folders in map(_folders_of_address, addresses)
            for n in range(1, len(folders) + 1)
        }
        """All folders in its addresses."""
        self._by_place: dict[object, str] = {}

    def for_folder(self, context: Context, folders: tuple[str, ...]) -> str:
        """Return the HTML for the context's page, which is in these folders.

        All pages at one depth share their relative addresses, unless an address is in one of their
        folders. Likewise, pages in sibling folders share them, unless an address is in one of these
        folders.
        """
        position: object = None
        """The place that pages with this HTML share; ``None`` for one of its own."""
        if "" not in self._tops:
            if self._tops.isdisjoint(folders[:1]):
                position = len(folders)  # the way up to the root is all that counts
            elif folders not in self._above:
                position = folders[:-1]
        html = self._by_place.get(position) if position is not None else None
        if html is None:
            html = MARK.sub(lambda mark: url_filter(context, mark[1]), self._html)
            if position is not None:
                self._by_place[position] = html
        return html


@functools.lru_cache(maxsize=1024)
def _folders_above(url: str) -> tuple[str, ...]:
    """Return the folders above a page's address, as MkDocs counts them."""
    above, _, name = url.rpartition("/")
    return _folders_of_address(above if "." in name else url)


def _folders_of_address(address: str) -> tuple[str, ...]:
    """Return the folders of an address below the root, one in another."""
    return tuple(folder for folder in address.split("/") if folder not in {"", "."})


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


def _all_entries(entries: Sequence[Any]) -> Iterator[Any]:
    for entry in entries:
        yield entry
        yield from _all_entries(entry.children or ())


def is_tree(entries: Sequence[Any]) -> bool:
    """Return True if each entry has its section as parent.

    Then a section is active when a page in it is.
    """
    return all(
        all(child.parent is entry for child in entry.children) and is_tree(entry.children)
        for entry in entries
        if entry.children
    )


def cache_navigation(env: jinja2.Environment, entries: Sequence[Any], language: str) -> CachedNav:
    """Make the environment render the entries once.

    Raises:
        UnclearError: the result might differ.
    """
    if not is_tree(entries):
        raise UnclearError("it contains a page twice")
    try:
        is_own = {name: _is_own(env, name) for name in MACROS}
        languages = (LANGUAGE, *(f"partials/languages/{part}.html" for part in (language, "en")))
        has_own_language = all(_is_own(env, name) for name in languages)
    except jinja2.TemplateNotFound:
        raise UnclearError("the theme does not have Material's navigation") from None
    if not is_own[TEMPLATE]:
        raise UnclearError(f"{TEMPLATE} is not Material's")
    has_usual_filter = env.filters.get("url") is url_filter
    if not has_usual_filter or env.context_class is not Context or env.autoescape:
        raise UnclearError("a plugin changed how templates are rendered")
    macros = frozenset(MACROS[name] for name in MACROS if is_own[name])
    cached_nav = CachedNav(macros, entries, has_own_language)
    env.filters["url"] = cached_nav.url_filter()
    env.context_class = type("NavContext", (NavContext,), {"cached_nav": cached_nav})
    return cached_nav


def _is_own(env: jinja2.Environment, name: str) -> bool:
    """Return True if a template is Material's own."""
    path = env.get_template(name).filename
    if not path:
        return False
    own_path = Path(material.__file__).parent / "templates" / name
    return Path(path).resolve() == own_path.resolve()
