"""The files of the last build, set aside before MkDocs cleans the site's folder and put back one by one.

MkDocs empties the folder at the start of every build, but for what is hidden. So the folder holds at any time what a
build into an empty one would have written; a page that need not be written again is moved, and the rest deleted.
"""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

HIDDEN = ".planbook-speed"


class Kept:
    """What the last build wrote into a site's folder."""

    def __init__(self, site: Path) -> None:
        self._site, self._aside = site, site / HIDDEN

    def set_aside(self) -> None:
        """Move all files that are not hidden out of the way; where that cannot be done, MkDocs deletes them."""
        self.drop()
        if not self._site.is_dir():
            return
        entries = [path for path in self._site.iterdir() if not path.name.startswith(".")]
        with contextlib.suppress(OSError):
            self._aside.mkdir()
            for path in entries:
                path.rename(self._aside / path.name)

    def stamp(self, uri: str) -> list[int] | None:
        """The size and time of a file that was set aside, if it is there."""
        return stamp(self._aside / uri)

    def put_back(self, uri: str) -> bool:
        """Move a file to where it was; says whether that was possible."""
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
        """Delete what is still set aside."""
        if self._aside.exists():
            shutil.rmtree(self._aside, ignore_errors=True)


def stamp(path: Path) -> list[int] | None:
    """The size and time of a file, by which a change of it would show; none if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return [found.st_size, found.st_mtime_ns]
