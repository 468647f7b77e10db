#!/usr/bin/env bash
# What happens to a pre-release torch in an image when something else asks for torch? NVIDIA's images have one, such as
# 2.13.0a0+9186a08b2c.nv26.07, and a file of constraints named in PIP_CONSTRAINT. Stand-ins: empty wheels "demo-torch" with
# NVIDIA's version and with a release, and packages that require it in four ways. pip and uv see only a local folder.
# Run: ./container_constraints.sh     Needs python3 with venv and pip; UV names uv, if there is one. No GPU, no network.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir wheels
uv=${UV:-uv}

wheel() { # name, version, requirement or nothing
    python3 - "$@" <<'PY'
import sys, zipfile
name, version, *requires = sys.argv[1:]
info = f"{name.replace('-', '_')}-{version}"
metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + "".join(f"Requires-Dist: {r}\n" for r in requires if r)
with zipfile.ZipFile(f"wheels/{info}-py3-none-any.whl", "w") as file:
    file.writestr(f"{info}.dist-info/METADATA", metadata)
    file.writestr(f"{info}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    file.writestr(f"{info}.dist-info/RECORD", "")
PY
}

container=2.13.0a0+9186a08b2c.nv26.07
wheel demo-torch "$container" ""
for version in 2.12.0 2.13.0 2.14.1; do wheel demo-torch "$version" ""; done
wheel any 1 demo-torch
wheel floor-below 1 'demo-torch>=2.12'
wheel floor-same 1 'demo-torch>=2.13'
wheel floor-alpha 1 'demo-torch>=2.13.0a0'
wheel exact 1 'demo-torch==2.13.0'
echo "demo-torch==$container" >constraint.txt

printf '%s; %s; %s\n' "$(python3 --version)" "$(python3 -m pip --version | cut -d ' ' -f 1,2)" "$("$uv" --version 2>/dev/null || echo 'no uv')"
echo "in the image: demo-torch $container; in the index: 2.12.0, 2.13.0, 2.14.1"

try() { # title, environment assignments, installer: pip or uv
    local title=$1 variables=$2 installer=$3 package
    printf '\n== %s\n' "$title"
    for package in any floor-below floor-same floor-alpha exact; do
        rm -rf image
        python3 -m venv image
        image/bin/pip install -q --no-index --find-links wheels --pre "demo-torch==$container" 2>/dev/null
        if [ "$installer" = pip ]; then
            env $variables image/bin/pip install -q --disable-pip-version-check --no-index --find-links wheels "$package" >log 2>&1
        else
            env $variables "$uv" pip install -q --offline --no-index --find-links wheels --python image/bin/python "$package" >log 2>&1
        fi
        printf '%-12s exit %s, demo-torch is %s\n' "$package" $? "$(image/bin/pip list --format=freeze 2>/dev/null | sed -n 's/^demo-torch==//p')"
        grep -hE '^ERROR|error:|Because|conflict' log | sed 's/^ *//; s/^/    /' | head -4
    done
}

try 'pip, no constraints' 'A=1' pip
try 'pip, PIP_CONSTRAINT' "PIP_CONSTRAINT=$work/constraint.txt" pip
if "$uv" --version >/dev/null 2>&1; then
    try 'uv, PIP_CONSTRAINT only' "PIP_CONSTRAINT=$work/constraint.txt" uv
    try 'uv, UV_CONSTRAINT' "UV_CONSTRAINT=$work/constraint.txt" uv
fi
