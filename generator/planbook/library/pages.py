"""Pages: text as `Page`, and back; error messages that their tables mark."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import compress, groupby
from textwrap import dedent
from typing import Any

import yaml

from planbook.citations.grounds import count_grounds
from planbook.citations.references import read_references
from planbook.citations.source_lists import lists_sources
from planbook.library.links import find_links
from planbook.library.names import title_from_path
from planbook.markdown import budgets, front_matter
from planbook.markdown.document import code_ranges, decode_file, read_document, replace_wikilinks
from planbook.markdown.plain_text import plain_text
from planbook.markdown.row_ids import row_id
from planbook.markdown.syntax import Node, syntax_tree
from planbook.model import Message, Page, PageUri, Problem

TITLE = re.compile(r"^#[ \t]+(.+)$", re.MULTILINE)


_SENTENCE = re.compile(r"^(.{20,240}?[.!?])(?:\s|$)")


_NO_PROSE = re.compile(
    r"^(?:#|[-*+] |\d+[.)] |>|\||!|<|```|~~~|---|\*\*[^*]+\*\*:?\s*$|:::|===|\?\?\?)"
)


def parse_page(text: str, uri: str) -> tuple[Page, tuple[Problem, ...]]:
    """Return the page in `text`, without references and links.

    Invalid front matter is text, and reported as K001.
    """
    document = read_document(text)
    meta, body = document.meta, document.body
    problems = (document.error.problem(uri),) if document.error else ()
    heading = TITLE.search(body, 0, _first_fence(body))
    description = meta.get("description")
    if not description:
        description = _first_sentence(body[heading.end() :] if heading else body)
    page = Page(
        uri=PageUri(uri),
        title=_title_of(meta, heading[1] if heading else "", uri),
        lines=body.strip("\n").count("\n") + 1 if body.strip() else 0,
        description=str(description),
        meta=tuple(front_matter.json_values(meta).items()),
        words=len(body.split()),
    )
    return page, problems


def _title_of(meta: Mapping[str, object], heading: str, uri: str) -> str:
    """Return a page's title: that of its front matter, its heading, or its path."""
    if meta.get("title"):
        return str(meta["title"])
    heading_text = heading.rstrip().rstrip("#").rstrip()
    if not heading_text:
        heading_text = heading[:1]  # a heading of signs alone
    plain = plain_text(replace_wikilinks(budgets.strip_budget(heading_text)))
    return plain or title_from_path(uri)


def _first_fence(body: str) -> int:
    starts = (f"\n{body}".find(f"\n{fence}") for fence in ("```", "~~~"))
    return min((start for start in starts if start >= 0), default=len(body))


def _first_sentence(body: str) -> str:
    """Return the first sentence of the first paragraph of prose, at most 240 characters."""
    for block in re.split(r"\n\s*\n", body[: min(_first_fence(body), 6_000)].strip()):
        if _NO_PROSE.match(block.strip()):
            continue
        text = " ".join(plain_text(replace_wikilinks(block)).split())
        if not text:
            continue
        sentence = _SENTENCE.match(text)
        if sentence:
            return sentence[1]
        return text if len(text) <= 240 else text[:239].rsplit(" ", 1)[0] + "…"
    return ""


def fingerprint(text: str) -> str:
    """Return the SHA-256 of a page's body and of its ``references`` and ``sources``.

    Line endings and other front matter keys make no difference: adding a tag or a review does not
    invalidate a check.
    """
    document = read_document(text)
    # Not JSON: keys may have any type, and lists may contain themselves.
    references = ascii(document.meta.get("references"))
    sources = ascii(document.meta["sources"]) if "sources" in document.meta else ""
    checked = f"{references}{sources}\n{document.body.strip()}".replace("\r\n", "\n")
    return hashlib.sha256(checked.encode("utf-8", errors="replace")).hexdigest()


def read_page(raw: bytes, uri: str, is_replaced: bool) -> tuple[Page, tuple[Problem, ...]]:
    """Return the page in a file's bytes, with references, links and Problems (K001 to K013).

    A page that the generator replaces has neither references nor links.
    """
    text, problems = decode_file(raw, uri, "K002")
    page, of_front_matter = parse_page(text, uri)
    if is_replaced:
        return page, (*problems, *of_front_matter)
    references, of_references = read_references(text, uri)
    headings = (
        node.all_text()
        for node in read_document(text).outline
        if node.level == 2 and not node.depth
    )
    titles = (budgets.strip_budget(replace_wikilinks(heading)).strip() for heading in headings)
    sections = tuple(title for title in titles if title and not lists_sources(title))
    links, messages = find_links(text), find_marked_messages(text)
    grounds = count_grounds(read_document(text).body, {reference.id for reference in references})
    page = replace(
        page,
        references=references,
        links=links,
        sections=sections,
        messages=messages,
        grounds=grounds,
    )
    return page, (*problems, *of_front_matter, *of_references)


_MESSAGES = re.compile(r"\{:?(?: *(?P<anchor>#[\w-]+))? *\.messages *\}")
"""The attributes of a column of messages, after its title."""


_MEANING = re.compile(r"\{:? *\.meaning *\}")


_ROWS = re.compile(r"^(?:[ \t]*\|.*(?:\n|\Z))+", re.MULTILINE)
"""Lines that begin with a bar; no pattern for what is in them, which would read each line anew."""


_CITATIONS_AND_ATTRIBUTES = re.compile(
    r"(?:(?<!\s)\s+)?(?:\[(?:see[^\[\]@]{0,60}\s)?-?@[^\]]{0,400}\]|\{[^{}]*\}\s*$)"
)
"""Citations, and attributes at the end."""


def find_marked_messages(text: str) -> tuple[Message, ...]:
    """Return the code in columns of tables with the class ``messages``.

    Each has its row's ``meaning``.
    """
    if ".messages" not in text:
        return ()
    document = read_document(text)
    code = code_ranges(document.body)
    messages: list[Message] = []
    for rows in _ROWS.finditer(document.body):
        mark = _MESSAGES.search(rows[0])
        if not mark:
            continue
        head = rows[0].rfind("\n", 0, mark.start()) + 1  # the rows above it are another table's
        offset, table = rows.start() + head, rows[0][head:]
        has_rows = "\n" in table.rstrip("\n")
        is_code = any(start <= offset < end for start, end in code)
        if has_rows and not is_code:
            messages += _messages_of_table(table, _section_above(document.outline, offset))
    return tuple(messages)


def _section_above(nodes: Iterable[Node], start: int) -> str:
    """Return the title of the last heading before a place in the text."""
    above = [node for node in nodes if node.level and not node.depth and node.start < start]
    if not above:
        return ""
    return _CITATIONS_AND_ATTRIBUTES.sub("", budgets.strip_budget(above[-1].all_text()))


def _messages_of_table(table: str, section: str) -> Iterator[Message]:
    """Yield the messages of a table whose head marks a column of them.

    The cells of a column of meanings say what a message means, all others what to do about it.
    """
    head, *rows = [row.children for row in syntax_tree(dedent(table)).children[0].children]
    titles = [_CITATIONS_AND_ATTRIBUTES.sub("", cell.all_text()) for cell in head]
    marks = [_MESSAGES.search(cell.all_text()) for cell in head]
    is_meaning = [bool(_MEANING.search(cell.all_text())) for cell in head]
    table_id = next((mark["anchor"] for mark in marks if mark and mark["anchor"]), "")
    texts = [""] * len(head)  # of a row, and of the one above it until they are read
    for n, row in enumerate(rows, 1):
        texts = [
            _repeat_above(_text_with_code(cell), above)
            for cell, above in zip(row, texts, strict=False)
        ]
        texts += [""] * (len(head) - len(texts))
        meanings = [cell.all_text() for cell in compress(row, is_meaning)]
        meaning = "; ".join(_CITATIONS_AND_ATTRIBUTES.sub("", text) for text in meanings)
        row_anchor = table_id and row_id(table_id, n)
        # A row may have fewer cells than the head, and Markdown drops those beyond it.
        columns = list(zip(titles, texts, is_meaning, row, strict=False))
        for mark, cell in zip(marks, row, strict=False):
            if mark:
                advice = tuple(
                    (title, text)
                    for title, text, means, column in columns
                    if column is not cell and not means and text
                )
                anchor, cell_text = mark["anchor"] or "", _text_with_code(cell)
                yield from (
                    Message(code, meaning, section, anchor, cell_text, advice, row_anchor)
                    for code in _codes_in(cell)
                )


def _codes_in(cell: Node) -> list[str]:
    """Return the code in a cell, each a message."""
    return [node.text for node in cell.descendants() if node.name == "Code"]


def _text_with_code(cell: Node) -> str:
    """Return the text of a cell, without its citations, with code between backticks.

    What ``<br>`` divides stands on lines of its own.
    """
    return _CITATIONS_AND_ATTRIBUTES.sub("", "".join(_texts_within(cell))).strip()


def _texts_within(node: Node) -> Iterator[str]:
    stack = [*reversed(node.children)]
    while stack:
        child = stack.pop()
        page, _, anchor = child.address.partition("#")
        points_to_section = child.name == "Link" and anchor and not page
        if points_to_section and _POINTER.fullmatch(child.all_text()):
            yield f"see \N{LEFT DOUBLE QUOTATION MARK}{anchor.replace('-', ' ').capitalize()}"
            yield "\N{RIGHT DOUBLE QUOTATION MARK}"
        else:
            yield _text_of_node(child)
            stack += child.children[::-1]


_POINTER = re.compile(r"(?:see )?(?:above|below|here|more|(?:the )?table)", re.IGNORECASE)
"""The text of a link that says nothing away from its table: its section is named in its place."""


_DITTO_LINE = re.compile(r"(?P<label>\w+: )?(?:as above|the same)", re.IGNORECASE)
"""A line of a cell that repeats one of the row above."""


def _repeat_above(text: str, above: str) -> str:
    """Return the text of a cell with the lines of the cell above it where it refers to them.

    A message's row is read alone, without the one above it.
    """
    lines = []
    for line in text.split("\n"):
        match = _DITTO_LINE.fullmatch(line)
        if match is None or not above:
            lines.append(line)
        elif label := match["label"]:
            same = (each for each in above.split("\n") if each.startswith(label))
            lines.append(next(same, line))
        else:
            lines.append(above)
    return "\n".join(lines)


def _text_of_node(node: Node) -> str:
    match node.name:
        case "Code":
            return f"`{node.text}`"
        case "InlineHtml":
            return "\n" if node.text else ""  # `<br>`, as other elements have no text
        case _:
            return node.text


def replace_marks(text: str) -> str:
    """Return a page for engines without attributes: with anchors in place of marks of messages."""
    anchored = _MESSAGES.sub(
        lambda mark: f'<a id="{mark["anchor"][1:]}"></a>' if mark["anchor"] else "", text
    )
    return _MEANING.sub("", anchored)


_OTHER_BREAKS = re.compile(r"[\r\x85\u2028\u2029]")


_FLOW_STYLE_KEYS = frozenset({"tags", "generated", "verified", "accessed", "issued", "lines"})
"""Keys whose lists and mappings are written on one line."""


def render_page(meta: Mapping[str, object], body: str) -> str:
    """Return a file with `meta` as its front matter, in order, followed by `body`."""
    lines = _front_matter_lines(meta) if meta else "{}\n"
    return f"---\n{lines}---\n\n{body.strip()}\n"


def _front_matter_lines(meta: Mapping[str, object]) -> str:
    """Return values as YAML; libyaml writes lines of text, which gives the same."""
    lines = ""
    for are_lines, pairs in groupby(meta.items(), lambda pair: all(map(_is_line, pair))):
        if are_lines:
            lines += front_matter.yaml_block(
                dict(pairs), front_matter.QUICK_DUMPER, yaml.SafeDumper
            )
        else:
            lines += front_matter.yaml_lines(dict(pairs), PageDumper)
    return lines


def _is_line(value: object) -> bool:
    """Return True for a number, and for a text that has no line breaks."""
    if isinstance(value, str):
        return "\n" not in value and not _OTHER_BREAKS.search(value)
    return isinstance(value, int | float)


class PageDumper(yaml.SafeDumper):
    """A YAML dumper for readable front matter: indented lists, code blocks, dates on one line."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent lists, unlike PyYAML's default."""
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: object) -> bool:
        """Disable aliases: write repeated values out in full."""
        return True

    def represent_mapping(
        self, tag: str, mapping: Any, flow_style: bool | None = None
    ) -> yaml.MappingNode:
        """Write the values of some keys on one line."""
        node = super().represent_mapping(tag, mapping, flow_style)
        for key, value in node.value:
            if isinstance(value, yaml.CollectionNode) and key.value in _FLOW_STYLE_KEYS:
                value.flow_style = True
        return node


def _represent_text(dumper: PageDumper, text: str) -> yaml.Node:
    style = None
    if _OTHER_BREAKS.search(text):
        # PyYAML treats these as line breaks, and escapes them in double quotes only.
        style = '"'
    elif "\n" in text:
        style = "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


PageDumper.add_representer(str, _represent_text)
