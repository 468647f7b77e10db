"""Paths, KNOWLEDGE DROPs and addresses of the web in the lines of a plan."""

from __future__ import annotations

import re

from planbook.markdown.budgets import strip_budget

PATHS = re.compile(r"(?<!\S)\S+?\.md\S*")
"""Text that contains the name of a Markdown file."""
_DROP = re.compile(r"KNOWLEDGE[-_ ]DROP[-_][^\s`\"'*)(]+", re.IGNORECASE)
"""``KNOWLEDGE-DROP-rye-2026-11-20.md``, also without its suffix."""
_PATH = re.compile(
    r"(?<![\w/:.~@+%&=#$!\\-])(?:[\w.~@+-]|/(?!/))"  # the first character; no address
    r"(?:[\w./@+~()\[\]{}%&=#$!-]|\\(?=[\w.-])){0,300}?\.md\b(?!\w)"
)
"""``bread/10-rye.md``, ``~/notes/a\\_b.md``; in addresses of the web it is no path."""
_QUOTED_PATH = re.compile(
    r"(?P<open>[`\"“«<])(?P<path>[\w.~@+-][^`\"“”«»<>:*?|]{0,200}?\.md)(?=[`\"”»>])"
)
"""A path that may have blanks, in backticks or quotation marks."""
_COMMAND = re.compile(
    r"(?:cat|cd|code|cp|echo|git|grep|head|less|ls|mkdir|mv|nano|open|python\d?|read|rm|sed|tail"
    r"|touch|vim?|wc)\s"
)
"""In backticks, the beginning of a command, not of a path: ``cat a b.md``."""
_WORD_BETWEEN_PATHS = r"(?:and|or|to|into|in|from|with|plus|for|using|of|as)\b"
_BROKEN_PATH = re.compile(
    r"(?<![\w/\\:.-])(?:"
    r"[A-Za-z]:[\\/][^\s`\"]*?"
    rf"|[\w.-]+[/\\][^\s`\":,;()]*(?: (?!{_WORD_BETWEEN_PATHS})[\w.-]+){{1,2}}?"
    r")\.md\b"
)
"""A path that has a drive's letter, or blanks and no quotation marks."""
_WORD_BEFORE_NAME = (
    r"(?:an?|the|new|our|this|its|to|and|or|in|as|for|from|with|called|named|final|main"
    r"|individual|summary|knowledge|target|output|existing|updated?|create|write|expand"
    r"|files?|pages?|documents?|docs?|guides?|drop|entry|section)\b"
)
_BROKEN_NAME = re.compile(
    rf"\b(?:Create|Write|Update)\s+(?P<name>(?:(?!{_WORD_BEFORE_NAME})[\w-]+ ){{1,2}}[\w-]+\.md)\b",
    re.IGNORECASE,
)
"""``Create my flour.md``: a name with a blank, and neither folder nor quotation marks."""
_PATH_SEPARATOR = re.compile(
    r"^(?:[\s`*\"',;+&]|\b(?:and|plus|update|create|expand)\b){0,24}$", re.IGNORECASE
)
"""Between two pages of one PART: ``a.md, b.md and update c.md``."""
_SOURCE_FIRST = re.compile(
    r"\W{0,8}(?:extract|convert|read|process|ingest|distil)\b[^→]{0,200}?\.(?:md|pdf|txt)\b"
    r".{0,80}?(?:→|->|=>|\bto\b|\binto\b|\band (?:create|write)\b)",
    re.IGNORECASE,
)
"""``Extract source.md to page.md``: the path before the arrow is not a target."""
_LINK = re.compile(r"\[([^\[\]]*)\]\((?:([^)\s<]+\.md)|<([^<>]{1,300}\.md)>)[^)]{0,300}\)")
"""``[Rye](bread/10-rye.md "title")``, ``[Rye](<bread/dark rye.md>)``."""

ADDRESS = re.compile(r"https?://[^\s<>\"`)\]]+")


def find_web_addresses(text: str) -> list[str]:
    """Return the addresses of the web in `text`, without the punctuation behind them."""
    return [url.rstrip(".,;") for url in ADDRESS.findall(text)]


def find_drop(text: str) -> str | None:
    """Return the first KNOWLEDGE-DROP file named in `text`."""
    match = _DROP.search(text)
    if not match:
        return None
    name = match[0].rstrip(".,;:")
    return name if name.endswith(".md") else name + ".md"


def read_paths(text: str) -> list[tuple[int, int, str]]:
    """Return every Markdown path in `text` except drops, as ``(start, end, path)``.

    The path of a Markdown link is its address.
    """
    if ".md" not in text:
        return []
    text = _replace_links(text)
    placed: list[tuple[int, int, str]] = []
    for match in _QUOTED_PATH.finditer(text):
        if _is_one_path(match["path"]):
            start, end = match.span("path")
            placed.append((start, end, match["path"]))
            text = text[:start] + " " * (end - start) + text[end:]
    placed += [(*match.span(), match[0]) for match in _PATH.finditer(text)]
    paths = [(start, end, _unify_slashes(path)) for start, end, path in sorted(placed)]
    return [path_span for path_span in paths if not _DROP.search(path_span[2].rpartition("/")[2])]


def _replace_links(text: str) -> str:
    """Replace Markdown links with their addresses. The length is unchanged."""
    return _LINK.sub(lambda link: (link[2] or f"`{link[3]}`").rjust(len(link[0])), text)


def find_broken_path(text: str) -> str | None:
    """Return the first path in `text` that `read_paths` does not read whole, as written."""
    if ".md" not in text:
        return None
    name = _BROKEN_NAME.search(text)
    if name:
        return name["name"]
    match = _BROKEN_PATH.search(text)
    if not match or any(
        start <= match.start() and match.end() <= end for start, end, _ in read_paths(text)
    ):
        return None
    return match[0]


def _is_one_path(text: str) -> bool:
    """Return True if a quoted string with blanks is a path, and no command or list."""
    return " " in text and text.count(".md") == 1 and not _COMMAND.match(text)


def _unify_slashes(path: str) -> str:
    r"""Return a path with slashes for backslashes.

    One before a mark is Markdown's: ``a\_b.md`` is ``a_b.md``.
    """
    return re.sub(r"\\(?=[_.~+-])", "", path).replace("\\", "/")


def read_targets(text: str, *, noted: bool = False) -> tuple[str, ...]:
    """Return the pages that a heading or status line names: one path, or several with commas.

    With `noted`, those in parentheses count, too.
    """
    text = _replace_links(text)
    sought = text if noted else blank_notes(text)
    source = _SOURCE_FIRST.match(sought)
    if source and read_paths(sought[source.end() :]):
        # Blanks in place of the source keep the positions of the paths behind it.
        sought = " " * source.end() + sought[source.end() :]
    targets: list[str] = []
    end_of_last = 0
    for start, end, path in read_paths(sought):
        between = strip_budget(text[end_of_last:start], is_planned=True)
        if targets and not _PATH_SEPARATOR.match(between):
            break
        if path not in targets:
            targets.append(path)
        end_of_last = end
    return tuple(targets)


def begins_with_path(text: str) -> bool:
    """Return True if the text begins with the name of a Markdown file, in backticks or not."""
    paths = read_paths(text)
    return bool(paths) and not re.search(r"\w", _LINK.sub("", text)[: paths[0][0]])


def blank_notes(text: str) -> str:
    """Replace parentheses in `text` with spaces, except addresses of Markdown links.

    The length is unchanged.
    """
    return re.sub(r"(?<!\])\([^()]*\)", lambda note: " " * len(note[0]), text)
