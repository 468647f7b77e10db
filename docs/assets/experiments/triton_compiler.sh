#!/bin/bash
# What Triton wants of an image before its first kernel: it compiles a module in C, as here with a module that does nothing.
#
#   bash triton_compiler.sh EMPTY_FOLDER PYTHON
#
# PYTHON is an interpreter that finds torch and triton. Five runs: as it is; with no compiler on the PATH; with Python's
# headers hidden (in a mount namespace of its own, so that needs root); and without a compiler, with the cache of the
# first run, twice. Needs gcc and file(1), and no GPU.
set -u
work=$(realpath "$1") python=$2
cat >"$work/probe.py" <<'EOF'
import subprocess
import sys

import triton
from triton.runtime.build import compile_module_from_src

source = """
#include <Python.h>
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "probe", 0, -1, 0};
PyMODINIT_FUNC PyInit_probe(void) { return PyModule_Create(&module); }
"""
try:
    compile_module_from_src(source, "probe")
    print("works, Triton", triton.__version__)
except (RuntimeError, subprocess.CalledProcessError) as error:
    sys.exit(f"{type(error).__name__}: {str(error)[:90]}")
EOF
mkdir -p "$work/none"
env="env -u CC -u CXX TRITON_HOME=$work"
headers=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')

echo "== as it is";                        $env TRITON_CACHE_DIR="$work/a" "$python" "$work/probe.py"
echo "== no compiler on the PATH";         $env TRITON_CACHE_DIR="$work/b" PATH="$work/none" "$python" "$work/probe.py"
echo "== gcc, without Python's headers"
$env TRITON_CACHE_DIR="$work/c" unshare -m sh -c "mount -t tmpfs none '$headers' && exec '$python' '$work/probe.py'" 2>&1 |
    grep -E 'rror'
echo "== no compiler, the cache of the first run"
$env TRITON_CACHE_DIR="$work/a" PATH="$work/none" "$python" "$work/probe.py"
ln -s "$(command -v file)" "$work/none/file"
echo "== no compiler, the cache of the first run, and the program file(1), of which the cache's key is made"
$env TRITON_CACHE_DIR="$work/a" PATH="$work/none" "$python" "$work/probe.py"
