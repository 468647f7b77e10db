"""Record a trace of a function that is compiled twice and breaks once, and list what tlparse makes of it. No GPU needed."""

import os
import pathlib
import subprocess
import sys
import tempfile

CODE = """
import torch
@torch.compile(backend="aot_eager")
def f(x):
    x = x.sin()
    print("break")
    return x.cos()
f(torch.ones(4)); f(torch.ones(8))
"""


def main():
    import torch

    folder = tempfile.mkdtemp()
    source = pathlib.Path(folder, "traced.py")
    source.write_text(CODE)
    os.mkdir(folder + "/trace")
    subprocess.run([sys.executable, source], env={**os.environ, "TORCH_TRACE": folder + "/trace", "TORCHINDUCTOR_CACHE_DIR": folder + "/cache"}, check=True, capture_output=True, text=True)
    tlparse = pathlib.Path(sys.executable).with_name("tlparse")
    version = subprocess.run([tlparse, "--version"], capture_output=True, text=True).stdout.strip()
    print(f"torch {torch.__version__}, {version}")
    log = next(pathlib.Path(folder, "trace").glob("*.log"))
    for arguments in ([folder + "/trace", "--latest"], [str(log)]):
        done = subprocess.run([tlparse, *arguments, "--no-browser", "-o", folder + "/out", "--overwrite"], capture_output=True, text=True)
        said = [line for line in done.stderr.splitlines() if line.startswith(("Error", "Stats", "Unknown"))]
        print("tlparse", *[a.replace(folder, "").replace(log.name, "LOG") for a in arguments], "-> status", done.returncode, *said[:3])
    for file in sorted(pathlib.Path(folder, "out").rglob("*")):
        if file.is_file():
            print(f"  {file.relative_to(folder + '/out')}")


main()
