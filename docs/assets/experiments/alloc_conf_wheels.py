"""Show which names of the allocator's variable each PyTorch wheel contains, and the deprecation warning.

python alloc_conf_wheels.py WHEEL|TORCH_FOLDER...     # libc10 and, where it is there, libc10_cuda
"""

from __future__ import annotations

import re
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

NAMES = re.compile(rb"PYTORCH_(?:CUDA_|HIP_)?ALLOC_CONF\x00| is deprecated, use PYTORCH_ALLOC_CONF instead")
LONG = re.compile(rb"[ -~]*PYTORCH_\w*ALLOC_CONF is deprecated[ -~]*")


def main() -> None:
    """Search each library."""
    for wheel in map(Path, sys.argv[1:]):
        if wheel.is_dir():
            files = {str(path.relative_to(wheel.parent)): path for path in wheel.rglob("*") if path.is_file()}
            report(wheel.name, list(files), lambda name, files=files: files[name].read_bytes())
        else:
            with zipfile.ZipFile(wheel) as archive:
                report(wheel.name, archive.namelist(), archive.read)


def report(title: str, names: list[str], read: Callable[[str], bytes]) -> None:
    """Print what the libraries of one PyTorch contain."""
    text = read(next(n for n in names if n.endswith("torch/version.py"))).decode()
    version, commit = re.search(r"__version__ = '(\S+)'", text), re.search(r"git_version = '(\w+)'", text)
    print(f"{version and version.group(1)} ({title})  commit {commit and commit.group(1)}")
    for name in names:
        if Path(name).name in ("libc10.so", "libc10.dylib", "libc10_cuda.so"):
            data = read(name)
            found = {match.group().rstrip(b"\0").decode() for match in NAMES.finditer(data)}
            found |= {match.group().decode() for match in LONG.finditer(data)}
            print(f"    {Path(name).name}: {sorted(found) or 'none'}")


if __name__ == "__main__":
    main()
