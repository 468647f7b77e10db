"""Public reports with labelled claims: how many `planbook audit` finds, and whether those that it calls supported are.

The folder has `mirrors/OWNER/NAME.git` for the repositories of the reports, and `copies/` with the texts of their
sources, as `planbook audit --copies` reads them.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from click.testing import CliRunner

from bench.quality.table import Figure, share
from planbook.citations.repository_files import parse_file_url
from planbook.cli import main

LABELS = Path(__file__).with_name("claims.yml")
"""The labels; a file of the same name in the folder replaces them."""


def measured(name: str, folder: Path, split: str) -> Figure:
    """Return the figure of a row."""
    outcomes: list[bool] = []
    labels = next(file for file in (folder / LABELS.name, LABELS) if file.exists())
    for report in yaml.safe_load(labels.read_text(encoding="utf-8")):
        if bool(report.get("held_out")) is (split == "held-out"):
            claims = audited(report["address"], folder)
            found = Counter(claim["line"] for claim in claims)
            labelled = Counter(report.get("claims", ()))
            if name == "claims-found":
                outcomes += [n < found[line] for line, count in labelled.items() for n in range(count)]
            elif name == "claims-right" and labelled:
                outcomes += [n < labelled[line] for line, count in found.items() for n in range(count)]
            elif name == "claims-supported":
                said = [claim["line"] for claim in claims if claim["verdict"] in {"supported", "found verbatim"}]
                outcomes += [line in report.get("supported", ()) for line in said]
    return share(outcomes)


@cache
def audited(address: str, folder: Path) -> list[dict[str, Any]]:
    """Return the claims of a report at a commit, audited without a network."""
    file = parse_file_url(address)
    assert file, address
    mirror = folder / "mirrors" / f"{file.repository}.git"
    git = ["git", "-C", str(mirror), "show", f"{file.ref}:{file.path}"]
    text = subprocess.run(git, check=True, capture_output=True).stdout
    with tempfile.TemporaryDirectory() as place:
        report = Path(place, "report.md")
        report.write_bytes(text)
        copies = ["--copies", str(folder / "copies")]
        done = CliRunner().invoke(main, ["audit", str(report), "--offline", *copies, "--format", "json"])
    found: list[dict[str, Any]] = json.loads(done.stdout)["claims"]
    return found
