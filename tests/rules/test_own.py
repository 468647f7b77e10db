"""Our own base has nothing to remark."""

from __future__ import annotations

import subprocess
import sys

from tests.conftest import ROOT


def test_our_own_base_is_quiet() -> None:
    """`planbook check` in this repository says so, and ends with 0."""
    command = [sys.executable, "-c", "from generator.cli import main; main()", "check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("no problems found")
