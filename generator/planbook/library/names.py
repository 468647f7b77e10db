"""The names of pages and drops: paths that plans give, titles made of paths, and their order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import PurePosixPath

from planbook.markdown.plain_text import plain_text
from planbook.model import PageUri, Part, Plan

MAX_NAME_BYTES = 240
"""Maximum length of a file name, leaving room for the suffixes that the site adds."""

_SAFE_NAME = re.compile(r"^[^\x00-\x1f\\:*?\"<>|]{1,200}$")
_NUMBER_PREFIX = re.compile(r"^\d+[a-z]?[-_. ]+")
_DAY_PREFIX = re.compile(r"^\d{4}-\d{2}(?:-\d{2})?(?!\d)")
"""The day or month of a dated note, which is its name, or the beginning of it."""
DATE_AND_TIME = re.compile(
    r"(?:-(?:\d{4}-\d{2}-\d{2}|\d{4}"
    r"|\[[^\]]{0,60}\]|<[^>]{0,60}>|\{[^}]{0,60}\}"
    r"|date|time|yyyy-mm-dd|hhmm)){1,8}$",
    re.IGNORECASE,
)
"""The date and time at the end of a drop's name, or the placeholder for them."""


_ADDRESS = re.compile(
    r"(?:https?://|(?![a-z][a-z\d+.-]*:))[^\s\x00-\x1f\x7f\"'<>\\`]+", re.IGNORECASE
)
"""An address that can stand in an attribute and in a script: of http or https, or relative."""


def is_page_address(value: object) -> bool:
    """Return True for the address of a page, on the web or relative, that runs no script."""
    return isinstance(value, str) and bool(_ADDRESS.fullmatch(value))


def page_uri(plan: Plan, target: str) -> PageUri | None:
    """Return a target's path in the documentation folder; ``None`` if the path is outside the base.

    A bare file name belongs in the plan's Target Folder if the header names exactly one.
    """
    path = target.removeprefix("./").removeprefix("docs/")
    if "/" not in path:
        folders = re.findall(
            r"(?<![\w.-])[\w.-]+(?:/[\w.-]+)*/", plan.meta_value("Target Folder") or ""
        )
        path = f"{folders[0]}{path}" if len(folders) == 1 else path
    path = place_in_target_folder(plan, path)
    pieces = PurePosixPath(path).parts
    is_page = path.endswith(".md") and not any(piece.endswith(".md") for piece in pieces[:-1])
    if not is_page or not _SAFE_NAME.match(path) or path.startswith(("/", "~")):
        return None
    if any(
        piece.startswith(".") or len(piece.encode(errors="replace")) > MAX_NAME_BYTES
        for piece in pieces
    ):
        return None
    return PageUri("/".join(pieces))


def place_in_target_folder(plan: Plan, path: str) -> str:
    """Return a path that a plan names, relative to the documentation folder."""
    is_below = f"{path}/".startswith((f"{plan.target_folder}/", "/"))
    if not plan.target_folder or is_below:
        return path
    return f"{plan.target_folder}/{path}"


def find_target_folder(uri: str, plans_dir: str, target_folders: Mapping[str, str]) -> str:
    """Return the folder of the documentation that the paths of the plan `uri` are relative to.

    It is that of the innermost folder of `target_folders` that holds the plan; empty for none.
    """
    path = uri.removeprefix(f"{plans_dir}/").removeprefix("completed/")
    by_folder = {folder.strip("./"): base.strip("/") for folder, base in target_folders.items()}
    holding = [folder for folder in by_folder if not folder or path.startswith(f"{folder}/")]
    return by_folder[max(holding, key=len)] if holding else ""


def entry_title(part: Part, uri: str, casing: Callable[[], Mapping[str, str]]) -> str:
    """Return the PART's own title, or one from its path in the spelling that `casing` returns."""
    if part.page_title:
        return plain_text(part.page_title)
    if part.title and ".md" not in part.title:
        return plain_text(part.title)
    words = [casing().get(word.lower(), word) for word in title_from_path(uri).split(" ")]
    title = " ".join(words)
    return title[:1].upper() + title[1:]


def casing_of(plan: Plan) -> Mapping[str, str]:
    """Return the plan's spelling of words such as ``PyTorch``, by lower case."""
    text = [plan.title, *(value for _, value in plan.meta), plan.overview]
    for part in plan.parts:
        text += part.points
        for section in part.sections:
            text += [section.title, *section.points]
    words = re.findall(r"(?<![\w./-])[A-Za-z][A-Za-z0-9]+(?![\w/])", " ".join(text))
    counts = Counter(words)
    spellings: dict[str, str] = {}
    for word, _ in counts.most_common():
        if word[1:].lower() != word[1:]:
            spellings.setdefault(word.lower(), word)
    # A name is always capitalized, not just once at the start of a sentence.
    for word, count in counts.items():
        if word.istitle() and count > 2 and word.lower() not in counts:
            spellings.setdefault(word.lower(), word)
    return spellings


def title_from_path(uri: str) -> str:
    """Return a title derived from a path: ``Docker images`` for ``cuda/10-docker-images.md``.

    A day at the beginning stays as it is: ``2026-11-20 Kiln`` for ``notes/2026-11-20-kiln.md``.
    """
    stem = PurePosixPath(uri).stem
    dated = _DAY_PREFIX.match(stem)
    day = dated[0] if dated else ""
    rest = stem.removeprefix(day) if day else _NUMBER_PREFIX.sub("", stem)
    words = re.sub(r"[-_]+", " ", rest).strip()
    title = words[:1].upper() + words[1:]
    return " ".join(filter(None, [day, title])) or uri


@lru_cache(1 << 16)
def natural_order(uri: str) -> tuple[tuple[object, ...], ...]:
    """Return a sort key that orders numbers by value.

    Pages with one number are ordered by the rest of their names.
    """
    return tuple(_natural_order_of_name(name) for name in uri.split("/"))


def _natural_order_of_name(name: str) -> tuple[object, ...]:
    """Return a key for each number and each text of a name; numbers come first."""
    pieces = [piece for piece in re.split(r"(\d+)", name) if piece]
    return tuple((0, int(piece), "") if piece.isdecimal() else (1, 0, piece) for piece in pieces)


def drop_name(name: str) -> str:
    """Return a drop's name without date, time and their placeholders."""
    stem = name.rsplit("/", 1)[-1].removesuffix(".md").lower()
    return DATE_AND_TIME.sub("", stem)
