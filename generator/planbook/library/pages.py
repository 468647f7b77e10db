"""Pages and KNOWLEDGE-DROP files: text as `Page` and `Drop`, and back; links between pages."""

from __future__ import annotations

import hashlib
import posixpath
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import PurePosixPath
from textwrap import dedent
from typing import Any, Literal, NamedTuple
from urllib.parse import quote, unquote

import yaml

from planbook.citations.references import read_references
from planbook.citations.source_lists import lists_sources
from planbook.library.names import title_from_path
from planbook.markdown import budgets, front_matter
from planbook.markdown.document import (
    WIKILINK,
    Node,
    code_ranges,
    decoded,
    find_wikilinks,
    outline,
    read_document,
    syntax_tree,
    without_wikilinks,
)
from planbook.markdown.escape import link_path
from planbook.markdown.normalize import heading_anchor
from planbook.markdown.plain_text import plain_text
from planbook.markdown.words import closest
from planbook.model import Drop, DropUri, Message, Page, PageUri, Problem

_TITLE = re.compile(r"^#[ \t]+(.+)$", re.MULTILINE)
_SENTENCE = re.compile(r"^(.{20,240}?[.!?])(?:\s|$)")
_NO_PROSE = re.compile(r"^(?:#|[-*+] |\d+[.)] |>|\||!|<|```|~~~|---|\*\*[^*]+\*\*:?\s*$|:::|===|\?\?\?)")


def parse_page(text: str, uri: str) -> tuple[Page, tuple[Problem, ...]]:
    """Return the page in `text`, without references and links. Invalid front matter is text, and reported as K001."""
    document = read_document(text)
    meta, body = document.meta, document.body
    problems = (document.error.problem(uri),) if document.error else ()
    lines = body.strip("\n").count("\n") + 1 if body.strip() else 0
    heading = _TITLE.search(body, 0, _first_fence(body))
    written = heading[1].rstrip().rstrip("#").rstrip() or heading[1][:1] if heading else ""
    title = str(
        meta.get("title") or plain_text(without_wikilinks(budgets.without_budget(written))) or title_from_path(uri)
    )
    description = str(meta.get("description") or _first_sentence(body[heading.end() :] if heading else body))
    values = tuple(front_matter.json_values(meta).items())
    return Page(PageUri(uri), title, lines, description, values, words=len(body.split())), problems


def _first_fence(body: str) -> int:
    starts = (f"\n{body}".find(f"\n{fence}") for fence in ("```", "~~~"))
    return min((start for start in starts if start >= 0), default=len(body))


def _first_sentence(body: str) -> str:
    """Return the first sentence of the first paragraph of prose, at most 240 characters."""
    for block in re.split(r"\n\s*\n", body[: min(_first_fence(body), 6_000)].strip()):
        if _NO_PROSE.match(block.strip()):
            continue
        text = " ".join(plain_text(without_wikilinks(block)).split())
        if not text:
            continue
        sentence = _SENTENCE.match(text)
        if sentence:
            return sentence[1]
        return text if len(text) <= 240 else text[:239].rsplit(" ", 1)[0] + "…"
    return ""


def fingerprint(text: str) -> str:
    """Return the SHA-256 of a page's body and of the ``references`` and ``sources`` in its front matter.

    Line endings and other front matter keys make no difference: adding a tag or a review does not invalidate a check.
    """
    document = read_document(text)
    references = ascii(
        document.meta.get("references")
    )  # not JSON: keys may have any type, and lists may contain themselves
    sources = ascii(document.meta["sources"]) if "sources" in document.meta else ""
    checked = f"{references}{sources}\n{document.body.strip()}".replace("\r\n", "\n")
    return hashlib.sha256(checked.encode("utf-8", errors="replace")).hexdigest()


# --- drops -----------------------------------------------------------------------------------------------------------

_KEY = re.compile(
    r"^[ \t]*(?:[-*][ \t]*)?\*\*(?P<key>[A-Za-z ]++)\s*+(?::\*\*|\*\*\s*:)\s*(?P<value>.+)$", re.MULTILINE
)
_PAGE = re.compile(r"(?<![\w/:.+-])([\w.+-][\w./+-]*\.md)\b")
_HEAD = 4_000
"""Number of characters at the top that are searched for the drop's metadata."""


def read_page(raw: bytes, uri: str, is_replaced: bool) -> tuple[Page, tuple[Problem, ...]]:
    """Return the page in a file's bytes, with its references and links, and its Problems (K001 to K013).

    A page that the generator replaces has neither references nor links.
    """
    text, problems = decoded(raw, uri, "K002")
    page, found = parse_page(text, uri)
    if is_replaced:
        return page, (*problems, *found)
    references, of_references = read_references(text, uri)
    headings = (node.all_text() for node in read_document(text).outline if node.level == 2 and not node.depth)
    titles = (budgets.without_budget(without_wikilinks(heading)).strip() for heading in headings)
    sections = tuple(title for title in titles if title and not lists_sources(title))
    links, messages = written_links(text), marked_messages(text)
    page = replace(page, references=references, links=links, sections=sections, messages=messages)
    return page, (*problems, *found, *of_references)


def decode_drop(raw: bytes, uri: str) -> tuple[Drop, tuple[Problem, ...]]:
    """Return the drop in a file's bytes, with K002 if it is not UTF-8."""
    text, problems = decoded(raw, uri, "K002")
    return parse_drop(text, uri), problems


def parse_drop(text: str, uri: str) -> Drop:
    """Return the drop in `text`. Never fails: missing fields are ``None``."""
    document = read_document(text)
    meta, body = document.meta, document.body
    head = body[:_HEAD]
    keys = {m["key"].strip().lower(): m["value"].strip() for m in reversed(list(_KEY.finditer(head)))}
    title = _TITLE.search(head)
    runner, given = _text(meta.get("runner")) or keys.get("runner"), meta.get("part")
    named = re.search(r"\bPART\s+(\d{1,4})\b", runner or "") or re.search(r"\bPART\s+(\d{1,4})\b", head)
    number = given if isinstance(given, int) and not isinstance(given, bool) else named and int(named[1])
    return Drop(
        uri=DropUri(uri),
        title=plain_text(title[1]) if title else PurePosixPath(uri).stem,
        body=body,
        runner=runner,
        timestamp=_text(meta.get("finished")) or keys.get("timestamp") or keys.get("date"),
        outcome=_text(meta.get("outcome")) or keys.get("status"),
        part=number,
        plan=_text(meta.get("plan")),
        page=_text(meta.get("page")) or _page(keys, head),
        page_sha256=_text(meta.get("page_sha256")) or "",
        made_from=_pairs(meta.get("made_from")),
    )


def _pairs(value: object) -> tuple[tuple[str, str], ...]:
    return tuple((str(key), str(text)) for key, text in value.items()) if isinstance(value, dict) else ()


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _page(keys: dict[str, str], head: str) -> str | None:
    for text in (keys.get("file"), keys.get("knowledge file"), keys.get("created"), head):
        paths = [p for p in _PAGE.findall(text or "") if "KNOWLEDGE-DROP" not in p and "/" in p]
        if paths:
            return str(paths[0])
    return None


# --- links between pages ----------------------------------------------------------------------------------------------


SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
"""The beginning of an address that names a host or protocol."""
MAX_LEVELS = 8
"""Maximum nesting of admonitions that are searched for links."""

_IMAGE = re.compile(r"\.(?:avif|bmp|gif|jpe?g|png|svg|webp)$", re.IGNORECASE)
_MAYBE_LINK = re.compile(r"\.md\b", re.IGNORECASE)
_INDENTED_BODY = ("!!!", "???", "===")
"""Opening markers of blocks with indented text: admonitions, details, tabs. CommonMark reads that text as code."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A link from one page to another."""

    source: str
    """A page's uri."""
    target: str
    """Another page's."""
    kind: Literal["link", "plan"]
    """``link``: in the page's text. ``plan``: the PART of the source page builds on the target."""


def written_links(text: str) -> tuple[str, ...]:
    """Return the addresses, as written, of a page's links that end in ``.md`` and name no host, and its wikilinks."""
    found = list(_written(read_document(text).outline)) if _MAYBE_LINK.search(text) else []
    found += [link[0] for link in find_wikilinks(read_document(text).body)] if "[[" in text else []
    return tuple(dict.fromkeys(found))


def resolved(address: str, uri: str, known: Collection[str] = frozenset()) -> str | None:
    """Return the page that `address` on page `uri` refers to; ``None`` if it is outside the base.

    A link is relative to the page's folder. If that page is not in `known`, but the one at the same path from the
    base's root is, the link refers to the latter, as with the option `fix_pages`. A leading slash means the root.
    """
    path = unquote(_path(address))
    from_root = posixpath.normpath(path.lstrip("/"))
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(uri), path))
    beside, from_root = spelled(beside, known), spelled(from_root, known)
    if path.startswith("/") or (beside not in known and from_root in known):
        beside = from_root
    return None if beside.startswith("../") else beside


def rebased_links(links: Iterable[str], uri: str, known: Collection[str]) -> dict[str, str]:
    """Return the addresses on page `uri` that are valid only relative to the base's root, or in another normal form.

    The values are the addresses relative to the page's own folder.
    """
    folder = posixpath.dirname(uri)
    rebased = {}
    for address in links:
        written, mark, anchor = address.partition("#")
        path = unquote(written)
        from_root = spelled(posixpath.normpath(path), known)
        written_beside = posixpath.normpath(posixpath.join(folder, path))
        beside = spelled(written_beside, known)
        if beside in known:
            if beside == written_beside:
                continue
            from_root = beside
        if path.startswith("/") or from_root not in known or from_root.startswith(".."):
            continue
        rebased[address] = link_path(posixpath.relpath(from_root, folder or ".")) + mark + anchor
    return rebased


class Names:
    """Finds the pages and files that wikilinks name: by the end of the path, else by an alias or the title.

    Args:
        titles: the titles and aliases of each page, by uri.
        files: other files of the documentation.
    """

    def __init__(self, titles: Mapping[str, Iterable[str]], files: Iterable[str] = ()) -> None:
        self._by_name, self._by_title = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
        for uri in {*titles, *files}:
            self._by_name[_folded(posixpath.basename(uri))].append(uri)
        for uri, names in titles.items():
            for name in dict.fromkeys(map(_name_key, names)):
                self._by_title[name].append(uri)

    def find(self, target: str, uri: str) -> list[str]:
        """Return the files that `target` may mean on page `uri`, the nearest first; one if it is clear which."""
        wanted = _folded(re.sub(r"^(?:\.{0,2}/)+", "", target.strip().rstrip("\\")))
        named = self._by_name.get(posixpath.basename(wanted), ())
        found = [one for one in named if f"/{_folded(one)}".endswith(f"/{wanted}")] or self._by_title.get(wanted, [])
        clear = [one for one in found if _folded(one) == wanted]
        clear = clear or [one for one in found if posixpath.dirname(one) == posixpath.dirname(uri)]
        return clear if len(clear) == 1 else sorted(found, key=lambda one: (one.count("/"), one))

    def suggested(self, target: str) -> str:
        """Return the name of a file, an alias or a title most like `target`; empty if none is."""
        start = (wanted := _folded(target))[:1]
        known = [name for name in (*self._by_name, *self._by_title) if name.startswith(start)]
        return closest(wanted, known)

    def read(self, written: Iterable[str], uri: str) -> dict[str, Wikilink]:
        """Return the wikilinks among the `written` links of page `uri`."""
        links = {}
        for raw in written:
            if link := WIKILINK.fullmatch(raw):
                target, heading, files = self._split(link, uri)
                path = posixpath.relpath(files[0], posixpath.dirname(uri) or ".") if files else ""
                shown = _as_markdown(link, target, heading, path) if files else raw
                links[raw] = Wikilink(target, tuple(files), shown, heading)
        return links

    def _split(self, link: re.Match[str], uri: str) -> tuple[str, str, list[str]]:
        """Return what a wikilink names, the heading there, and the files that it may mean.

        A name may contain ``#``, such as `C#`: the longest that names a file is the name, the rest is the heading.
        """
        target, heading = link["target"].strip(), link["heading"]
        if not target:
            return "", heading or "", [uri]
        if heading is not None:
            pieces = [target, *heading.split("#")]
            for count in range(len(pieces), 1, -1):
                name = "#".join(pieces[:count])
                if files := self.find(name, uri):
                    return name, "#".join(pieces[count:]), files
        return target, heading or "", self.find(target, uri)


_IN_FRAGMENTS = "/?:@!$&*+,;=~%#"
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


def _folded(uri: str) -> str:
    return _name_key(uri).removesuffix(".md")


def _name_key(name: str) -> str:
    """Return a name such that two spellings are equal: of either case, composed (NFC) or decomposed (NFD, by macOS)."""
    return unicodedata.normalize("NFC", name.casefold())


def spelled(path: str, known: Collection[str]) -> str:
    """Return the one of the `known` paths that is `path` in another normal form of Unicode, else `path`."""
    if path.isascii() or path in known:
        return path
    wanted = unicodedata.normalize("NFC", path)
    alike = (one for one in known if not one.isascii() and unicodedata.normalize("NFC", one) == wanted)
    return next(alike, path)


def _as_markdown(link: re.Match[str], target: str, written: str, path: str) -> str:
    """Return a wikilink to `path` as a link, or as an image, whose text may be its width.

    Args:
        link: the wikilink.
        target: what it names.
        written: the heading there; for a file that is no page, its fragment, such as `page=3`, which stays.
        path: the path from the page to the file.
    """
    text, heading = link["text"], written.rpartition("#")[2].strip()
    is_page = path.endswith(".md")
    fragment = "" if is_page or not written.strip() else f"#{quote(written.strip(), safe=_IN_FRAGMENTS)}"
    if link["embed"] and _IMAGE.search(path):
        width = re.fullmatch(r"(\d+)(?:x\d+)?", text or "")
        alt = "" if width or not text else text
        return f"![{alt}]({quote(path)}{fragment}){f'{{ width={width[1]} }}' if width else ''}"
    anchor = "" if not heading or heading.startswith("^") else heading_anchor(heading)
    if is_page:
        fragment = anchor and f"#{anchor}"
    address = "" if not target and anchor else quote(path)
    words = text or " > ".join(filter(None, (target.rstrip("\\"), *written.split("#"))))
    return f"[{words}]({address}{fragment})"


def _written(nodes: Iterable[Node], level: int = 0) -> Iterator[str]:
    """Yield every link's address; `level` is the number of indented bodies that contain the text."""
    is_indented_body = is_first = False
    for node in nodes:
        if node.name == "Text" and is_first:
            is_indented_body, is_first = node.text.startswith(_INDENTED_BODY), False
        elif node.name == "Link" and _path(node.address).endswith(".md") and not SCHEME.match(node.address):
            yield node.address
        elif node.name == "Paragraph":
            is_first = True
        elif node.name == "CodeBlock":
            is_first = False
            if node.info is None and is_indented_body and level < MAX_LEVELS:
                yield from _written(outline(node.all_text()), level + 1)


def _path(address: str) -> str:
    return re.split(r"[#?]", address, maxsplit=1)[0]


# --- messages --------------------------------------------------------------------------------------------------------

_MESSAGES = re.compile(r"\{:?(?: *(?P<anchor>#[\w-]+))? *\.messages *\}")
"""The attributes of a column of messages, after its title."""
_MEANING = re.compile(r"\{:? *\.meaning *\}")
_TABLE = re.compile(rf"^[ \t]*\|.*{_MESSAGES.pattern}.*\n(?:[ \t]*\|.*(?:\n|$))+", re.MULTILINE)
_NOT_SHOWN = re.compile(r"(?:(?<!\s)\s+)?(?:\[(?:see[^\[\]@]{0,60}\s)?-?@[^\]]{0,400}\]|\{[^{}]*\}\s*$)")
"""Citations, and attributes at the end."""


def marked_messages(text: str) -> tuple[Message, ...]:
    """Return the code in columns of tables with the class ``messages``, each with its row's ``meaning``."""
    if ".messages" not in text:
        return ()
    document = read_document(text)
    code, found = code_ranges(document.body), list[Message]()
    for block in _TABLE.finditer(document.body):
        above = [n for n in document.outline if n.level and not n.depth and n.start < block.start()]
        section = _NOT_SHOWN.sub("", budgets.without_budget(above[-1].all_text())) if above else ""
        head, *rows = [row.children for row in syntax_tree(dedent(block[0])).children[0].children]
        marks = [_MESSAGES.search(cell.all_text()) for cell in head]
        meanings = [bool(_MEANING.search(cell.all_text())) for cell in head]
        for row in rows if not any(start <= block.start() < end for start, end in code) else ():
            said = "; ".join(_NOT_SHOWN.sub("", cell.all_text()) for cell in compress(row, meanings))
            for mark, cell in zip(marks, row, strict=False):
                codes = (inner.text for inner in cell.descendants() if inner.name == "Code")
                found += [Message(code, said, section, mark["anchor"] or "") for code in codes if mark]
    return tuple(found)


def without_marks(text: str) -> str:
    """Return a page with marked messages as engines without attributes show it: with anchors in place of the marks."""
    anchored = _MESSAGES.sub(lambda mark: f'<a id="{mark["anchor"][1:]}"></a>' if mark["anchor"] else "", text)
    return _MEANING.sub("", anchored)


# --- pages and drops as files -----------------------------------------------------------------------------------------


_OTHER_BREAKS = re.compile(r"[\r\x85\u2028\u2029]")
_IN_ONE_LINE = frozenset({"tags", "generated", "verified", "accessed", "issued", "lines"})
"""Keys whose lists and mappings are written on one line."""


def render_page(meta: Mapping[str, object], body: str) -> str:
    """Return a file with `meta` as its front matter, in order, followed by `body`."""
    return f"---\n{front_matter.yaml_lines(meta, _PageDumper)}---\n\n{body.strip()}\n"


class _PageDumper(yaml.SafeDumper):
    """A YAML dumper for readable front matter: indented lists, code as blocks, dates on one line."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent lists, unlike PyYAML's default."""
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: object) -> bool:
        """Disable aliases: write repeated values out in full."""
        return True

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> yaml.MappingNode:
        """Write the values of some keys on one line."""
        node = super().represent_mapping(tag, mapping, flow_style)
        for key, value in node.value:
            if isinstance(value, yaml.CollectionNode) and key.value in _IN_ONE_LINE:
                value.flow_style = True
        return node


def _represent_text(dumper: _PageDumper, text: str) -> yaml.Node:
    breaks = _OTHER_BREAKS.search(text)  # PyYAML treats these as line breaks, and escapes them in double quotes only
    style = '"' if breaks else "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_PageDumper.add_representer(str, _represent_text)
