"""Bubblewrap: a program can read the system but not change it; it may write its own folder and those the user names.

`find_sandbox` tries it, since an installed bubblewrap may not be allowed to create namespaces.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from generator.store.programs import reduced

_HIDDEN = ("/tmp", "/run")  # noqa: S108 - not used, but hidden
"""Folders replaced by empty ones: they hold sockets of other programs, through which one could act outside."""
_NAMES = Path("/etc/resolv.conf")
_TRIAL_S = 5.0


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A bubblewrap that works on this machine."""

    program: str
    shown: tuple[Path, ...] = ()
    """Folders that can be read even inside a hidden one."""
    writable: tuple[Path, ...] = ()
    """Folders that may be written in addition to the program's own."""
    has_network: bool = False

    @property
    def bounds(self) -> str:
        """Its permissions, in words."""
        writes = "".join(f" and {path}" for path in self.writable)
        network = "with the network" if self.has_network else "without network"
        return f"confined by bubblewrap, {network}; it writes to its own copy of the project{writes}"

    def wrap(self, argv: Sequence[str], top: Path, folder: Path, search: str = "") -> list[str]:
        """Return the command that runs `argv` in `folder`, below the writable `top`; `search` is its PATH."""
        shown = [*self.shown, *map(Path, filter(None, [*search.split(":"), str(Path(argv[0]).parent)]))]
        if self.has_network:
            shown.append(_NAMES.resolve())
        hidden = [path for path in shown if any(path.is_relative_to(place) for place in _HIDDEN)]
        return [
            self.program,
            *("--unshare-all", "--die-with-parent", "--cap-drop", "ALL"),
            *(("--share-net",) if self.has_network else ()),
            *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
            *(word for place in _HIDDEN for word in ("--tmpfs", place)),
            *(word for path in hidden for word in ("--ro-bind-try", str(path), str(path))),
            *(word for path in self.writable for word in ("--bind", str(path), str(path))),
            *("--bind", str(top), str(top), "--chdir", str(folder), "--"),
            *argv,
        ]


def find_sandbox(
    environ: Mapping[str, str],
    folder: Path,
    *,
    shown: Sequence[Path] = (),
    writable: Sequence[Path] = (),
    has_network: bool = False,
) -> Sandbox | str:
    """Return a sandbox that works on this machine, or a short reason why there is none. It is tried on a no-op program.

    `folder` stands for the writable one.
    """
    search = environ.get("PATH")
    program, nothing = shutil.which("bwrap", path=search), shutil.which("true", path=search)
    if program is None or nothing is None:
        return "bubblewrap is not installed"
    found = Sandbox(program, tuple(shown), tuple(writable), has_network)
    try:
        tried = subprocess.run(  # noqa: S603 - bubblewrap and `true`, by their paths
            found.wrap([nothing], folder, folder, search or ""),
            env=reduced(environ),
            capture_output=True,
            text=True,
            check=False,
            timeout=_TRIAL_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not work here: {error}"
    words = " ".join(tried.stderr.split()) or f"it ended with status {tried.returncode}"
    return f"bubblewrap does not work here: {words}" if tried.returncode else found
