"""Find keys and passwords in a text by their formats."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator

from planbook.markdown.document import line_starts
from planbook.model import Problem

_SHAPES = {
    "a private key": (
        "-BEGIN",
        r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----[\s\\nr\"'+,]{1,20}[A-Za-z0-9+/]{32}",
    ),
    "an AWS access key": ("AKIA ASIA", r"(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Z0-9])"),
    "a GitHub token": (
        "gho_ ghp_ ghr_ ghs_ ghu_ github_pat_",
        r"\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_[A-Za-z0-9_]{40,}\b",
    ),
    "a GitLab token": ("glpat-", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    "a Slack token": ("xox xapp-", r"\bxox[abeoprs]-[A-Za-z0-9-]{12,}|\bxapp-\d-[A-Za-z0-9-]{20,}"),
    "a Google key": ("AIza GOCSPX-", r"\bAIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])|\bGOCSPX-[A-Za-z0-9_-]{28}\b"),
    "an Anthropic key": ("sk-ant-", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    "an OpenAI key": ("sk-", r"\bsk-(?!ant-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}"),
    "a Hugging Face token": ("hf_", r"\bhf_[A-Za-z0-9]{30,}\b"),
    "a Stripe key": ("sk_ rk_", r"\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}\b"),
    "an npm token": ("npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
    "a PyPI token": ("pypi-AgE", r"\bpypi-AgE[A-Za-z0-9_-]{40,}"),
    "a Tavily key": ("tvly-", r"\btvly-[A-Za-z0-9-]{20,}"),
    "a signed token": ("eyJ", r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}"),
    "a password in an address": ("://", r"://[^\s/:@\"'<>]{1,64}+:(?=[^\s/@]{0,128}\d)[^\s/@\"'<>]{8,128}@[\w.-]"),
}
"""Each kind with literals, one of which it contains, and its form: literals are quicker to look for."""
_FORMS = [(name, literals.split(), re.compile(form)) for name, (literals, form) in _SHAPES.items()]
_ASSIGNED = re.compile(
    r"(?:api[_-]?key|access[_-]?key|secret(?:[_-]?key)?|auth[_-]?token|access[_-]?token|token(?<![?&]token)|passwd|password|bearer)"
    r"[\"']?\s{0,3}(?:[:=]|\s)\s{0,3}[\"']?(?P<value>[a-z0-9+/_=.~-]{20,200})\Z"
)
_ASSIGNED_TO = "apikey api-key api_key accesskey access-key access_key secret token passw bearer".split()  # noqa: SIM905
_BEFORE_VALUE = 32
"""The most characters between the beginning of such a name and its value, and more."""
_IN_KEYS = re.sub(rb"[\w+/=.~-]", b"x", bytes(range(256)))
_RUN = re.compile(b"x" * 16 + b"x*")
"""At least 16 characters of keys, as every form has but that of passwords in addresses."""
_DIGIT = re.compile(r"\d")
_ELSEWHERE = ("-BEGIN", "://")
"""Literals outside such runs."""
_MADE_UP = re.compile(
    r"example|your|xxx|\.\.\.|placeholder|dummy|changeme|passw[o0]rd|secret|1234567|abcdefg|<|\$|(.)\1{5}|://([^:]+):\2",
    re.IGNORECASE,
)
"""Placeholders for keys in manuals."""
MIN_ENTROPY = 3.5
"""Bits a character: random letters and digits have more, words joined by hyphens have less."""


def find_credentials(text: str) -> tuple[tuple[int, str], ...]:
    """Return what looks like a credential in `text`: ``(line, kind)``, 1-based lines, never the credential."""
    runs = [run.span() for run in _RUN.finditer(text.encode("ascii", errors="replace").translate(_IN_KEYS))]
    words = " ".join([text[start:end] for start, end in runs] + [literal for literal in _ELSEWHERE if literal in text])
    found = [
        (match.start(), name)
        for name, literals, form in _FORMS
        if any(literal in words for literal in literals)
        for match in form.finditer(text)
        if not _MADE_UP.search(match[0])
    ]
    assigned = []
    for start, end in runs:
        if end - start < 20 or not _DIGIT.search(text, start, end):
            continue
        at = max(0, start - _BEFORE_VALUE)
        lower = text[at:end].replace("İ", "i").lower()  # a pattern that ignores case takes ten times as long
        value = _ASSIGNED.search(lower) if any(word in lower for word in _ASSIGNED_TO) else None
        assigned += [at + value.start()] if value and _is_random(text[at + value.start("value") : end]) else []
    if not found and not assigned:
        return ()
    starts = line_starts(text.split("\n"))
    taken = {bisect_right(starts, start) for start, _ in found}
    found += [(at, "what looks like a key or password") for at in assigned if bisect_right(starts, at) not in taken]
    return tuple(dict.fromkeys((bisect_right(starts, start), what) for start, what in sorted(found)))


def check_credentials(text: str, uri: str) -> Iterator[Problem]:
    """Yield K026 for each line with what looks like a credential; the message does not repeat it."""
    for line, what in find_credentials(text):
        yield Problem(uri, line, "K026", f"this line contains {what}; remove it and revoke it at its issuer")


def _is_random(value: str) -> bool:
    """Return whether the value consists of random letters and digits, and is not a word, a path or an example."""
    kinds = sum(bool(re.search(kind, value)) for kind in (r"[a-z]", r"[A-Z]", r"\d"))
    if kinds < 2 or not re.search(r"\d", value) or _MADE_UP.search(value) or value.count("/") + value.count(".") > 2:
        return False
    if all(piece.isalpha() or piece.isdigit() for piece in re.split(r"[-_.=]+", value)):
        return False
    counts = Counter(value)
    entropy = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    return entropy >= MIN_ENTROPY
