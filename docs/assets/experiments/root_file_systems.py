"""Make the root file system of each image of the page from Debian packages and wheels, and weigh its layers.

python root_file_systems.py FOLDER OUT.json       # needs apt-get, dpkg-deb, zstd, 16 GB of disk, an index of wheels

A registry of images is not needed: the base is the closure of a few Debian packages, resolved by apt against an empty
system and unpacked by dpkg-deb without maintainer scripts; an environment is made by venv and pip, without a cache.
Each layer is what a step adds. Sizes: bytes of the files (a hard link counts once), and the layer as a tar under
zstd -3. What no package gives is listed as such.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

BASE = ["base-files", "base-passwd", "bash", "coreutils", "dash", "debianutils", "dpkg", "grep", "gzip", "hostname", "libc-bin", "login", "passwd", "sed", "tar", "util-linux", "apt", "ca-certificates"]
"""About what a minimal image of Debian holds."""

PACKAGES = {
    "base": BASE,
    "python": ["python3", "libpython3.11"],
    "compile": ["gcc", "libc6-dev", "python3-dev"],
    "build": ["g++", "ninja-build", "git"],
}
"""Debian packages of each layer; each is what is added to those above it."""

WHEELS = {
    "torch": ["torch==2.15.0", "numpy"],
    "nvcc": ["nvidia-cuda-nvcc==13.2.*", "nvidia-nvvm==13.2.*", "nvidia-cuda-crt==13.2.*", "nvidia-cuda-cccl"],
}
"""Wheels of each layer."""

IMAGES = {
    "production": ["base", "python", "torch"],
    "jit": ["base", "python", "torch", "compile"],
    "build (wheels for nvcc)": ["base", "python", "torch", "compile", "build", "nvcc"],
    "production, CPU only": ["base", "python", "torch-cpu"],
}
"""Layers of each image."""

NOT_MADE = {
    "cuda-compat, cuda-gdb, static libraries of the toolkit": "in NVIDIA's apt repository only",
    "Nsight Compute and Nsight Systems": "no wheel",
    "layers of nvidia/cuda and of NGC": "in registries of images only",
    "Ubuntu 24.04": "Debian 12 was at hand; packages of the same names differ by version",
}
"""What could not be made here, and why."""


def run(*command: str, **options: object) -> str:
    """Return what a command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout  # type: ignore[call-overload]


def closure(packages: list[str], folder: Path) -> list[str]:
    """Return the packages that apt would install on an empty system, without recommendations."""
    status = folder / "status"
    status.write_text("")
    said = run("apt-get", "-s", "-o", f"Dir::State::status={status}", "--no-install-recommends", "install", *packages)
    return sorted(set(re.findall(r"^Inst (\S+)", said, re.M)))


def unpack(packages: list[str], target: Path, folder: Path) -> None:
    """Download Debian packages and unpack them below a folder."""
    debs = folder / "debs"
    debs.mkdir(exist_ok=True)
    for package in debs.glob("*.deb"):
        package.unlink()
    run("apt-get", "download", *packages, cwd=debs)
    target.mkdir(parents=True)
    for package in sorted(debs.glob("*.deb")):
        run("dpkg-deb", "-x", str(package), str(target))


def install(requirements: list[str], target: Path, *, cpu_wheel: str | None = None) -> None:
    """Install wheels into a fresh environment at /opt/venv below a folder."""
    venv = target / "opt" / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", str(venv))
    site = next(venv.glob("lib/python*/site-packages"))
    wanted = [cpu_wheel, *requirements] if cpu_wheel else requirements
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-cache-dir", "--no-compile", "--target", str(site), *wanted)


def weigh(target: Path) -> dict:
    """Return bytes, files and compressed bytes of a folder."""
    seen, size, files = set(), 0, 0
    for path in target.rglob("*"):
        if path.is_symlink() or not path.is_file():
            continue
        stat = path.stat()
        if (stat.st_dev, stat.st_ino) not in seen:
            seen.add((stat.st_dev, stat.st_ino))
            size += stat.st_size
            files += 1
    tar = subprocess.Popen(["tar", "-C", str(target), "-cf", "-", "."], stdout=subprocess.PIPE)
    zstd = subprocess.run(f"zstd -3 -q -c | wc -c", shell=True, stdin=tar.stdout, capture_output=True, text=True, check=True)
    return {"mib": round(size / 2**20, 1), "files": files, "zstd_mib": round(int(zstd.stdout) / 2**20, 1)}


def largest(target: Path, count: int = 8) -> list:
    """Return the largest folders below site-packages, in MiB."""
    sizes: dict[str, int] = {}
    for site in target.glob("opt/venv/lib/python*/site-packages"):
        for path in site.rglob("*"):
            if path.is_file() and not path.is_symlink():
                parts = path.relative_to(site).parts
                name = "/".join(parts[:2]) if parts[0] == "nvidia" else parts[0]
                sizes[name] = sizes.get(name, 0) + path.stat().st_size
    return sorted(((name, round(size / 2**20, 1)) for name, size in sizes.items()), key=lambda row: -row[1])[:count]


def main() -> None:
    """Make and weigh each layer, and write one JSON document."""
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    layers, above = {}, set()
    wanted: list[str] = []
    for name, packages in PACKAGES.items():
        wanted += packages
        new = [package for package in closure(wanted, folder) if package not in above]
        above |= set(new)
        target = folder / name
        unpack(new, target, folder)
        layers[name] = {"packages": len(new), **weigh(target)}
        print(name, layers[name], flush=True)
        shutil.rmtree(target)
    for name, requirements in WHEELS.items():
        target = folder / name
        install(requirements, target)
        layers[name] = {"wheels": len(list(target.glob("opt/venv/lib/python*/site-packages/*.dist-info"))), **weigh(target), "largest": largest(target)}
        print(name, layers[name], flush=True)
        shutil.rmtree(target)
    cpu = os.environ.get("CPU_WHEEL")
    if cpu:
        target = folder / "torch-cpu"
        install(["numpy"], target, cpu_wheel=cpu)
        layers["torch-cpu"] = {"wheels": len(list(target.glob("opt/venv/lib/python*/site-packages/*.dist-info"))), **weigh(target), "wheel": Path(cpu).name}
        print("torch-cpu", layers["torch-cpu"], flush=True)
        shutil.rmtree(target)
    images = {
        image: {"layers": names, "mib": round(sum(layers[n]["mib"] for n in names), 1), "zstd_mib": round(sum(layers[n]["zstd_mib"] for n in names), 1)}
        for image, names in IMAGES.items()
        if all(name in layers for name in names)
    }
    result = {"date": time.strftime("%Y-%m-%d"), "debian": Path("/etc/debian_version").read_text().strip(), "python": sys.version.split()[0], "layers": layers, "images": images, "not made": NOT_MADE}
    out.write_text(json.dumps(result, indent=1) + "\n")
    for image, row in images.items():
        print(f"{image:24} {row['mib']:8.0f} MiB, {row['zstd_mib']:8.0f} as zstd")


if __name__ == "__main__":
    main()
