"""A page's text as a :class:`~generator.model.Page`: front matter, title, description, size."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from generator.budgets import without_budget
from generator.markdown.document import read_document
from generator.markdown.front_matter import front_matter_problem, json_values
from generator.markdown.plain_text import plain_text
from generator.model import Page, PageUri, Problem

_FENCE = re.compile(r"^(`{3,}|~{3,})", re.MULTILINE)
_TITLE = re.compile(r"^#[ \t]+(.+)$", re.MULTILINE)
_SENTENCE = re.compile(r"^(.{20,240}?[.!?])(?:\s|$)")
_NUMBER_PREFIX = re.compile(r"^\d+[a-z]?[-_. ]+")
_NO_PROSE = re.compile(r"^(?:#|[-*+] |\d+[.)] |>|\||!|<|```|~~~|---|\*\*[^*]+\*\*:?\s*$|:::|===|\?\?\?)")


def parse_page(text: str, uri: str) -> tuple[Page, tuple[Problem, ...]]:
    """The page in `text`, without its references and links; front matter that is no YAML gives K001 and is text."""
    document = read_document(text)
    meta, body = document.meta, document.body
    problems = (front_matter_problem(document.error, uri),) if document.error else ()
    lines = body.strip("\n").count("\n") + 1 if body.strip() else 0
    heading = _TITLE.search(body, 0, _first_fence(body))
    words = heading[1].rstrip().rstrip("#").rstrip() or heading[1][:1] if heading else ""
    title = str(meta.get("title") or plain_text(without_budget(words)) or title_from_path(uri))
    description = str(meta.get("description") or _first_sentence(body[heading.end() :] if heading else body))
    return Page(PageUri(uri), title, lines, description, tuple(json_values(meta).items())), problems


def decoded(raw: bytes, uri: str) -> tuple[str, tuple[Problem, ...]]:
    """Return a page's or drop's text; bytes that are not UTF-8 are replaced, and give K002."""
    try:
        return raw.decode("utf-8"), ()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        what = f"byte {error.start} (0x{raw[error.start]:02x}) is not UTF-8; save the file in this encoding"
        return raw.decode("utf-8", errors="replace"), (Problem(uri, line, "K002", what),)


def title_from_path(uri: str) -> str:
    """``cuda/10-docker-multistage.md`` as ``Docker multistage``."""
    words = re.sub(r"[-_]+", " ", _NUMBER_PREFIX.sub("", PurePosixPath(uri).stem)).strip()
    return words[:1].upper() + words[1:] if words else uri


def _first_fence(body: str) -> int:
    fence = _FENCE.search(body)
    return fence.start() if fence else len(body)


def _first_sentence(body: str) -> str:
    """The first sentence of the first paragraph of prose, at most 240 characters."""
    for block in re.split(r"\n\s*\n", body[: min(_first_fence(body), 6_000)].strip()):
        if _NO_PROSE.match(block.strip()):
            continue
        text = " ".join(plain_text(block).split())
        if not text:
            continue
        sentence = _SENTENCE.match(text)
        if sentence:
            return sentence[1]
        return text if len(text) <= 240 else text[:239].rsplit(" ", 1)[0] + "…"
    return ""
