"""The references of a page: read from front matter and text, and written into front matter.

Front matter is edited in place: the YAML parser locates a value and only that span is replaced, so that every other
key, comment and byte stays.
"""

from __future__ import annotations

import difflib
import hashlib
import posixpath
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, groupby
from typing import Any

import yaml

from planbook.citations.identifiers import address_of, custom_of, free_name, is_web, line_links, work_key
from planbook.citations.mentions import find_references
from planbook.markdown.document import code_ranges, edited, read_document
from planbook.markdown.escape import inline_text
from planbook.markdown.front_matter import FrontMatterError, front_matter_span, split_front_matter, yaml_lines
from planbook.model import Problem, Reference

Item = Mapping[str, Any]
"""A CSL item."""

# --- read ------------------------------------------------------------------------------------------------------------


def read_references(text: str, uri: str) -> tuple[tuple[Reference, ...], tuple[Problem, ...]]:
    """Return the references of the page in `text`, and the problems of its citations.

    A work in both front matter and text has its id, title and date from the former, and lines from the latter and from
    its citations. Lines are 1-based in the file. Ids are unique. Problems are K010 for search pages, K011 for
    references that are not CSL, and those of `check_citations`.

    On a page that a program ``generated``, only front matter counts: its text quotes other works, whose citations are
    not the page's.
    """
    document = read_document(text)  # the page parser reports K001
    meta, body, skipped = document.meta, document.body, document.lines_above
    written, problems = _written(meta.get("references"), uri)
    generated = meta.get("generated")
    writer = generated.get("writer") if isinstance(generated, dict) else generated
    is_by_program = bool(generated) and writer not in ("hand", "person")  # the value may be a list
    found, more = ((), ()) if is_by_program else find_references(body, uri)
    merged = dict(enumerate(written))  # by place: two different works may have one title and no address
    places = {work_or_title_key(one.url, one.title): n for n, one in reversed(merged.items())}
    taken = {reference.id: 2 for reference in written}
    for reference in found:
        n = places.setdefault(work_or_title_key(reference.url, reference.title), len(merged))
        lines = tuple(line + skipped for line in reference.lines)
        old = merged.get(n)
        if old:
            merged[n] = replace(old, accessed=old.accessed or reference.accessed, lines=lines)
        else:
            merged[n] = replace(reference, id=free_name(reference.id, taken), lines=lines)
    references = tuple(merged.values())
    citations = find_citations(body)
    moved = tuple(replace(problem, line=problem.line + skipped) for problem in more)
    problems = (*problems, *moved, *check_citations(citations, references, uri, skipped))
    cited: defaultdict[str, set[int]] = defaultdict(set)
    for citation in citations:
        cited[citation.reference].add(citation.line + skipped)
    every = ((r, cited.get(r.id)) for r in references)
    return tuple(replace(r, lines=tuple(sorted({*r.lines, *lines}))) if lines else r for r, lines in every), problems


_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d+(?:$|-))", re.IGNORECASE)
"""The scheme of an address; ``time.md:12`` has a line instead."""


def cited_path(address: str) -> str:
    """Return the path in a reference's address that is not on the web, without anchor and lines.

    It is empty for an address with a scheme, and for an anchor alone.
    """
    if _SCHEME.match(address) or address.startswith("//"):
        return ""
    return re.sub(r":\d+(?:-\d+)?$", "", address.partition("#")[0]).removeprefix("/")


def is_work(reference: Reference) -> bool:
    """Return True if a reference is more than a link to another page of the base."""
    url = reference.url or ""
    return is_web(url) or not re.split("[#:]", url, maxsplit=1)[0].endswith(".md")


def base_uri(address: str | None, page: str, known: Container[str]) -> str | None:
    """Return the page of the base that a reference of `page` means, relative to it or to the root; `known` has all."""
    path = (address or "").partition("#")[0].partition(":")[0]
    if not path.endswith(".md"):
        return None
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
    return next((uri for uri in (beside, posixpath.normpath(path)) if uri in known), None)


def _written(value: object, uri: str) -> tuple[list[Reference], tuple[Problem, ...]]:
    """Return the front matter's ``references``; anything but a CSL item is skipped with a Problem."""
    if value is None:
        return [], ()
    entries = value if isinstance(value, list) else [value]
    good = [entry for entry in entries if isinstance(entry, dict) and entry.get("id")]
    what = "`references` must be a list of CSL items, each with an `id`; see the Guide, Pages"
    is_valid = isinstance(value, list) and len(good) == len(entries)
    return [_reference(entry) for entry in good], () if is_valid else (Problem(uri, 1, "K011", what),)


def _reference(item: Item) -> Reference:
    custom = custom_of(item)
    return Reference(
        id=str(item["id"]),
        title=str(item.get("title") or item["id"]),
        url=_text(item.get("URL")),
        accessed=day_in(item.get("accessed")) or None,
        author=_names(item.get("author")),
        publisher=_text(item.get("container-title") or item.get("publisher")),
        issued=day_in(item.get("issued")) or None,
        archive=_text(item.get("archive") or item.get("archive_location")),
        quotes=_texts(custom.get("quotes")),
        fragments=_texts(custom.get("fragments")),
        file=str(custom.get("file") or ""),
        line_links=tuple(line_links(item)),
    )


def _texts(texts: object) -> tuple[tuple[str, str], ...]:
    return tuple((str(key), str(text)) for key, text in texts.items()) if isinstance(texts, dict) else ()


def _text(value: object) -> str | None:
    return str(value) if value else None


_ORIGIN = ("sha256", "file", "lines", "permalink", "repository", "path", "commit")


def reference_sha256(reference: Reference, item: Item | None) -> str:
    """Return the SHA-256 of everything that `planbook verify` compares with a source; `item` is from the front matter.

    Title, author and dates make no difference, nor do other references and the text of the page.
    """
    custom = custom_of(item or {})
    origin = [str(custom.get(key) or "") for key in _ORIGIN]
    checked = reference.id, reference.url, reference.quotes, reference.fragments, origin
    return hashlib.sha256(ascii(checked).encode()).hexdigest()


def items_by_id(meta: Mapping[str, Any]) -> dict[str, Item]:
    """Return the CSL items of a page's front matter by id."""
    items = meta.get("references")
    every = items if isinstance(items, list) else []
    return {str(item["id"]): item for item in every if isinstance(item, dict) and item.get("id")}


_NAME_PARTS = ("given", "dropping-particle", "non-dropping-particle", "family", "suffix")


def _names(value: object) -> str | None:
    """Return CSL names as one line: ``A. Author, B. Author``; an institution is its ``literal``."""
    names = [name for name in value if isinstance(name, dict)] if isinstance(value, list) else []
    full = (name.get("literal") or " ".join(str(name[key]) for key in _NAME_PARTS if name.get(key)) for name in names)
    return ", ".join(filter(None, (str(name).strip() for name in full))) or None


def day_in(value: object) -> str:
    """Return a CSL date, or a plain one, in ISO format as far as it is known: ``2024``, ``2024-08``, ``2024-08-05``."""
    if isinstance(value, Mapping):
        parts = value.get("date-parts")
        first = parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], list) else []
        value = "-".join(str(part).zfill(2) for part in first) or value.get("raw") or value.get("literal")
    found = re.match(r"\d{4}(?:-\d{2}){0,2}(?!\d)", str(value or ""))
    return found[0] if found else ""


def csl_date(day: str) -> dict[str, list[list[int]]]:
    """Return a day, or the known parts of one, as CSL writes it: ``{date-parts: [[2024, 8, 5]]}``."""
    return {"date-parts": [[int(part) for part in day.split("-")]]}


def csl_type(url: str | None) -> str:
    """Return the CSL type of a work at an address: of a paper, by its DOI or arXiv id, of a page, or of a document."""
    paper = address_of(url or "") if is_web(url) else None
    kind = "article" if paper and "arxiv.org" in paper else "article-journal" if paper else "webpage"
    return kind if is_web(url) else "document"


def work_or_title_key(url: object, title: str) -> str:
    """Return the key of a work by its address or, without one, by its title."""
    return work_key(str(url)) if url else f"title:{title.casefold()}"


# --- add references --------------------------------------------------------------------------------------------------

_REFERENCES = re.compile(r"^references[ \t]*:[ \t]*(?P<value>[^\r\n]*)\r?$", re.MULTILINE)
_NEXT_KEY = re.compile(r"^[^\s#-]", re.MULTILINE)


def with_references(text: str, items: Sequence[Item]) -> str:
    """Return `text` with those CSL `items` in its front matter that are not there yet.

    Present items keep place, id and spelling; a work is present if an item has its address or, without one, its title.
    No byte of the body changes; a second call changes nothing.

    Raises:
        FrontMatterError: The front matter is not a YAML mapping, or its ``references`` cannot be added to.
    """
    meta, _ = split_front_matter(text)
    old = meta.get("references") or []
    if not isinstance(old, list) or not all(isinstance(item, dict) for item in old):
        raise FrontMatterError(1, "`references` is not a list of CSL items")
    new = _missing(old, items)
    if not new:
        return text
    span = front_matter_span(text)
    if meta and span is None:
        raise FrontMatterError(
            1, "the metadata at the top is not enclosed in `---`; add a line `---` above and below it"
        )
    newline = "\r\n" if "\r\n" in text.split("\n", 1)[0] + "\n" else "\n"
    if span is None:
        bom = "\ufeff" if text.startswith("\ufeff") else ""
        result = f"{bom}---{newline}{_with_items('', new, newline, has_some=False)}---{newline}{text.removeprefix(bom)}"
    else:
        head = _with_items(text[slice(*span)], new, newline, has_some=bool(old))
        result = text[: span[0]] + head + text[span[1] :]
    try:
        is_right = split_front_matter(result)[0] == {**meta, "references": [*old, *new]}
    except FrontMatterError:
        is_right = False
    if not is_right:
        how = "its `references` are in a form that cannot be extended; write them as a block list"
        raise FrontMatterError(1, how)
    return result


def references_block(items: Sequence[Item]) -> str:
    """Return ``references`` with those CSL `items`, as lines for front matter that has none; empty without items."""
    return _with_items("", _missing((), items), "\n", has_some=False) if items else ""


def _missing(old: Sequence[Item], items: Sequence[Item]) -> list[dict[str, Any]]:
    """Return the items whose work is not among the old ones, with ids that none of them has."""
    known = {work_or_title_key(item.get("URL"), str(item.get("title", ""))) for item in old}
    taken = {str(item.get("id")): 2 for item in old}
    missing = [item for item in items if work_or_title_key(item.get("URL"), str(item.get("title", ""))) not in known]
    return [{**item, "id": free_name(str(item["id"]), taken)} for item in missing]


def _with_items(head: str, new: Sequence[Item], newline: str, *, has_some: bool) -> str:
    """Return YAML with more items in its ``references``."""
    key = _REFERENCES.search(head)
    if key is None or not has_some:
        above, below = (head[: key.start()], head[key.end() :].lstrip(newline)) if key else (head, "")
        return f"{above}references:{newline}{_block_list(new, newline, '  ')}{below}"
    after = _NEXT_KEY.search(head, key.end())
    end = after.start() if after else len(head)
    dash = re.search(r"^([ \t]*)- ", head[key.end() : end], re.MULTILINE)
    above = head[:end].rstrip()
    return f"{above}{newline}{_block_list(new, newline, dash[1] if dash else '  ')}{head[len(above) :].lstrip(newline)}"


def _block_list(items: Sequence[Item], newline: str, indent: str) -> str:
    """Return the items as lines of a YAML list; dates in one line, as people write them."""
    blocks = (re.sub(r"\n(?=.)", "\n  ", yaml_lines(item, _ItemDumper).rstrip("\n")) for item in items)
    return "".join(f"{indent}{line}{newline}" for block in blocks for line in f"- {block}".split("\n"))


class _ItemDumper(yaml.SafeDumper):
    """YAML with ``accessed: {date-parts: [[2026, 11, 20]]}`` in one line."""

    def ignore_aliases(self, data: object) -> bool:
        """Write a value that items share in each of them."""
        return True


def _represent_mapping(dumper: yaml.SafeDumper, data: dict[str, Any]) -> yaml.Node:
    return dumper.represent_mapping("tag:yaml.org,2002:map", data.items(), flow_style="date-parts" in data)


_ItemDumper.add_representer(dict, _represent_mapping)


# --- citations in the text -------------------------------------------------------------------------------------------

_GROUP = re.compile(r'\[(?P<inside>-?@(?:[^\[\]"]|"(?:[^"\n]|\n(?![ \t]*\n)){0,200}"){1,1000})\](?![(\[])')
_PIECE = re.compile(r"^\s*-?@(?P<id>[A-Za-z0-9_](?:[\w:.#$%&+?~/-]*[\w/])?)\s*(?:,\s*(?P<locator>.+?))?\s*$", re.DOTALL)
MAX_HINTS = 20
"""Maximum number of unknown ids for which suggestions are computed: each is compared with all known ids."""


@dataclass(frozen=True, slots=True)
class Citation:
    """One place in a text that points to a reference."""

    reference: str
    """The reference's id."""
    locator: str | None
    """A location in the work, or the key of one of its quotes."""
    line: int
    start: int
    end: int
    """Character offsets of its group."""


QUOTE_KEY = re.compile(r"q\d+")
"""The locator of a citation that names a quote."""


def find_citations(text: str) -> tuple[Citation, ...]:
    """Return the citations in a page's body, in order; invalid groups (``[@ me]``) are skipped."""
    if "[@" not in text and "[-@" not in text:
        return ()
    code = code_ranges(text)
    code_starts = [start for start, _ in code]
    line, at = 1, 0
    found: list[Citation] = []
    for group in _GROUP.finditer(text):
        before = bisect_right(code_starts, group.start()) - 1
        if before >= 0 and group.start() < code[before][1]:
            continue
        pieces = [_PIECE.match(piece) for piece in group["inside"].split(";")]
        line, at = line + text.count("\n", at, group.start()), group.start()
        for piece in filter(None, pieces) if all(pieces) else ():
            locator = " ".join((piece["locator"] or "").split()) or None
            found.append(Citation(piece["id"], locator, line, *group.span()))
    return tuple(found)


def check_citations(
    citations: Sequence[Citation], references: Sequence[Reference], uri: str, skipped: int = 0
) -> tuple[Problem, ...]:
    """Return K012 for each unknown id or quote, and K013 for each reference that a citing page never cites.

    `skipped` is the number of lines above the text, in the front matter.
    """
    known = {reference.id for reference in references}
    unknown = list(dict.fromkeys(citation.reference for citation in citations if citation.reference not in known))
    hints = dict.fromkeys(unknown, "")
    for name in unknown[:MAX_HINTS]:
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        hints[name] = f"; did you mean {' or '.join(f'@{other}' for other in near)}?" if near else ""
    problems = [
        Problem(uri, c.line + skipped, "K012", f"no reference has the id @{c.reference}{hints[c.reference]}")
        for c in citations
        if c.reference in hints
    ]
    quotes = {reference.id: dict(reference.quotes) for reference in references}
    problems += [
        Problem(uri, c.line + skipped, "K012", f"@{c.reference} has no quote {c.locator}")
        for c in citations
        if QUOTE_KEY.fullmatch(c.locator or "") and c.locator not in quotes.get(c.reference, (c.locator,))
    ]
    used = {citation.reference for citation in citations}
    if citations:
        what = "is in the references but never cited in the text; cite it or remove it"
        unused = [r for r in references if r.id not in used and not r.lines]
        problems += [Problem(uri, 1, "K013", f"@{reference.id} {what}") for reference in unused]
    return tuple(problems)


def numbered(references: Sequence[Reference], citations: Sequence[Citation]) -> dict[str, int]:
    """Return each reference's number: cited ones in order of first use, then the rest in their own order."""
    known = {reference.id for reference in references}
    order = dict.fromkeys([c.reference for c in citations if c.reference in known])
    order |= dict.fromkeys(reference.id for reference in references)
    return {name: n for n, name in enumerate(order, 1)}


def with_links(text: str, citations: Sequence[Citation], references: Sequence[Reference]) -> str:
    """Return `text` with each citation as a link to its quote or entry; an unknown one is shown as it was written."""
    by_id = {reference.id: reference for reference in references}
    numbers, places = numbered(references, citations), count(1)
    return with_shown(text, citations, lambda group: _numbers(group, by_id, numbers, places))


def with_shown(text: str, citations: Iterable[Citation], show: Callable[[Sequence[Citation]], str]) -> str:
    """Return `text` with the citations between two brackets, in order, replaced by what `show` returns for them."""
    groups = (list(group) for _, group in groupby(citations, key=lambda c: (c.start, c.end)))
    return edited(text, ((group[0].start, group[0].end, show(group)) for group in groups))


def quote_of(reference: Reference, citation: Citation) -> str | None:
    """Return the quote that a citation's locator names, if any."""
    return dict(reference.quotes).get(citation.locator or "")


def cite_anchor(n: int) -> str:
    """Return the HTML id of the `n`-th citation of a known work on its page, counted from 1; no heading has it."""
    return f"c.{n}"


def quote_anchor(work: int, key: str) -> str:
    """Return the HTML id of a quote in the References section; `work` is its reference's number on the page."""
    return f"r{work}.{key}"


def _numbers(
    group: Sequence[Citation], by_id: dict[str, Reference], numbers: dict[str, int], places: Iterator[int]
) -> str:
    links = []
    for citation in group:
        reference = by_id.get(citation.reference)
        if reference is None:
            links.append(f'<span class="pb-cite-unknown">&#91;{_safe(f"@{citation.reference}?")}&#93;</span>')
            continue
        number, locator = numbers[reference.id], citation.locator or ""
        target = quote_anchor(number, locator) if quote_of(reference, citation) else f"ref-{reference.id}"
        anchor, shown = cite_anchor(next(places)), rf"\[{number}\]"
        links.append(f'<a id="{anchor}" href="#{_safe(target)}">{shown}</a>')
    return "".join(links)


def _safe(text: str) -> str:
    """Return `text` escaped and on one line, for an attribute or element within Markdown."""
    return inline_text(" ".join(text.split()))
