"""The environment of programs that Planbook starts: the variables they need to run, without API keys."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

_USUAL = ("PATH", "HOME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LOGNAME", "SHELL", "TMPDIR", "TZ", "USER")
_USUAL_ON_WINDOWS = ("APPDATA", "COMSPEC", "LOCALAPPDATA", "PATHEXT", "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE")


def reduced(environ: Mapping[str, str], names: Sequence[str] = ()) -> dict[str, str]:
    """The variables of `environ` that every program needs, and those in `names`."""
    usual = _USUAL + (_USUAL_ON_WINDOWS if sys.platform == "win32" else ())
    return {name: environ[name] for name in (*usual, *names) if name in environ}
