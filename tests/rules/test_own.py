"""Our own base has nothing to remark."""

from __future__ import annotations

import os

from tests import forks
from tests.conftest import ROOT


def test_our_own_base_is_quiet() -> None:
    """`planbook check` in this repository says so, and ends with 0."""
    done = forks.run("planbook", "check", cwd=ROOT, env=os.environ)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("no problems found")
