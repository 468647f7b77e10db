"""Records: the files to write for a finished page, the commit message, and moves of completed plans. Pure."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath

from generator.citations.references import read_references
from generator.expand.events import JobOutcome, Result
from generator.library import Library, pages
from generator.markdown.plain_text import count
from generator.model import Plan, State, Tree
from generator.research.drop import Attempt, points_of, render_drop
from generator.research.select import is_finished


@dataclass(frozen=True, slots=True)
class Record:
    """The files to write for one page; the journal holds it as JSON."""

    plan: str
    """The plan's slug."""
    number: int
    targets: tuple[str, ...]
    """The PART's targets as written in the plan: with the number, they identify the PART."""
    page: str
    """The page's uri."""
    drop: str
    """The drop's path in the project."""
    report: str
    """The drop's text."""
    when: str
    """In UTC, as ``YYYY-MM-DDTHH:MM:SSZ``."""
    content: str | None = None
    """The page's text; ``None`` if there is no page to write."""
    before: str | None = None
    """The SHA-256 of the page when the PART was begun; ``None`` if there was no page."""
    mark: State | None = None
    """The PART's new mark; ``None`` keeps the present one."""
    reason: str = ""
    """Why there is no page, or why its PART is partial."""
    lines: int = 0
    works: int = 0
    """Number of works that the page cites."""

    @property
    def name(self) -> str:
        """The PART's name for users."""
        return f"{self.plan} PART {self.number}"

    def paths(self, docs: str) -> tuple[str, ...]:
        """Return the page, if there is one, and the drop, by path from the project's folder."""
        return (*([f"{docs}/{self.page}"] if self.content is not None else []), self.drop)


def record_result(result: Result, runner: str, min_answered: float = 0.0) -> Record:
    """Return the record of a job's result, without `before`; `runner` is named in the drop.

    Its `mark` is set if the page answers less than `min_answered` percent of its points, or the draft has a
    `doubt`.
    """
    brief, outcome, reason = result.job.brief, "failed", result.reason
    if result.outcome is JobOutcome.DONE and result.draft:
        outcome, points = "done", len(points_of(brief))
        answered = points - len(result.draft.gaps)
        few = f"{answered} of {points} points answered, and expand.min_answered requires {min_answered:g} %"
        reason = few if 100 * answered < min_answered * points else result.draft.doubt
        outcome = "partial" if reason else outcome
    attempt = Attempt(
        brief=brief,
        runner=runner,
        started=datetime.fromisoformat(result.job.started),
        finished=datetime.fromisoformat(result.finished),
        outcome=outcome,
        reason=reason,
        draft=result.draft,
        sources=result.sources,
        searched=result.searched,
        findings=result.findings,
        requests=result.usage.requests,
        retries=result.job.attempt - 1,
    )
    text = attempt.draft.text if attempt.draft and attempt.has_page else None
    return Record(
        plan=brief.plan.slug,
        number=brief.part.number,
        targets=brief.part.targets,
        page=str(brief.page),
        drop=str(brief.drop),
        report=render_drop(attempt),
        when=result.finished,
        content=text,
        mark=State.PARTIAL if outcome == "partial" else None,
        reason=reason,
        lines=pages.parse_page(text, brief.page)[0].lines if text else 0,
        works=len(read_references(text, brief.page)[0]) if text else 0,
    )


def answers_folder(plan: str, number: int, page: str) -> str:
    """Return the folder, in the working folder, for answers to what is asked for a page until it is committed."""
    return f"answers/{sha256(f'{plan} {number} {page}')[:16]}"


def sha256(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def file_sha256(path: Path) -> str | None:
    """Return the SHA-256 of a file; ``None`` if there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def commit_message(records: Sequence[Record], docs: str, verb: str = "Expand") -> str:
    """Return a subject with plans, pages, lines and works, and a line for each page or failed PART."""
    written = [record for record in records if record.content is not None]
    slugs = tuple(dict.fromkeys(record.plan for record in records))
    about = slugs[0] if len(slugs) == 1 else count(len(slugs), "plan")
    sums = [
        count(len(written), "page"),
        count(sum(record.lines for record in written), "line"),
        f"{count(sum(record.works for record in written), 'work')} cited",
    ]
    if not written:
        sums = [f"no page, {count(len(records), 'PART')} failed"]
    lines = [f"{verb} {about}: {', '.join(sums)}", ""]
    for slug in slugs:
        lines += [f"{slug}:"] if len(slugs) > 1 else []
        lines += [_line(record, docs) for record in records if record.plan == slug]
    return "\n".join(lines) + "\n"


def _line(record: Record, docs: str) -> str:
    if record.content is None:
        return f"- PART {record.number}, {docs}/{record.page}: failed, {record.reason}"
    return (
        f"- PART {record.number}, {docs}/{record.page}: {count(record.lines, 'line')}, "
        f"{count(record.works, 'work')} cited"
    )


# --- completed plans -------------------------------------------------------------------------------------------------


COMPLETED = "completed"
_MAINS = {"ingestion.md", "plan.md"}


def moves(library: Library, slugs: Collection[str], plans_dir: str, files: Collection[str]) -> Mapping[str, str]:
    """Return the new path of each file of the completed plans of `slugs`, by path from the project's folder.

    `files` are the paths of all files in the plans' folder. A plan with its own folder moves with all of it. A plan
    whose new path is taken stays; if a plan is in ``completed/`` already, only its drops move.
    """
    top = plans_dir.strip("/")
    found: dict[str, str] = {}
    for plan in library.plans:
        if plan.slug not in slugs or not is_finished(library, plan):
            continue
        own = {old: completed_place(old, top) for old in (*_belongings(plan, files), *_drops(library, plan))}
        wanted = {old: new for old, new in own.items() if old != new and old in files}
        if not any(new in files for new in wanted.values()):
            found |= wanted
    return found


def relinked(tree: Tree, docs_dir: str, moved: Mapping[str, str]) -> Mapping[str, bytes]:
    """Return the new content of each file with links that `moved` would break, by present path.

    Paths are relative to the project's folder. Only working links to Markdown files are changed, and no other byte.
    """
    docs = docs_dir.strip("/")
    before = {**tree.plans, **tree.drops, **{f"{docs}/{uri}": raw for uri, raw in tree.pages.items()}}
    changed = {}
    for old, raw in before.items():
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            continue  # a Problem reports it
        new = _relinked(text, old, moved, before)
        if new != text:
            changed[old] = new.encode("utf-8")
    return changed


def _relinked(text: str, old: str, moved: Mapping[str, str], before: Collection[str]) -> str:
    home = posixpath.dirname(moved.get(old, old)) or "."
    for address in pages.written_links(text):
        path, mark, fragment = address.partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(old), path))
        if target not in before or (target not in moved and old not in moved):
            continue
        there = f"{posixpath.relpath(moved.get(target, target), home)}{mark}{fragment}".replace("\\", r"\\")
        pattern = rf"((?:\]\(|^[ ]{{0,3}}\[[^\]\n]+\]:)[ \t]*<?){re.escape(address)}(?=[\s>)])"
        text = re.sub(pattern, rf"\g<1>{there}", text, flags=re.MULTILINE)
    return text


def _belongings(plan: Plan, files: Iterable[str]) -> tuple[str, ...]:
    """Return the plan's own files: itself, or everything in its own folder."""
    path = PurePosixPath(plan.uri)
    if path.name not in _MAINS:
        return (str(plan.uri),)
    folder = f"{path.parent}/"
    return tuple(file for file in files if file.startswith(folder))


def _drops(library: Library, plan: Plan) -> tuple[str, ...]:
    """Return the plan's drops, in any folder."""
    found = {entry.drop.uri for part in plan.parts for entry in library.of(plan, part) if entry.drop}
    return tuple(sorted({*found, *(drop.uri for drop in library.drops if drop.plan == plan.slug)}))


def completed_place(path: str, top: str) -> str:
    """Return the path of a file of a completed plan; `top` is the plans' folder."""
    below = path.removeprefix(f"{top}/")
    return path if below.startswith(f"{COMPLETED}/") else f"{top}/{COMPLETED}/{below}"
