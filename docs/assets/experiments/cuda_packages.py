"""Which Debian package owns which CUDA file, and what NVIDIA's image variants would hold of them.

Run it in a container that has NVIDIA's apt packages, best a devel image: `python3 cuda_packages.py 13-0`.
It needs Python's standard library and dpkg, reads only, and prints plain text. The lists of base, runtime
and devel are those of NVIDIA's Dockerfiles for CUDA 13.0.0 on Ubuntu 24.04 (amd64).
"""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

FORMAT = "${Package}\t${Version}\t${Installed-Size}\t${Maintainer}\t${Pre-Depends}, ${Depends}\t${db:Status-Status}\n"
WANTED = (
    "libcupti* cupti.h libnvperf* libcheckpoint* libpcsamplingutil* libcudart.so* libcudart_static.a "
    "cuda_runtime.h libcublas.so* cublas_v2.h libnvrtc.so* nvcc"
)
BASE = "cuda-cudart-V cuda-compat-V"
RUNTIME = "cuda-libraries-V libnpp-V cuda-nvtx-V libcusparse-V libcublas-V libnccl2"
DEVEL = (
    "cuda-cudart-dev-V cuda-command-line-tools-V cuda-minimal-build-V cuda-libraries-dev-V cuda-nvml-dev-V "
    "libnpp-dev-V libcusparse-dev-V libcublas-dev-V libnccl-dev cuda-nsight-compute-V"
)
METAS = "cuda-libraries-V cuda-libraries-dev-V cuda-command-line-tools-V cuda-minimal-build-V cuda-toolkit-V"


class Package(NamedTuple):
    """One installed package, as dpkg knows it."""

    version: str
    kib: int
    maintainer: str
    depends: str
    """As its control file says it."""

    @property
    def needs(self) -> list[str]:
        """The names that it depends on, alternatives among them, versions left out."""
        parts = re.split(r"[,|]", self.depends)
        return [re.split(r"[ (:]", part.strip())[0] for part in parts if part.strip()]


def run(*command: str) -> str:
    """Return what a command prints; nothing where it fails."""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout  # noqa: S603 -- our own commands


def installed() -> dict[str, Package]:
    """Return every installed package by name."""
    found = {}
    for line in run("dpkg-query", "-W", f"-f={FORMAT}").splitlines():
        name, version, size, maintainer, depends, status = line.split("\t")
        if status == "installed":
            found[name] = Package(version, int(size or 0), maintainer, depends.strip(", "))
    return found


def closure(names: list[str], packages: dict[str, Package]) -> set[str]:
    """Return those of the names that are installed packages of NVIDIA, and all of NVIDIA's that they depend on."""
    seen: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        package = packages.get(name)
        if package and name not in seen and re.search("nvidia|cudatools", package.maintainer, re.IGNORECASE):
            seen.add(name)
            todo += package.needs
    return seen


def kind(path: Path) -> str:
    """Return what sort of file it is, as far as its name and mode tell."""
    if path.suffix == ".a":
        return "static libraries"
    if re.search(r"\.so(\.|$)", path.name):
        return "shared libraries"
    if "include" in path.parts:
        return "headers"
    return "programs" if os.access(path, os.X_OK) else "other"


def weigh(names: set[str]) -> Counter[str]:
    """Return the bytes that the packages' files take, by kind; links count nothing."""
    sums: Counter[str] = Counter()
    for path in map(Path, run("dpkg", "-L", *sorted(names)).splitlines() if names else ()):
        if path.is_file() and not path.is_symlink():
            sums[kind(path)] += path.stat().st_size
    return sums


def owners(root: Path) -> None:
    """Print, for each wanted file below the toolkit, its owner, its size and its real place."""
    print(f"== owners of files below {root}")
    for pattern in WANTED.split():
        paths = sorted({path.resolve() for path in root.rglob(pattern)})
        for path in paths:
            owner = run("dpkg", "-S", str(path)).split(":")[0] or "(no package)"
            print(f"{owner:28} {path.stat().st_size if path.is_file() else 0:>12,} {path}")
        if not paths:
            print(f"{'(no such file)':41} {pattern}")


def listed(names: set[str], packages: dict[str, Package]) -> None:
    """Print packages with the size that dpkg states, the largest first."""
    for name in sorted(names, key=lambda one: (-packages[one].kib, one)):
        print(f"  {packages[name].kib:>10,} KiB  {name} {packages[name].version}")


def main(version: str) -> None:
    """Print the whole report for a version as package names write it, such as 13-0."""
    packages = installed()
    owners(Path("/usr/local/cuda").resolve())
    print("\n== direct dependencies of the metapackages")
    for name in METAS.replace("-V", f"-{version}").split():
        print(f"{name}: {', '.join(packages[name].needs) if name in packages else '(not installed)'}")
    print("\n== what the variants hold, by NVIDIA's lists; MB is 10^6 bytes of files")
    below: set[str] = set()
    asked: list[str] = []
    for variant, text in (("base", BASE), ("runtime", RUNTIME), ("devel", DEVEL)):
        names = text.replace("-V", f"-{version}").split()
        asked += names
        added = closure(asked, packages) - below
        sums = weigh(added)
        print(f"\n{variant} adds {len(added)} packages, {sum(sums.values()) / 1e6:,.1f} MB: ", end="")
        print(", ".join(f"{what} {size / 1e6:,.1f}" for what, size in sums.most_common()))
        print("  not installed here: " + (", ".join(name for name in names if name not in packages) or "none"))
        listed(added, packages)
        below |= added
    print("\n== other packages of NVIDIA here")
    listed(closure(list(packages), packages) - below, packages)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "13-0")
