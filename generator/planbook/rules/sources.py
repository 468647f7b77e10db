"""Check the works that pages cite: complete, readable, named, beyond doubt (K014 to K022)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from planbook.citations.identifiers import is_web, work_key
from planbook.citations.pins import custom_of
from planbook.citations.references import cited_path, items_by_id
from planbook.library import RESERVED_URIS
from planbook.model import Page, Problem, Reference
from planbook.rules.pages import line_of, pages_with_texts
from planbook.rules.project import Project, SourceFiles


def check_sources(project: Project) -> Iterator[Problem]:
    """Yield K020 to K022 for pages of PARTs, and those beside them, without complete sources."""
    # A page that somebody wrote beside planned ones is one of the base, and is held to its rules;
    # one at the top may be a home page or a note.
    folders = {posixpath.dirname(entry.uri) for entry in project.library.entries} - {""}
    for page, text in pages_with_texts(project):
        if page.uri in project.library.by_uri or posixpath.dirname(page.uri) in folders:
            yield from _check_page_sources(page, text)


def check_source_files(project: Project) -> Iterator[Problem]:
    """Yield K014 for each reference in front matter whose local file cannot be read.

    One whose address leads nowhere gets it, too.
    """
    files = project.sources
    if files is None:
        return
    for page, text in pages_with_texts(project):
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
        {_letters_of_name(PurePosixPath(name).stem): name for name in files.documents()}
        if files
        else {}
    )
    if files is None or not name_of:
        return
    for page, text in pages_with_texts(project):
        for work in page.references:
            name = "" if work.file else next(filter(None, map(name_of.get, _plain_names(work))), "")
            if name:
                path = f"{files.folder}/{name}"
                defect = f"@{work.id} is not read from {path}, whose name alone means it"
                fix = f"add `custom: {{file: {path}}}` to its entry of `references`"
                line = _line_of_work(text, work) if work.id in text else (work.lines or (1,))[0]
                yield Problem(page.uri, line, "K018", f"{defect}; {fix}")


_MIN_WORDS_OF_TITLE = 3
"""Words of a title from which on a document with the same name is that work."""


def _plain_names(work: Reference) -> Iterator[str]:
    """Yield the identifier and the title of a work, as `_letters_of_name` compares them."""
    kind, _, identifier = work_key(work.url or "").partition(":")
    if kind in {"doi", "arxiv"}:
        yield from (_letters_of_name(identifier), _letters_of_name(f"{kind}{identifier}"))
    if len(work.title.split()) >= _MIN_WORDS_OF_TITLE:
        yield _letters_of_name(work.title)


def _letters_of_name(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return re.sub(r"[\W_]+", "", name.lower())


def check_doubts(project: Project) -> Iterator[Problem]:
    """Yield K017 for each reference whose source `planbook verify` found to be doubtful."""
    for page, text in pages_with_texts(project):
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
    if files.has_file(path) or files.read_working_file(path, page.uri):
        return True
    library = project.library
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(page.uri), path))
    for uri in (beside, path):
        is_page = uri in library.page_by_uri or uri in library.by_uri or uri in RESERVED_URIS
        if is_page or files.has_page_file(uri):
            return True
    return False


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
        line = line_of(text, work.url) if work.id in ids or not work.lines else work.lines[0]
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


def _line_of_work(text: str, work: Reference) -> int:
    """Return the line of a reference's file or address, below its id if the front matter has it."""
    words = work.file or work.url or ""
    item = re.search(rf"\bid:[ \t]*[\"']?{re.escape(work.id)}[\"']?\s*(?:,|$)", text, re.MULTILINE)
    below = text.find(words, item.start()) if item and words else -1
    return text.count("\n", 0, below) + 1 if below >= 0 else line_of(text, words)
