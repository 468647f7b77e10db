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

from planbook.citations.identifiers import is_web, work_key
from planbook.citations.mentions import find_unread_sources, read_mentions
from planbook.citations.pins import custom_of
from planbook.citations.references import cited_path, items_by_id
from planbook.library import MESSAGES, RESERVED, Library, group_by
from planbook.library.links import SCHEME, Names, Wikilink, resolve_link
from planbook.library.names import is_page_address
from planbook.markdown.budgets import MAYBE_BUDGET, without_budget
from planbook.markdown.document import (
    PageLink,
    find_wikilinks,
    read_document,
    without_code,
    without_wikilinks,
)
from planbook.markdown.edits import line_starts
from planbook.markdown.extensions import PLAIN, Syntax, unwrap_blocks
from planbook.markdown.front_matter import body_start
from planbook.markdown.lists import list_blocks
from planbook.markdown.normalize import budget_edits
from planbook.markdown.words import closest
from planbook.model import Page, Problem, Reference
from planbook.problems import FOUND_LINES_TOLERANCE, lines_range
from planbook.rules.credentials import check_credentials
from planbook.rules.project import LinkTargets, Project, SourceFiles, ThemeFiles

_LOCAL_PATH = re.compile(
    r"(?<![\w./:-])(?:file://\S+|/(?:home|Users)/(?!(?:your|user|name))[\w.-]+(?:/[\w.-]+)+"
    r"|[A-Za-z]:\\(?!Users\\(?:[Yy]our|[Uu]ser|[Nn]ame))(?:[\w.-]+\\)+[\w.-]+)"
)
_HEADING_ID = re.compile(r"(?:(?<!\s)\s+)?\{:?[^{}\n]*\}\s*$")
_ID = re.compile(r"""\b(?:id|name)\s*=\s*["']?([^"'\s>]+)|\{[^{}\n]*#([\w.:-]+)""")
"""An id in a tag, or in a list of attributes: ``<a id="rye">``, ``{ #rye }``."""
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


def _pages_of(project: Project) -> Iterator[tuple[Page, str]]:
    """Yield the selected pages that could be parsed, with their texts."""
    raw = project.pages
    for page in project.library.pages:
        if page.uri in raw:
            yield page, raw[page.uri].decode("utf-8", errors="replace")


def check_links(project: Project) -> Iterator[Problem]:
    """Yield K023 for links to what does not exist, and K035 for those relative to the root."""
    library, targets = project.library, project.targets
    known_uris = _known_pages(library)
    by_name = group_by(sorted(known_uris), posixpath.basename)
    if targets and targets.are_required:
        for path, problem in targets.in_nav.items():
            if path not in known_uris and not targets.has_file(path):
                yield problem
    named = cache(lambda: Names({}, targets.files() if targets else ()))
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
                        uri, address, targets, anchors_of, named
                    )
            for code, defect in problems_of[address]:
                yield Problem(uri, link.line, code, defect, link.column)


def _known_pages(library: Library) -> frozenset[str]:
    """Return the pages that are there, planned or generated."""
    known_uris: set[str] = {*library.page_by_uri, *library.by_uri, *RESERVED}
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
        for place in find_wikilinks(document.body):
            link_text, link = place[0], links[place[0]]
            is_link_reference = not link.files and f"\n{link_text[1:-1]}:" in document.body
            defect = "" if is_link_reference else _wikilink_defect(link, suggested, anchors_of)
            if defect:
                start = place.start()
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
        first, named = link.files[0].removesuffix(".md"), ", ".join(link.files[:4])
        fix = f"to choose one, write its path, as in [[{first}]]"
        return f"may be {named}; the first is linked: {fix}"
    heading = link.heading.rpartition("#")[2]
    names_heading = bool(heading.strip("^ ")) and not heading.startswith("^")
    anchors = anchors_of(link.files[0]) if names_heading else None
    if anchors is None or not anchors.isdisjoint(_slugs(heading)):
        return ""
    return f"names a heading that {link.files[0]} does not have"


def check_sources(project: Project) -> Iterator[Problem]:
    """Yield K020 to K022 for pages of PARTs, and those beside them, without complete sources."""
    # A page that somebody wrote beside planned ones is one of the base, and is held to its rules;
    # one at the top may be a home page or a note.
    folders = {posixpath.dirname(entry.uri) for entry in project.library.entries} - {""}
    for page, text in _pages_of(project):
        if page.uri in project.library.by_uri or posixpath.dirname(page.uri) in folders:
            yield from _check_page_sources(page, text)


def check_source_files(project: Project) -> Iterator[Problem]:
    """Yield K014 for each reference in front matter whose local file cannot be read.

    One whose address leads nowhere gets it, too.
    """
    files = project.sources
    if files is None:
        return
    for page, text in _pages_of(project):
        in_front_matter = items_by_id(dict(page.meta))
        for work in page.references:
            if work.id not in in_front_matter:
                continue
            defect = _source_file_defect(work, page, project, files)
            if defect:
                line = _line_of_work(text, work)
                yield Problem(page.uri, line, "K014", f"@{work.id}: {defect}")


def check_document_names(project: Project) -> Iterator[Problem]:
    """Yield K018 for each work that only the name of a document means, by identifier or title."""
    files = project.sources
    name_of = (
        {_plain(PurePosixPath(name).stem): name for name in files.documents()} if files else {}
    )
    if files is None or not name_of:
        return
    for page, text in _pages_of(project):
        for work in page.references:
            name = "" if work.file else next(filter(None, map(name_of.get, _plain_names(work))), "")
            if name:
                path = f"{files.folder}/{name}"
                defect = f"@{work.id} is not read from {path}, whose name alone means it"
                fix = f"add `custom: {{file: {path}}}` to its entry of `references`"
                line = _line_of_work(text, work) if work.id in text else (work.lines or (1,))[0]
                yield Problem(page.uri, line, "K018", f"{defect}; {fix}")


_LEAST_WORDS_OF_TITLE = 3
"""Words of a title from which on a document with the same name is that work."""


def _plain_names(work: Reference) -> Iterator[str]:
    """Yield the identifier and the title of a work, as `_plain` has the names of files."""
    kind, _, identifier = work_key(work.url or "").partition(":")
    if kind in {"doi", "arxiv"}:
        yield from (_plain(identifier), _plain(f"{kind}{identifier}"))
    if len(work.title.split()) >= _LEAST_WORDS_OF_TITLE:
        yield _plain(work.title)


def _plain(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return re.sub(r"[\W_]+", "", name.lower())


def check_doubts(project: Project) -> Iterator[Problem]:
    """Yield K017 for each reference whose source `planbook verify` found to be doubtful."""
    for page, text in _pages_of(project):
        doubts = project.doubts.get(page.uri, {})
        for work in page.references:
            if work.id in doubts:
                line = _line_of_work(text, work)
                fix = "cite the page that was meant, or review this page"
                defect = f"@{work.id} is doubtful: {doubts[work.id]}; {fix}"
                yield Problem(page.uri, line, "K017", defect)


def _source_file_defect(work: Reference, page: Page, project: Project, files: SourceFiles) -> str:
    """Return why the file of a reference cannot be read, and what to do.

    The result is empty if it can be read, or if the reference has none.
    """
    address = "" if is_web(work.url) else work.url or ""
    path = cited_path(address)
    is_document = path.removeprefix("./").startswith(f"{files.folder}/")
    name = work.file or (path if is_document else "")
    if name and not is_web(name):
        defect = files.defect(name)
        if not defect or "did you mean" in defect:
            return defect
        return f"{defect}; put the file into {files.folder}/, or correct its path"
    if not path or _is_of_base(path, page, project, files):
        return ""
    trouble = f"{address} is neither a web address nor a file of the base"
    return f"{trouble}; write http:// or https://, or correct the path"


def _is_of_base(path: str, page: Page, project: Project, files: SourceFiles) -> bool:
    """Return whether a path is that of a page, or of a file of the base or its repository."""
    if files.has_file(path) or files.read_own(path, page.uri):
        return True
    library = project.library
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(page.uri), path))
    for uri in (beside, path):
        is_page = uri in library.page_by_uri or uri in library.by_uri or uri in RESERVED
        if is_page or files.has_page_file(uri):
            return True
    return False


def check_sizes(project: Project) -> Iterator[Problem]:
    """Yield K024 for pages much shorter or longer than their budget."""
    for page, _ in _pages_of(project):
        entry = project.library.by_uri.get(page.uri)
        budget = entry.part.lines_budget if entry else None
        if entry is None or budget is None:
            continue
        low, high = lines_range(budget, FOUND_LINES_TOLERANCE)
        if not low <= page.lines <= high:
            fix = "shorter" if page.lines < budget.low else "longer"
            defect = (
                f"it has {page.lines} lines, "
                f"much {fix} than its budget of {budget} in {entry.plan.uri}"
            )
            yield Problem(page.uri, 1, "K024", defect)


def _check_page_sources(page: Page, text: str) -> Iterator[Problem]:
    if not page.references:
        defect = (
            "this page has no sources; "
            "cite works in its front matter, or list them under `## Sources`"
        )
        yield Problem(page.uri, 1, "K020", defect)
    ids = items_by_id({"references": page.meta_value("references")})
    for work in page.references:
        if not work.url or not re.match(r"https?://", work.url):
            continue
        line = _line_of(text, work.url) if work.id in ids or not work.lines else work.lines[0]
        if work.title in {"", work.url, re.sub(r"^https?://|/$", "", work.url)}:
            yield Problem(
                page.uri, line, "K021", f"{work.url} is cited without a title; add the title"
            )
        # `planbook finish` records the text of a document that nobody asked a host for, and no day.
        is_from_document = bool(custom_of(ids.get(work.id, {})).get("sha256"))
        if not work.accessed and not is_from_document:
            defect = (
                f"{work.title[:80]!r} is cited without an access date; add `(accessed YYYY-MM-DD)`"
            )
            yield Problem(page.uri, line, "K022", defect)


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
    named: Callable[[], Names],
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
        close_files = named().find(posixpath.basename(path), uri)
        if len(close_files) == 1:
            new = posixpath.relpath(close_files[0], folder or ".")
            defect = f"does not exist, but a file of that name does; write {new}"
        yield "K023", f"{address} {defect}"
        return
    is_checked = bool(anchor) and target in targets.pages and target not in RESERVED
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
        for form in (title, without_budget(title), without_wikilinks(title)):
            anchors.update(_slugs(form))
    return frozenset(anchors)


def _slugs(title: str) -> tuple[str, str]:
    """Return the letters of a heading or its anchor, as all functions that derive anchors agree."""
    letters = re.sub(r"[\W_]", "", title.casefold())
    ascii_letters = unicodedata.normalize("NFKD", letters).encode("ascii", "ignore").decode()
    return f"#{letters}", f"#{ascii_letters}"


def check_values(project: Project) -> Iterator[Problem]:
    """Yield K004 for each value in front matter that MkDocs or Material cannot use.

    Without a theme, only types are checked.
    """
    pages, theme = project.tree.pages, project.theme
    for page in project.library.pages:
        if page.uri not in pages:
            continue
        for key, value in page.meta:
            expected = "" if value is None else _expected_value(key, value, theme)
            is_redirect = key == "template" and value == "redirect.html" and theme is not None
            if not expected and not is_redirect:
                continue
            text = pages[page.uri].decode("utf-8", errors="replace")
            if expected:
                effect = "is not used as it is" if key == "tags" else "stops the build"
                defect = f"`{key}: {value}` {effect}; `{key}` must be {expected}"
                yield Problem(page.uri, _line_of(text, f"{key}:"), "K004", defect)
            if is_redirect:
                yield from _check_location(page, text)


def _check_location(page: Page, text: str) -> Iterator[Problem]:
    """Yield K004 if a page with Material's template of redirects names no address to lead to."""
    location = page.meta_value("location")
    if not is_page_address(location):
        wanted = "the address of a page, relative or of http(s), without quotes and blanks"
        defect = (
            f"`location: {location}` is not used, nor is the template; `location` must be {wanted}"
        )
        yield Problem(
            page.uri, _line_of(text, "location:" if location else "template:"), "K004", defect
        )


def _expected_value(key: str, value: object, theme: ThemeFiles | None) -> str:
    """Return the description of a valid value if `value` is none.

    The result is empty if it is, or is not used.
    """
    match key:
        case "hide" if not isinstance(value, str | list):
            return "a list, such as [navigation, toc]"
        case "search" if value and not isinstance(value, dict):
            return "a mapping, such as {exclude: true}"
        case "template" if not isinstance(value, str) or (theme and not theme.has(value)):
            return "the name of a template of the theme"
        case "icon" if value and theme and not theme.has(f".icons/{value}.svg"):
            return "the name of an icon of the theme, such as material/tea"
        case "tags" if theme and theme.has_tags and not _is_list_of_texts(value):
            return "a list of texts, such as [tea, water]"
        case _:
            return ""


def _is_list_of_texts(value: object) -> bool:
    """Return False for a list with lists or mappings in it, of which builds leave these out."""
    return not (isinstance(value, list) and any(isinstance(tag, list | dict) for tag in value))


def _line_of_work(text: str, work: Reference) -> int:
    """Return the line of a reference's file or address, below its id if the front matter has it."""
    words = work.file or work.url or ""
    item = re.search(rf"\bid:[ \t]*[\"']?{re.escape(work.id)}[\"']?\s*(?:,|$)", text, re.MULTILINE)
    below = text.find(words, item.start()) if item and words else -1
    return text.count("\n", 0, below) + 1 if below >= 0 else _line_of(text, words)


def _line_of(text: str, words: str) -> int:
    at = text.find(words)
    return text.count("\n", 0, at) + 1 if at >= 0 else 1


# --- budgets in headings --------------------------------------------------------------------------


def check_budgets(project: Project) -> Iterator[Problem]:
    """Yield K029 for headings with a budget, such as ``## Section 1: Layers (~100 lines)``."""
    pages = project.pages
    texts = [(raw, project.syntax) for raw in pages.values()]
    [budgets_of_pages] = project.cache.from_disk((find_budgets, texts))
    fix = "remove it (`--fix` does, and keeps the heading's address)"
    defect = f"this heading contains a line budget, which is for writers only; {fix}"
    for uri, edits in zip(pages, budgets_of_pages, strict=True):
        for line, *_ in edits:
            yield Problem(uri, line, "K029", defect)


def find_budgets(raw: bytes, syntax: Syntax = PLAIN) -> tuple[tuple[int, int, int, str], ...]:
    """Return the line and edit of each budget in a heading.

    It is empty if the page's front matter is not valid.
    """
    text = raw.decode("utf-8", errors="replace")
    if not MAYBE_BUDGET.search(text) or read_document(text).error:
        return ()
    above, starts = body_start(text), line_starts(text.split("\n"))
    edits = sorted(budget_edits(text[above:], list_blocks(text[above:], syntax)))
    return tuple(
        (bisect_right(starts, above + at), above + at, above + end, new) for at, end, new in edits
    )


# --- rules of one page ----------------------------------------------------------------------------


def _local_paths(text: str, uri: str) -> Iterator[Problem]:
    for n, line in enumerate(without_code(text).all, 1):
        path = _LOCAL_PATH.search(line)
        if path:
            defect = (
                f"{path[0]} is an absolute path of a local machine; name the file, or link to it"
            )
            yield Problem(uri, n, "K025", defect, path.start() + 1)


def _inner_fences(text: str, uri: str) -> Iterator[Problem]:
    document = read_document(text)
    for node in document.outline:
        opening = _FENCE.search(document.body, node.start) if node.info is not None else None
        if not opening:
            continue
        code = node.all_text()
        closing = [m for m in _INNER_FENCE.finditer(code) if m[1].startswith(opening[0])]
        if closing:
            inner_fence, first = closing[0], document.line(node.start)
            longer = inner_fence[1][0] * (len(inner_fence[1]) + 1)
            defect = f"this fence closes the one from line {first}; open that one with {longer}"
            line = first + code.count("\n", 0, inner_fence.start()) + 1
            yield Problem(uri, line, "K027", defect)


def _unread_sources(text: str, uri: str) -> Iterator[Problem]:
    """Yield K018 for entries of lists of sources, and access dates, that are not read."""
    document = read_document(text)
    references = document.meta.get("references")
    if document.meta.get("generated"):
        mentions, _ = read_mentions(document.body)
        first = next((mention for mention in mentions if mention.is_cited), None)
        if first and not references:
            defect = "the page says that a program wrote it, so sources are not read from its text"
            fix = "list them under `references`, or remove `generated`"
            yield Problem(uri, document.lines_above + first.line, "K018", f"{defect}; {fix}")
        return
    for line, defect in find_unread_sources(document.body, references):
        yield Problem(uri, document.lines_above + line, "K018", defect)


PAGE_RULES: Mapping[str, Callable[[str, str], Iterator[Problem]]] = {
    "K018": _unread_sources,
    "K025": _local_paths,
    "K026": check_credentials,
    "K027": _inner_fences,
}
"""The rules that depend only on one page's text and uri, by code."""
