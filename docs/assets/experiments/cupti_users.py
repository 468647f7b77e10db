# ruff: noqa: E501, S603, S607
# An experiment, kept as it ran.
"""Which packages load CUPTI, and how?

Reads wheels and folders. Of each ELF file it prints whether CUPTI is in NEEDED (the loader opens it with the program), only
named in its strings (opened by dlopen when a profiler starts), or is CUPTI itself. Python files that name it are counted.
Needs readelf. No GPU.

Run: python cupti_users.py WHEEL|FOLDER ...
"""

import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

MIB = 1024 * 1024
NAME = re.compile(rb"libcupti\.so[.0-9]*|libcupti\.so|libcupti|cuptiSubscribe")


def is_elf(path: Path) -> bool:
    """Return whether a file begins as an ELF file does."""
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def needed(path: Path) -> list[str]:
    """Return the NEEDED entries of an ELF file."""
    text = subprocess.run(["readelf", "-d", str(path)], capture_output=True, text=True, check=False).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text)


def undefined(path: Path) -> int:
    """Return how many functions of CUPTI an ELF file imports."""
    text = subprocess.run(
        ["readelf", "--dyn-syms", "--wide", str(path)], capture_output=True, text=True, check=False
    ).stdout
    return len(set(re.findall(r"UND (cupti[A-Za-z0-9_]+)", text)))


def report(title: str, root: Path) -> None:
    """Print the findings for one package."""
    print(f"\n== {title}")
    elf = python = 0
    for path in sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink()):
        if path.suffix == ".py" and b"cupti" in path.read_bytes().lower():
            python += 1
        if not is_elf(path):
            continue
        elf += 1
        place = path.relative_to(root)
        libraries = [name for name in needed(path) if "cupti" in name]
        if path.name.startswith("libcupti.so"):
            print(f"{place}: CUPTI itself, {path.stat().st_size / MIB:.1f} MiB")
        elif libraries:
            print(f"{place}: NEEDED {' '.join(libraries)}, imports {undefined(path)} functions")
        else:
            found = sorted({match.decode() for match in NAME.findall(path.read_bytes())})
            if found:
                print(f"{place}: not NEEDED; its strings have {', '.join(found)}")
    print(f"ELF files: {elf}; Python files that name CUPTI: {python}")
    for metadata in root.glob("*.dist-info/METADATA"):
        lines = re.findall(r"^Requires-Dist: (.*cupti.*)$", metadata.read_text(errors="replace"), re.MULTILINE)
        print("requires:", "; ".join(lines) or "no package of CUPTI by name")


def main() -> None:
    """Report on each argument."""
    print(f"Python {platform.python_version()}, {platform.platform()}")
    for name in sys.argv[1:]:
        path = Path(name)
        if path.is_dir():
            report(path.name, path)
            continue
        with tempfile.TemporaryDirectory() as folder:
            with zipfile.ZipFile(path) as archive:
                archive.extractall(folder)
            report(path.name.split("-cp")[0].split("-py3")[0], Path(folder))


main()
