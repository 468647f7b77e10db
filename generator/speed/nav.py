"""Material's navigation, with each entry rendered once for all pages outside it.

Material renders the navigation again for each page, with a recursive macro. For an entry that does not contain the
page, its output depends on the page only through relative addresses. Such an entry is rendered once with markers around
its addresses, which are replaced for each page.
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
from mkdocs.utils.templates import url_filter

if TYPE_CHECKING:
    from mkdocs.structure.pages import Page

TEMPLATE, TABS = "partials/nav-item.html", "partials/tabs-item.html"
MACROS = {TEMPLATE: ("nav_item", "path", "level", "parent"), TABS: ("nav_item", "ref")}
"""Templates of Material's macros `render`, for navigation entries and for tabs, with the macros' parameters, which
distinguish them from other macros of that name."""
OPEN, SHUT = "\x02", "\x03"
"""The markers around an address: characters that are invalid in HTML."""
MARK = re.compile(f"{OPEN}([^{SHUT}]*){SHUT}")


class Addresses:
    """The filter `url`: MkDocs' own, or while `is_marking`, the unchanged address between markers."""

    def __init__(self) -> None:
        self.is_marking = False

    def filter(self) -> Callable[[Context, str], str]:
        """Return the filter, for Jinja."""

        @jinja2.pass_context
        def url(context: Context, value: str) -> str:
            """Return the address to write into the HTML."""
            if self.is_marking and _is_below_root(str(value)):
                return f"{OPEN}{value}{SHUT}"
            return url_filter(context, value)  # type: ignore[arg-type]

        return url


class NavContext(Context):
    """A context that runs Material's macro for navigation entries only if necessary."""

    cached_nav: CachedNav

    def call(self, obj: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call `obj`; for an entry that does not contain the page, return the cached output."""
        is_entry = isinstance(obj, Macro) and obj.name == "render" and self.cached_nav.knows(obj, arguments)
        if is_entry and named.keys() <= {"_loop_vars", "_block_vars"}:  # what Jinja adds to every call
            return self.cached_nav.render(self, obj, arguments)
        return super().call(obj, *arguments, **named)


class CachedNav:
    """The navigation entries rendered so far."""

    def __init__(self, addresses: Addresses, macros: frozenset[tuple[str, ...]], entries: Sequence[Any]) -> None:
        self._addresses = addresses
        self._macros = macros
        self._entries = list(_all(entries))
        self._numbers = {id(entry): n for n, entry in enumerate(self._entries)}
        self.html: dict[tuple[object, ...], MarkedHtml | None] = {}
        """The HTML of each entry; it is also valid for other builds if all inputs of templates are the same."""

    def knows(self, macro: Macro, arguments: tuple[Any, ...]) -> bool:
        """Return True for Material's macros, called for an entry as pages do; a tab may represent another entry."""
        names = tuple(macro.arguments)
        return names in self._macros and (names != MACROS[TABS] or len(arguments) == 1)

    def render(self, context: NavContext, macro: Macro, arguments: tuple[Any, ...]) -> str:
        """Return the HTML of an entry for the page of the context."""
        page: Page | None = context.get("page")
        entry = arguments[0]
        number = self._numbers.get(id(entry))
        if self._addresses.is_marking or page is None or entry.active or number is None:
            return str(macro(*arguments))
        parent = arguments[3] if len(arguments) > 3 else None
        features = context.get("features") or ()
        key = (tuple(macro.arguments), number, *arguments[1:3], bool(parent and parent.active), tuple(features))
        if key not in self.html:
            self.html[key] = self._marked(macro, arguments) if _is_plain(entry) else None
        marked = self.html[key]
        return marked.for_page(context, page) if marked else str(macro(*arguments))

    def _marked(self, macro: Macro, arguments: tuple[Any, ...]) -> MarkedHtml | None:
        self._addresses.is_marking = True
        try:
            html = str(macro(*arguments))
        finally:
            self._addresses.is_marking = False
        return MarkedHtml(html) if html.count(OPEN) == html.count(SHUT) == len(MARK.findall(html)) else None


class MarkedHtml:
    """The HTML of an entry, with markers around its addresses."""

    def __init__(self, html: str) -> None:
        self._html = html
        addresses = MARK.findall(html)
        self._tops = {_top(address) for address in addresses} - {"."}
        self._above = {parts[:n] for parts in map(_parts, addresses) for n in range(1, len(parts) + 1)}
        """All folders in its addresses."""
        self._made: dict[object, str] = {}

    def for_page(self, context: Context, page: Page) -> str:
        """Return the HTML for a page.

        All pages at one depth share their relative addresses, unless an address is in one of their folders. Likewise,
        pages in sibling folders share them, unless an address is in one of these folders.
        """
        parts = _folder(page.url)
        place: object = None
        if "" not in self._tops:
            if self._tops.isdisjoint(parts[:1]):
                place = len(parts)
            elif parts not in self._above:
                place = parts[:-1]
        html = self._made.get(place) if place is not None else None
        if html is None:
            html = MARK.sub(lambda mark: url_filter(context, mark[1]), self._html)  # type: ignore[arg-type]
            if place is not None:
                self._made[place] = html
        return html


@functools.lru_cache(maxsize=1024)
def _folder(url: str) -> tuple[str, ...]:
    """Return the folders above a page's address, as MkDocs counts them."""
    above, _, name = url.rpartition("/")
    return _parts(above if "." in name else url)


def _parts(address: str) -> tuple[str, ...]:
    """Return the parts of an address below the root."""
    return tuple(part for part in address.split("/") if part not in {"", "."})


def _is_below_root(address: str) -> bool:
    """Return True if an address is relative to the site's root, and so written differently on each page."""
    try:
        return not (address.startswith(("/", "#")) or "\\" in address or urlsplit(address).scheme)
    except ValueError:  # it is left to MkDocs
        return False


def _top(address: str) -> str:
    """Return the first folder of an address, `.` for the root itself; empty for anything but a plain path."""
    first = address.partition("/")[0]
    if address in {"", ".", "./"}:
        return "."
    return first if re.fullmatch(r"[\w%-][\w.~%-]*", first) and "/.." not in address else ""


def _is_plain(entry: Any) -> bool:
    """Return True if an entry contains no lists of pages, such as a blog's, of which Material shows a single page."""
    return not hasattr(entry, "pages") and all(map(_is_plain, entry.children or ()))


def _all(entries: Sequence[Any]) -> Iterator[Any]:
    for entry in entries:
        yield entry
        yield from _all(entry.children or ())


def is_tree(entries: Sequence[Any]) -> bool:
    """Return True if each entry has its section as parent, so that a section is active when a page in it is."""
    return all(
        all(child.parent is entry for child in entry.children) and is_tree(entry.children)
        for entry in entries
        if entry.children
    )


def cache_nav(env: jinja2.Environment, entries: Sequence[Any]) -> CachedNav | str:
    """Make the environment render the entries once; return a reason why not, if the result might differ."""
    try:
        is_own = {name: _is_own(env, name) for name in MACROS}
    except jinja2.TemplateNotFound:
        return "the theme does not have Material's navigation"
    if not is_own[TEMPLATE]:
        return f"{TEMPLATE} is not Material's"
    if env.filters.get("url") is not url_filter or env.context_class is not Context or env.autoescape:
        return "a plugin changed how templates are rendered"
    addresses = Addresses()
    env.filters["url"] = addresses.filter()
    cached_nav = CachedNav(addresses, frozenset(MACROS[name] for name in MACROS if is_own[name]), entries)
    env.context_class = type("NavContext", (NavContext,), {"cached_nav": cached_nav})
    return cached_nav


def _is_own(env: jinja2.Environment, name: str) -> bool:
    """Return True if a template is Material's own."""
    path = env.get_template(name).filename
    return bool(path) and Path(str(path)).resolve() == (Path(material.__file__).parent / "templates" / name).resolve()
