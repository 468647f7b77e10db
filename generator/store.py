"""The file system: reads trees, writes files atomically. The only room that writes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from generator.model import Tree

DROP_PREFIX = "KNOWLEDGE-DROP"
WORK_DIR = ".planbook"
"""Where, below the project's folder, lies what was fetched and found out. Git passes over it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where a project keeps its files, as its ``mkdocs.yml`` says."""

    root: Path
    docs_dir: str = "docs"
    plans_dir: str = "plans"
    site_url: str = ""


def read_tree(settings: Settings) -> Tree:
    """The plans, drops and pages of a project. A folder that is not there is empty."""
    plans, drops = read_plans(settings.root / settings.plans_dir, settings.plans_dir.strip("/"))
    docs = settings.root / settings.docs_dir
    pages = {path.relative_to(docs).as_posix(): path.read_bytes() for path in markdown_files(docs)}
    return Tree(plans, drops, pages, settings.plans_dir.strip("/"))


def read_plans(folder: Path, prefix: str) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The plans and the drops below `folder`, by path with `prefix`.

    In a folder that holds ``ingestion.md`` or ``plan.md``, no other file is a plan.
    """
    plans: dict[str, bytes] = {}
    drops: dict[str, bytes] = {}
    for path in markdown_files(folder):
        uri = f"{prefix}/{path.relative_to(folder).as_posix()}" if prefix else path.relative_to(folder).as_posix()
        if is_drop(path.name):
            drops[uri] = path.read_bytes()
        elif is_plan(path):
            plans[uri] = path.read_bytes()
    return plans, drops


def is_drop(name: str) -> bool:
    """Whether a file of this name is a KNOWLEDGE-DROP."""
    return name.upper().startswith(DROP_PREFIX)


def is_plan(path: Path) -> bool:
    """Whether the Markdown file at `path` is a plan, by its name and its neighbours."""
    if path.name.upper() in {"README.MD", "INDEX.MD", "SKILL.MD"}:
        return False
    mains = [path.parent / name for name in ("ingestion.md", "plan.md")]
    return path in mains or not any(main.is_file() for main in mains)


def markdown_files(folder: Path) -> Iterator[Path]:
    """Every ``.md`` file below `folder`, in path order; hidden ones and links to folders are passed over."""
    for directory, names, files in os.walk(folder):
        names[:] = sorted(name for name in names if not name.startswith("."))
        for name in sorted(files):
            path = Path(directory, name)
            if name.endswith(".md") and not name.startswith(".") and path.is_file():
                yield path


def find_root(start: Path) -> Path:
    """The nearest folder at or above `start` that holds ``mkdocs.yml`` or ``properdocs.yml``; else `start`."""
    for folder in (start, *start.parents):
        if any((folder / name).is_file() for name in ("mkdocs.yml", "properdocs.yml")):
            return folder
    return start


def read_settings(root: Path) -> Settings:
    """Where the project at `root` keeps its files. Tags such as ``!ENV`` that only MkDocs knows are passed over."""
    config = next((root / n for n in ("mkdocs.yml", "properdocs.yml") if (root / n).is_file()), None)
    if config is None:
        return Settings(root)
    loaded = yaml.load(config.read_text(encoding="utf-8"), Loader=_TolerantLoader)  # noqa: S506 - a SafeLoader
    values = loaded if isinstance(loaded, dict) else {}
    plugin = _plugin_options(values.get("plugins"))
    return Settings(
        root=root,
        docs_dir=str(values.get("docs_dir") or "docs"),
        plans_dir=str(plugin.get("plans_dir") or "plans"),
        site_url=str(values.get("site_url") or ""),
    )


def write_atomic(path: Path, content: bytes) -> None:
    """`content` at `path`, whole or not at all, and on the disk when this returns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read_work(root: Path, name: str) -> bytes | None:
    """A file of the project's working folder by its POSIX name there; ``None`` where there is none."""
    path = root / WORK_DIR / name
    return path.read_bytes() if path.is_file() else None


def write_work(root: Path, name: str, content: bytes) -> None:
    """`content` as a file of the project's working folder, which git is told to pass over; not twice if it is there."""
    ignore = root / WORK_DIR / ".gitignore"
    if not ignore.exists():
        write_atomic(ignore, b"*\n")
    if read_work(root, name) != content:
        write_atomic(root / WORK_DIR / name, content)


class _TolerantLoader(yaml.SafeLoader):
    """YAML as MkDocs writes it, with unknown tags read as ``None``."""


_TolerantLoader.add_multi_constructor("", lambda loader, suffix, node: None)


def _plugin_options(plugins: object) -> dict[str, object]:
    entries = plugins if isinstance(plugins, list) else [plugins] if isinstance(plugins, dict) else []
    for entry in entries:
        if isinstance(entry, dict) and isinstance(entry.get("planbook"), dict):
            return dict(entry["planbook"])
    return {}
