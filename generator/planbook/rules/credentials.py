"""Find keys and passwords in a text by their formats."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence

from planbook.markdown.edits import line_starts
from planbook.model import Problem

_SHAPES = {
    "a private key": (
        "-BEGIN",
        r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"[\s\\nr\"'+,]{1,20}[A-Za-z0-9+/]{32}",
    ),
    "an AWS access key": ("AKIA ASIA", r"(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Z0-9])"),
    "a GitHub token": (
        "gho_ ghp_ ghr_ ghs_ ghu_ github_pat_",
        r"\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_[A-Za-z0-9_]{40,}\b",
    ),
    "a GitLab token": ("glpat-", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    "a Slack token": ("xox xapp-", r"\bxox[abeoprs]-[A-Za-z0-9-]{12,}|\bxapp-\d-[A-Za-z0-9-]{20,}"),
    "a Google key": (
        "AIza GOCSPX-",
        r"\bAIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])|\bGOCSPX-[A-Za-z0-9_-]{28}\b",
    ),
    "an Anthropic key": ("sk-ant-", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    "an OpenAI key": ("sk-", r"\bsk-(?!ant-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}"),
    "a Hugging Face token": ("hf_", r"\bhf_[A-Za-z0-9]{30,}\b"),
    "a Stripe key": ("sk_ rk_", r"\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}\b"),
    "an npm token": ("npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
    "a PyPI token": ("pypi-AgE", r"\bpypi-AgE[A-Za-z0-9_-]{40,}"),
    "a Tavily key": ("tvly-", r"\btvly-[A-Za-z0-9-]{20,}"),
    "a signed token": (
        "eyJ",
        r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}",
    ),
    "a password in an address": (
        "://",
        r"://[^\s/:@\"'<>]{1,64}+:(?=[^\s/@]{0,128}\d)[^\s/@\"'<>]{8,128}@[\w.-]",
    ),
}
"""Each kind with literals, one of which it contains, and its form: literals are quicker to look
for."""
_FORMS = [(name, literals.split(), re.compile(form)) for name, (literals, form) in _SHAPES.items()]
_ASSIGNED_SECRET = re.compile(
    r"(?:api[_-]?key|access[_-]?key|secret(?:[_-]?key)?|auth[_-]?token|access[_-]?token"
    r"|token(?<![?&]token)|passwd|password|bearer)"
    r"[\"']?\s{0,3}(?:[:=]|\s)\s{0,3}[\"']?(?P<value>[a-z0-9+/_=.~-]{20,200})\Z"
)
_ASSIGNED_TO = [
    "apikey",
    "api-key",
    "api_key",
    "accesskey",
    "access-key",
    "access_key",
    "secret",
    "token",
    "passw",
    "bearer",
]
_MAX_NAME_TO_VALUE = 32
"""The most characters between the beginning of such a name and its value, and more."""
_KEY_TABLE = re.sub(rb"[\w+/=.~-]", b"x", bytes(range(256)))
_RUN = re.compile(b"x" * 16 + b"x*")
"""At least 16 characters of keys, as every form has but that of passwords in addresses."""
_DIGIT = re.compile(r"\d")
_SEPARATE_LITERALS = ("-BEGIN", "://")
"""Literals outside such runs."""
_MADE_UP = re.compile(
    r"example|your|xxx|\.\.\.|placeholder|dummy|changeme|passw[o0]rd|secret|1234567|abcdefg"
    r"|<|\$|(.)\1{5}|://([^:]+):\2",
    re.IGNORECASE,
)
"""Placeholders for keys in manuals."""
_NAME_OF_OBJECT = re.compile(
    r"(?i:secret)[\"']?\s{0,3}[:=\s]\s{0,3}[\"']?(?P<value>[a-z\d]+(?:-[a-z\d]+)+)\Z"
)
"""A value of small letters, digits and hyphens behind ``secret``."""
_WORD_OF_NAME = re.compile(r"[a-z]{2,}\d?")
_WORDS_OF_NAME = 0.5
"""The least share of such a value that its words have, if it is a name."""
MIN_LENGTH = 20
"""Characters of a value that is assigned to the name of a key."""
MIN_ENTROPY = 3.5
"""Bits a character: random letters and digits have more, words joined by hyphens have less."""


def find_credentials(text: str) -> tuple[tuple[int, str], ...]:
    """Return what looks like a credential in `text`: ``(line, kind)``, 1-based, never itself."""
    encoded = text.encode("ascii", errors="replace").translate(_KEY_TABLE)
    runs = [run.span() for run in _RUN.finditer(encoded)]
    by_form = list(_find_known_forms(text, runs))
    by_name = [
        start for start in (_start_of_assigned(text, *run) for run in runs) if start is not None
    ]
    if not by_form and not by_name:
        return ()
    starts = line_starts(text.split("\n"))
    places = [(bisect_right(starts, start), start, kind) for start, kind in by_form]
    lines_by_form = {line for line, *_ in places}
    for start in by_name:
        line = bisect_right(starts, start)
        if line not in lines_by_form:
            places.append((line, start, "what looks like a key or password"))
    places.sort(key=lambda match: match[1:])
    return tuple(dict.fromkeys((line, kind) for line, _, kind in places))


def _find_known_forms(text: str, runs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """Yield the start and kind of each credential in a known form that is no placeholder."""
    literals_elsewhere = [literal for literal in _SEPARATE_LITERALS if literal in text]
    words = " ".join([text[start:end] for start, end in runs] + literals_elsewhere)
    for kind, literals, form in _FORMS:
        if not any(literal in words for literal in literals):
            continue
        for match in form.finditer(text):
            if not _MADE_UP.search(match[0]):
                yield match.start(), kind


def _start_of_assigned(text: str, start: int, end: int) -> int | None:
    """Return where ``api_key = ...`` begins, if the run from `start` to `end` is a random value."""
    if end - start < MIN_LENGTH or not _DIGIT.search(text, start, end):
        return None
    first = max(0, start - _MAX_NAME_TO_VALUE)
    # A pattern that ignores case takes ten times as long.
    lower = text[first:end].replace("İ", "i").lower()
    if not any(word in lower for word in _ASSIGNED_TO):
        return None
    assigned = _ASSIGNED_SECRET.search(lower)
    if (
        not assigned
        or _names_object(text[first:end])
        or not _is_random(text[first + assigned.start("value") : end])
    ):
        return None
    return first + assigned.start()


def _names_object(assigned: str) -> bool:
    """Return whether ``secret: ...`` names a Secret of Kubernetes, rather than is one.

    Such a name has small letters, digits and hyphens, and most of it are words.
    """
    name = _NAME_OF_OBJECT.search(assigned)
    if name is None:
        return False
    words = [piece for piece in name["value"].split("-") if _WORD_OF_NAME.fullmatch(piece)]
    return sum(map(len, words)) >= _WORDS_OF_NAME * len(name["value"])


def check_credentials(text: str, uri: str) -> Iterator[Problem]:
    """Yield K026 for each line with what looks like a credential.

    The message does not repeat it.
    """
    for line, kind in find_credentials(text):
        yield Problem(
            uri, line, "K026", f"this line contains {kind}; remove it and revoke it at its issuer"
        )


def _is_random(value: str) -> bool:
    """Return whether the value consists of random letters and digits.

    A word, a path or an example does not.
    """
    kinds = sum(bool(re.search(kind, value)) for kind in (r"[a-z]", r"[A-Z]", r"\d"))
    has_digit = bool(re.search(r"\d", value))
    is_path = value.count("/") + value.count(".") > 2
    if kinds < 2 or not has_digit or is_path or _MADE_UP.search(value):
        return False
    pieces = re.split(r"[-_.=]+", value)
    if all(piece.isalpha() or piece.isdigit() for piece in pieces):
        return False
    counts = Counter(value)
    entropy = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    return entropy >= MIN_ENTROPY
