"""Pages and KNOWLEDGE-DROP files: text as :class:`~generator.model.Page` and :class:`~generator.model.Drop`."""

from __future__ import annotations

import hashlib
import re
from pathlib import PurePosixPath

from generator.budgets import without_budget
from generator.markdown.document import decoded, read_document
from generator.markdown.front_matter import json_values
from generator.markdown.plain_text import plain_text
from generator.model import Drop, DropUri, Page, PageUri, Problem

_FENCE = re.compile(r"^(`{3,}|~{3,})", re.MULTILINE)
_TITLE = re.compile(r"^#[ \t]+(.+)$", re.MULTILINE)
_SENTENCE = re.compile(r"^(.{20,240}?[.!?])(?:\s|$)")
_NUMBER_PREFIX = re.compile(r"^\d+[a-z]?[-_. ]+")
_NO_PROSE = re.compile(r"^(?:#|[-*+] |\d+[.)] |>|\||!|<|```|~~~|---|\*\*[^*]+\*\*:?\s*$|:::|===|\?\?\?)")


def parse_page(text: str, uri: str) -> tuple[Page, tuple[Problem, ...]]:
    """Return the page in `text`, without references and links. Invalid front matter is text, and reported as K001."""
    document = read_document(text)
    meta, body = document.meta, document.body
    problems = (document.error.problem(uri),) if document.error else ()
    lines = body.strip("\n").count("\n") + 1 if body.strip() else 0
    heading = _TITLE.search(body, 0, _first_fence(body))
    words = heading[1].rstrip().rstrip("#").rstrip() or heading[1][:1] if heading else ""
    title = str(meta.get("title") or plain_text(without_budget(words)) or title_from_path(uri))
    description = str(meta.get("description") or _first_sentence(body[heading.end() :] if heading else body))
    return Page(PageUri(uri), title, lines, description, tuple(json_values(meta).items())), problems


def title_from_path(uri: str) -> str:
    """Return a title derived from a path: ``Docker multistage`` for ``cuda/10-docker-multistage.md``."""
    words = re.sub(r"[-_]+", " ", _NUMBER_PREFIX.sub("", PurePosixPath(uri).stem)).strip()
    return words[:1].upper() + words[1:] if words else uri


def _first_fence(body: str) -> int:
    fence = _FENCE.search(body)
    return fence.start() if fence else len(body)


def _first_sentence(body: str) -> str:
    """Return the first sentence of the first paragraph of prose, at most 240 characters."""
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


def section_titles(text: str) -> tuple[str, ...]:
    """Return the titles of the headings of level 2."""
    headings = (node for node in read_document(text).tree.children if node.name == "Heading" and node.level == 2)
    return tuple(title for heading in headings if (title := without_budget(heading.all_text()).strip()))


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

_KEY = re.compile(r"^[ \t]*(?:[-*][ \t]*)?\*\*(?P<key>[A-Za-z ]+?)\s*(?::\*\*|\*\*\s*:)\s*(?P<value>.+)$", re.MULTILINE)
_PAGE = re.compile(r"(?<![\w/:.-])([\w.+-][\w./+-]*\.md)\b")
_HEAD = 4_000
"""Number of characters at the top that are searched for the drop's metadata."""


def read_drop(raw: bytes, uri: str) -> tuple[Drop, tuple[Problem, ...]]:
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
    runner = _text(meta.get("runner")) or keys.get("runner")
    given = meta.get("part")
    number = given if isinstance(given, int) and not isinstance(given, bool) else _part_number(runner or "", head)
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
    )


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _part_number(runner: str, head: str) -> int | None:
    match = re.search(r"\bPART\s+(\d{1,4})\b", runner) or re.search(r"\bPART\s+(\d{1,4})\b", head)
    return int(match[1]) if match else None


def _page(keys: dict[str, str], head: str) -> str | None:
    for text in (keys.get("file"), keys.get("knowledge file"), keys.get("created"), head):
        paths = [p for p in _PAGE.findall(text or "") if "KNOWLEDGE-DROP" not in p and "/" in p]
        if paths:
            return str(paths[0])
    return None
