"""Read the plans, drops and pages that a project has, as they are on disk."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import accumulate, chain
from pathlib import Path, PurePosixPath

from pathspec.gitignore import GitIgnoreSpec

from planbook.markdown.vault import publish_page
from planbook.model import Problem, Tree
from planbook.store.files import REPORT, RefusedError, reading
from planbook.store.scan import FolderScan, SkippedEntry, scan_folder, skip_reason
from planbook.store.settings import PLANS_DIR, Settings, plans_folder

_ALWAYS_EXCLUDED = (".*", "/templates/")
"""Always excluded by MkDocs: https://www.mkdocs.org/user-guide/configuration/#exclude_docs."""
MAX_PAGE_BYTES = 10_000_000
"""Maximum size of a plan, drop or page."""
DROP = "KNOWLEDGE-DROP"
"""The beginning of a drop's name, in capitals or not."""
MAINS = ("ingestion.md", "plan.md", "tasks.md")
"""Names of the plan in a folder of its own, whose other files are not plans."""


def missing_plans(root: Path, paths: Iterable[str]) -> list[str]:
    """Return the paths of plans that name nothing; a base without plans need not have a folder.

    A file that is not there yet and a pattern may name nothing.
    """
    missing = list[str]()
    for path in paths:
        file = root / path
        may_be_empty = path.endswith(".md") or glob.has_magic(path)
        is_unused = path == PLANS_DIR and not file.exists()
        if not (file.is_dir() or may_be_empty or is_unused):
            missing.append(path)
    return missing


def read_tree(settings: Settings, *, is_published: bool = False) -> Tree:
    """Return a project's plans, drops and pages; a plan or drop is not a page.

    A missing folder is empty.

    With `is_published`, only pages that a build publishes are returned.
    """
    folder, docs = settings.plans_dir.strip("/"), settings.root / settings.docs_dir
    paths, bounds = settings.plan_paths or (folder,), settings.bounds
    outputs = settings.outputs
    plans, drops, unread = read_plans(settings.root, paths, bounds=bounds, outputs=outputs)
    paths_by_kind = named_paths(settings.root, plans, drops)
    scan = scan_docs(settings)
    places = {uri: docs / uri for uri in scan.files if uri.endswith(".md")}
    for uri, path in list(places.items()):
        if os.path.abspath(path) in paths_by_kind:  # noqa: PTH100 - thousands
            del places[uri]
    pages = {
        uri: read_page_bytes(places[uri])
        for uri in (_published_uris(settings, places) if is_published else places)
    }
    docs_dir = settings.docs_dir.strip("/")
    if "!" in settings.exclude_docs:  # hidden files may be published
        scan = scan_folder(docs, bounds, has_hidden=True, outputs=outputs)
    unread += unread_docs(scan, docs_dir, excluded_files(settings))
    return Tree(
        plans,
        drops,
        pages,
        plans_dir=folder,
        target_folders=settings.target_folders,
        docs_dir=docs_dir,
        unread=tuple(dict.fromkeys(unread)),
        post_folders=settings.post_folders,
    )


def publish_tree(settings: Settings, tree: Tree) -> Tree:
    """Return a tree whose pages are as they are published: in a vault, without comments.

    A tree whose pages are to be edited or verified keeps them as they are.
    """
    if not settings.is_vault:
        return tree
    return replace(tree, pages={uri: publish_page(raw) for uri, raw in tree.pages.items()})


def scan_docs(settings: Settings) -> FolderScan:
    """Return the files of the documentation folder, and the entries that are not read."""
    docs = settings.root / settings.docs_dir
    return scan_folder(docs, settings.bounds, outputs=settings.outputs)


def unread_docs(scan: FolderScan, docs_dir: str, excluded: GitIgnoreSpec) -> tuple[Problem, ...]:
    """Return the Problems of entries of the documentation folder that a build would publish."""
    skipped = [entry for entry in scan.skipped if not entry.is_repeated]
    reported = [entry for entry in skipped if not excluded.match_file(entry.path)]
    return tuple(entry.problem(docs_dir) for entry in reported)


def _published_uris(settings: Settings, uris: Collection[str]) -> Iterator[str]:
    """Yield the published pages among `uris`: no drafts, no ``README.md`` by an ``index.md``."""
    excluded = excluded_files(settings)
    for uri in uris:
        folder, _, name = uri.rpartition("/")
        is_second = name == "README.md" and str(PurePosixPath(folder, "index.md")) in uris
        if not (is_second or excluded.match_file(uri)):
            yield uri


def excluded_files(settings: Settings) -> GitIgnoreSpec:
    """Return the patterns of files in the documentation folder that a build leaves out."""
    return GitIgnoreSpec.from_lines(
        [*_ALWAYS_EXCLUDED, *settings.exclude_docs.splitlines(), *settings.draft_docs.splitlines()]
    )


def excluded_by(*specs: GitIgnoreSpec | None) -> GitIgnoreSpec:
    """Return the patterns of files that a build leaves out: those of MkDocs and of `specs`."""
    patterns = [*GitIgnoreSpec.from_lines(_ALWAYS_EXCLUDED).patterns]
    for spec in specs:
        patterns += spec.patterns if spec else []
    return GitIgnoreSpec(patterns)


def file_stamps(settings: Settings) -> list[tuple[str, int, int]]:
    """Return path, size and time of each file that `read_tree` may read, and of the report."""
    folders = [settings.root / folder for folder in (settings.docs_dir, *settings.plan_folders)]
    files = [str(settings.root / REPORT)]
    for folder in folders:
        inside = scan_folder(folder, settings.bounds, outputs=settings.outputs).files
        files += [f"{folder}/{path}" for path in inside if path.endswith(".md")]
    stamps = []
    for path in files:
        with suppress(OSError):  # removed meanwhile
            stat = os.stat(path)  # noqa: PTH116 - for thousands of files
            stamps.append((path, stat.st_size, stat.st_mtime_ns))
    return stamps


def named_paths(root: Path, *files: Iterable[str]) -> frozenset[str]:
    """Return the absolute paths of `files`, named from the folder `root`."""
    uris = chain.from_iterable(files)
    return frozenset(os.path.abspath(f"{root}/{uri}") for uri in uris)  # noqa: PTH100 - thousands


def read_page_bytes(path: Path) -> bytes:
    """Return the bytes of a plan, drop or page.

    Raises RefusedError: it cannot be read, or exceeds `MAX_PAGE_BYTES`.
    """
    with reading(path), path.open("rb") as file:
        raw = file.read(MAX_PAGE_BYTES + 1)
    if len(raw) > MAX_PAGE_BYTES:
        raise RefusedError(
            f"{path}: it has more than {MAX_PAGE_BYTES:,} bytes; "
            "split it, or move it out of its folder"
        )
    return raw


def _read_each(paths: list[str]) -> list[bytes]:
    return [read_page_bytes(Path(path)) for path in paths]


def read_plans(
    root: Path,
    paths: Iterable[str],
    read: Callable[[list[str]], list[bytes]] = _read_each,
    bounds: Iterable[Path] = (),
    outputs: Iterable[Path] = (),
) -> tuple[dict[str, bytes], dict[str, bytes], tuple[Problem, ...]]:
    """Return the plans and drops that `paths` name, and Problems of files that cannot be read.

    In a folder that holds one of `MAINS`, no other file is a plan, nor in its subfolders.

    Args:
        root: the folder that `paths` are relative to.
        paths: folders, files and patterns.
        read: returns the content of files.
        bounds: the folders that links may lead into, besides `root`.
        outputs: the folders that builds write, which links may not lead into.
    """
    places, unread = dict[str, str](), list[Problem]()
    paths, outputs = tuple(paths), tuple(outputs)
    bounds = (root, *bounds, *(root / plans_folder(path) for path in paths))
    for pattern in paths:
        for name in _matching_paths(root, pattern, bounds, outputs):
            top, uri = root / name, PurePosixPath(name).as_posix()
            is_configured = name == pattern and top.is_dir()
            reason = None if is_configured else skip_reason(top, bounds, outputs)
            if reason is not None:
                unread.append(replace(reason, path=uri).problem(""))
            elif top.is_dir():
                of_folder, skipped = _plans_in_folder(top, uri, bounds, outputs)
                places |= of_folder
                unread += skipped
            elif name.endswith(".md") and top.is_file():
                places[uri] = str(top)
    with reading(root):
        texts = dict(zip(places, read([*places.values()]), strict=True))
    drops = {uri: raw for uri, raw in texts.items() if _is_drop(uri.rpartition("/")[2])}
    plans = {uri: raw for uri, raw in texts.items() if uri not in drops}
    return plans, drops, tuple(dict.fromkeys(unread))


def _plans_in_folder(
    top: Path, uri: str, bounds: Iterable[Path], outputs: Iterable[Path]
) -> tuple[dict[str, str], list[Problem]]:
    """Return the places of plans and drops in a folder, and Problems of what may be one."""
    scan = scan_folder(top, bounds, outputs=outputs)
    paths = [path for path in scan.files if path.endswith(".md")]
    mains = {path for path in paths if path.rpartition("/")[2] in MAINS}
    folder = "" if uri == "." else f"{uri}/"
    places = {folder + path: f"{top}/{path}" for path in paths if _is_plan_or_drop(path, mains)}
    skipped = [entry for entry in scan.skipped if _is_of_plans(entry, uri, mains)]
    return places, [entry.problem(uri) for entry in skipped]


def _is_drop(name: str) -> bool:
    return name.upper().startswith(DROP)


def _matching_paths(
    root: Path, pattern: str, bounds: Iterable[Path], outputs: Iterable[Path]
) -> list[str]:
    """Return the paths below `root` that a pattern names, in order.

    With ``**``, `glob` follows links without an end; there, `scan_folder` lists the folders.
    """
    if "**" not in PurePosixPath(pattern).parts:
        return sorted(glob.glob(pattern, root_dir=root))  # noqa: PTH207 - `..`, hidden
    fixed = plans_folder(pattern)
    scan = scan_folder(root / fixed, bounds, outputs=outputs)
    below = PurePosixPath(pattern).parts[0 if fixed == "." else len(PurePosixPath(fixed).parts) :]
    paths = [*scan.folders, *scan.files, *(entry.path for entry in scan.skipped)]
    matches = [path for path in paths if _is_match(PurePosixPath(path).parts, below)]
    return sorted(str(PurePosixPath(fixed, path)) for path in matches)


def _is_match(path: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Return True if a path's pieces match a pattern's, of which ``**`` matches any number."""
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_is_match(path[n:], pattern[1:]) for n in range(len(path) + 1))
    return bool(path) and fnmatchcase(path[0], pattern[0]) and _is_match(path[1:], pattern[1:])


def _is_of_plans(entry: SkippedEntry, folder: str, mains: Collection[str]) -> bool:
    """Return True if an unread entry of a folder of plans may be, or hold, a plan or drop.

    In the project's own folder, most links to folders belong to other programs.
    """
    if entry.is_folder:
        return folder != "." and not entry.is_repeated
    return entry.path.endswith(".md") and _is_plan_or_drop(entry.path, mains)


def decode_page(raw: bytes, name: str) -> str:
    """Return the text of a page.

    Raises RefusedError, which calls the page `name`, if it is not UTF-8.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        defect = f"byte 0x{raw[error.start]:02x} is not UTF-8; save the page as UTF-8"
        raise RefusedError(f"{name}:{line}: {defect}") from error


def files_below(folder: Path, prefix: str) -> tuple[str, ...]:
    """Return the paths of all files below `folder`, with `prefix`.

    Hidden files and links to folders are skipped.
    """
    paths, start = list[str](), "" if Path(prefix) == Path() else f"{Path(prefix).as_posix()}/"
    for directory, names, files in os.walk(folder):
        names[:] = sorted(name for name in names if not name.startswith("."))
        below = directory[len(str(folder)) :].replace(os.sep, "/").strip("/")
        above = f"{start}{below}/" if below else start
        paths += [above + name for name in sorted(files) if not name.startswith(".")]
    return tuple(paths)


def _is_plan_or_drop(path: str, mains: Collection[str]) -> bool:
    """Return True for a plan or drop, judging by its path in a folder of plans.

    `mains` has the plans of `MAINS`: files beside or below one are not plans.
    """
    folder, _, name = path.rpartition("/")
    if _is_drop(name) or name in MAINS:
        return True
    if name.upper() in {"README.MD", "INDEX.MD", "SKILL.MD"}:
        return False
    if not folder:
        # Not `tasks.md`, which may stand among plans.
        return not any(main in mains for main in MAINS[:2])
    folders_above = accumulate(folder.split("/"), "{}/{}".format)
    return not any(f"{above}/{main}" in mains for above in folders_above for main in MAINS)


def markdown_files(
    folder: Path, bounds: Iterable[Path] = (), outputs: Iterable[Path] = ()
) -> Iterator[Path]:
    """Yield every readable ``.md`` file below `folder`, in path order; hidden files are skipped.

    Links are followed within `folder` and `bounds`, but not into `outputs`
    (:func:`~planbook.store.scan.scan_folder`).
    """
    paths = scan_folder(folder, bounds, outputs=outputs).files
    return (folder / path for path in paths if path.endswith(".md"))
