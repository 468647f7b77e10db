"""Paths and addresses that stand for others in templates: ``path/to/file``. Pure."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from urllib.parse import urlsplit

_WORD = (
    r"(?:path|to|your|my|some|the|a|sources?|files?|file-?name|slug|names?|titles?|pages?|articles?"
    r"|papers?|topics?|examples?|placeholder|foo|bar|baz|x|y|z|mm|dd|n|hash|sha|id|key"
    r"|domain|repo|owner|org|user)"
)
_NAME = re.compile(rf"{_WORD}(?:[-_ .]?{_WORD})*\d?", re.IGNORECASE)
_IN_TEMPLATE = re.compile(r"[<>{}$*\u2026]|\.\.\.|(?:^|/)path/to/", re.IGNORECASE)
_HOSTS = re.compile(
    r"(?:.+\.)?example\.(?:com|org|net|edu)|your-?\w+\.\w+|localhost", re.IGNORECASE
)
"""Hosts that are reserved for examples, and those that ask to be replaced."""


def is_placeholder(written: str) -> bool:
    """Return whether a path that does not exist, or an address, is one of a template.

    Examples are ``raw/<file>``, ``raw/source-slug.md`` and ``https://example.com/page``.
    """
    if "://" in written:
        try:
            host = urlsplit(written).hostname or ""
        except ValueError:
            return False
        return _HOSTS.fullmatch(host) is not None or "path/to/" in written
    name = PurePosixPath(written)
    stem = name.name.removesuffix(name.suffix) or name.name
    return bool(_IN_TEMPLATE.search(written) or _NAME.fullmatch(stem))
