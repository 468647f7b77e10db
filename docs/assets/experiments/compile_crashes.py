"""Provoke what stops a compilation outside the program, each case in its own process; prints the last lines of each error.

python compile_crashes.py, as root, on Linux; on a GPU the Triton cases run, too.
"""

import os
import subprocess
import sys
import tempfile

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CALL = """
import os, torch
{before}
compiled = torch.compile(lambda x: (x.sin() + 1).cos(){options})
print("result", compiled(torch.ones(8, device={device!r})).sum().item())
"""


def attempt(title: str, before: str = "", options: str = "", device: str = DEVICE, **variables: str) -> None:
    """Run the call in a new process with an empty cache, and print how it ended."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": folder, "TORCHINDUCTOR_COMPILE_THREADS": "1", **variables}
        environment = {name: value for name, value in environment.items() if value}
        code = CALL.format(before=before, options=options, device=device)
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    lines = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith((" ", "W1", "I1"))]
    print(f"== {title}: {done.stdout.strip() or 'no result'}, status {done.returncode}")
    for line in [] if done.returncode == 0 else lines[-6:]:
        print("  ", line[:300])


print("torch", torch.__version__, "on", DEVICE)
attempt("as it is")
attempt("no C++ compiler, on the CPU", device="cpu", PATH="/nonexistent", CXX="/nonexistent/g++")
attempt("the cache folder cannot be written", TORCHINDUCTOR_CACHE_DIR="/proc/cache")
attempt("a user without a name, no cache folder set", "os.setuid(12345)", TORCHINDUCTOR_CACHE_DIR="", HOME="/tmp", USER="", LOGNAME="")
attempt("the same, TORCHINDUCTOR_CACHE_DIR set", "os.setuid(12345)", HOME="/tmp", USER="", LOGNAME="")
attempt("a backend that raises", "def bad(graph, inputs): raise ValueError('of the backend')", ", backend=bad")
if DEVICE == "cuda":
    attempt("no C compiler, on the GPU", PATH="/nonexistent", CC="", TRITON_CACHE_DIR="/tmp/empty-triton-cache")
