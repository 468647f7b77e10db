"""The files of the last build, moved aside before MkDocs cleans the site's folder and restored one by one.

MkDocs empties the folder at the start of every build, except for hidden files. At any time the folder contains what a
build into an empty one would have written: a page that need not be written again is moved, and the rest is deleted.
"""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

HIDDEN = ".planbook-speed"


class PreviousOutput:
    """The last build's output in a site's folder."""

    def __init__(self, site: Path) -> None:
        self._site, self._aside = site, site / HIDDEN

    def set_aside(self) -> None:
        """Move all files that are not hidden aside; if that fails, MkDocs deletes them."""
        self.drop()
        if not self._site.is_dir():
            return
        entries = [path for path in self._site.iterdir() if not path.name.startswith(".")]
        with contextlib.suppress(OSError):
            self._aside.mkdir()
            for path in entries:
                path.rename(self._aside / path.name)

    def stamp(self, uri: str) -> list[int] | None:
        """Return the stamp of a file that was moved aside, if it exists."""
        return stamp(self._aside / uri)

    def restore(self, uri: str) -> bool:
        """Move a file back; return True if that was possible."""
        there, here = self._aside / uri, self._site / uri
        try:
            # Most pages have a folder to themselves, and it is quicker to move that.
            if not here.parent.exists() and list(there.parent.iterdir()) == [there]:
                there, here = there.parent, here.parent
            here.parent.mkdir(parents=True, exist_ok=True)
            if here.exists():
                return False
            there.rename(here)
        except OSError:
            return False
        return True

    def drop(self) -> None:
        """Delete the files that are still aside."""
        if self._aside.exists():
            shutil.rmtree(self._aside, ignore_errors=True)


def stamp(path: Path) -> list[int] | None:
    """Return a file's size and modification time in nanoseconds, which show a change; ``None`` if there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return [found.st_size, found.st_mtime_ns]
