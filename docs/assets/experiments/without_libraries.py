"""Tell what breaks when the libraries of one wheel are missing, and whether a stripped copy still works.

    python without_libraries.py SCRATCH [WHEEL...]

Makes copies of the site-packages that hold torch, as trees of links in the empty folder SCRATCH, takes the shared
libraries of one CUDA wheel out (of each in turn, or of those named), and runs `loaded_libraries.py wide` there with
Python's -S, so that no other site-packages are seen. Then it makes one copy with nothing but what `train` has mapped,
and runs every step in it.

Says how far each run came. A run that got a missing library from elsewhere (a CUDA toolkit that the loader knows)
is told as that. Exits with 0 when the untouched copy ran to its end. Needs a GPU, and loaded_libraries.py beside it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from loaded_libraries import LIBRARY, MIB, STEPS, torch, wheels

STEP = Path(__file__).with_name("loaded_libraries.py")
DRIVER = re.compile(r"/lib(cuda|nvidia-[\w-]+)\.so|/cuda_utils\.")
"""What comes from elsewhere anyway: the driver's libraries, and what Triton has just compiled."""
SITE = Path(torch.__file__).parent.parent


def copy(name: str, scratch: Path) -> Path:
    """A copy of the site-packages: real folders where libraries lie ($ORIGIN counts from there), else links."""
    libraries = [file for files in wheels("torch").values() for file in files if LIBRARY.search(file.name)]
    real = {folder for file in libraries for folder in file.parents}
    todo = [(SITE, scratch / name)]
    while todo:
        source, place = todo.pop()
        if source in real:
            place.mkdir()
            todo += [(child, place / child.name) for child in source.iterdir()]
        else:
            place.symlink_to(source)
    return scratch / name


def run(site: Path, step: str, *more: str) -> str:
    """How far the step came with these site-packages alone."""
    done = subprocess.run(  # noqa: S603 - our own script, with words of our own
        [sys.executable, "-S", str(STEP), step, *more],
        env={**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [*done.stdout.splitlines(), *done.stderr.strip().splitlines()]
    words = [word for line in lines if line.startswith("from elsewhere") for word in line.split()[2:]]
    elsewhere = [word for word in words if not DRIVER.search(word)]
    if done.returncode == 0:
        return "works" + (f", with {' '.join(elsewhere)}" if elsewhere else "")
    reached = "fails in the step" if any(line.startswith("torch ") for line in lines) else "cannot import torch"
    return f"{reached}: {lines[-1][:150] if lines else done.returncode}"


def without(name: str, files: list[Path], scratch: Path) -> str:
    """What becomes of the widest step when the libraries of one wheel are gone."""
    site = copy(name, scratch)
    for file in files:
        (site / file.relative_to(SITE)).unlink()
    return run(site, "wide")


def stripped(scratch: Path) -> None:
    """Print what still works with no library but those that a training step has mapped."""
    listed = scratch / "mapped.txt"
    site = copy("stripped", scratch)
    print("untouched, train:", run(SITE, "train", "--mapped", str(listed)))
    mapped = {Path(path) for path in listed.read_text().split()}
    libraries = {file for files in wheels("torch").values() for file in files if LIBRARY.search(file.name)}
    gone = {file for file in libraries if file.resolve() not in mapped}
    for file in gone:
        (site / file.relative_to(SITE)).unlink()
    size = sum(file.stat().st_size for file in {file.resolve() for file in gone})
    print(f"without the {len(gone)} libraries that `train` has not mapped ({size / MIB:.1f} MiB less):")
    for step in STEPS:
        print(f"  {step:10}{run(site, step)}", flush=True)


def main() -> int:
    """Run all of it."""
    scratch = Path(sys.argv[1])
    untouched = run(SITE, "wide")
    print("untouched, wide:", untouched, flush=True)
    chosen = {
        name: [file for file in files if LIBRARY.search(file.name)]
        for name, files in sorted(wheels("torch").items())
        if name != "torch" and (not sys.argv[2:] or name in sys.argv[2:])
    }
    with ThreadPoolExecutor(8) as pool:
        told = {name: pool.submit(without, name, files, scratch) for name, files in chosen.items() if files}
        for name, future in told.items():
            print(f"without {name:24}{future.result()}", flush=True)
    stripped(scratch)
    return 0 if untouched.startswith("works") else 1


if __name__ == "__main__":
    sys.exit(main())
