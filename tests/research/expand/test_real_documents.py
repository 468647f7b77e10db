"""Documents that nobody here made: the HTML of documentation packages, served on loopback and researched for real.

The pages that come of it are read again beside the HTML they were made from, with lxml alone: each heading, each
sequence and each title that Planbook states is looked up there.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import frontmatter
import lxml.html
import pytest
from lxml import etree

from tests.conftest import lacks
from tests.files import git
from tests.research.expand.base import make_repository
from tests.research.expand.loopback import HOSTS, SearchWeb, expand
from tests.research.web.server import typed

PACKAGES = {
    "git-doc": "git-doc/*.html",
    "cmake-doc": "cmake-data/html/*/*.html",
    "sqlite3-doc": "sqlite3/*.html",
    "postgresql-doc": "postgresql-doc-*/html/*.html",
    "apache2-doc": "apache2-doc/manual/en/*/*.html",
}
"""Debian's packages of documentation, and where their pages are below `/usr/share/doc`."""
A_PART = 5
SIZES = range(6_000, 200_000)
"""Bytes of a document: smaller ones are stubs."""
LEAD = re.compile(r"^(?:“(?P<title>.+?)”(?: \(|,|:)|Under “|Further (?:up|down))[^\n]*:$", re.MULTILINE)
UNDER = re.compile(r"(?:, u|^U)nder “(?P<heading>.+?)”(?:, (?:in code|lines? \d)| \[|:$)")
CITATION = re.compile(r"\[@([\w.:-]+), (q\d+)[;\]]")
NOT_LETTERS = re.compile(r"[\W_]+")


def letters(text: str) -> str:
    """What is compared of a text: its letters and digits."""
    return NOT_LETTERS.sub("", unicodedata.normalize("NFKC", text))


def is_read(element: lxml.html.HtmlElement | None) -> bool:
    """Return whether the text directly in an element is shown to readers."""
    return element is not None and element.tag not in {"script", "style"} and isinstance(element.tag, str)


@dataclass(frozen=True)
class Heading:
    """A heading of a page, and the span of letters that it can stand above."""

    text: str
    level: int
    start: int
    end: int


@dataclass(frozen=True)
class Document:
    """A page of a package, as lxml reads it."""

    path: Path

    @cached_property
    def tree(self) -> lxml.html.HtmlElement:
        """Its elements."""
        return lxml.html.document_fromstring(self.path.read_bytes())

    @cached_property
    def title(self) -> str:
        """Its title, in one line."""
        return " ".join("".join(self.tree.xpath("//head/title/text()")).split())

    @cached_property
    def letters(self) -> str:
        """The letters of its body."""
        return "".join(letters(text) for text in self._texts())

    @cached_property
    def headings(self) -> list[Heading]:
        """Its headings, in order."""
        spans: dict[lxml.html.HtmlElement, tuple[int, int]] = {}
        length = 0
        for event, element in etree.iterwalk(self.tree.body, events=("start", "end")):
            if event == "start":
                spans[element] = (length, length)
                length += len(letters(element.text or "")) if is_read(element) else 0
            else:
                spans[element] = (spans[element][0], length)
                length += len(letters(element.tail or "")) if is_read(element.getparent()) else 0
        found = [element for element in spans if re.fullmatch(r"h[1-6]", str(element.tag))]
        top = min((element.tag for element in found), default="")
        headings = []
        for element in found:
            start, end = spans[element]
            box = next((above for above in element.iterancestors() if spans.get(above) != (start, end)), self.tree)
            until = length if element.tag == top or box not in spans else spans[box][1]
            headings.append(Heading(" ".join(element.text_content().split()), int(element.tag[1]), start, until))
        return headings

    def _texts(self) -> Iterator[str]:
        for text in self.tree.body.xpath(".//text()"):
            parent = text.getparent()
            if is_read(parent if text.is_text else parent.getparent()):
                yield text

    def is_under(self, quote: str, heading: str) -> bool:
        """Return whether the words stand below this heading: in what it stands in, and before another of its level."""
        wanted = letters(heading)
        at = self.letters.find(quote)
        while at >= 0:
            level, end = 9, at
            for above in reversed([one for one in self.headings if one.start <= at < one.end]):
                if above.level < level or above.end > end:  # of a level above, or around the box of the last one
                    if letters(above.text) == wanted:
                        return True
                    level, end = above.level, above.end
            at = self.letters.find(quote, at + 1)
        return False


@pytest.fixture(scope="module", params=[4, pytest.param(14, marks=pytest.mark.nightly)])
def documents(request: pytest.FixtureRequest) -> list[Document]:
    """As many pages of each package, the same on each machine that has the same packages."""
    each: int = request.param
    found: list[list[Path]] = []
    for package, pattern in PACKAGES.items():
        paths = [path for path in Path("/usr/share/doc").glob(pattern) if path.stat().st_size in SIZES]
        if len(paths) < each:
            lacks(f"needs documents that nobody here made: install Debian's `{package}`")
        found.append(sorted(paths)[:: len(paths) // each][:each])
    return [Document(path) for row in zip(*found, strict=True) for path in row]


def points(document: Document) -> Iterator[str]:
    """What to ask of a page, in words of its own."""
    for heading in document.headings:
        words = re.sub(r"[^\w\s().-]", "", heading.text).strip()
        if 2 < len(words) < 60:
            yield f"{words} in {document.path.stem}"


def make_base(root: Path, web: SearchWeb, documents: list[Document]) -> Path:
    """A base whose plan has a PART for every few documents."""
    parts = []
    groups = [documents[at : at + A_PART] for at in range(0, len(documents), A_PART)]
    for n, some in enumerate(groups, 1):
        addresses = []
        for k, document in enumerate(some):
            url = web.put(
                f"/{n}/{k}/{document.path.name}", typed(document.path.read_bytes(), "text/html; charset=utf-8")
            )
            addresses.append(url.replace(HOSTS[0], HOSTS[k % 2]))
        web.results[f"q{n}"] = addresses
        asked = "".join(f"    - {point}\n" for document in some for point in islice(points(document), 1, 4))
        parts.append(
            f"## PART {n}: Create docs/{n:02}.md\n\n- [ ] PART {n}: Create docs/{n:02}.md\n\n**Step 1: Web research**\n"
            f'- [ ] Search: "q{n}"\n\n**Step 2: Write the page**\n- [ ] Section 1: Found (~400 lines)\n{asked}\n'
        )
    config = (
        "site_name: Found\nplugins:\n  - planbook:\n      expand:\n        pause: 0\n        allow_loopback: true\n"
        f"        search:\n          providers: [searxng]\n          searxng_url: {web.url('')}\n"
    )
    return make_repository(root, {"mkdocs.yml": config, "plans/found.md": f"# Found\n\n{''.join(parts)}"})


def statements(page: str) -> Iterator[tuple[str, str, str]]:
    """Each line that introduces a quote, with the work and the key of the quote."""
    for lead in LEAD.finditer(page):
        citation = CITATION.search(page, lead.start())
        assert citation, lead[0]
        yield lead[0], citation[1], citation[2]


def test_pages_of_real_documents_state_what_is_so(tmp_path: Path, documents: list[Document]) -> None:
    """Every PART is filled, or says what it lacks; and what Planbook says of its sources, their HTML shows."""
    with SearchWeb() as web:
        root = make_base(tmp_path / "base", web, documents)
        done = expand(root)
        assert "Traceback" not in done.stderr
        by_address = dict(served(web, documents))
    plan = "".join(path.read_text(encoding="utf-8") for path in root.rglob("plans/**/found.md"))
    marks = re.findall(r"^- \[(.)\] PART \d+", plan, re.MULTILINE)
    assert len(marks) == len(documents) / A_PART
    assert set(marks) <= {"✓", "/"}, done.stdout + done.stderr
    assert len(list(root.glob("docs/[0-9]*.md"))) >= 0.9 * len(marks), done.stdout
    assert plan.count("points answered, and expand.min_answered requires 80 %") == marks.count("/"), done.stdout
    assert git(root, "status", "--porcelain") == ""
    count, wrong = 0, []
    for path in sorted(root.rglob("docs/*.md")):
        meta, page = frontmatter.parse(path.read_text(encoding="utf-8"))
        works: dict[str, Any] = {work["id"]: work for work in cast("list[Any]", meta.get("references", []))}
        before = ""
        for lead, name, key in statements(page):
            document = by_address[urlsplit(works[name]["URL"]).path]
            quote = letters(works[name]["custom"]["quotes"][key])
            where = f"{path.name}: {lead}"
            if title := LEAD.match(lead)["title"]:  # type: ignore[index]
                named = (document.title, *(heading.text for heading in document.headings if heading.level == 1))
                wrong += [] if any(letters(title) in letters(one) for one in named) else [f"{where} (title)"]
            if heading := UNDER.search(lead):
                wrong += [] if document.is_under(quote, heading["heading"]) else [f"{where} (heading)"]
            if lead.startswith("Further"):
                first, second = (before, quote) if "down" in lead else (quote, before)
                at = document.letters.find(first)
                wrong += [] if 0 <= at < document.letters.rfind(second) else [f"{where} (order)"]
            before = quote
            count += 1
    assert wrong == [], "\n".join(wrong)
    assert count > len(documents)


def served(web: SearchWeb, documents: list[Document]) -> Iterator[tuple[str, Document]]:
    """The documents by their paths on the web."""
    addresses = (urlsplit(url).path for found in web.results.values() for url in found)
    return zip(addresses, documents, strict=True)
