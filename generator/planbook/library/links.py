"""Links between pages: those that a page writes, and the pages and files that they name."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple
from urllib.parse import quote, unquote

from planbook.markdown.document import WIKILINK, find_wikilinks, read_document
from planbook.markdown.escape import link_path
from planbook.markdown.normalize import heading_anchor
from planbook.markdown.syntax import Node, outline
from planbook.markdown.words import closest

SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
"""The beginning of an address that names a host or protocol."""


MAX_LEVELS = 8
"""Maximum nesting of admonitions that are searched for links."""


_IMAGE = re.compile(r"\.(?:avif|bmp|gif|jpe?g|png|svg|webp)$", re.IGNORECASE)


_MAYBE_LINK = re.compile(r"\.md\b", re.IGNORECASE)


_INDENTED_BODY = ("!!!", "???", "===")
"""Opening markers of blocks with indented text: admonitions, details, tabs. CommonMark reads that
text as code."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A link from one page to another."""

    source: str
    """A page's uri."""
    target: str
    """Another page's."""
    kind: Literal["link", "plan"]
    """``link``: in the page's text. ``plan``: the PART of the source page builds on the target."""


def find_links(text: str) -> tuple[str, ...]:
    """Return a page's wikilinks, and the addresses of its links to ``.md`` files, as written."""
    addresses = (
        list(_written_addresses(read_document(text).outline)) if _MAYBE_LINK.search(text) else []
    )
    addresses += (
        [link[0] for link in find_wikilinks(read_document(text).body)] if "[[" in text else []
    )
    return tuple(dict.fromkeys(addresses))


def resolve_link(address: str, uri: str, known_uris: Collection[str] = frozenset()) -> str | None:
    """Return the page that `address` on page `uri` refers to; ``None`` if it is outside the base.

    A link is relative to the page's folder. If that page is not in `known_uris`, but the one at the
    same path from the base's root is, the link refers to the latter, as with the option
    ``fix_pages``. A leading slash means the root.
    """
    path = unquote(_path(address))
    from_root = posixpath.normpath(path.lstrip("/"))
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(uri), path))
    beside, from_root = find_spelling(beside, known_uris), find_spelling(from_root, known_uris)
    if path.startswith("/") or (beside not in known_uris and from_root in known_uris):
        beside = from_root
    return None if beside.startswith("../") else beside


def rebase_links(links: Iterable[str], uri: str, known_uris: Collection[str]) -> dict[str, str]:
    """Return the addresses on page `uri` that are valid only relative to the base's root.

    So are those in another normal form of Unicode.
    The values are the addresses relative to the page's own folder.
    """
    folder = posixpath.dirname(uri)
    rebased = {}
    for address in links:
        path_in_address, mark, anchor = address.partition("#")
        path = unquote(path_in_address)
        from_root = find_spelling(posixpath.normpath(path), known_uris)
        written_beside = posixpath.normpath(posixpath.join(folder, path))
        beside = find_spelling(written_beside, known_uris)
        if beside in known_uris:
            if beside == written_beside:
                continue  # it leads there as it is
            from_root = beside  # the same path in another normal form of Unicode
        if path.startswith("/") or from_root not in known_uris or from_root.startswith(".."):
            continue
        rebased[address] = link_path(posixpath.relpath(from_root, folder or ".")) + mark + anchor
    return rebased


class Names:
    """Finds the pages and files that wikilinks name: by the end of the path, an alias or the title.

    Args:
        titles: the titles and aliases of each page, by uri.
        files: other files of the documentation.
    """

    def __init__(self, titles: Mapping[str, Iterable[str]], files: Iterable[str] = ()) -> None:
        self._by_name = defaultdict[str, list[str]](list)
        self._by_title = defaultdict[str, list[str]](list)
        for uri in {*titles, *files}:
            self._by_name[_fold_name(posixpath.basename(uri))].append(uri)
        for uri, names in titles.items():
            for name in dict.fromkeys(map(_name_key, names)):
                self._by_title[name].append(uri)

    def find(self, target: str, uri: str) -> list[str]:
        """Return the files that `target` may mean on page `uri`, the nearest first.

        There is one if it is clear which: that with this very path, else that in the page's folder.
        """
        wanted = _fold_name(re.sub(r"^(?:\.{0,2}/)+", "", target.strip().rstrip("\\")))
        same_name = self._by_name.get(posixpath.basename(wanted), ())
        candidates = [file for file in same_name if f"/{_fold_name(file)}".endswith(f"/{wanted}")]
        if not candidates:
            candidates = self._by_title.get(wanted, [])
        same_path = [file for file in candidates if _fold_name(file) == wanted]
        folder = posixpath.dirname(uri)
        clear = same_path or [file for file in candidates if posixpath.dirname(file) == folder]
        if len(clear) == 1:
            return clear
        return sorted(candidates, key=lambda file: (file.count("/"), file))

    def suggested(self, target: str) -> str:
        """Return the name of a file, an alias or a title most like `target`; empty if none is."""
        wanted = _fold_name(target)
        names = (*self._by_name, *self._by_title)
        return closest(wanted, [name for name in names if name.startswith(wanted[:1])])

    def read(self, raw_links: Iterable[str], uri: str) -> dict[str, Wikilink]:
        """Return the wikilinks among the `raw_links` of page `uri`."""
        links = {}
        for raw in raw_links:
            link = WIKILINK.fullmatch(raw)
            if link is None:
                continue
            target, heading, files = self._split(link, uri)
            markdown = raw
            if files:
                path = posixpath.relpath(files[0], posixpath.dirname(uri) or ".")
                markdown = _wikilink_to_markdown(link, target, heading, path)
            links[raw] = Wikilink(target, tuple(files), markdown, heading)
        return links

    def _split(self, link: re.Match[str], uri: str) -> tuple[str, str, list[str]]:
        """Return what a wikilink names, the heading there, and the files that it may mean.

        A name may contain ``#``, such as `C#`: the longest that names a file is the name, the rest
        is the heading.
        """
        target, heading = link["target"].strip(), link["heading"]
        if not target:
            return "", heading or "", [uri]
        if heading is not None:
            pieces = [target, *heading.split("#")]
            # Of `C#`, the target is `C` and the heading is empty: the longest name comes first.
            for count in range(len(pieces), 1, -1):
                name = "#".join(pieces[:count])
                if files := self.find(name, uri):
                    return name, "#".join(pieces[count:]), files
        return target, heading or "", self.find(target, uri)


_FRAGMENT_CHARACTERS = "/?:@!$&*+,;=~%#"
"""Characters of a fragment that stay as written."""


class Wikilink(NamedTuple):
    """A wikilink on a page."""

    target: str
    """As written."""
    files: tuple[str, ...]
    """The files that it may mean, the nearest first."""
    markdown: str
    """A link to the first of them; without any, the wikilink as written."""
    heading: str = ""
    """The heading there, or the fragment of a file that is no page, as written."""


def _fold_name(uri: str) -> str:
    return _name_key(uri).removesuffix(".md")


def _name_key(name: str) -> str:
    """Return a name in which case and normal form (NFC, or NFD by macOS) make no difference."""
    return unicodedata.normalize("NFC", name.casefold())


def find_spelling(path: str, known_paths: Collection[str]) -> str:
    """Return the one of the `known_paths` that is `path` in another normal form of Unicode.

    Without one, it is `path` as it is.
    """
    if path.isascii() or path in known_paths:
        return path
    wanted = unicodedata.normalize("NFC", path)
    for other in known_paths:
        if not other.isascii() and unicodedata.normalize("NFC", other) == wanted:
            return other
    return path


def _wikilink_to_markdown(link: re.Match[str], target: str, heading: str, path: str) -> str:
    """Return a wikilink to `path` as a link, or as an image, whose text may be its width.

    Args:
        link: the wikilink.
        target: what it names.
        heading: the heading there; for a file that is no page, its fragment, such as `page=3`,
            which stays.
        path: the path from the page to the file.
    """
    text = link["text"]
    fragment = _fragment_of_heading(path, heading)
    if link["embed"] and _IMAGE.search(path):
        width = re.fullmatch(r"(\d+)(?:x\d+)?", text or "")
        if width:
            return f"![]({quote(path)}{fragment}){{ width={width[1]} }}"
        return f"![{text or ''}]({quote(path)}{fragment})"
    is_on_same_page = not target and bool(_anchor_of_wikilink(heading))
    address = "" if is_on_same_page else quote(path)
    words = text or " > ".join(filter(None, (target.rstrip("\\"), *heading.split("#"))))
    return f"[{words}]({address}{fragment})"


def _fragment_of_heading(path: str, heading: str) -> str:
    """Return the end of an address: a heading's anchor; of a file that is no page, as written."""
    if path.endswith(".md"):
        anchor = _anchor_of_wikilink(heading)
        return f"#{anchor}" if anchor else ""
    fragment = heading.strip()
    return f"#{quote(fragment, safe=_FRAGMENT_CHARACTERS)}" if fragment else ""


def _anchor_of_wikilink(headings: str) -> str:
    """Return the anchor of the last heading that a wikilink names; a block id (``^a``) has none."""
    heading = headings.rpartition("#")[2].strip()
    if not heading or heading.startswith("^"):
        return ""
    return heading_anchor(heading)


def _written_addresses(nodes: Iterable[Node], level: int = 0) -> Iterator[str]:
    """Yield every link's address.

    `level` is the number of indented bodies that contain the text.
    """
    is_indented_body = is_first = False
    for node in nodes:
        if node.name == "Text" and is_first:
            is_indented_body, is_first = node.text.startswith(_INDENTED_BODY), False
        elif (
            node.name == "Link"
            and _path(node.address).endswith(".md")
            and not SCHEME.match(node.address)
        ):
            yield node.address
        elif node.name == "Paragraph":
            is_first = True
        elif node.name == "CodeBlock":
            is_first = False
            if node.info is None and is_indented_body and level < MAX_LEVELS:
                yield from _written_addresses(outline(node.all_text()), level + 1)


def _path(address: str) -> str:
    return re.split(r"[#?]", address, maxsplit=1)[0]
