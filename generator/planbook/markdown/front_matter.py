"""A page's front matter, as MkDocs reads it.

MkDocs' own parser determines its extent: YAML between ``---`` and ``---`` or ``...``, or lines such
as ``Title: Tea`` at the top (MultiMarkdown metadata).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from itertools import chain
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler
from mkdocs.utils.meta import META_RE, YAML_RE, get_data

from planbook.model import Problem

MAX_FRONT_MATTER = 500_000
"""Maximum length of front matter in characters."""
MAX_DEPTH = 100
"""Maximum number of collections within one another; parsers and writers recurse into them."""
MAX_VALUES = 100_000
"""Maximum number of values, counting those of an anchor again wherever an alias repeats them."""
MAX_DIGITS = 3_000
"""Maximum length of a number. Python raises ValueError where it shows one of 4,300 digits, and
templates show every value; of hexadecimal digits, 3,572 are as many."""
YAML_ERRORS = (
    *(yaml.YAMLError, ValueError, TypeError, AttributeError),
    *(LookupError, ArithmeticError, RecursionError),
)
"""Errors of PyYAML for text that it cannot read. Its constructors raise others than YAMLError: for
example KeyError for `!!bool maybe`, IndexError for `!!int ""`, OverflowError for `1:59:…:59.5`."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAY_BE_HUGE = re.compile(rf"[0-9A-Fa-f_:]{{{MAX_DIGITS}}}")
_MAX_VALUE_CHARS = 60
"""Number of characters of a value that a message shows."""
_INTEGER = "tag:yaml.org,2002:int"
_RESOLVER = yaml.resolver.Resolver()
_MAY_BE_DEEP = re.compile(rf"^[ ?:-]{{{MAX_DEPTH // 2 - 1},}}", re.MULTILINE)
QUICK_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
"""The dumper of libyaml, which takes a fifth of the time of PyYAML's own."""
_NAME = re.compile(r"[A-Za-z][\w-]+")
_COLON_IN_VALUE = "mapping values are not allowed in this context"
"""PyYAML's message on ``q1: Note: the lid is hot``."""
_UNCLOSED_FRONT_MATTER = re.compile(r"-{3}[ \t]*\n[A-Za-z_][\w-]*:[ \t\n]")


class FrontMatterError(ValueError):
    """Front matter that is not a YAML mapping, or to which references cannot be added."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        """1-based, in the file."""
        self.reason = reason

    def problem(self, uri: str) -> Problem:
        """Return K001 for the page `uri`."""
        fix = "" if "; " in self.reason else "; see the Guide, Pages, for its form"
        defect = f"the front matter is not a YAML mapping ({self.reason}){fix}"
        return Problem(uri, self.line, "K001", defect)


def split_front_matter(text: str) -> tuple[dict[str, object], str]:
    """Return front matter and body of a page's `text`, whose line endings are line feeds.

    Raises FrontMatterError if the front matter is not a YAML mapping: MkDocs treats it as text.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not YAML_RE.match(text):
        if _UNCLOSED_FRONT_MATTER.match(text):
            raise FrontMatterError(1, "no line `---` ends it")
        body, meta = _read_lines(text) if META_RE.match(text) else (text, {})
        return (meta, body.strip()) if meta else ({}, text)
    handler = YAMLHandler(fm_boundary=YAML_RE)
    yaml_text, body = handler.split(text)
    try:
        check_yaml(yaml_text)
    except (ValueError, yaml.YAMLError) as error:
        # Nothing else may read this text: libyaml's composer recurses without a limit.
        raise _yaml_error(error, yaml_text) from error
    try:
        loaded = handler.load(yaml_text)
    except YAML_ERRORS as error:
        invalid = None if isinstance(error, yaml.YAMLError) else _invalid_value(yaml_text)
        raise invalid or _yaml_error(error, yaml_text) from error
    if loaded is None:  # only comments: MkDocs shows it as text
        return {}, text
    if not isinstance(loaded, dict):
        raise FrontMatterError(2, f"it is a {type(loaded).__name__}")
    return {str(key): value for key, value in loaded.items()}, body.strip()


def _read_lines(text: str) -> tuple[str, dict[str, object]]:
    """Return body and values as MkDocs' `get_data` does for lines of metadata.

    That is quadratic in the whole text.
    """
    end = text.find("\n\n")
    head, rest = (text, "") if end < 0 else (text[:end], text[end:])
    if len(head) > MAX_FRONT_MATTER:
        raise FrontMatterError(
            1, f"its lines of metadata have more than {MAX_FRONT_MATTER:,} characters"
        )
    body, meta = get_data(head)
    return (body + rest).lstrip("\n"), meta


def check_yaml(text: str) -> None:
    """Raise ValueError for YAML that is too long, too deep, or too large, or has a huge number.

    Its size is that with aliases expanded. Only the events of the parser are read, so that nothing
    is built or recursed into before. An alias that contains itself is a YAMLError, which has its
    line.
    """
    if len(text) > MAX_FRONT_MATTER:
        raise ValueError(f"it has more than {MAX_FRONT_MATTER:,} characters")
    has_aliases = "&" in text and "*" in text
    may_be_deep = text.count("[") + text.count("{") >= MAX_DEPTH or _MAY_BE_DEEP.search(text)
    may_be_huge = _MAY_BE_HUGE.search(text) is not None
    if not has_aliases and not may_be_deep and not may_be_huge:
        return
    sizes: dict[str | None, int] = {}
    outer_nodes: list[tuple[str | None, int]] = []
    values = 0
    for event in yaml.parse(text, _LOADER):
        if isinstance(event, yaml.AliasEvent):
            if any(name == event.anchor for name, _ in outer_nodes):
                defect = f"the alias *{event.anchor} contains itself"
                mark: Any = event.start_mark  # a class of its own for each parser
                raise yaml.MarkedYAMLError(problem=defect, problem_mark=mark)
            values += sizes.get(event.anchor, 1)
        elif isinstance(event, yaml.CollectionEndEvent):
            name, outer_anchors = outer_nodes.pop()
            if name:
                sizes[name] = values - outer_anchors
        elif isinstance(event, yaml.CollectionStartEvent):
            outer_nodes.append((event.anchor, values))
            values += 1
        elif isinstance(event, yaml.ScalarEvent):
            values += 1
            _check_number(event)
        if len(outer_nodes) > MAX_DEPTH:
            raise ValueError(f"it nests deeper than {MAX_DEPTH} levels")
        if values > MAX_VALUES:
            raise ValueError("it has too many values")


def _check_number(scalar: yaml.ScalarEvent) -> None:
    """Raise YAMLError, which has its line, for an integer with more digits than Python shows."""
    if len(scalar.value) <= MAX_DIGITS:
        return
    resolve: Any = _RESOLVER.resolve  # without types in PyYAML's stubs
    tag = scalar.tag or resolve(yaml.ScalarNode, scalar.value, scalar.implicit)
    if tag == _INTEGER:
        defect = f"a number has more than {MAX_DIGITS:,} digits"
        mark: Any = scalar.start_mark  # a class of its own for each parser
        raise yaml.MarkedYAMLError(problem=defect, problem_mark=mark)


def is_safe_source(raw: bytes) -> bool:
    """Return False for a page that MkDocs must not read front matter from.

    Its parser has no limits: YAML that nests deep enough ends the process. Aliases and numbers
    without an end are values that templates and other plugins fail on.
    """
    match = YAML_RE.match(_align_line_endings(raw.decode("utf-8-sig", "replace")))
    if match is None:
        return True
    try:
        check_yaml(match[1])
    except (ValueError, yaml.YAMLError):
        return False
    return True


def text_below_front_matter(text: str) -> str:
    """Return what follows the lines between dashes at the top of `text`, whatever they are."""
    match = YAML_RE.match(text)
    return text[match.end() :] if match else text


def yaml_lines(values: Mapping[str, object], dumper: Any = None) -> str:
    """Return a mapping as YAML, in order; dates of CSL are in one line.

    Without a `dumper`, libyaml writes it, which takes a fifth of the time.
    """
    lines = []
    for key, value in values.items():
        if _is_csl_date(value) and _NAME.fullmatch(key):
            date_in_line = _dump(value, dumper, default_flow_style=True)
            lines.append(f"{key}: {date_in_line}")
        else:
            # As in `yaml_block`.
            lines.append(_dump({key: value, None: None}, dumper).removesuffix("null: null\n"))
    return "".join(lines) or "{}\n"


def _is_csl_date(value: object) -> bool:
    """Return True for ``{date-parts: [[2024, 8, 5]]}`` and nothing else beside it."""
    match value:
        case {"date-parts": [[*numbers]], **others}:
            is_number = all(type(number) is int and number >= 0 for number in numbers)
            return is_number and bool(numbers) and not others
    return False


def yaml_block(values: Mapping[str, object], quick: Any, exact: Any) -> str:
    """Return a mapping as YAML, in order, in one call of a dumper.

    Args:
        values: the mapping, which is not empty.
        quick: a kind of :data:`QUICK_DUMPER`.
        exact: the same kind of PyYAML's dumper, for what libyaml writes in another form.
    """
    # A text that ends the document would be written in another form.
    ended: dict[Any, object] = {**values, None: None}
    block = _dump_quickly(ended, quick, exact, _OPTIONS)
    return block.removesuffix("null: null\n")


_OPTIONS: Mapping[str, Any] = {"sort_keys": False, "allow_unicode": True, "width": 10_000}


def _dump(value: object, dumper: Any, **options: Any) -> str:
    options |= _OPTIONS
    if dumper is not None:
        return str(yaml.dump(value, Dumper=dumper, **options))
    return _dump_quickly(value, QUICK_DUMPER, yaml.SafeDumper, options)


def _dump_quickly(value: object, quick: Any, exact: Any, options: Mapping[str, Any]) -> str:
    try:
        dumped = str(yaml.dump(value, Dumper=quick, **options))
    except UnicodeEncodeError:  # a lone surrogate, which Python's writes as an escape
        return str(yaml.dump(value, Dumper=exact, **options))
    if "\\" in dumped:  # libyaml escapes emoji, too
        return str(yaml.dump(value, Dumper=exact, **options))
    return dumped


def lines_above(text: str, body: str) -> int:
    """Return the number of lines in `text` above `body`, its end apart from white space.

    0 for an empty body.
    """
    if not body.strip():
        return 0
    return _align_line_endings(text).rstrip().count("\n") - body.rstrip().count("\n")


def json_values(meta: Mapping[str, object]) -> dict[str, object]:
    """Return front matter with JSON's values only.

    Dates and times as ISO 8601 text, keys as text, sets as lists.
    """
    return {key: _yaml_to_json(value) for key, value in meta.items()}


def _yaml_to_json(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _yaml_to_json(member) for key, member in value.items()}
    if isinstance(value, list | tuple | set):
        return [_yaml_to_json(member) for member in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return value.isoformat() if isinstance(value, date) else str(value)


def front_matter_span(text: str) -> tuple[int, int] | None:
    """Return the span of the front matter's YAML in a page's `text`; ``None`` if there is none."""
    return dashed_span(text) if body_start(text) > text.startswith("\ufeff") else None


def dashed_span(text: str) -> tuple[int, int] | None:
    """Return the span of the lines between dashes at the top of `text`, front matter or not."""
    bom = text.startswith("\ufeff")
    match = YAML_RE.match(_align_line_endings(text[bom:]))
    return (match.start(1) + bom, match.end(1) + bom) if match else None


def body_start(text: str) -> int:
    """Return the offset of the body in a page's `text`.

    It is after a byte order mark and MkDocs' front matter.
    """
    bom = text.startswith("\ufeff")
    aligned = _align_line_endings(text[bom:])
    dashed = YAML_RE.match(aligned)
    try:
        if dashed:
            check_yaml(dashed[1])
            body, _ = get_data(aligned)
        elif META_RE.match(aligned):
            body, _ = _read_lines(aligned)
        else:
            body = aligned
    except (ValueError, yaml.YAMLError):
        return int(bom)
    return len(text) - len(body)


def _align_line_endings(text: str) -> str:
    """Return `text` with line feeds as line endings, without changing any offset."""
    return text.replace("\r\n", " \n").replace("\r", "\n")


def _invalid_value(text: str) -> FrontMatterError | None:
    """Return the error of the first value that has a form of another type, and is none.

    Its form makes it a day, a time or a number.
    """
    constructor = yaml.constructor.SafeConstructor()
    for node in _plain_values(text):
        try:
            constructor.construct_object(node)
        except yaml.YAMLError:
            continue
        except YAML_ERRORS as error:
            return _error_of_value(node, error)
    return None


def _plain_values(text: str) -> Iterator[yaml.ScalarNode]:
    """Yield the keys and values of some YAML that are no lists or mappings, in order."""
    try:
        nodes = [yaml.compose(text, _LOADER)]
    except (yaml.YAMLError, ValueError, RecursionError):
        return
    seen = set[int]()
    while nodes:
        node = nodes.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            nodes += reversed([*chain.from_iterable(node.value)])
        elif isinstance(node, yaml.SequenceNode):
            nodes += reversed(node.value)
        elif isinstance(node, yaml.ScalarNode):
            yield node


def _error_of_value(node: yaml.ScalarNode, error: Exception) -> FrontMatterError:
    """Return the error of a value that PyYAML cannot make what its form says."""
    kind = "day or time" if node.tag.endswith(":timestamp") else "value of its form"
    is_for_readers = isinstance(error, ValueError | ArithmeticError)
    # Messages of other errors describe PyYAML's own code.
    why = f": {error}" if is_for_readers else ""
    fix = "correct it, or write it in quotation marks"
    shown = (
        f"{node.value[:_MAX_VALUE_CHARS]}…" if len(node.value) > _MAX_VALUE_CHARS else node.value
    )
    defect = f"{shown or 'nothing'} is no {kind}{why}; {fix}"
    return FrontMatterError(node.start_mark.line + 2, defect)


def _yaml_error(error: Exception, value_text: str) -> FrontMatterError:
    """Convert an error of PyYAML in `value_text`, with its line in the file."""
    lines = value_text.rstrip().count("\n") + 1
    mark = getattr(error, "problem_mark", None)
    line = min(mark.line + 1, lines) + 1 if mark else 1  # the YAML begins on the second line
    defect = str(getattr(error, "problem", None) or error)
    hint = (
        "; put a value that has `: ` between quotation marks" if defect == _COLON_IN_VALUE else ""
    )
    return FrontMatterError(line, f"{defect}{hint}")
