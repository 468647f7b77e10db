#!/bin/bash
# How much one downloads for PyTorch with CUDA: the wheels that a lock file chooses, with the sizes that the index tells.
#
#   bash wheel_downloads.sh EMPTY_FOLDER [REQUIREMENT]...     (default: torch==2.11.0)
#
# Needs uv and a package index. Downloads nothing but the index's pages. Compare with what is installed: loaded_libraries.py.
set -eu
cd "$1"
shift
[ $# -gt 0 ] || set -- torch==2.11.0
cat >pyproject.toml <<EOF
[project]
name = "lock"
version = "0"
requires-python = "==3.11.*"
dependencies = [$(printf '"%s",' "$@")]
[tool.uv]
environments = ["sys_platform == 'linux' and platform_machine == 'x86_64'"]
EOF
uv lock --quiet
python3 - <<'EOF'
import re
import tomllib

ours = re.compile(r"(cp311-cp311|py3-none|py2\.py3-none).*(manylinux.*x86_64|any)\.whl")
rows = []
for package in tomllib.load(open("uv.lock", "rb"))["package"]:
    sizes = [wheel["size"] for wheel in package.get("wheels", ()) if ours.search(wheel["url"])]
    rows += [(max(sizes), package["name"], package["version"])] if sizes else []
for size, name, version in sorted(rows, reverse=True):
    print(f"{name:24}{version:14}{size / 2**20:9.1f}")
print(f"{len(rows)} wheels, MiB:{sum(size for size, *_ in rows) / 2**20:24.1f}")
EOF
