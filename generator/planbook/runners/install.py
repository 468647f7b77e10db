"""Install what a host gets into a project or a home folder, and take it away again.

A record beside the host's settings has the hash of each piece as it was written. A piece that has
changed since is kept and reported: it may be somebody's work.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from planbook import __version__
from planbook.runners import json_text, toml_text
from planbook.runners.hosts import Host, JsonEntry, Piece, PlanbookFile, Scope, TomlTable
from planbook.store.files import remove_file, write_atomic

RECORD = "planbook-runners.json"
"""The record's name, in the host's folder."""


class Action(StrEnum):
    """The fate of a piece, done or ahead."""

    WRITTEN = "written"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    REMOVED = "removed"
    KEPT = "kept"
    MISSING = "not installed"


_CHANGES_NOTHING = frozenset({Action.UNCHANGED, Action.MISSING})


@dataclass(frozen=True, slots=True)
class PieceOutcome:
    """The result for one piece."""

    path: str
    action: Action
    message: str = ""
    """Why it was kept, and what to do; empty otherwise."""


@dataclass(frozen=True, slots=True)
class WrittenPiece:
    """A piece as the record has it."""

    sha256: str
    depth: int | None = None
    """For an entry: how many of its keys were there before; ``None`` if it was not written by
    us."""
    is_own_file: bool = False
    """True if there was no file before."""


@dataclass
class Installation:
    """A host's files in one place."""

    host: Host
    scope: Scope
    root: Path
    """The project's folder, or the home folder."""
    docs: str = "docs"
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def __post_init__(self) -> None:
        self._record = self._read_record()

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The files and entries for the host in this place."""
        return self.host.pieces(self.scope, self.docs)

    def path_on_disk(self, path: str) -> Path:
        """Return the path of a file, which a variable such as ``CODEX_HOME`` may move."""
        moved = self.environ.get(self.host.home_variable, "") if self.scope is Scope.USER else ""
        first, _, rest = path.partition("/")
        if moved and first == self.host.folder:
            return Path(moved) / rest
        return self.root / path

    # --- install ----------------------------------------------------------------------------------

    def install(self) -> tuple[PieceOutcome, ...]:
        """Write what is missing or older, and the record. Raises UnwritableError."""
        outcomes = tuple(self._install(piece) for piece in self.pieces)
        self._write_record()
        return outcomes

    def _install(self, piece: Piece) -> PieceOutcome:
        match self.state(piece):
            case PieceOutcome(action=Action.MISSING):
                self._put(piece)
                return PieceOutcome(piece.path, Action.WRITTEN)
            case PieceOutcome(action=Action.UPDATED) as outcome:
                recorded = self._record[_name_in_record(piece)]
                self._take(piece, recorded)
                self._put(piece)
                return outcome
            case outcome:
                if outcome.action is Action.UNCHANGED:
                    self._record.setdefault(
                        _name_in_record(piece), WrittenPiece(_sha256(_compared_text(piece)))
                    )
                return outcome

    def state(self, piece: Piece) -> PieceOutcome:
        """Return what `install` would do with a piece."""
        try:
            piece_state = self._there(piece)
        except ValueError as error:
            return PieceOutcome(piece.path, Action.KEPT, _message_of_unreadable(piece, error))
        recorded = self._record.get(_name_in_record(piece))
        if piece_state == _compared_text(piece):
            return PieceOutcome(piece.path, Action.UNCHANGED)
        if piece_state is None:
            # An item that somebody took out of a list, such as a permission, is not put back.
            was_removed = recorded is not None and isinstance(piece, JsonEntry) and piece.is_item
            if was_removed:
                return PieceOutcome(piece.path, Action.KEPT, _GONE_NOTE)
            return PieceOutcome(piece.path, Action.MISSING)
        if recorded and recorded.sha256 == _sha256(piece_state):
            return PieceOutcome(piece.path, Action.UPDATED)
        return PieceOutcome(piece.path, Action.KEPT, _message_of_edited(piece))

    # --- uninstall --------------------------------------------------------------------------------

    def uninstall(self) -> tuple[PieceOutcome, ...]:
        """Take away what was installed and is as it was. Raises UnwritableError."""
        # The last one first: what was made for the first one is empty only then.
        outcomes = [self._uninstall(piece) for piece in reversed(self.pieces)]
        self._write_record()
        return tuple(reversed(outcomes))

    def _uninstall(self, piece: Piece) -> PieceOutcome:
        try:
            piece_state = self._there(piece)
        except ValueError as error:
            return PieceOutcome(piece.path, Action.KEPT, _message_of_unreadable(piece, error))
        recorded = self._record.pop(_name_in_record(piece), None)
        if piece_state is None:
            return PieceOutcome(piece.path, Action.MISSING)
        is_as_written = recorded is not None and recorded.sha256 == _sha256(piece_state)
        if piece_state != _compared_text(piece) and not is_as_written:
            if recorded:
                self._record[_name_in_record(piece)] = recorded
            return PieceOutcome(piece.path, Action.KEPT, _message_of_edited(piece))
        self._take(piece, recorded)
        return PieceOutcome(piece.path, Action.REMOVED)

    # --- pieces on disk ---------------------------------------------------------------------------

    def _there(self, piece: Piece) -> str | None:
        """Return a piece as it is on disk; ``None`` if it is not there.

        Raises ValueError if its file is unreadable.
        """
        path = self.path_on_disk(piece.path)
        if not path.is_file():
            return None
        text = _read_utf8(path)
        match piece:
            case PlanbookFile():
                return text
            case TomlTable():
                if toml_text.table_at(text, piece.keys) is None:
                    return None
                # An author may write it as an inline table, which has no heading.
                return toml_text.block_at(text, piece.keys) or text
            case JsonEntry():
                value = json_text.value_at(text, piece.keys)
                if piece.is_item:
                    is_listed = piece.value in (value or ())
                    value = piece.value if is_listed else None
                if value is None:
                    _edited_text(text, piece)  # raises ValueError if there is no place for it
                    return None
                return _dump_json(value)

    def _put(self, piece: Piece) -> None:
        """Write a piece, and note it."""
        path = self.path_on_disk(piece.path)
        is_new = not path.is_file()
        old_text = "" if is_new else _read_utf8(path)
        depth = None
        match piece:
            case PlanbookFile():
                new_text = piece.text
            case TomlTable():
                new_text = toml_text.add_table(old_text, piece.text)
            case JsonEntry():
                depth = json_text.depth_of(old_text, piece.keys)
                new_text = _edited_text(old_text, piece)
        write_atomic(path, new_text.encode("utf-8"))
        self._record[_name_in_record(piece)] = WrittenPiece(
            _sha256(_compared_text(piece)), depth, is_new
        )

    def _take(self, piece: Piece, recorded: WrittenPiece | None) -> None:
        """Take a piece away; a file that was made for it and has nothing else goes, too."""
        path = self.path_on_disk(piece.path)
        old_text = _read_utf8(path)
        match piece:
            case PlanbookFile():
                new_text = ""
            case TomlTable():
                new_text = toml_text.remove_table(old_text, piece.keys)
            case JsonEntry():
                new_text = _remove_entry(old_text, piece, recorded.depth if recorded else None)
        is_empty = new_text.strip() in {"", "{}"}
        was_made_for_it = recorded is None or recorded.is_own_file
        if isinstance(piece, PlanbookFile) or (is_empty and was_made_for_it):
            remove_file(path, self._top)
        else:
            write_atomic(path, new_text.encode("utf-8"))

    # --- the record -------------------------------------------------------------------------------

    @property
    def _top(self) -> Path:
        """The folder that stays, whatever is taken out of it."""
        return self.path_on_disk(self.host.folder).parent

    @property
    def _record_path(self) -> Path:
        return self.path_on_disk(f"{self.host.folder}/{RECORD}")

    def _read_record(self) -> dict[str, WrittenPiece]:
        try:
            record = json.loads(self._record_path.read_text(encoding="utf-8"))
            return {key: WrittenPiece(**piece) for key, piece in record["pieces"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}

    def _write_record(self) -> None:
        if not self._record:
            if self._record_path.is_file():
                remove_file(self._record_path, self._top)
            return
        pieces = {key: asdict(piece) for key, piece in sorted(self._record.items())}
        record = {"planbook": __version__, "pieces": pieces}
        text = json.dumps(record, indent=2, ensure_ascii=False) + "\n"
        is_there = self._record_path.is_file()
        if not is_there or self._record_path.read_text(encoding="utf-8") != text:
            write_atomic(self._record_path, text.encode("utf-8"))


def _read_utf8(path: Path) -> str:
    """Return a file's text with its own line endings. Raises ValueError if it is not UTF-8."""
    return path.read_bytes().decode("utf-8")


def _edited_text(text: str, piece: JsonEntry) -> str:
    """Return a JSON text with an entry. Raises ValueError if it cannot take it."""
    edit = json_text.append if piece.is_item else json_text.put
    return edit(text, piece.keys, piece.value)


def _remove_entry(text: str, piece: JsonEntry, depth: int | None) -> str:
    """Return a JSON text without an entry, and without what was made for it.

    That is all below the first `depth` keys, if it is empty now.
    """
    text = json_text.remove(text, piece.keys, piece.value if piece.is_item else None)
    if depth is None:
        return text
    above = len(piece.keys) if piece.is_item else len(piece.keys) - 1
    for n in range(above, depth, -1):
        if json_text.value_at(text, piece.keys[:n]) in ({}, []):
            text = json_text.remove(text, piece.keys[:n])
    return text


_GONE_NOTE = (
    "it was taken out since it was installed, and stays out; uninstall and install again to have "
    "it back"
)


def _message_of_edited(piece: Piece) -> str:
    if isinstance(piece, PlanbookFile):
        return "it is not as Planbook wrote it; keep it, or move it away and install again"
    return (
        f"its entry {'.'.join(piece.keys)} is not as Planbook wrote it; keep it, or delete it and "
        "install again"
    )


def _message_of_unreadable(piece: Piece, error: ValueError) -> str:
    return f"it cannot be read ({error}); correct it, then install again"


def _name_in_record(piece: Piece) -> str:
    """Return the name of a piece in the record."""
    match piece:
        case PlanbookFile():
            return piece.path
        case TomlTable():
            return f"{piece.path}#{'.'.join(piece.keys)}"
        case JsonEntry():
            item = f"[{_sha256(_dump_json(piece.value))[:8]}]" if piece.is_item else ""
            return f"{piece.path}#{'.'.join(piece.keys)}{item}"


def _compared_text(piece: Piece) -> str:
    """Return a piece as it is compared."""
    return _dump_json(piece.value) if isinstance(piece, JsonEntry) else piece.text


def _dump_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


# --- reports --------------------------------------------------------------------------------------


def group_by_file(outcomes: Sequence[PieceOutcome]) -> tuple[PieceOutcome, ...]:
    """Return the outcomes to report of each file: all that were kept, else one.

    That is the first that changed the file, else the first.
    """
    by_path: dict[str, list[PieceOutcome]] = {}
    for outcome in outcomes:
        by_path.setdefault(outcome.path, []).append(outcome)
    reported: list[PieceOutcome] = []
    for of_file in by_path.values():
        unchanged = [outcome for outcome in of_file if outcome.action is Action.KEPT]
        changed = [outcome for outcome in of_file if outcome.action not in _CHANGES_NOTHING]
        if unchanged:
            reported += unchanged
        else:
            reported.append((changed or of_file)[0])
    return tuple(reported)


def install_state(installation: Installation) -> str:
    """Return installed, not installed, edited, outdated or incomplete: the first that applies."""
    actions = {installation.state(piece).action for piece in installation.pieces}
    if actions == {Action.UNCHANGED}:
        return "installed"
    if actions == {Action.MISSING}:
        return "not installed"
    if Action.KEPT in actions:
        return "edited"
    if Action.UPDATED in actions:
        return "outdated"
    return "incomplete"
