"""Cases that stand in Markdown files, and the comparison of what we get with what they expect.

A case is, as in markdown-it's fixtures, a title, the input, and what is expected of it, each followed by a line that
is a full stop. What is expected is YAML: it names some of the keys; a list has to match from end to end, and so has
an empty mapping.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def read_cases(path: Path) -> Iterator[tuple[str, str, str]]:
    """Each case of the file: its title (what stands above is a remark), the input, and what is expected."""
    blocks = re.split(r"^\.\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(blocks) % 3 == 1, f"{path}: every case needs three lines that are a full stop"
    assert not blocks.pop().strip(), f"{path}: something stands after the last case"
    for title, text, expected in zip(blocks[::3], blocks[1::3], blocks[2::3], strict=True):
        yield title.strip().splitlines()[-1], text, expected


def differences(got: Any, expected: Any, where: str = "") -> Iterator[str]:
    """Where `got` is not what is expected, a line for each place."""
    if isinstance(expected, dict) and expected and isinstance(got, dict):
        for key, value in expected.items():
            if key in got:
                yield from differences(got[key], value, f"{where}.{key}")
            else:
                yield f"{where}.{key} is missing, not {value!r}"
    elif isinstance(expected, list) and isinstance(got, list) and len(got) == len(expected):
        for index, (got_one, expected_one) in enumerate(zip(got, expected, strict=True)):
            yield from differences(got_one, expected_one, f"{where}[{index}]")
    elif got != expected:
        yield f"{where} is {got!r}, not {expected!r}"
