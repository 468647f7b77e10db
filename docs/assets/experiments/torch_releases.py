"""Read what the package index says of each release of torch: Python floor, CUDA, cuDNN, NCCL, Triton.

python -m venv venv && venv/bin/pip install -U pip       # pip 26 or newer
venv/bin/python torch_releases.py > results/torch_releases.json
python torch_releases.py --table results/torch_releases.json    # the rows of the page's table

Each release is resolved by `pip install --dry-run --report` with `--use-feature=fast-deps`: pip reads the
METADATA file inside the wheel by HTTP range requests, so no wheel is downloaded (each has 0.5 to 0.9 GB).
The file printed names pip, the date, and for each release the wheel that was read, with its SHA-256.
"""

import json
import re
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

RELEASES = """2.7.0 2.7.1 2.8.0 2.9.0 2.9.1 2.10.0 2.11.0 2.12.0 2.12.1 2.13.0 2.14.0 2.14.1 2.15.0"""
"""The releases asked for; one that the index does not have is listed as such."""

PYTHONS = ("3.9", "3.10", "3.11", "3.15")
"""Versions of Python, to see which of them have a wheel."""

READ_FOR = "3.12"
"""The version of Python whose wheel is read; every release above has one."""

PLATFORM = "manylinux_2_28_x86_64"


def report(release: str, python: str) -> dict | None:
    """Return pip's report on one release for one Python on x86-64 Linux; None if there is no such wheel."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.json")
        command = [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--no-deps"),
            *("--use-feature=fast-deps", "--no-cache-dir", "--only-binary", ":all:", "--platform", PLATFORM),
            *("--python-version", python, "--target", folder, "--report", str(path), f"torch=={release}"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            if "No matching distribution" not in done.stderr:
                sys.exit(done.stderr)
            return None
        return json.loads(path.read_text())["install"][0]


def pinned(requirements: list[str], pattern: str) -> str | None:
    """Return the version in the first requirement whose name matches."""
    found = (re.match(rf"(?:{pattern})(?:\[[^]]*\])?\s*(?:==|~=)\s*([\w.]+)", line) for line in requirements)
    return next((match[1] for match in found if match), None)


def row(release: str) -> dict:
    """Return what the metadata of one release say."""
    read = report(release, READ_FOR)
    if read is None:
        return {"release": release, "wheel": None}
    metadata = read["metadata"]
    needs = metadata.get("requires_dist", [])
    return {
        "release": release,
        "wheel": read["download_info"]["url"].rsplit("/", 1)[1],
        "sha256": read["download_info"]["archive_info"]["hashes"]["sha256"],
        "requires_python": metadata.get("requires_python"),
        "classifiers": [c.rsplit(" ", 1)[1] for c in metadata.get("classifier", []) if re.search(r":: 3\.\d+$", c)],
        "wheels_for": [p for p in PYTHONS if report(release, p)],
        "cuda": pinned(needs, r"cuda-toolkit|nvidia-cuda-runtime(?:-cu1[23])?"),
        "cudnn": pinned(needs, r"nvidia-cudnn-cu1[23]"),
        "nccl": pinned(needs, r"nvidia-nccl-cu1[23]"),
        "triton": pinned(needs, r"triton"),
        "requires_dist": [line for line in needs if "extra ==" not in line],
    }


def table(path: str) -> str:
    """Return the rows of the page's table: one for each release that the file names."""
    read = json.loads(Path(path).read_text())
    rows = [
        f"| {r['release']} | {r['requires_python'].removesuffix('.0')} | {r['cuda']} | {r['cudnn']} | {r['nccl']} | {r['triton']} |"
        for r in read["releases"]
    ]
    return "\n".join(rows)


def main() -> None:
    """Print one JSON document, or with --table FILE the rows of a table."""
    if sys.argv[1:2] == ["--table"]:
        print(table(sys.argv[2]))
        return
    pip = subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, text=True, check=True)
    read = {
        "read": datetime.now(UTC).date().isoformat(),
        "client": " ".join(pip.stdout.split()[:2]),
        "platform": PLATFORM,
        "releases": [row(release) for release in RELEASES.split()],
    }
    json.dump(read, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
