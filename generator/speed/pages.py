"""Cached rendering of pages: MkDocs' result is reused as long as all of its inputs are the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink, TableOfContents, get_toc

from generator.cache import DiskCache
from generator.speed.fingerprint import digest
from generator.speed.records import LogRecorder, tell

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

MADE = frozenset({"content", "toc", "_title_from_render", "present_anchor_ids", "links_to_anchors"})
"""Attributes that `Page.render` sets. A page with any other change is not cached."""


FoundFile: TypeAlias = tuple[str, str, bool]
"""A file that a rendering looked up: its ``src_uri``, its address, True if it is excluded."""


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """The attributes that rendering sets on a page."""

    content: str
    title: str | None
    toc: list[Any]
    """Tokens as Python-Markdown's extension ``toc`` gives them."""
    anchors: list[str | None]
    links: dict[str, Any] | None
    """Links to anchors of other pages, by ``src_uri``."""
    files: dict[str, FoundFile | None]
    """The files that were looked up, by path."""
    records: list[tuple[str, int, str]]
    """Log records: the logger's name, the level and the message."""


@dataclass(slots=True)
class Renderer:
    """Renders pages, or finds them in the cache."""

    cache: DiskCache
    inputs_digest: str
    """The digest of the inputs that all pages share."""
    keys: dict[str, str] = field(default_factory=dict)
    """The name of each page's entry in this build."""

    def take(self, page: Page) -> None:
        """Let this renderer render the page. A subclass of `Page` keeps its own `render`."""
        if type(page) is Page and "render" not in vars(page):
            vars(page)["render"] = _Render(self, page)

    def render(self, page: Page, config: MkDocsConfig, files: Files) -> None:
        """Do as `Page.render`, from the cache if possible."""
        if page.markdown is None:  # MkDocs has an error for this
            Page.render(page, config, files)
            return
        file = page.file
        places = f"{file.src_uri}\n{file.url}\n{file.inclusion.is_excluded()}"
        key = digest("page", self.inputs_digest, places, page.markdown)
        self.keys[file.src_uri] = key
        rendered = self.cache.get(key, RenderedPage)
        if rendered is None or not _is_current(rendered, files):
            self._render(key, page, config, files)
        else:
            _fill(page, rendered, files)
            tell(rendered.records)

    def _render(self, key: str, page: Page, config: MkDocsConfig, files: Files) -> None:
        seen = _SeenFiles(files)
        before = dict(vars(page))
        with LogRecorder() as recorder:
            Page.render(page, config, cast("Files", seen))
        changed = {name for name, value in vars(page).items() if name not in before or value is not before[name]}
        rendered = _rendered(page, seen.found, recorder.records)
        if changed <= MADE and rendered is not None and not seen.is_unclear and not recorder.has_warned:
            self.cache.put(key, rendered)


class _Render:
    """The replacement for a page's `render`."""

    def __init__(self, renderer: Renderer, page: Page) -> None:
        self._renderer, self._page = renderer, page

    def __call__(self, config: MkDocsConfig, files: Files) -> None:
        self._renderer.render(self._page, config, files)


class _SeenFiles:
    """The site's files; records each file that the rendering of a page looks up."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self.found: dict[str, FoundFile | None] = {}
        self.is_unclear = False

    def get_file_from_path(self, path: str) -> File | None:
        """Return the file with a path, as `Files` does."""
        file = self._files.get_file_from_path(path)
        self.found[path] = _answer(file)
        return file

    def __getattr__(self, name: str) -> Any:
        self.is_unclear = True  # a question whose answer is not noted
        return getattr(self._files, name)


def _answer(file: File | None) -> FoundFile | None:
    return None if file is None else (file.src_uri, file.url, file.inclusion.is_excluded())


def _is_current(rendered: RenderedPage, files: Files) -> bool:
    """Return True if each file that the rendering looked up is still the same."""
    return all(_answer(files.get_file_from_path(path)) == then for path, then in rendered.files.items())


def _rendered(
    page: Page, files: dict[str, FoundFile | None], records: list[tuple[str, int, str]]
) -> RenderedPage | None:
    """Return what rendering set on a page; ``None`` if that cannot be written down."""
    links = page.links_to_anchors
    by_uri = None if links is None else {file.src_uri: anchors for file, anchors in links.items()}
    toc = [_token(item) for item in page.toc]
    if None in toc or not isinstance(page.toc, TableOfContents):
        return None
    title = page._title_from_render
    return RenderedPage(
        page.content or "",
        None if title is None else str(title),
        [token for token in toc if token is not None],
        sorted(page.present_anchor_ids or (), key=str),  # an `id` without a value is `None`
        by_uri,
        files,
        records,
    )


def _token(item: AnchorLink) -> dict[str, object] | None:
    if vars(item).keys() - {"title", "id", "level", "children", "active"}:
        return None
    children = [_token(child) for child in item.children]
    return None if None in children else {"name": item.title, "id": item.id, "level": item.level, "children": children}


def _fill(page: Page, rendered: RenderedPage, files: Files) -> None:
    page.content = rendered.content
    page.toc = get_toc(rendered.toc)
    page._title_from_render = rendered.title
    page.present_anchor_ids = cast("set[str]", set(rendered.anchors))
    if rendered.links is not None:
        found = {files.get_file_from_path(uri): anchors for uri, anchors in rendered.links.items()}
        page.links_to_anchors = {file: anchors for file, anchors in found.items() if file is not None}
