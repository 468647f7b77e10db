"""Find keys and passwords in a text by their formats."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator

from generator.markdown.document import line_starts
from generator.model import Problem

_SHAPES = {
    "a private key": r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"[\s\\nr\"'+,]{1,20}[A-Za-z0-9+/]{32}",
    "an AWS access key": r"(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Z0-9])",
    "a GitHub token": r"\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_[A-Za-z0-9_]{40,}\b",
    "a GitLab token": r"\bglpat-[A-Za-z0-9_-]{20,}",
    "a Slack token": r"\bxox[abeoprs]-[A-Za-z0-9-]{12,}|\bxapp-\d-[A-Za-z0-9-]{20,}",
    "a Google key": r"\bAIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])|\bGOCSPX-[A-Za-z0-9_-]{28}\b",
    "an Anthropic key": r"\bsk-ant-[A-Za-z0-9_-]{20,}",
    "an OpenAI key": r"\bsk-(?!ant-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}",
    "a Hugging Face token": r"\bhf_[A-Za-z0-9]{30,}\b",
    "a Stripe key": r"\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}\b",
    "an npm token": r"\bnpm_[A-Za-z0-9]{36}\b",
    "a PyPI token": r"\bpypi-AgE[A-Za-z0-9_-]{40,}",
    "a Tavily key": r"\btvly-[A-Za-z0-9-]{20,}",
    "a signed token": r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}",
    "a password in an address": r"\b[a-z][a-z0-9+.-]{1,14}://[^\s/:@\"'<>]{1,64}:(?=[^\s/@]{0,128}\d)[^\s/@\"'<>]{8,128}@[\w.-]",
}
_ASSIGNED = re.compile(
    r"(?:api[_-]?key|access[_-]?key|secret(?:[_-]?key)?|auth[_-]?token|access[_-]?token|(?<![?&])token|passwd|password|bearer)"
    r"[\"']?\s{0,3}(?:[:=]|\s)\s{0,3}[\"']?(?P<value>[A-Za-z0-9+/_=.~-]{20,200})(?![A-Za-z0-9+/_=.~-])",
    re.IGNORECASE,
)
_PATTERN = re.compile("|".join(f"(?P<s{n}>{shape})" for n, shape in enumerate(_SHAPES.values())))
_HINT = re.compile(
    r"AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|xox|xapp-|AIza|GOCSPX|[sr]k[-_]|hf_|npm_|pypi-|tvly-|eyJ|-BEGIN|://"
)
"""Literals that each pattern contains: quicker to search for."""
_NAMES = tuple(_SHAPES)
_MADE_UP = re.compile(
    r"example|your|xxx|\.\.\.|placeholder|dummy|changeme|passw[o0]rd|secret|1234567|abcdefg|<|\$|(.)\1{5}|://([^:]+):\2",
    re.IGNORECASE,
)
"""Placeholders for keys in manuals."""
MIN_ENTROPY = 3.5
"""Bits a character: random letters and digits have more, words joined by hyphens have less."""


def find_credentials(text: str) -> tuple[tuple[int, str], ...]:
    """Return what looks like a credential in `text`: ``(line, kind)``, 1-based lines, never the credential."""
    found = [
        (match.start(), _NAMES[int(str(match.lastgroup)[1:])])
        for match in (_PATTERN.finditer(text) if _HINT.search(text) else ())
        if not _MADE_UP.search(match[0])
    ]
    starts = line_starts(text.split("\n"))
    taken = {bisect_right(starts, start) for start, _ in found}
    found += [
        (match.start(), "what looks like a key or password")
        for match in _ASSIGNED.finditer(text)
        if bisect_right(starts, match.start()) not in taken and _is_random(match["value"])
    ]
    return tuple(dict.fromkeys((bisect_right(starts, start), what) for start, what in sorted(found)))


def check_credentials(text: str, uri: str, _syntax: object = None) -> Iterator[Problem]:
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
