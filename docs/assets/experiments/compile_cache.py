"""Time the first call of a compiled model with empty and with filled caches, and list what the caches hold.

Each measurement is a process of its own, three at the same time: `import torch` is not counted, the first call of the
compiled model is.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

CODE = """
import json, os, sys, time, torch
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
blocks = [torch.nn.Sequential(torch.nn.LayerNorm(256), torch.nn.Linear(256, 512), torch.nn.GELU(), torch.nn.Linear(512, 256)) for _ in range(6)]
model, x = torch.nn.Sequential(*blocks).to(device), torch.randn(64, 256, device=device)
(model(x).sum()).backward()
bundle = sys.argv[1] if len(sys.argv) > 1 else None
if bundle and os.path.exists(bundle):
    torch.compiler.load_cache_artifacts(open(bundle, "rb").read())
start = time.perf_counter()
torch.compile(model)(x).sum().backward()
device == "cuda" and torch.cuda.synchronize()
first = time.perf_counter() - start
from torch._dynamo.utils import counters
print(json.dumps({"first": first, "cache": {k: v for part in ("aot_autograd", "inductor") for k, v in counters[part].items() if k.endswith(("_hit", "_miss", "_bypass"))}}))
if bundle and not os.path.exists(bundle):
    data, info = torch.compiler.save_cache_artifacts()
    open(bundle, "wb").write(data)
"""


def together(title, folders, environment=(), bundle=None):
    running = []
    for folder in folders:
        variables = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": folder, **dict(environment)}
        running.append(subprocess.Popen([sys.executable, "-c", CODE, *([bundle] if bundle else [])], env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    results = []
    for process in running:
        out, err = process.communicate()
        if process.returncode:
            return print(f"{title}: {err.splitlines()[-1]}")
        results.append(json.loads(out.splitlines()[-1]))
    times = [r["first"] for r in results]
    print(f"{title:62} {statistics.median(times):6.2f} s [{min(times):.2f}, {max(times):.2f}]  {results[-1]['cache']}", flush=True)


def main():
    import torch

    where = torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"
    print(f"torch {torch.__version__}, {where}, {os.cpu_count()} cores; first forward and backward pass of 6 compiled blocks; three processes at the same time: median [least, most]")
    folders = [tempfile.mkdtemp() for _ in range(3)]
    together("empty cache", folders)
    together("cache of an earlier process", folders)
    together("the same, TORCHINDUCTOR_FORCE_DISABLE_CACHES=1", folders, {"TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"})
    bundle = os.path.join(tempfile.mkdtemp(), "artifacts.bin")
    together("save_cache_artifacts (one process, the first cache)", folders[:1], bundle=bundle)
    if os.path.exists(bundle):
        together(f"empty cache, load_cache_artifacts ({os.path.getsize(bundle)} bytes)", [tempfile.mkdtemp() for _ in range(3)], bundle=bundle)
    kinds = {}
    for file in pathlib.Path(folders[0]).rglob("*"):
        if file.is_file():
            top = file.relative_to(folders[0]).parts[0]
            top = top if len(top) > 2 else "two-letter folders"
            count, size = kinds.get(top, (0, 0))
            kinds[top] = (count + 1, size + file.stat().st_size)
    print("files of one cache:", ", ".join(f"{top}: {count} files, {size / 1024:.0f} KiB" for top, (count, size) in sorted(kinds.items())))


main()
