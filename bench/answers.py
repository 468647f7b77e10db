"""Measure how often the passage that answers a point is found: `make bench-answers`.

For each point of ``bench/answers/*.yml``: the rank of the first right passage among all passages of the package's
documents; whether it is among the twenty passages of the point in the dossier that `planbook gather` keeps, and in the
brief of 12,000 tokens; whether it is on the page that `planbook expand` writes with the writer `extract`, visible below
its point, and shown as an answer or as uncertain.

Needs the packages that the file names, or, with `--mirrors FOLDER`, clones of the repositories that it names, each at
``FOLDER/OWNER+NAME``. `--save` keeps the results; `--compare` pairs them with saved ones. With
`--together`, each page is written from the documents of all packages of the set, as in a folder on several subjects.

It also measures another checkout, with that one's Python: ``/other/.venv/bin/python bench/answers.py --adapter
FILE``, where FILE defines `ranked` as below for the other code.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from planbook.citations.quotes import words
from planbook.research.drafts import Source
from planbook.research.search.document_folder import DOCUMENTS, Folder
from planbook.research.web.model import Unfetched

HERE = Path(__file__).parent / "answers"
UNCERTAIN = "**Uncertain**"
"""Above a passage that the page does not count as an answer."""
SAMPLES, SEED = 10_000, 20261123
Texts = list[str]
"""The visible text of each passage, best first."""
MEASURES: dict[str, Callable[[dict[str, Any]], bool]] = {
    "rank 1": lambda row: row["rank"] == 1,
    "rank <= 3": lambda row: 0 < row["rank"] <= 3,
    "rank <= 5": lambda row: 0 < row["rank"] <= 5,
    "in dossier": lambda row: row.get("in_dossier", False),
    "in a brief": lambda row: row.get("in_brief", False),
    "on the page": lambda row: row["on_page"],
    "visible": lambda row: row["visible"],
    "as answer": lambda row: row["visible"] and not row.get("is_uncertain", False),
}


def ranked(sources: Sequence[Source], queries: Sequence[tuple[str, str, str]]) -> list[Texts]:
    """Return the passages of all sources for each query: its point, and the titles of its section and page."""
    # Not at the top: another checkout may lack them.
    from planbook.research.evidence.passages import excerpts  # noqa: PLC0415
    from planbook.research.evidence.rank import PointQuery, rank, visible, without_repetition  # noqa: PLC0415

    every = [excerpt for n, source in enumerate(sources, 1) for excerpt in excerpts(source, n)]
    rows = rank(every, [PointQuery(*query) for query in queries])
    return [[visible(one.excerpt) for one in without_repetition(row[:200], 100)] for row in rows]


def measured(
    package: dict[str, Any], rank: Callable[..., list[Texts]], beside: Sequence[dict[str, Any]] = ()
) -> Iterator[dict[str, Any]]:
    """Yield the results of a package's points; its pages may also be written from the packages beside it."""
    folder = Path(package["folder"])
    files = files_of(package)
    sources = list(read_sources(Folder(folder, "documents"), files))
    points = [
        (page, section, point)
        for page in package["pages"]
        for section in page["sections"]
        for point in section["points"]
    ]
    found = rank(sources, [(point["text"], section["title"], page["title"]) for page, section, point in points])
    written = write_pages(package, [package, *beside])
    pages = {page["title"]: made for page, made in zip(package["pages"], written, strict=True)}
    for (page, _, point), texts in zip(points, found, strict=True):
        # Documents repeat themselves: the words are as right in another file as in the one that the key names.
        keys = [plain(answer["words"]) for answer in point["answers"]]
        right = (n for n, text in enumerate(map(plain, texts), 1) if any(key in text for key in keys))
        made = pages[page["title"]]
        body = made.body
        in_dossier = map(plain, made.passages.get(plain(words(point["text"])), ()))
        below = below_point(body, point["text"])
        yield {
            "id": point["id"],
            "package": package["package"],
            "subject": package["subject"],
            "is_answerable": bool(keys),
            "rank": next(right, 0),
            "in_dossier": any(key in text for text in in_dossier for key in keys),
            "in_brief": any(key in plain(made.brief) for key in keys),
            "on_page": any(key in plain(words(body)) for key in keys),
            "visible": any(key in plain(words(unfolded(below))) for key in keys),
            "is_open": not below.strip() or UNCERTAIN in below,
            "is_uncertain": UNCERTAIN in below,
        }


def files_of(package: dict[str, Any]) -> list[str]:
    """Return the paths of a package's documents, relative to its folder."""
    folder = Path(package["folder"])
    paths = (path for path in folder.rglob("*") if path.suffix in DOCUMENTS and path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in paths)


def extracted(package: dict[str, Any], mirrors: Path, folder: Path) -> dict[str, Any]:
    """Return a package whose documents were taken from the mirror of its repository, at its commit."""
    own = folder / package["package"]

    def git(*arguments: str) -> bytes:
        mirror = mirrors / package["repository"].replace("/", "+")
        command = [str(shutil.which("git")), "-C", str(mirror), *arguments]
        return subprocess.run(command, check=True, capture_output=True).stdout

    for name in (
        git("ls-tree", "-r", "-z", "--name-only", package["commit"], "--", *package["paths"]).decode().split("\0")
    ):
        if Path(name).suffix in DOCUMENTS:
            (own / name).parent.mkdir(parents=True, exist_ok=True)
            (own / name).write_bytes(git("show", f"{package['commit']}:{name}"))
    return {**package, "folder": str(own)}


def read_sources(folder: Folder, files: Sequence[str]) -> Iterator[Source]:
    """Yield the documents that can be read, named by their paths."""

    def read(file: str) -> Source | None:
        try:
            return Source(file, folder.read(file))
        except (Unfetched, OSError):
            return None

    with ThreadPoolExecutor(2) as executor:
        yield from filter(None, executor.map(read, files))


@dataclass(frozen=True)
class MadePage:
    """The results of `planbook expand` for one page."""

    body: str
    """The Markdown of the page; empty if there is none."""
    brief: str = ""
    """The brief of the page, of the default size."""
    passages: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The visible texts of the passages of each point in the dossier, best first."""


def write_pages(package: dict[str, Any], packages: Sequence[dict[str, Any]]) -> Iterator[MadePage]:
    """Yield each page as `planbook expand` writes it from the documents of the packages, with its evidence."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for one in packages:
            for file in files_of(one):
                copy = root / "documents" / one["package"] / file
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(Path(one["folder"], file), copy)
        for name in ("docs", "plans"):
            (root / name).mkdir()
        (root / "docs" / "index.md").write_text("# Pages\n", encoding="utf-8")
        (root / "mkdocs.yml").write_text(CONFIGURATION, encoding="utf-8")
        (root / "plans" / "pages.md").write_text("\n".join(plan(package)), encoding="utf-8")
        command = [Path(sys.executable).parent / "planbook", "expand", "--root", root]
        done = subprocess.run([str(one) for one in command], check=False, capture_output=True, text=True)
        if done.returncode:
            print(done.stdout[-2_000:], done.stderr[-2_000:], file=sys.stderr)
        for n in range(1, len(package["pages"]) + 1):
            page = root / "docs" / "pages" / f"{n:02}-page.md"
            text = page.read_text(encoding="utf-8") if page.exists() else ""
            yield with_evidence(root, n, text.partition("\n---\n")[2])


def with_evidence(root: Path, number: int, body: str) -> MadePage:
    """Return a page with the dossier that was kept for it; without, if the code that is measured keeps none."""
    try:
        # Not at the top: another checkout may lack them.
        from planbook.cli.chosen_parts import chosen_briefs  # noqa: PLC0415
        from planbook.cli.project import project_settings  # noqa: PLC0415
        from planbook.research.evidence.brief import render_brief  # noqa: PLC0415
        from planbook.research.evidence.dossier import DossierStore  # noqa: PLC0415
        from planbook.research.evidence.rank import visible  # noqa: PLC0415
        from planbook.research.git import shared_folder  # noqa: PLC0415
    except ImportError:
        return MadePage(body)
    (brief,) = chosen_briefs(project_settings(root), "pages", (number,))
    dossier = DossierStore(shared_folder(root)).load(brief)
    if dossier is None:
        return MadePage(body)
    passages = {plain(words(found.point)): [visible(one.excerpt) for one in found.ranked] for found in dossier.evidence}
    return MadePage(body, render_brief(brief, dossier, tokens=12_000), passages)


CONFIGURATION = """\
site_name: Answers
plugins:
  - planbook:
      expand:
        search:
          providers: [local]
"""


def plan(package: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a plan for the package's pages; its queries are their titles and those of their sections."""
    yield f"# {package['subject']}\n\n**Topic**: {package['subject']}\n**Target Folder**: `pages/`\n"
    for n, page in enumerate(package["pages"], 1):
        yield f"## PART {n}: Create pages/{n:02}-page.md\n\n- [ ] PART {n}: Create pages/{n:02}-page.md\n"
        goal = page.get("description", page["title"])
        yield f"**Title**: {page['title']}\n**Goal**: {goal}\n\n**Step 1: Web research**"
        titles = [page["title"], *(section["title"] for section in page["sections"])]
        queries = page.get("queries") or [f"{package['subject']} {title}" for title in titles]
        yield from (f'- [ ] Search: "{query}"' for query in queries)
        yield "\n**Step 2: Write the page**"
        for m, section in enumerate(page["sections"], 1):
            yield f"- [ ] Section {m}: {section['title']}"
            yield from (f"    - {point['text']}" for point in section["points"])
        yield f"\n**Step 3: Leave a KNOWLEDGE DROP**\n- [ ] Create KNOWLEDGE-DROP-page-{n}-<date>.md\n"


def plain(text: str) -> str:
    """Return the words of a text, for comparison."""
    found = " ".join(re.findall(r"[^\W_]+", text.casefold()))
    return f" {found} "


def below_point(body: str, point: str) -> str:
    """Return the text below the heading of a point."""
    pieces = re.split(r"^(#{2,3}) (.*)$", body, flags=re.MULTILINE)
    return next(
        (
            text
            for level, title, text in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True)
            if level == "###" and plain(words(title)) == plain(words(point))
        ),
        "",
    )


def unfolded(text: str) -> str:
    """Return a text without what is folded."""
    return re.sub(r"<details.*?</details>", "", text, flags=re.DOTALL)


def report(rows: Sequence[dict[str, Any]], before: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of a table: all points, then those of each subject."""
    names = " | ".join(f"{name:>11}" for name in MEASURES)
    yield f"| {'':26} | points | {names} | open or uncertain, of those without an answer |"
    for subject in ["", *dict.fromkeys(row["subject"] for row in rows)]:
        own = [row for row in rows if subject in {"", row["subject"]}]
        wanted, others = [row for row in own if row["is_answerable"]], [row for row in own if not row["is_answerable"]]
        figures = " | ".join(
            f"{100 * sum(map(is_so, wanted)) / max(1, len(wanted)):9.1f} %" for is_so in MEASURES.values()
        )
        is_open = f"{sum(row['is_open'] for row in others)} of {len(others)}"
        yield f"| {subject or 'all':26} | {len(wanted):6} | {figures} | {is_open} |"
    pairs = [(row, before[row["id"]]) for row in rows if row["id"] in before and row["is_answerable"]]
    for name, is_so in MEASURES.items() if pairs else ():
        gains = [is_so(row) - is_so(other) for row, other in pairs]
        draw = random.Random(SEED)  # noqa: S311 - a sample, not a secret
        means = sorted(100 * sum(draw.choices(gains, k=len(gains))) / len(gains) for _ in range(SAMPLES))
        low, high = means[SAMPLES // 40], means[-SAMPLES // 40]
        old = 100 * sum(is_so(other) for _, other in pairs) / len(pairs)
        gain = 100 * sum(gains) / len(gains)
        yield f"{name:12} {old:5.1f} -> {old + gain:5.1f}: {gain:+5.1f} (95 % from {low:+.1f} to {high:+.1f})"


def main() -> None:
    """Print the figures of the halves that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("half", nargs="*", default=["tune"], help="tune, kept, or the file of another set")
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--mirrors", type=Path)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--compare", type=Path)
    parser.add_argument("--adapter", type=Path)
    options = parser.parse_args()
    rank = ranked
    if options.adapter:
        spec = importlib.util.spec_from_file_location("adapter", options.adapter)
        module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
        spec.loader.exec_module(module)  # type: ignore[union-attr]
        rank = module.ranked
    before = {row["id"]: row for row in json.loads(options.compare.read_text())} if options.compare else {}
    rows: list[dict[str, Any]] = []
    extracts = Path(tempfile.mkdtemp(prefix="answers-"))
    for half in options.half:
        file = HERE / f"{half}.yml"
        packages = yaml.safe_load((file if file.exists() else Path(half)).read_text())
        if options.mirrors:
            packages = [extracted(package, options.mirrors, extracts) for package in packages]
        found: list[dict[str, Any]] = []
        for package in packages:
            beside = [other for other in packages if other is not package] if options.together else []
            found += measured(package, rank, beside)
        print(f"\n{half}:\n", *report(found, before), sep="\n")
        rows += found
    shutil.rmtree(extracts)
    if options.save:
        options.save.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
