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
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import Any
from urllib.parse import quote as percent_encoded

import yaml

from planbook.citations.dates import read_date
from planbook.citations.fields import check_items
from planbook.citations.identifiers import address_of, custom_of, free_name, is_web, line_links, work_key
from planbook.citations.mentions import find_references
from planbook.citations.rich_text import without_tags
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
    its citations. Lines are 1-based in the file. Ids are unique. Problems are K010 for search pages, those of
    `check_items`, and those of `check_citations`.

    On a page that a program ``generated``, only front matter counts: its text quotes other works, whose citations are
    not the page's.
    """
    document = read_document(text)  # the page parser reports K001
    meta, body, skipped = document.meta, document.body, document.lines_above
    written = [_reference(id_, item) for id_, item in items_by_id(meta).items()]
    problems = check_items(text, meta, uri)
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
    citations = find_citations(body, {reference.id for reference in references})
    moved = tuple(replace(problem, line=problem.line + skipped) for problem in more)
    of_citations = check_citations(citations, references, uri, skipped, renamed=_renamed(meta))
    problems = (*problems, *moved, *of_citations)
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


def _reference(id_: str, item: Item) -> Reference:
    custom, issued = custom_of(item), read_date(item.get("issued"))
    title = without_tags(" ".join(str(item.get("title") or id_).split()))
    return Reference(
        id=id_,
        title=title,
        url=_text(item.get("URL")),
        accessed=day_in(item.get("accessed")) or None,
        author=_names(item.get("author")),
        publisher=_plain(item.get("container-title") or item.get("publisher")),
        issued=str(issued) if issued else None,
        archive=_text(item.get("archive") or item.get("archive_location")),
        quotes=_quotes(custom.get("quotes")),
        fragments=_texts(custom.get("fragments")),
        file=str(custom.get("file") or ""),
        line_links=tuple(line_links(item)),
        cited_as=_cited_as(item, title),
    )


def _texts(texts: object) -> tuple[tuple[str, str], ...]:
    return tuple((str(key), str(text)) for key, text in texts.items()) if isinstance(texts, dict) else ()


def _quotes(written: object) -> tuple[tuple[str, str], ...]:
    """Return the quotes of an item by key; those of a list, or a single one, are ``q1``, ``q2``, ..."""
    if isinstance(written, dict):
        return tuple((str(key), str(text)) for key, text in written.items() if text is not None)
    listed = written if isinstance(written, list) else [written] if written else []
    return tuple((f"q{n}", str(text)) for n, text in enumerate(listed, 1) if text is not None)


def _text(value: object) -> str | None:
    return str(value) if value else None


def _plain(value: object) -> str | None:
    text = _text(value)
    return without_tags(text) if text else None


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
    """Return the CSL items of a page's front matter by id, in order.

    If several have one id, it is that of the first; each other one gets a free id, such as ``rye-2``.
    """
    listed = meta.get("references")
    every = listed if isinstance(listed, list) else [listed]
    named = [(str(item["id"]), item) for item in every if isinstance(item, dict) and has_id(item)]
    taken = dict.fromkeys((name for name, _ in named), 2)
    found: dict[str, Item] = {}
    for name, item in named:
        found[free_name(name, taken) if name in found else name] = item
    return found


def _renamed(meta: Mapping[str, Any]) -> frozenset[str]:
    """Return the ids that items got because theirs was taken."""
    return frozenset(id_ for id_, item in items_by_id(meta).items() if id_ != str(item["id"]))


def has_id(item: Item) -> bool:
    """Return True if a CSL item has an id: a text or a number."""
    return isinstance(item.get("id"), str | int) and not isinstance(item["id"], bool) and bool(str(item["id"]).strip())


_NAME_PARTS = ("given", "dropping-particle", "non-dropping-particle", "family")


def name_list(value: object) -> list[Mapping[str, Any]]:
    """Return CSL names, each as a mapping: a text is a ``literal``, and one name may stand without a list."""
    listed = value if isinstance(value, list) else [value]
    names = ({"literal": name} if isinstance(name, str | int | float) else name for name in listed)
    return [name for name in names if isinstance(name, Mapping)]


def _names(value: object) -> str | None:
    """Return CSL names as one line: ``A. Author, B. Author Jr.``; an institution is its ``literal``."""
    full = (_full_name(name) for name in name_list(value))
    return ", ".join(filter(None, full)) or None


def _full_name(name: Mapping[str, Any]) -> str:
    if name.get("literal"):
        return " ".join(str(name["literal"]).split())
    words = " ".join(str(name[key]) for key in _NAME_PARTS if name.get(key))
    suffix = str(name.get("suffix") or "")
    joint = ", " if name.get("comma-suffix") else " "
    return " ".join(f"{words}{joint if words and suffix else ''}{suffix}".split())


def _cited_as(item: Item, title: str) -> str:
    """Return the words for a work in a sentence: ``Doe``, ``Doe and Lee``, ``Doe et al.``, else its title."""
    names = name_list(item.get("author")) or name_list(item.get("editor"))
    short = [" ".join(str(name.get("literal") or _family_name(name)).split()) for name in names]
    short = [name for name in short if name]
    if not short:
        return f"“{title}”"
    if len(short) > MAX_NAMES:
        return f"{short[0]} et al."
    return " and ".join([", ".join(short[:-1]), short[-1]] if len(short) > 1 else short)


def _family_name(name: Mapping[str, Any]) -> str:
    parts = [name.get(key) for key in ("non-dropping-particle", "family")]
    return " ".join(str(part) for part in parts if part) or str(name.get("given") or "")


def day_in(value: object) -> str:
    """Return a CSL date, or a plain one, in ISO format as far as it is known: ``2024``, ``2024-08``, ``2024-08-05``.

    It is the first of a range, and empty for other dates. Of a text that begins with a date, that date is returned.
    """
    found = read_date(value)
    if found and not found.dates and (begin := _ISO_DATE.match(found.literal)):
        found = read_date(begin[0])
    return found.iso if found else ""


_ISO_DATE = re.compile(r"\d{4}(?:-\d{2}){0,2}(?!\d)")


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
    known = {_item_key(item) for item in old}
    taken = {str(item.get("id")): 2 for item in old}
    missing = [item for item in items if _item_key(item) not in known]
    return [{**item, "id": free_name(str(item["id"]), taken)} for item in missing]


def _item_key(item: Item) -> str:
    return work_or_title_key(item.get("URL"), without_tags(" ".join(str(item.get("title", "")).split())))


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

_QUOTED = r'"(?:[^"\n]|\n(?![ \t]*\n)){0,200}"'
_ID = r"(?:\{(?P<braced>[^\s{}\[\]]{1,200})\}|(?P<id>[A-Za-z0-9_](?:[\w:.#$%&+?~/-]*[\w/])?))"
"""The id of a work, as Pandoc reads it (https://pandoc.org/MANUAL.html#citation-syntax)."""
_GROUP = re.compile(rf'\[(?P<inside>(?:[^\[\]"]|{_QUOTED}){{1,1000}})\](?![(\[])')
_PIECE = re.compile(
    rf"(?P<prefix>(?:(?!(?<![\w@])-?@[\w{{])[^\n])*?)(?<![\w@])-?@{_ID}(?:(?P<comma>\s*,)|\s+(?=\S)|$)(?P<locator>.*)",
    re.DOTALL,
)
"""A part of a group: words, an id, and a locator."""
_IN_TEXT = re.compile(
    rf"(?<![\w@.\-/\[:;\\])(?P<no_author>-)?@{_ID}(?:[ ]?\[(?P<locator>[^\[\]@^\n][^\[\]@\n]{{0,200}})\](?![(\[:]))?"
)
"""A work named in a sentence: ``@rye``, ``@rye [p. 3]``; ``-@rye`` if its author is in the sentence already."""
_NO_TEXT = re.compile(r"<[A-Za-z/!][^<>]{0,1000}>|\[[^\[\]]{0,1000}\](?=[(\[])|\]\([^()\s]{0,1000}\)")
"""Tags, and links with their addresses: no work is named in them."""
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
    prefix: str = ""
    """The words before it in its group, such as ``see``."""
    is_in_text: bool = False
    """True if it is not in brackets: a sentence names the work."""


MAX_NAMES = 3
"""Maximum number of names for a work in a sentence."""
QUOTE_KEY = re.compile(r"q\d+")
"""The locator of a citation that names a quote."""
_LIKE = 0.6
"""Minimum likeness of an unknown id to a known one for a group in a form that other texts have, too."""


def find_citations(text: str, ids: Collection[str] = ()) -> tuple[Citation, ...]:
    """Return the citations in a page's body, in order.

    ``[@rye]``, ``[@rye, p. 3; @oats]`` and ``[-@rye]`` are citations whatever they name.
    ``[see @rye]``, ``[@rye p. 3]`` and, without brackets, ``@rye`` and ``@rye [p. 3]`` are
    citations if they name one of the `ids`; groups also if an id is like one of them. Other text
    with ``@`` is none.
    """
    if "@" not in text:
        return ()
    code = code_ranges(text)
    code_starts = [start for start, _ in code]

    def is_code(place: int) -> bool:
        before = bisect_right(code_starts, place) - 1
        return before >= 0 and place < code[before][1]

    found = [c for group in _GROUP.finditer(text) if "@" in group["inside"] for c in _citations_of(group, ids)]
    taken = {(citation.start, citation.end) for citation in found}
    if ids:
        found += _named_in_text(text, ids, taken)
    found = sorted((c for c in found if not is_code(c.start)), key=lambda citation: citation.start)
    line, at, numbered_citations = 1, 0, list[Citation]()
    for citation in found:
        line, at = line + text.count("\n", at, citation.start), citation.start
        numbered_citations.append(replace(citation, line=line))
    return tuple(numbered_citations)


def _citations_of(group: re.Match[str], ids: Collection[str]) -> list[Citation]:
    """Return the citations in a bracket, without their lines; none if it is not a group of citations."""
    pieces = [_PIECE.fullmatch(piece.strip()) for piece in group["inside"].split(";")]
    if not all(pieces):
        return []
    found = []
    is_plain = True
    for piece in filter(None, pieces):
        locator = " ".join(piece["locator"].split()) or None
        prefix = " ".join(piece["prefix"].split())
        name = piece["id"] or piece["braced"]
        is_plain = is_plain and not (prefix or piece["braced"]) and bool(piece["comma"] or not locator)
        found.append(Citation(name, locator, 0, *group.span(), prefix))
    if is_plain or any(c.reference in ids for c in found):
        return found
    is_like = any(difflib.get_close_matches(c.reference, ids, 1, _LIKE) for c in found) if ids else False
    return found if is_like else []


def _named_in_text(text: str, ids: Collection[str], groups: Container[tuple[int, int]]) -> Iterator[Citation]:
    """Yield the citations outside brackets, without their lines."""
    names = list(_IN_TEXT.finditer(text))
    if not any((name["id"] or name["braced"]) in ids for name in names):
        return
    brackets = (bracket.span() for bracket in _GROUP.finditer(text))
    excluded = sorted([*(span for span in brackets if span in groups), *(no.span() for no in _NO_TEXT.finditer(text))])
    ends = list(accumulate((end for _, end in excluded), max))
    for name in names:
        id_ = name["id"] or name["braced"]
        before = bisect_right(excluded, (name.start(), len(text))) - 1
        if id_ in ids and (before < 0 or ends[before] <= name.start()):
            locator = " ".join((name["locator"] or "").split()) or None
            yield Citation(id_, locator, 0, *name.span(), is_in_text=not name["no_author"])


def check_citations(
    citations: Sequence[Citation],
    references: Sequence[Reference],
    uri: str,
    skipped: int = 0,
    *,
    renamed: Container[str] = (),
) -> tuple[Problem, ...]:
    """Return K012 for each unknown id or quote, and K013 for each reference that a citing page never cites.

    `skipped` is the number of lines above the text, in the front matter. The ids in `renamed` cannot be cited.
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
        unused = [r for r in references if r.id not in used and r.id not in renamed and not r.lines]
        problems += [Problem(uri, 1, "K013", f"@{reference.id} {what}") for reference in unused]
    return tuple(problems)


def numbered(references: Sequence[Reference], citations: Sequence[Citation]) -> dict[str, int]:
    """Return each reference's number: cited ones in order of first use, then the rest in their own order."""
    known = {reference.id for reference in references}
    order = dict.fromkeys([c.reference for c in citations if c.reference in known])
    order |= dict.fromkeys(reference.id for reference in references)
    return {name: n for n, name in enumerate(order, 1)}


def with_links(text: str, citations: Sequence[Citation], references: Sequence[Reference]) -> str:
    """Return `text` with each group of citations as one marker, which leads to its quotes or entries.

    Citations of one work in a group share a link. An unknown one is shown as it was written.
    """
    by_id = {reference.id: reference for reference in references}
    numbers, places = numbered(references, citations), iter(marker_places(citations, by_id))
    return with_shown(text, citations, lambda group: _marker(group, by_id, numbers, places))


def joined_groups(text: str, citations: Sequence[Citation]) -> tuple[Citation, ...]:
    """Return the citations with brackets that follow each other, such as ``[@rye] [@oats]``, as one group."""
    joined: list[list[Citation]] = []
    for citation in citations:
        before = joined[-1][-1] if joined else None
        can_join = before is not None and not (before.is_in_text or citation.is_in_text)
        if before and can_join and not text[before.end : citation.start].strip(" "):
            joined[-1].append(citation)
        else:
            joined.append([citation])
    return tuple(replace(one, start=group[0].start, end=group[-1].end) for group in joined for one in group)


def marker_places(citations: Iterable[Citation], known: Container[str]) -> list[int]:
    """Return for each citation of a known work the number of the link that stands for it.

    Citations are counted from 1. Those of one work in one group have the number of the first, unless words stand
    before them.
    """
    first: dict[tuple[int, int, str], int] = {}
    places = []
    for n, citation in enumerate((c for c in citations if c.reference in known), 1):
        is_alone = bool(citation.prefix) or citation.is_in_text
        own = (citation.start, citation.end, citation.reference)
        places.append(n if is_alone else first.setdefault(own, n))
    return places


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


@dataclass(slots=True)
class _Link:
    """A link of a marker: to a work, or to its quotes."""

    place: int
    number: int
    targets: list[str]
    prefix: str = ""
    name: str = ""
    """The work's name in a sentence."""

    def html(self, text: str) -> str:
        """Return the link with this text; scripts show all of its targets."""
        first, *others = dict.fromkeys(self.targets)
        listed = " ".join(percent_encoded(other, safe=".") for other in others)
        also = f' data-also="{_safe(listed)}"' if others else ""
        return f'<a id="{cite_anchor(self.place)}" href="#{_safe(first)}"{also}>{text}</a>'


def _marker(
    group: Sequence[Citation], by_id: Mapping[str, Reference], numbers: Mapping[str, int], places: Iterator[int]
) -> str:
    """Return a group as one marker: ``[5]``, or ``[5, 7]`` with a link for each work."""
    links: dict[int, _Link] = {}
    unknown = []
    for citation in group:
        reference = by_id.get(citation.reference)
        if reference is None:
            unknown.append(f'<span class="pb-cite-unknown">&#91;{_safe(f"@{citation.reference}?")}&#93;</span>')
            continue
        number, place = numbers[reference.id], next(places)
        is_quote = quote_of(reference, citation) is not None
        target = quote_anchor(number, citation.locator or "") if is_quote else f"ref-{reference.id}"
        name = (reference.cited_as or reference.title) if citation.is_in_text else ""
        links.setdefault(place, _Link(place, number, [], citation.prefix, name)).targets.append(target)
    return _shown_links(list(links.values()), unknown)


def _shown_links(links: Sequence[_Link], unknown: Sequence[str]) -> str:
    if any(link.prefix or link.name for link in links):
        words = (" ".join(filter(None, (_safe(link.prefix), _safe(link.name)))) for link in links)
        alone = [rf"\[{link.number}\]" for link in links]
        shown = [f"{said} {link.html(text)}".lstrip() for said, link, text in zip(words, links, alone, strict=True)]
        listed = "; ".join([*shown, *unknown])
        return f"({listed})" if any(link.prefix for link in links) else listed
    if len(links) > 1:
        inside = ", ".join(link.html(str(link.number)) for link in links)
        return rf'<span class="pb-cites">\[{inside}\]</span>{"".join(unknown)}'
    return "".join([*(link.html(rf"\[{link.number}\]") for link in links), *unknown])


def _safe(text: str) -> str:
    """Return `text` escaped and on one line, for an attribute or element within Markdown."""
    return inline_text(" ".join(text.split()))
