"""Count the examples of the CommonMark specification that a site in the mode `github` shows as specified.

Run `python -m bench.specification spec.json`, with the file of https://spec.commonmark.org/0.31.2/.
Its text is under CC-BY-SA 4.0, so it is no part of this repository.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import markdown

from planbook.markdown.github import NAME
from tests.markdown.github.engine import OPTIONS, SITE
from tests.markdown.github.rendered import normalized

REASONS = {
    127: "a blank line at the start of code, which Pygments strips",
    129: "a blank line at the start of code, which Pygments strips",
    318: "blank lines at the end of code, which Pygments strips",
    148: "elements that do not nest: HTML parsers read them in several ways",
    608: "GitHub links the address",
    611: "GitHub links the address",
    612: "GitHub links the address",
}
"""The examples that differ, by number, and why."""
_HIGHLIGHTED = re.compile(r'<div class="highlight">(<pre>.*?</pre>)</div>', re.DOTALL)
_SPAN = re.compile(r"</?span[^<>]*>")
_NOT_SPECIFIED = re.compile(r'(?<=<h\d) id="[^"]*"|(?<=<code) class="[^"]*"')
"""Anchors of headings, and the names of languages, which highlighted code does not have."""


def comparable(html: str) -> Sequence[str]:
    """Return HTML without what a site adds: anchors, and the highlighting of code."""
    plain = _HIGHLIGHTED.sub(lambda block: _SPAN.sub("", block[1]), html)
    return normalized(_NOT_SPECIFIED.sub("", plain))


def differing(examples: Sequence[Mapping[str, Any]]) -> Iterator[int]:
    """Yield the numbers of examples that a site shows in another way than specified."""
    names = [name for name in SITE if name != "pymdownx.arithmatex"]  # the specification has no formulas
    site = markdown.Markdown(extensions=[*names, NAME], extension_configs=OPTIONS)
    for example in examples:
        if comparable(site.reset().convert(example["markdown"])) != comparable(example["html"]):
            yield example["example"]


def main(arguments: Sequence[str]) -> int:
    """Print the count and each difference; return 1 if there is one without a reason."""
    examples = json.loads(Path(arguments[0]).read_text("utf-8"))
    found = list(differing(examples))
    print(f"{len(examples) - len(found)} of {len(examples)} as specified")
    for number in found:
        print(f"{number}: {REASONS.get(number, 'unexpected')}")
    return int(not set(found) <= REASONS.keys())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
