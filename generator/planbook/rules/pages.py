"""Check the pages of the base, individually and together (K020 to K037)."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import PurePosixPath
from urllib.parse import unquote

from planbook.citations.identifiers import is_web
from planbook.citations.references import cited_path, items_by_id
from planbook.library import MESSAGES, RESERVED, group_by
from planbook.library.links import SCHEME, Names, Wikilink, resolved
from planbook.library.names import is_page_address
from planbook.markdown.budgets import MAYBE_BUDGET, without_budget
from planbook.markdown.document import (
    PageLink,
    find_wikilinks,
    line_starts,
    read_document,
    without_code,
    without_wikilinks,
)
from planbook.markdown.extensions import PLAIN, Syntax, unwrapped
from planbook.markdown.front_matter import body_start
from planbook.markdown.lists import list_blocks
from planbook.markdown.normalize import budget_edits
from planbook.markdown.words import closest
from planbook.model import Page, PageUri, Problem, Reference
from planbook.problems import FOUND_LINES_TOLERANCE, lines_range
from planbook.rules.credentials import check_credentials
from planbook.rules.project import LinkTargets, Project, SourceFiles, ThemeFiles

_LOCAL_PATH = re.compile(
    r"(?<![\w./:-])(?:file://\S+|/(?:home|Users)/(?!(?:your|user|name))[\w.-]+(?:/[\w.-]+)+"
    r"|[A-Za-z]:\\(?!Users\\(?:[Yy]our|[Uu]ser|[Nn]ame))(?:[\w.-]+\\)+[\w.-]+)"
)
_HEADING_ID = re.compile(r"(?:(?<!\s)\s+)?\{:?[^{}\n]*\}\s*$")
_OWN_ANCHOR = re.compile(r"__|fn(?:ref)?:|ref-|works-cited$|[rc]\d*\.")
"""Anchors that footnotes, tabs and our references have; not those of headings."""
_TAB = re.compile(r"^[ \t]*===[!+]* \"(.*)\"", re.MULTILINE)
_INCLUDES = re.compile(r"--8<--|\{[{%]")
"""Text that another extension or plugin replaces."""
_FENCE = re.compile(r"`{3,}|~{3,}")
_INNER_FENCE = re.compile(r"^[ ]{0,3}(`{3,}|~{3,})[ \t]*[\w+#.-]+", re.MULTILINE)


def check_page(raw: bytes, uri: str, codes: tuple[str, ...]) -> tuple[Problem, ...]:
    """Return the Problems with `codes`, keys of `PAGE_RULES`, of the page in a file's bytes."""
    text = raw.decode("utf-8", errors="replace")
    return tuple(problem for code in codes for problem in PAGE_RULES[code](text, uri))


def read_links(raw: bytes, syntax: Syntax = PLAIN) -> tuple[PageLink, ...]:
    """Return the links and images of the page in a file's bytes, with those in blocks of the site's extensions."""
    text = raw.decode("utf-8", errors="replace")
    plain = unwrapped(text, syntax)
    links = read_document(plain).links
    if plain == text:
        return links
    above = zip(text.split("\n"), plain.split("\n"), strict=True)
    removed = [len(line) - len(rest) for line, rest in above]
    return tuple(replace(link, column=link.column + removed[link.line - 1]) for link in links)


def _pages_of(project: Project) -> Iterator[tuple[Page, str]]:
    """Yield the selected pages that could be parsed, with their texts."""
    raw = project.pages
    for page in project.library.pages:
        if page.uri in raw:
            yield page, raw[page.uri].decode("utf-8", errors="replace")


def check_links(project: Project) -> Iterator[Problem]:
    """Yield K023 for links to what does not exist, and K035 for those that are valid only relative to the root."""
    library, targets = project.library, project.targets
    named = cache(lambda: Names({}, targets.files() if targets else ()))
    anchors_of = cache(lambda uri: _read_anchors(targets.pages[uri]) if targets else None)
    known = frozenset({*library.page_by_uri, *library.by_uri, *RESERVED})
    known |= {MESSAGES} if any(page.messages for page in library.pages) else set()
    known |= {f"{folder}/index.md" for uri in known for folder in PurePosixPath(uri).parents if folder.name}
    by_name = group_by(sorted(known), posixpath.basename)
    if targets and targets.are_required:
        yield from (found for path, found in targets.in_nav.items() if path not in known and not targets.has_file(path))
    found = project.calls.map(read_links, [(raw, project.syntax) for raw in project.pages.values()])
    for uri, links in zip(project.pages, found, strict=True):
        page = library.page_by_uri.get(PageUri(uri))
        read = dict[str, tuple[tuple[str, str], ...]]()
        for link in links if page else ():
            if (to := link.address) not in read:
                in_files = _of_target(uri, to, targets, anchors_of, named) if targets else ()
                read[to] = (*_of_link(uri, to, known, by_name, targets), *in_files)
            for code, what in read[to]:
                yield Problem(uri, link.line, code, what, link.column)


def check_wikilinks(project: Project) -> Iterator[Problem]:
    """Yield K037 for wikilinks that name nothing or several files, unless none in the base names anything."""
    library, files = project.library, project.targets.files() if project.targets else ()
    names = library.names(files) if any("[[" in link for page in library.pages for link in page.links) else None
    read = {page.uri: names.read(page.links, page.uri) for page in library.pages} if names else {}
    if names is None or not any(link.files for links in read.values() for link in links.values()):
        return
    pages = project.tree.pages
    anchors_of = cache(lambda uri: _read_anchors(pages[uri]) if uri in pages else None)
    suggested = cache(names.suggested)
    for uri, raw in project.pages.items():
        links, document = read.get(PageUri(uri), {}), read_document(raw.decode("utf-8", errors="replace"))
        for place in find_wikilinks(document.body) if links else ():
            is_defined = not links[place[0]].files and f"\n{place[0][1:-1]}:" in document.body  # by a link reference
            if not is_defined and (found := _of_wikilink(links[place[0]], suggested, anchors_of)):
                at = place.start()
                column = at - document.body.rfind("\n", 0, at)
                yield Problem(uri, document.line(at), "K037", f"{place[0]} {found}", column)


def _of_wikilink(
    link: Wikilink,
    suggested: Callable[[str], str],
    anchors_of: Callable[[str], frozenset[str] | None],
) -> str:
    """Return what is wrong with a wikilink and what to do; empty if nothing is. A number alone is text."""
    if not link.files:
        near = suggested(link.target)
        how = f"did you mean [[{near}]]?" if near else "write that page, or correct the name"
        return f"names no page or file; {how}" if re.search(r"[^\W\d]", link.target) else ""
    if len(link.files) > 1:
        first, named = link.files[0].removesuffix(".md"), ", ".join(link.files[:4])
        return f"may be {named}; the first is linked: to choose one, write its path, as in [[{first}]]"
    heading = link.heading.rpartition("#")[2]
    there = anchors_of(link.files[0]) if heading.strip("^ ") and not heading.startswith("^") else None
    return "" if there is None or {*_slugs(heading)} & there else f"names a heading that {link.files[0]} does not have"


def check_sources(project: Project) -> Iterator[Problem]:
    """Yield K020 to K022 for pages of PARTs, and those beside them, whose sources are missing or incomplete."""
    folders = {posixpath.dirname(entry.uri) for entry in project.library.entries} - {""}
    for page, text in _pages_of(project):
        if page.uri in project.library.by_uri or posixpath.dirname(page.uri) in folders:
            yield from _of_sources(page, text)


def check_source_files(project: Project) -> Iterator[Problem]:
    """Yield K014 for each reference in front matter whose local file cannot be read, or whose address leads nowhere."""
    files = project.sources
    for page, text in _pages_of(project) if files else ():
        written = items_by_id(dict(page.meta))
        for work in page.references if written else ():
            if work.id in written and files and (what := _of_source_file(work, page, project, files)):
                named = work.file or work.url or ""
                yield Problem(page.uri, _line_of(text, named), "K014", f"@{work.id}: {what}")


def _of_source_file(work: Reference, page: Page, project: Project, files: SourceFiles) -> str:
    """Return why the file of a reference cannot be read, and what to do; empty if it can, or if it has none."""
    address = "" if is_web(work.url) else work.url or ""
    path = cited_path(address)
    is_document = path.removeprefix("./").startswith(f"{files.folder}/")
    name = work.file or (path if is_document else "")
    if name and not is_web(name):
        defect = files.defect(name)
        fix = "" if "did you mean" in defect else f"; put the file into {files.folder}/, or correct its path"
        return f"{defect}{fix}" if defect else ""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(page.uri), path))
    library = project.library
    is_known = any(uri in library.page_by_uri or uri in library.by_uri or uri in RESERVED for uri in (beside, path))
    if not path or is_known or files.has_page_file(beside) or files.has_page_file(path) or files.has_file(path):
        return ""
    return f"{address} is neither a web address nor a file of the base; write http:// or https://, or correct the path"


def check_sizes(project: Project) -> Iterator[Problem]:
    """Yield K024 for pages much shorter or longer than their budget."""
    for page, _ in _pages_of(project):
        entry = project.library.by_uri.get(page.uri)
        budget = entry.part.lines_budget if entry else None
        if entry is None or budget is None:
            continue
        low, high = lines_range(budget, FOUND_LINES_TOLERANCE)
        if not low <= page.lines <= high:
            how = "shorter" if page.lines < budget.low else "longer"
            what = f"it has {page.lines} lines, much {how} than its budget of {budget} in {entry.plan.uri}"
            yield Problem(page.uri, 1, "K024", what)


def _of_sources(page: Page, text: str) -> Iterator[Problem]:
    if not page.references:
        what = "this page has no sources; cite works in its front matter, or list them under `## Sources`"
        yield Problem(page.uri, 1, "K020", what)
    ids = items_by_id({"references": page.meta_value("references")})
    for work in page.references:
        if not work.url or not re.match(r"https?://", work.url):
            continue
        line = _line_of(text, work.url) if work.id in ids or not work.lines else work.lines[0]
        if work.title in {"", work.url, re.sub(r"^https?://|/$", "", work.url)}:
            yield Problem(page.uri, line, "K021", f"{work.url} is cited without a title; add the title")
        if not work.accessed:
            what = f"{work.title[:80]!r} is cited without an access date; add `(accessed YYYY-MM-DD)`"
            yield Problem(page.uri, line, "K022", what)


def _of_link(
    uri: str, address: str, known: frozenset[str], by_name: Mapping[str, Sequence[str]], targets: LinkTargets | None
) -> Iterator[tuple[str, str]]:
    """Yield K023 for the address of a missing page, and K035 for one that is valid only relative to the root."""
    written, mark, rest = address.partition("#")
    path = unquote(written)
    folder = posixpath.dirname(uri)
    if not path.endswith(".md") or SCHEME.match(path):
        return
    if not path.startswith("/") and posixpath.normpath(posixpath.join(folder, path)) in known:
        return
    meant = resolved(path, uri, known)
    same_name = by_name.get(posixpath.basename(path), ())
    target = meant if meant in known else same_name[0] if len(same_name) == 1 else None
    what = "does not exist in the base; correct the path"
    if target is not None:
        why = "is relative to the base's root" if meant == target else "does not exist, but a page of that name does"
        what = f"{why}; write {posixpath.relpath(target, folder or '.')}{mark}{rest}"
    elif near := closest(posixpath.basename(path), by_name):
        what = f"does not exist in the base; did you mean {posixpath.relpath(by_name[near][0], folder or '.')}?"
    is_found = target is not None and meant == target and (targets is None or targets.are_rebased)
    if is_found or targets is None or targets.are_required:
        yield "K035" if is_found else "K023", f"{address} {what}"


def _of_target(
    uri: str,
    address: str,
    targets: LinkTargets,
    anchors_of: Callable[[str], frozenset[str] | None],
    named: Callable[[], Names],
) -> Iterator[tuple[str, str]]:
    """Yield K023 for the address of a missing file that is no page, or of a missing anchor."""
    path, _, anchor = address.partition("#")
    path, anchor = unquote(path.partition("?")[0]), unquote(anchor)
    is_file = not path.endswith(".md") and bool(posixpath.splitext(path)[1])
    if not (is_file or anchor) or SCHEME.match(address) or address.startswith(("/", "?")) or "@" in path:
        return
    target = posixpath.normpath(posixpath.join(posixpath.dirname(uri), path)) if path else uri
    if is_file and not targets.has_file(target):
        what, near = "does not exist in the base; correct the path", named().find(posixpath.basename(path), uri)
        if len(near) == 1:
            new = posixpath.relpath(near[0], posixpath.dirname(uri) or ".")
            what = f"does not exist, but a file of that name does; write {new}"
        yield "K023", f"{address} {what}"
    elif anchor and target in targets.pages and target not in RESERVED and not _OWN_ANCHOR.match(anchor):
        there = anchors_of(target)
        if there is not None and not {anchor, *_slugs(anchor), *_slugs(re.sub(r"_\d+$", "", anchor))} & there:
            yield "K023", f"{target} has no heading or id #{anchor}; correct the anchor"


def _read_anchors(raw: bytes) -> frozenset[str] | None:
    """Return the ids in a page, and its headings and tabs as `_slugs`; ``None`` if some of its text is elsewhere."""
    text = raw.decode("utf-8", errors="replace")
    if _INCLUDES.search(text):
        return None
    ids = re.findall(r"""\b(?:id|name)\s*=\s*["']?([^"'\s>]+)|\{[^{}\n]*#([\w.:-]+)""", text)
    nodes = (node for node in read_document(text).outline if node.name == "Heading")
    headings = (_HEADING_ID.sub("", node.all_text()) for node in nodes)
    titles = [*_TAB.findall(text), *headings]
    slugs = (
        slug
        for title in titles
        for one in (title, without_budget(title), without_wikilinks(title))
        for slug in _slugs(one)
    )
    return frozenset({*slugs, *(one or other for one, other in ids)})


def _slugs(title: str) -> tuple[str, str]:
    """Return the letters of a heading or its anchor, with which all functions that derive anchors agree."""
    letters = re.sub(r"[\W_]", "", title.casefold())
    ascii_letters = unicodedata.normalize("NFKD", letters).encode("ascii", "ignore").decode()
    return f"#{letters}", f"#{ascii_letters}"


_USED_KEYS = frozenset({"hide", "search", "template", "icon", "tags"})
"""Keys of front matter whose values MkDocs or Material use."""


def check_values(project: Project) -> Iterator[Problem]:
    """Yield K004 for each value in front matter that MkDocs or Material cannot use; without a theme, for types only."""
    pages, theme = project.tree.pages, project.theme
    for page in project.library.pages:
        for key, value in page.meta if page.uri in pages else ():
            if key in _USED_KEYS and value is not None and (wanted := _wanted_value(key, value, theme)):
                what = f"`{key}: {value}` stops the build; `{key}` must be {wanted}"
                text = pages[page.uri].decode("utf-8", errors="replace")
                yield Problem(page.uri, _line_of(text, f"{key}:"), "K004", what)
            if key == "template" and value == "redirect.html" and theme:
                yield from _of_location(page, pages[page.uri].decode("utf-8", errors="replace"))


def _of_location(page: Page, text: str) -> Iterator[Problem]:
    """Yield K004 if a page with Material's template of redirects names no address to lead to."""
    location = page.meta_value("location")
    if not is_page_address(location):
        wanted = "the address of a page, relative or of http(s), without quotes and blanks"
        what = f"`location: {location}` is not used, nor is the template; `location` must be {wanted}"
        yield Problem(page.uri, _line_of(text, "location:" if location else "template:"), "K004", what)


def _wanted_value(key: str, value: object, theme: ThemeFiles | None) -> str:
    """Return the description of a valid value if `value` is none, else nothing."""
    if key == "hide" and not isinstance(value, str | list):
        return "a list, such as [navigation, toc]"
    if key == "search" and value and not isinstance(value, dict):
        return "a mapping, such as {exclude: true}"
    if key == "template" and not (isinstance(value, str) and (theme is None or theme.has(value))):
        return "the name of a template of the theme"
    if key == "icon" and value and theme and not theme.has(f".icons/{value}.svg"):
        return "the name of an icon of the theme, such as material/tea"
    is_list = isinstance(value, str | list | dict) and not any(isinstance(tag, list | dict) for tag in value)
    return "a list of texts, such as [tea, water]" if key == "tags" and theme and theme.has_tags and not is_list else ""


def _line_of(text: str, words: str) -> int:
    at = text.find(words)
    return text.count("\n", 0, at) + 1 if at >= 0 else 1


# --- budgets in headings ---------------------------------------------------------------------------------------------


def check_budgets(project: Project) -> Iterator[Problem]:
    """Yield K029 for headings that contain a budget, such as ``## Section 1: Layers (~100 lines)``."""
    found = project.calls.map(find_budgets, [(raw, project.syntax) for raw in project.pages.values()])
    how = "remove it (`--fix` does, and keeps the heading's address)"
    what = f"this heading contains a line budget, which is for writers only; {how}"
    return (Problem(uri, n, "K029", what) for uri, edits in zip(project.pages, found, strict=True) for n, *_ in edits)


def find_budgets(raw: bytes, syntax: Syntax = PLAIN) -> tuple[tuple[int, int, int, str], ...]:
    """Return the line and edit of each budget in a heading; none if the page's front matter is not valid."""
    text = raw.decode("utf-8", errors="replace")
    if not MAYBE_BUDGET.search(text) or read_document(text).error:
        return ()
    above, starts = body_start(text), line_starts(text.split("\n"))
    edits = sorted(budget_edits(text[above:], list_blocks(text[above:], syntax)))
    return tuple((bisect_right(starts, above + at), above + at, above + end, new) for at, end, new in edits)


# --- rules of one page --------------------------------------------------------------------------------------------


def _local_paths(text: str, uri: str) -> Iterator[Problem]:
    for n, line in enumerate(without_code(text).all, 1):
        path = _LOCAL_PATH.search(line)
        if path:
            what = f"{path[0]} is an absolute path of a local machine; name the file, or link to it"
            yield Problem(uri, n, "K025", what, path.start() + 1)


def _inner_fences(text: str, uri: str) -> Iterator[Problem]:
    document = read_document(text)
    for node in (node for node in document.outline if node.info is not None):
        opening, code = _FENCE.search(document.body, node.start), node.all_text()
        inner = next((m for m in _INNER_FENCE.finditer(code) if opening and m[1].startswith(opening[0])), None)
        if inner:
            first = document.line(node.start)
            longer = inner[1][0] * (len(inner[1]) + 1)
            what = f"this fence closes the one from line {first}; open that one with {longer}"
            yield Problem(uri, first + code.count("\n", 0, inner.start()) + 1, "K027", what)


PAGE_RULES: Mapping[str, Callable[[str, str], Iterator[Problem]]] = {
    "K025": _local_paths,
    "K026": check_credentials,
    "K027": _inner_fences,
}
"""The rules that depend only on one page's text and uri, by code."""
