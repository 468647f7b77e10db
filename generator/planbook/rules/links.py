"""Check links, wikilinks and anchors of pages (K023, K035, K037)."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import PurePosixPath
from urllib.parse import unquote

from planbook.library import MESSAGES, RESERVED_URIS, Library, group_by
from planbook.library.links import SCHEME, Names, Wikilink, resolve_link
from planbook.markdown.budgets import strip_budget
from planbook.markdown.document import (
    PageLink,
    find_wikilinks,
    read_document,
    replace_wikilinks,
)
from planbook.markdown.extensions import PLAIN_SYNTAX, Syntax, unwrap_blocks
from planbook.markdown.words import closest
from planbook.model import Problem
from planbook.rules.project import LinkTargets, Project

_HEADING_ID = re.compile(r"(?:(?<!\s)\s+)?\{:?[^{}\n]*\}\s*$")
_ID = re.compile(r"""\b(?:id|name)\s*=\s*["']?([^"'\s>]+)|\{[^{}\n]*#([\w.:-]+)""")
"""An id in a tag, or in a list of attributes: ``<a id="rye">``, ``{ #rye }``."""
_OWN_ANCHOR = re.compile(r"__|fn(?:ref)?:|ref-|works-cited$|[rc]\d*\.")
"""Anchors that footnotes, tabs and our references have; not those of headings."""
_TAB = re.compile(r"^[ \t]*===[!+]* \"(.*)\"", re.MULTILINE)
_INCLUDES = re.compile(r"--8<--|\{[{%]")
"""Text that another extension or plugin replaces."""


def read_links(raw: bytes, syntax: Syntax = PLAIN_SYNTAX) -> tuple[PageLink, ...]:
    """Return a page's links and images, with those in blocks of the site's extensions."""
    text = raw.decode("utf-8", errors="replace")
    plain = unwrap_blocks(text, syntax)
    links = read_document(plain).links
    if plain == text:
        return links
    # Bodies of blocks are read without their indentation: columns are those of the page again.
    above = zip(text.split("\n"), plain.split("\n"), strict=True)
    removed = [len(line) - len(rest) for line, rest in above]
    return tuple(replace(link, column=link.column + removed[link.line - 1]) for link in links)


def check_links(project: Project) -> Iterator[Problem]:
    """Yield K023 for links to what does not exist, and K035 for those relative to the root."""
    library, targets = project.library, project.targets
    known_uris = _pages_of_base(library)
    by_name = group_by(sorted(known_uris), posixpath.basename)
    if targets and targets.are_required:
        for path, problem in targets.in_nav.items():
            if path not in known_uris and not targets.has_file(path):
                yield problem
    names = cache(lambda: Names({}, targets.files() if targets else ()))
    anchors_of = cache(lambda uri: _read_anchors(targets.pages[uri]) if targets else None)
    texts = [(raw, project.syntax) for raw in project.pages.values()]
    [links_of_pages] = project.cache.from_disk((read_links, texts))
    for uri, links in zip(project.pages, links_of_pages, strict=True):
        if uri not in library.page_by_uri:
            continue
        # A page often links to one address many times.
        problems_of: dict[str, list[tuple[str, str]]] = {}
        for link in links:
            address = link.address
            if address not in problems_of:
                problems_of[address] = [
                    *_check_page_link(uri, address, known_uris, by_name, targets)
                ]
                if targets:
                    problems_of[address] += _check_file_link(
                        uri, address, targets, anchors_of, names
                    )
            for code, defect in problems_of[address]:
                yield Problem(uri, link.line, code, defect, link.column)


def _pages_of_base(library: Library) -> frozenset[str]:
    """Return the pages that are there, planned or generated."""
    known_uris: set[str] = {*library.page_by_uri, *library.by_uri, *RESERVED_URIS}
    if any(page.messages for page in library.pages):
        known_uris.add(MESSAGES)
    # Each folder has an INDEX, also those that contain only folders.
    for uri in tuple(known_uris):
        folders = PurePosixPath(uri).parents
        known_uris |= {f"{folder}/index.md" for folder in folders if folder.name}
    return frozenset(known_uris)


def check_wikilinks(project: Project) -> Iterator[Problem]:
    """Yield K037 for wikilinks that name nothing or several files.

    A base in which none names anything has brackets of another kind.
    """
    library = project.library
    if not any("[[" in link for page in library.pages for link in page.links):
        return
    names = library.names(project.targets.files() if project.targets else ())
    links_of: dict[str, dict[str, Wikilink]] = {
        page.uri: names.read(page.links, page.uri) for page in library.pages
    }
    if not any(link.files for links in links_of.values() for link in links.values()):
        return
    pages = project.tree.pages
    anchors_of = cache(lambda uri: _read_anchors(pages[uri]) if uri in pages else None)
    suggested = cache(names.suggested)
    for uri, raw in project.pages.items():
        links = links_of.get(uri)
        if not links:
            continue
        document = read_document(raw.decode("utf-8", errors="replace"))
        for wikilink in find_wikilinks(document.body):
            link_text, link = wikilink[0], links[wikilink[0]]
            is_link_reference = not link.files and f"\n{link_text[1:-1]}:" in document.body
            defect = "" if is_link_reference else _wikilink_defect(link, suggested, anchors_of)
            if defect:
                start = wikilink.start()
                column = start - document.body.rfind("\n", 0, start)
                yield Problem(uri, document.line(start), "K037", f"{link_text} {defect}", column)


def _wikilink_defect(
    link: Wikilink,
    suggested: Callable[[str], str],
    anchors_of: Callable[[str], frozenset[str] | None],
) -> str:
    """Return what is wrong with a wikilink and what to do; empty if nothing is."""
    if not link.files:
        has_letters = re.search(r"[^\W\d]", link.target)  # a number alone is text
        suggestion = suggested(link.target)
        fix = (
            f"did you mean [[{suggestion}]]?"
            if suggestion
            else "write that page, or correct the name"
        )
        return f"names no page or file; {fix}" if has_letters else ""
    if len(link.files) > 1:
        first, candidates = link.files[0].removesuffix(".md"), ", ".join(link.files[:4])
        fix = f"to choose one, write its path, as in [[{first}]]"
        return f"may be {candidates}; the first is linked: {fix}"
    heading = link.heading.rpartition("#")[2]
    names_heading = bool(heading.strip("^ ")) and not heading.startswith("^")
    anchors = anchors_of(link.files[0]) if names_heading else None
    if anchors is None or not anchors.isdisjoint(_slugs(heading)):
        return ""
    return f"names a heading that {link.files[0]} does not have"


def _check_page_link(
    uri: str,
    address: str,
    known_uris: frozenset[str],
    by_name: Mapping[str, Sequence[str]],
    targets: LinkTargets | None,
) -> Iterator[tuple[str, str]]:
    """Yield K023 for the address of a missing page, and K035 for one relative to the root."""
    path_in_address, mark, rest = address.partition("#")
    path = unquote(path_in_address)
    folder = posixpath.dirname(uri)
    if not path.endswith(".md") or SCHEME.match(path):
        return
    beside = posixpath.normpath(posixpath.join(folder, path))
    if not path.startswith("/") and beside in known_uris:
        return
    from_root = resolve_link(path, uri, known_uris)
    target: str | None
    if from_root in known_uris:
        is_rebased = targets is None or targets.are_rebased
        code = "K035" if is_rebased else "K023"
        why, target = "is relative to the base's root", from_root
    else:
        code, is_rebased = "K023", False
        same_name = by_name.get(posixpath.basename(path), ())
        why = "does not exist, but a page of that name does"
        target = same_name[0] if len(same_name) == 1 else None
    if target is not None:
        defect = f"{why}; write {posixpath.relpath(target, folder or '.')}{mark}{rest}"
    else:
        defect = f"does not exist in the base; {_correction(path, folder, by_name)}"
    if is_rebased or targets is None or targets.are_required:
        yield code, f"{address} {defect}"


def _correction(path: str, folder: str, by_name: Mapping[str, Sequence[str]]) -> str:
    closest_name = closest(posixpath.basename(path), by_name)
    if not closest_name:
        return "correct the path"
    return f"did you mean {posixpath.relpath(by_name[closest_name][0], folder or '.')}?"


def _check_file_link(
    uri: str,
    address: str,
    targets: LinkTargets,
    anchors_of: Callable[[str], frozenset[str] | None],
    names: Callable[[], Names],
) -> Iterator[tuple[str, str]]:
    """Yield K023 for the address of a missing file that is no page, or of a missing anchor."""
    path, _, anchor = address.partition("#")
    path, anchor = unquote(path.partition("?")[0]), unquote(anchor)
    # A path from the server's root may lead to another site there, so nothing is known of it.
    is_elsewhere = bool(SCHEME.match(address)) or address.startswith(("/", "?")) or "@" in path
    if is_elsewhere:
        return
    folder = posixpath.dirname(uri)
    target = posixpath.normpath(posixpath.join(folder, path)) if path else uri
    is_file = not path.endswith(".md") and bool(posixpath.splitext(path)[1])
    if is_file and not targets.has_file(target):
        defect = "does not exist in the base; correct the path"
        close_files = names().find(posixpath.basename(path), uri)
        if len(close_files) == 1:
            new = posixpath.relpath(close_files[0], folder or ".")
            defect = f"does not exist, but a file of that name does; write {new}"
        yield "K023", f"{address} {defect}"
        return
    is_checked = bool(anchor) and target in targets.pages and target not in RESERVED_URIS
    if is_checked and not _has_anchor(anchors_of(target), anchor):
        yield "K023", f"{target} has no heading or id #{anchor}; correct the anchor"


def _has_anchor(anchors: frozenset[str] | None, anchor: str) -> bool:
    """Return True if a page has an anchor, or may have it: some of its text may be elsewhere.

    A number at the end stands for the second of two headings with one title.
    """
    if anchors is None or _OWN_ANCHOR.match(anchor):
        return True
    without_number = re.sub(r"_\d+$", "", anchor)
    return not anchors.isdisjoint({anchor, *_slugs(anchor), *_slugs(without_number)})


def _read_anchors(raw: bytes) -> frozenset[str] | None:
    """Return the ids in a page, and its headings and tabs as `_slugs`.

    The result is ``None`` if some of its text is elsewhere.
    """
    text = raw.decode("utf-8", errors="replace")
    if _INCLUDES.search(text):
        return None
    anchors = {in_tag or in_list for in_tag, in_list in _ID.findall(text)}
    titles = _TAB.findall(text)
    for node in read_document(text).outline:
        if node.name == "Heading":
            titles.append(_HEADING_ID.sub("", node.all_text()))
    for title in titles:
        # A build leaves out budgets and the brackets of wikilinks before ids are made.
        for form in (title, strip_budget(title), replace_wikilinks(title)):
            anchors.update(_slugs(form))
    return frozenset(anchors)


def _slugs(title: str) -> tuple[str, str]:
    """Return the letters of a heading or its anchor, as all functions that derive anchors agree."""
    letters = re.sub(r"[\W_]", "", title.casefold())
    ascii_letters = unicodedata.normalize("NFKD", letters).encode("ascii", "ignore").decode()
    return f"#{letters}", f"#{ascii_letters}"
