"""Quicker functions for Python-Markdown and Pygments, and the replacement of theirs.

Each gives what the function that it replaces gives, in the versions of :data:`internals.TESTED`. Nothing but
:func:`internals.quicken` imports this module, and only with these versions: others may lack what is replaced.
"""

from __future__ import annotations

import collections
import functools
import importlib
import re
import types
from collections.abc import Callable, Iterable, Iterator
from html import escape
from typing import Any
from xml.etree.ElementTree import Element

import markdown
import mkdocs.structure.pages
from markdown import inlinepatterns, util
from markdown.blockparser import BlockParser
from markdown.extensions import toc
from markdown.postprocessors import RawHtmlPostprocessor
from markdown.preprocessors import NormalizeWhitespace
from markdown.treeprocessors import InlineProcessor, UnescapeTreeprocessor
from markdown.util import STX, AtomicString
from pygments.formatters.html import HtmlFormatter
from pygments.lexer import RegexLexer
from pygments.token import Error, Whitespace, _TokenType
from pygments.util import html_escape
from pymdownx import highlight

from planbook_speed.internals import OWN, PURE

PARSER: Any = importlib.import_module("re._parser")
COMPILER: Any = importlib.import_module("re._compiler")
ANY = 128
"""In place of a character: one that is not ASCII, or none."""
CHARACTERS = frozenset(range(ANY + 1))


REPLACEMENTS: list[tuple[Any, str, Any]] = []
"""Objects of other packages, the name of a function in each, and the quicker one of ours."""


def instead_of(owner: Any, name: str) -> Callable[[Any], Any]:
    """Return a decorator for a function that does the same as another one, which becomes its attribute `old`."""

    def register(function: Any) -> Any:
        function.old = getattr(owner, name)
        REPLACEMENTS.append((owner, name, function))
        return function

    return register


def install() -> None:
    """Replace the functions for the rest of this process."""
    for owner, name, function in REPLACEMENTS:
        setattr(owner, name, function)


KNOWN = "_planbook_speed"
"""The attribute in which objects of the engine keep what is derived from them."""


# Code: pymdownx looks for each block's lexer by its name among 600, and creates a formatter, which computes an unused
# style sheet from a few options, and passes each line through five generators. A lexer tries all rules of its state at
# each position; most cannot match there because of the next character.


LEXERS: dict[str, Callable[..., Any]] = {}
FORMATTERS: dict[tuple[Any, ...], dict[str, Any]] = {}
EMPTY_SPAN = re.compile(r'<span class="[^"]*"></span>')


@instead_of(highlight, "get_lexer_by_name")
def find_lexer(name: str, **options: Any) -> Any:
    """Return a new lexer."""
    if name not in LEXERS:
        LEXERS[name] = type(find_lexer.old(name, **options))
    return LEXERS[name](**options)


@instead_of(highlight.BlockHtmlFormatter, "__init__")
def create_formatter(self: Any, **options: Any) -> None:
    """Set the options, and once for all formatters with the same ones what is derived from them."""
    own = {name: html_escape(options.pop(name, "")) for name in ("filename", "lineanchors", "linespans")}
    options["hl_lines"] = tuple(options.get("hl_lines", ()))
    key = (type(self), *options.items())
    if key not in FORMATTERS:
        create_formatter.old(self, **options)
        FORMATTERS[key] = dict(vars(self))
    vars(self).update(FORMATTERS[key] | own)


@instead_of(HtmlFormatter, "_format_lines")
def format_tokens(self: Any, tokens: Any) -> Iterator[tuple[int, str]]:
    """Yield 1 and the HTML of all lines, or of each one if they differ in more than their tokens."""
    by_line = self.linenos or self.hl_lines or self.lineanchors or self.linespans or self.lineseparator != "\n"
    if by_line or self.noclasses or self.tagsfile or self.debug_token_types:
        yield from format_tokens.old(self, tokens)
        return
    parts, openers, opened, end = list[str](), self.span_element_openers, None, ""
    for kind, code in tokens:
        if (opener := openers.get(kind)) is None:
            names = self._get_css_classes(kind)
            opener = openers[kind] = f'<span class="{names}">' if names else ""
        html = escape(code, quote=False) if "&" in code or "<" in code or ">" in code else code
        if opener and "\n" in code:
            html = html.replace("\n", f"</span>\n{opener}")
        if opener == opened:
            parts.append(html)
        elif code:
            parts += (end, opener, html)
            opened, end = opener, opener and "</span>"
    html = EMPTY_SPAN.sub("", "".join((*parts, end)))
    yield 1, html if html.endswith("\n") else html and f"{html}\n"


@instead_of(RegexLexer, "get_tokens_unprocessed")
def read_code(self: Any, text: str, stack: Iterable[str] = ("root",)) -> Iterator[Any]:
    """Yield the position, the type and the text of each token, with fewer attempts to match."""
    if vars(type(self)).get("_tokens") is not self._tokens:
        yield from read_code.old(self, text, stack)  # the rules are those of one instance
        return
    lexer: Any = type(self)
    states, position, end = list(stack), 0, len(text)
    rules = _rules(lexer, states[-1])
    while True:
        for match, action, moves in rules.get(text[position : position + 1]) or rules[""]:
            if not (found := match(text, position)):
                continue
            if type(action) is _TokenType:
                yield position, action, found.group()
            elif action is not None:
                yield from action(self, found)
            position = found.end()
            if moves:
                _move(states, moves)
                rules = _rules(lexer, states[-1])
            break
        else:
            if position >= end:
                return
            is_line_end = text[position] == "\n"
            yield position, Whitespace if is_line_end else Error, text[position]
            position += 1
            if is_line_end:
                states = ["root"]
                rules = _rules(lexer, "root")


def _move(states: list[str], moves: tuple[str, ...]) -> None:
    """Change a lexer's stack of states."""
    for move in moves:
        if move != "#pop":
            states.append(states[-1] if move == "#push" else move)
        elif len(states) > 1:
            states.pop()


@functools.cache
def _rules(lexer: Any, state: str) -> dict[str, list[tuple[Any, Any, tuple[str, ...]]]]:
    """Return the rules of a lexer's state that can match before each ASCII character, and before others at ""."""
    every = []
    for match, action, moves in lexer._tokens[state]:
        pattern = getattr(match, "__self__", None)
        starts = first_characters(pattern) if isinstance(pattern, re.Pattern) else CHARACTERS
        steps = ("#pop",) * -moves if isinstance(moves, int) else (moves,) if isinstance(moves, str) else moves or ()
        every.append((starts, (match, action, steps)))
    return {
        "" if number == ANY else chr(number): [rule for starts, rule in every if number in starts]
        for number in range(ANY + 1)
    }


@functools.cache
def first_characters(pattern: re.Pattern[str]) -> frozenset[int]:
    """Return the characters that all that `pattern` matches may begin with, or stand before; `ANY` if not in ASCII."""
    found, may_be_empty = _first(PARSER.parse(pattern.pattern, pattern.flags))
    return CHARACTERS if may_be_empty else found


def _first(tokens: Any) -> tuple[frozenset[int], bool]:
    """Return the characters that a parsed pattern can begin with, and whether it can match the empty text."""
    found: frozenset[int] = frozenset()
    for kind, value in tokens:
        least, options = 1, [value]
        match str(kind), value:
            case (("LITERAL" | "NOT_LITERAL" | "IN" | "ANY"), _):
                one = COMPILER.compile(PARSER.SubPattern(tokens.state, [(kind, value)]), tokens.state.flags)
                members = [(str(of), part) for of, part in (value if str(kind) == "IN" else [(kind, value)])]
                is_ascii = not tokens.state.flags & re.IGNORECASE and all(
                    (of == "LITERAL" and part < ANY) or (of == "RANGE" and part[1] < ANY) for of, part in members
                )
                others = frozenset() if is_ascii else frozenset({ANY})
                return found | others | {number for number in range(ANY) if one.match(chr(number))}, False
            case (("AT" | "ASSERT" | "ASSERT_NOT"), _):
                continue
            case "SUBPATTERN", (_, 0, 0, inner):  # no flags of its own
                options = [inner]
            case "BRANCH", (_, inner):
                options = inner
            case (("MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT"), (least, _, inner)):
                options = [inner]
            case "ATOMIC_GROUP", _:
                pass
            case _:
                return CHARACTERS, True
        firsts = list(map(_first, options))
        found = found.union(*(first for first, _ in firsts))
        if least and not any(may_be_empty for _, may_be_empty in firsts):
            return found, False
    return found, True


# The engine of a page: MkDocs creates one for each.


IDLE: list[Any] = []
"""The last page's engine."""


def engine_with(**options: Any) -> Any:
    """Return the last page's engine if its options are the same and its extensions keep nothing of a page."""
    if IDLE and getattr(found := IDLE.pop(), KNOWN) == options:
        return found.reset()
    made = markdown.Markdown(**options)
    if {*map(str, options["extensions"])} <= PURE | OWN and "UNIQUE_IDS" not in str(options):
        setattr(made, KNOWN, options)
    return made


REPLACEMENTS.append((mkdocs.structure.pages, "markdown", types.SimpleNamespace(Markdown=engine_with)))


@instead_of(markdown.Markdown, "convert")
def convert(self: Any, source: str) -> str:
    """Return the HTML, and let go of the tree, which only a search for garbage would free."""
    self.is_block_level = functools.cache(functools.partial(type(self).is_block_level, self))
    vars(self.parser.blockprocessors).pop(KNOWN, None)
    html: str = convert.old(self, source)
    self.parser.root = None
    if hasattr(self, KNOWN):
        IDLE[:] = [self]
    return html


@instead_of(NormalizeWhitespace, "run")
def normalize(self: Any, lines: list[str]) -> list[str]:
    """Return the lines; few texts have blank lines with spaces."""
    text = "\n".join(lines).replace(STX, "").replace(util.ETX, "").replace("\r\n", "\n").replace("\r", "\n")
    text = f"{text}\n\n".expandtabs(self.md.tab_length)
    return (re.sub(r"(?<=\n) +\n", "\n", text) if " \n" in text else text).split("\n")


# Blocks: each processor is asked about every one, and most are plain.


PLAIN_BLOCK = re.compile(
    r"(?=([^\W\d_])|)(?! )"
    r"(?>[ ]*(?:[\w(\"'`]|[^\0-\x7f]|\*(?!\[)|[-+](?= ))[^\n]*?[^\W\d_][^\n]*(?:\n|\Z))++"
    r"|(#)[^\n]*|(\x02wzxhzdk:[0-9]+\x03)|()"
)
"""Lines of text or of a list, each with a letter: none begins or underlines another kind of block.

The first group is a letter that such text begins with. Or one heading, the placeholder of code or HTML, or nothing.
"""
LISTS = frozenset({"OListProcessor", "UListProcessor", "SaneOListProcessor", "SaneUListProcessor"})
SIGNS = {
    **{"HashHeaderProcessor": "#", "SaneHeadersProcessor": "#", "BlockQuoteProcessor": ">", "QuotesProcessor": ">"},
    **{"TableProcessor": "|", "MarkdownInHtmlProcessor": STX, "DefListProcessor": ":", "FootnoteBlockProcessor": "["},
    **{"AdmonitionProcessor": "!!!", "DetailsProcessor": "???", "TabbedProcessor": "==="},
}
"""The text that each block of a processor contains. Those with three signs go on after a block of theirs, too."""
NOT_PLAIN = frozenset(
    {*SIGNS, *("AbbrBlockprocessor", "CodeBlockProcessor", "DefListIndentProcessor", "EmptyBlockProcessor")}
    | {*("HRProcessor", "ListIndentProcessor", "ReferenceProcessor", "SetextHeaderProcessor")}
    | {"SuperFencesCodeBlockProcessor"}
)
"""Processors that do nothing with such a block, except for three with a heading, a placeholder and nothing."""


@instead_of(BlockParser, "parseBlocks")
def parse_blocks(self: Any, parent: Any, blocks: list[str]) -> None:
    """Add the blocks to `parent`."""
    registry = self.blockprocessors
    if KNOWN not in vars(registry):
        of_engine = ("markdown.", "pymdownx.")
        names = {item: type(item).__qualname__ * type(item).__module__.startswith(of_engine) for item in registry}
        others = ({"HashHeaderProcessor", "SaneHeadersProcessor"}, {"MarkdownInHtmlProcessor"}, {"EmptyBlockProcessor"})
        is_known = self.md.tab_length > 0 and {*names.values()} <= {*LISTS, *NOT_PLAIN, "ParagraphProcessor"}
        left_out = [frozenset(), NOT_PLAIN, NOT_PLAIN | LISTS, *(NOT_PLAIN - more for more in others)]
        lists = [[(item, SIGNS.get(names[item], "")) for item in names if names[item] not in out] for out in left_out]
        lists.append([(item, sign * (len(sign) == 1)) for item, sign in lists[0]])
        setattr(registry, KNOWN, lists if is_known else [[(item, "") for item in names]] * len(lists))
    lists = getattr(registry, KNOWN)
    while blocks:
        match = PLAIN_BLOCK.fullmatch(block := blocks[0])
        goes_on = match is None and block[0] == " " and len(parent) > 0 and parent[-1].tag in {"div", "details"}
        for processor, sign in lists[1 + (match.lastindex or 0) if match is not None else -goes_on]:
            if sign in block and processor.test(parent, block) and processor.run(parent, blocks) is not False:
                break


# Text: every piece is searched for each pattern, and most hold no character that one begins with.


ENGINE: Any = InlineProcessor
apply_pattern, place_nodes = ENGINE._InlineProcessor__applyPattern, ENGINE._InlineProcessor__processPlaceholders


def _patterns(self: Any) -> Any:
    """Return the patterns to try for a text with given signs, a search for them all, and one for any of them."""
    if KNOWN not in vars(self):
        line_break, every = inlinepatterns.LINE_BREAK_RE, [item.getCompiledRegExp() for item in self.inlinePatterns]
        starts = [{ord("\n")} if item.pattern == line_break else first_characters(item) for item in every]
        signs = [frozenset() if ANY in found else frozenset(map(chr, found)) for found in starts]
        find = re.compile(f"[{re.escape(''.join({STX}.union(*signs)))}]")
        of_placeholder = {*util.INLINE_PLACEHOLDER, *"0123456789"}

        @functools.cache
        def to_try(found: frozenset[str]) -> list[Any]:
            found |= of_placeholder
            return [
                (n, self.inlinePatterns[n]) for n, sign in enumerate(signs) if not (sign and sign.isdisjoint(found))
            ]

        setattr(self, KNOWN, (to_try, find.findall, find.search if all(signs) else bool))
    return getattr(self, KNOWN)


@instead_of(InlineProcessor, "_InlineProcessor__handleInline")
def handle_inline(self: Any, data: str, patternIndex: int = 0) -> str:  # noqa: N803 - a name of the engine
    """Return the text with placeholders for what the patterns match."""
    if isinstance(data, AtomicString):
        return data
    to_try, signs, _ = _patterns(self)
    for index, pattern in to_try(frozenset(signs(data))):
        start, matched = 0, index >= patternIndex
        while matched:
            data, matched, start = apply_pattern(self, pattern, data, index, start)
    return data


@instead_of(InlineProcessor, "run")
def read_texts(self: Any, tree: Any, ancestors: list[str] | None = None) -> Any:
    """Return the tree with elements for what the patterns match in its texts."""
    self.stashed_nodes = {}
    _, _, may_match = _patterns(self)
    stack = collections.deque([(tree, [*(ancestors or ()), tree.tag.lower()])])
    while stack:
        element, self.ancestors = stack.popleft()
        if element is not tree:
            self.ancestors.append(element.tag.lower())
        queue = []
        for child in element:
            text, tail = child.text, child.tail
            if text and may_match(text) and not isinstance(text, AtomicString):
                self.ancestors.append(child.tag.lower())
                child.text = None
                found = place_nodes(self, handle_inline(self, text), child)
                stack += found
                queue.append((child, found))
                self.ancestors.pop()
            if tail and may_match(tail):
                text, child.tail, holder = handle_inline(self, tail), None, Element("d")
                found = place_nodes(self, text, holder, False)
                child.tail, after = holder.tail or None, list(element).index(child) + 1
                element[after:after] = [node for node, _ in found]
            if len(child):
                stack.append((child, self.ancestors[:]))
        for child, found in queue:
            child[:0] = [node for node, _ in found]
    return tree


@instead_of(inlinepatterns.DelimiterProcessor, "handleMatch")
def pair_delimiters(self: Any, m: re.Match[str], data: str) -> Any:
    """Return the element for a delimiter; most are a pair of one or two asterisks without any others within."""
    if KNOWN not in vars(self):
        star, others = self.delimiters.get("*"), re.escape("".join(self.delimiters))
        is_known = star is not None and star.tag_count == 2 and not star.smart
        pattern = rf"(\*\*?)(?![*\s])([^{others}]*[^{others}\s])\1(?!\*)" if is_known else "(?!)"
        setattr(self, KNOWN, re.compile(pattern).match)
    if self.regions or (match := getattr(self, KNOWN)(data, m.start())) is None:
        return pair_delimiters.old(self, m, data)
    element = Element(self.delimiters["*"].tags[len(match[1]) == 1])
    element.text = match[2]
    return element, *match.span()


# Trees: walks through all elements for what few have.


@instead_of(UnescapeTreeprocessor, "run")
def unescape(self: Any, root: Any) -> None:
    """Restore escaped characters."""
    for element in root.iter():
        if (text := element.text) and STX in text and element.tag != "code":
            element.text = self.unescape(text)
        if (tail := element.tail) and STX in tail:
            element.tail = self.unescape(tail)


@instead_of(toc.TocTreeprocessor, "run")
def read_headings(self: Any, doc: Any) -> None:
    """Read the headings; the engine looks at all elements twice."""
    found = [e for e in doc.iter() if e.get("id") or (isinstance(e.tag, str) and e.tag[:1] in {"h", "H"})]
    read_headings.old(self, types.SimpleNamespace(iter=lambda: found, root=doc))


@instead_of(toc, "render_inner_html")
def render_heading(el: Any, md: markdown.Markdown) -> str:
    """Return the HTML within an element; most are plain text."""
    is_plain = hasattr(md, KNOWN) and el.text and not len(el) and not re.search("[&<>\x02]", el.text)
    return str(el.text.strip() if is_plain else render_heading.old(el, md))


@instead_of(toc.TocTreeprocessor, "build_toc_div")
def build_toc_later(self: Any, toc_list: Any) -> Any:
    """Return an empty element in place of the table of contents, which few pages show."""
    setattr(self, KNOWN, toc_list)
    return Element("div")


@instead_of(toc.TocTreeprocessor, "replace_marker")
def replace_marker(self: Any, root: Any, _: Any) -> None:
    """Put the table of contents in place of the marker; the engine joins the text in each element."""
    if self.marker in "".join(root.root.itertext()):
        replace_marker.old(self, root.root, build_toc_later.old(self, getattr(self, KNOWN)))


@instead_of(RawHtmlPostprocessor, "run")
def restore_html(self: Any, text: str) -> str:
    """Return the text with HTML in place of its placeholders; the pattern begins with its rarest character."""
    parts, end = list[str](), 0
    for match in util.HTML_PLACEHOLDER_RE.finditer(text):
        (start, stop), number = match.span(), int(match[1])
        if number >= self.md.htmlStash.html_counter:
            continue
        html = self.stash_to_string(self.md.htmlStash.rawHtmlBlocks[number])
        if text.startswith("</p>", stop) and text.endswith("<p>", end, start):
            start, stop = start - 3, stop + 4
            html = html if self.isblocklevel(html) else f"<p>{html}</p>"
        parts += (text[end:start], restore_html(self, html) if STX in html else html)
        end = stop
    return "".join((*parts, text[end:]))
