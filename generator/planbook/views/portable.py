"""The base as plain Markdown for engines without the plugin: one file for each page of the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote, unquote

from planbook.citations.citation_links import NumberedCitations, quote_of, replace_groups
from planbook.citations.identifiers import is_web
from planbook.citations.in_text import Citation, find_citations, join_groups
from planbook.citations.references import base_uri
from planbook.library import INDEX, OVERVIEW, PROGRESS, SOURCES, CountedLibrary, Library
from planbook.library.links import SCHEME, Names, rebase_links, resolve_link
from planbook.library.pages import render_page, replace_marks
from planbook.markdown import (
    escape,
    extensions,
    front_matter,
    lists,
    normalize,
    plain_text,
    safe_markdown,
)
from planbook.markdown.edits import apply_edits
from planbook.model import Page, PageUri, Reference
from planbook.views import agents, frame, progress
from planbook.views.bibliography import works
from planbook.views.bibliography.quote_links import quote_link
from planbook.views.bibliography.reference_list import list_title
from planbook.views.folders import FOLDER_INDEXES, FolderIndex, folder_indexes
from planbook.views.generated import generated_pages
from planbook.views.home import fill_home
from planbook.views.overview import overview_page
from planbook.views.template import link, relative, render_markdown
from planbook.views.top_views import BaseProjections, made_top_pages, top_views
from planbook.views.trust import trust
from planbook.views.written import count_written_pages


def numbered_text(text: str, references: Sequence[Reference], links: Mapping[str, str]) -> str:
    """Return `text` with each citation as the number of its work.

    A list of the works is at the end. `links` has the address of each reference that is a page of
    the base, by id.
    """
    in_text = find_citations(text, {reference.id for reference in references})
    numbered = NumberedCitations.of(references, join_groups(text, in_text))
    title = list_title(text)
    anchor = title.lower().replace(" ", "-")  # as every engine generates it
    by_id = {reference.id: reference for reference in references}
    entries = "".join(
        _work_with_quotes(number, reference, links)
        for number, reference in enumerate(numbered.references, 1)
    )
    body = replace_groups(
        text,
        numbered.citations,
        lambda group: _numbered_group(group, by_id, numbered.work_numbers, anchor),
    )
    return f"{body.rstrip()}\n\n## {title}\n\n{entries}"


def _numbered_group(
    group: Sequence[Citation],
    by_id: Mapping[str, Reference],
    numbers: Mapping[str, int],
    anchor: str,
) -> str:
    lines = []
    for citation in group:
        reference = by_id.get(citation.reference_id)
        if reference is None:
            lines.append(escape.inline_text(f"@{citation.reference_id}?"))
            continue
        locator = None if quote_of(reference, citation) else citation.locator
        prefix = f"{escape.inline_text(citation.prefix)} " if citation.prefix else ""
        mark = f"{prefix}{numbers[reference.id]}"
        lines.append(f"{mark}, {escape.inline_text(locator)}" if locator else mark)
    link = f"[&#91;{'; '.join(dict.fromkeys(lines))}&#93;](#{anchor})"
    first = by_id.get(group[0].reference_id) if group[0].is_in_text else None
    return f"{escape.inline_text(first.cited_as or first.title)} {link}" if first else link


def _work_with_quotes(n: int, reference: Reference, links: Mapping[str, str]) -> str:
    """Return one work as a list item, with its quotes below it."""
    href = reference.url or "" if is_web(reference.url) else links.get(reference.id, "")
    name = link_to(reference.title, href)
    if href or not reference.url or reference.url == reference.title:
        path = ""
    else:
        path = f" {safe_markdown.code(reference.url)}"
    has_copy = reference.archive and reference.archive.startswith("https://")
    copy = [link_to("archived copy", reference.archive or "")] if has_copy else []
    lines = [f"{n}. {' · '.join([name + path, *facts(reference), *copy])}\n"]
    for key, words in reference.quotes:
        quote_href = quote_link(reference, key, words)
        very = f" ({link_to('Open at this line', quote_href)})" if quote_href else ""
        # Four for Python-Markdown, the text's column for CommonMark.
        indent = " " * max(4, len(f"{n}. "))
        lines.append(f"{indent}- “{escape.verbatim(' '.join(words.split()))}”{very}\n")
    return "".join(lines)


def facts(reference: Reference) -> list[str]:
    """Return a work's details other than title and address: people, date, access date."""
    day = f"accessed {reference.accessed}" if reference.accessed else ""
    return [
        escape.verbatim(fact)
        for fact in (works.author_and_publisher(reference), reference.issued, day)
        if fact
    ]


def link_to(text: str, href: str) -> str:
    """Return plain `text` as a link; without an address, as text."""
    label = escape.verbatim(" ".join(text.split()))
    return f"[{label}](<{quote(href, safe=_ADDRESS_CHARACTERS)}>)" if href else label


_ADDRESS_CHARACTERS = "".join(chr(n) for n in range(0x21, 0x7F) if chr(n) not in '<>"\\`{|}^')
"""Characters that an address may contain unescaped."""


# --- progress, Sources and the link graph ---------------------------------------------------------


def plain_progress_page(library: CountedLibrary) -> str:
    """Return the progress page: for each PART, the state in the plan and on disk."""
    text = render_markdown(
        "portable-progress.md",
        library=library,
        line=progress.parts_line(library),
        count_written_pages=count_written_pages,
        explain_difference=progress.explain_difference,
    )
    return _page("Progress", "Planned and written pages, and the differences.", [text])


def sources_page(cited: Sequence[works.CitedWork]) -> str:
    """Return the page of all works cited in the base, by site, with the pages that cite them."""
    about = "All works cited in this base, and the pages that cite them."
    if not cited:
        return _page("Sources", about, ["No works are cited in this base yet.\n"])
    sites = works.group_by_site(cited)
    downloads = f"Download as [BibTeX]({works.BIB}) or [CSL-JSON]({works.JSON})."
    blocks = [
        f"{plain_text.count(len(cited), 'work')} at {plain_text.count(len(sites), 'site')}. "
        f"{downloads}\n"
    ]
    for site, of_site in sites:
        blocks += [f"## {escape.verbatim(site)}\n", safe_markdown.bullets(map(_work, of_site))]
    return _page("Sources", about, blocks)


def _page(title: str, about: str, blocks: Iterable[str]) -> str:
    return render_page(
        {"title": title, "description": about},
        "\n".join([f"# {escape.verbatim(title)}\n", *blocks]),
    )


def _work(work: works.CitedWork) -> str:
    pages = {page.uri: f"[{escape.verbatim(page.title)}]({link(page.uri)})" for page in work.pages}
    name = link_to(work.reference.title, work.reference.url or "" if work.is_web else "")
    return " · ".join([name, *facts(work.reference), f"cited by {', '.join(pages.values())}"])


# --- files of the tree ----------------------------------------------------------------------------


_TITLE = str.maketrans({"<": "&lt;"})
_ATTRIBUTE = _TITLE | str.maketrans({'"': "&quot;"})
_UNSAFE_MARKUP = re.compile(
    r"(?P<code>`[^`\n]+`|^```.*?^```$)|</?(?:code|em|strong)>|\\?(?P<sign>[$]|(?<=\\)[()\[\]])",
    re.M | re.S,
)
"""Tags that some engines remove, and characters that start math in others."""
_SITE_MARKUP = (
    (re.compile(r'^!!! \w+ "([^"\n]*)"\n\n {4}', re.M), r"> **\1.** "),
    (re.compile(r'^<div class="pb-bar".*\n\n?', re.M), ""),
    (re.compile(r" \{ data-search-exclude \}$|(?<=\]\(progress\.md)#plan-[\w-]*", re.M), ""),
)
"""Admonitions, charts, attributes, and links to places on the progress page, with what replaces
them."""


@dataclass(frozen=True, slots=True)
class Form:
    """Options for the exported tree."""

    name_of_index: str = "index.md"
    """The file name of a folder's own page."""
    syntax: extensions.Syntax = extensions.PLAIN_SYNTAX
    """The blocks of Markdown extensions that are left as they are."""
    files: tuple[str, ...] = ()
    """The other files of the documentation."""


def portable_tree(
    library: Library,
    texts: Mapping[str, str],
    opt_in_pages: frozenset[str],
    site: frame.Site,
    form: Form,
) -> dict[str, str]:
    """Return the files of all pages, and data files, by path.

    Args:
        library: the base.
        texts: the existing pages, by uri.
        opt_in_pages: those of them that a hand-written navigation names.
        site: the site that the files are for.
        form: the form that its engine reads.

    Raises:
        ValueError: two pages would have the same path.
    """
    folders = folder_indexes(library, opt_in_pages, site.folder_titles)
    base_uris = frozenset(uri for folder in folders for uri in folder.uris)
    cited = works.works(library, base_uris)
    made = _generated_pages(library, folders, texts, site, cited)
    path_of = places({*texts, *made}, form.name_of_index)
    writer = _Writer(
        library, base_uris, path_of, form.syntax, library.names((*form.files, *path_of))
    )
    home = next((uri for uri in FOLDER_INDEXES if uri in texts), "")
    own_texts = {uri: text for uri, text in texts.items() if uri not in made}
    files = {
        path_of[uri]: writer.render_page_of_author(uri, text, is_home=uri == home)
        for uri, text in own_texts.items()
    }
    files |= {path_of[uri]: writer.render_generated(uri, text) for uri, text in made.items()}
    return files | dict(works.site_downloads(cited))


def _generated_pages(
    library: Library,
    folders: tuple[FolderIndex, ...],
    existing: Container[str],
    site: frame.Site,
    cited: Sequence[works.CitedWork],
) -> dict[str, str]:
    """Return the generated pages, by uri: those at the top are tables and lists, without HTML."""
    listed_library = library.listed()
    projections = BaseProjections(
        library=library,
        listed=listed_library,
        linked=library.linked(),
        counted=library.counted(),
        folders=folders,
        checks={},
        plan_pages={},
        report_pages={},
        url_from=lambda page: str,
    )
    views = generated_pages(listed_library, folders, existing, site)
    views |= top_views(made_top_pages(listed_library, site, existing), projections)
    # The views of the site are HTML.
    views[OVERVIEW] = partial(overview_page, library, {}, folders=folders)
    views[PROGRESS] = partial(plain_progress_page, projections.counted)
    views[SOURCES] = partial(sources_page, cited)
    return {uri: view() for uri, view in views.items()}


@dataclass(frozen=True, slots=True)
class _Writer:
    """Everything that page files are rendered from."""

    library: Library
    base_uris: frozenset[PageUri]
    paths: Mapping[str, str]
    syntax: extensions.Syntax
    names: Names

    def render_generated(self, uri: str, text: str) -> str:
        """Return the file of a generated page."""
        head, body = _split_front_matter(text)
        return _safe(head) + move_links(_plain_markdown(body), uri, self.paths)

    def render_page_of_author(self, uri: str, text: str, *, is_home: bool) -> str:
        """Return the file of a page by an author.

        Front matter completed, Markdown fixed, works listed.
        """
        page, entry = self.library.page_by_uri.get(uri), self.library.by_uri.get(PageUri(uri))
        head, body = _split_front_matter(
            agents.twin(_sound(text), page, frame.completed_meta(entry) if entry else {})
        )
        if is_home:
            body = body.replace("<!-- planbook:search -->\n", "")
            body = fill_home(
                body, self.library, partial(trust, self.library, self.base_uris), _plain_markdown
            )
        body = replace_marks(body) if page and page.messages else body
        rebased = rebase_links(page.links, uri, self.paths) if page else {}
        rebased |= {
            raw: link.markdown
            for raw, link in self.names.read(page.links if page else (), uri).items()
        }
        head = _safe(head)
        body = move_links(normalize.fix_markdown(body, rebased, self.syntax), uri, self.paths)
        has_works = (
            page is not None
            and bool(page.references)
            and (uri in self.base_uris or "references" in dict(page.meta))
        )
        if page is None or not has_works:
            return head + body
        return head + numbered_text(body, page.references, self._links(page))

    def _links(self, page: Page) -> dict[str, str]:
        """Return the links to the cited works that are pages of the base, by id."""
        targets = {r.id: base_uri(r.url, page.uri, self.paths) for r in page.references}
        path = self.paths[page.uri]
        return {name: relative(self.paths[uri], path) for name, uri in targets.items() if uri}


def _safe(head: str) -> str:
    """Return front matter that does no harm in engines which insert it into HTML."""
    meta, _ = front_matter.split_front_matter(head)
    safe = dict(meta)
    for key, signs in (("title", _TITLE), ("description", _ATTRIBUTE)):
        if isinstance(value := meta.get(key), str):
            safe[key] = value.translate(signs)
    return head if safe == meta else render_page(safe, "").rstrip("\n") + "\n"


def _plain_markdown(text: str) -> str:
    """Return `text` of a view in plain Markdown.

    It has no charts, admonitions, attributes, tags and other special characters.
    """
    for pattern, new in _SITE_MARKUP:
        text = pattern.sub(new, text)
    return _UNSAFE_MARKUP.sub(
        lambda match: match["code"] or "".join(f"&#{ord(sign)};" for sign in match["sign"] or ""),
        text,
    )


def _sound(text: str) -> str:
    """Return `text` with our line endings.

    Invalid front matter, on which other engines would fail, becomes code.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    try:
        front_matter.split_front_matter(text)
    except ValueError:
        head, body = _split_front_matter(text)
        fence = "`" * (max((len(ticks) for ticks in re.findall("`+", head)), default=0) + 3)
        return f"{fence}yaml\n{head}{fence}\n\n{body}"
    return text


def _split_front_matter(text: str) -> tuple[str, str]:
    """Split `text` into front matter, with its delimiters, and body."""
    span = front_matter.dashed_span(text)
    end = text.index("\n", span[1]) + 1 if span else 0
    return text[:end], text[end:]


_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]+\]:[ \t]*<?(?P<address>[^\s<>]+)", re.MULTILINE)
"""The address in a link reference definition (``[water]: ../tea/01-water.md``)."""
_HUGO_INDEX = "_index.md"
_INDEX_IN_HUGO = "all-pages.md"
"""Hugo since 0.123 treats `INDEX.md` as `index.md`, which would turn all other pages into its
resources."""

_Edit = tuple[int, int, str]
"""A replacement: ``(start, end, new)``."""


def places(uris: Iterable[str], name_of_index: str) -> dict[str, str]:
    """Return the path of each page by its uri: the same, except for a folder's own page.

    Raises ValueError if two pages would have the same path.
    """
    path_of: dict[str, str] = {}
    taken_by: dict[str, str] = {}
    for uri in sorted(uris):
        folder, slash, name = uri.rpartition("/")
        path = f"{folder}{slash}{name_of_index}" if name in FOLDER_INDEXES else uri
        if uri == INDEX and name_of_index == _HUGO_INDEX:
            path = _INDEX_IN_HUGO
        if path in taken_by:
            raise ValueError(
                f"{uri} and {taken_by[path]} would both be {path}; rename or remove one of them"
            )
        path_of[uri], taken_by[path] = path, uri
    return path_of


def move_links(text: str, uri: str, path_of: Mapping[str, str]) -> str:
    """Rewrite the links in `text`, the Markdown of page `uri`, for the new paths in `path_of`.

    Links are made relative to the page's own path; correct links, and links to other targets, are
    left unchanged.
    """
    if ".md" not in text:
        return text
    return apply_edits(text, sorted(set(_edits(text, uri, path_of))))


def _edits(text: str, uri: str, path_of: Mapping[str, str]) -> Iterator[_Edit]:
    blocks = lists.list_blocks(text)
    yield from normalize.link_edits(
        text, blocks.links, lambda address: _portable_address(address, uri, path_of)
    )
    for match in _DEFINITION.finditer(text):
        is_code = any(start <= match.start() < end for start, end in blocks.fences)
        new = None if is_code else _portable_address(match["address"], uri, path_of)
        if new is not None:
            yield *match.span("address"), new


def _portable_address(address: str, uri: str, path_of: Mapping[str, str]) -> str | None:
    """Return the new address of a link.

    The result is ``None`` if it is correct already, or does not point to a page of the tree.
    """
    if SCHEME.match(address) or ".md" not in address:
        return None
    path = re.split(r"[#?]", address, maxsplit=1)[0]
    target = resolve_link(address, uri, path_of)
    if target is None or target not in path_of:
        return None
    folder = posixpath.dirname(path_of.get(uri, uri))
    if (
        not path.startswith("/")
        and posixpath.normpath(posixpath.join(folder, unquote(path))) == path_of[target]
    ):
        return None
    return (
        escape.link_path(posixpath.relpath(path_of[target], folder or ".")) + address[len(path) :]
    )
