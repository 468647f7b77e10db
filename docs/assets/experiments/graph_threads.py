"""What may another thread do while a CUDA graph is captured, by capture_error_mode? Each case in a process of its own.

python graph_threads.py
"""

import subprocess
import sys

CODE = """
import sys, threading, torch
mode, action = sys.argv[1:]
x = torch.randn(64, 64, device="cuda")
(x @ x).sum().item()
side, host = torch.cuda.Stream(), torch.ones(1 << 20)
said = "works"

def other():
    global said
    try:
        with torch.cuda.stream(side):
            {"synchronize a stream of its own": side.synchronize,
             "torch.cuda.synchronize()": torch.cuda.synchronize,
             "allocate 1 GiB (cudaMalloc)": lambda: torch.empty(1 << 30, dtype=torch.uint8, device="cuda"),
             "copy from pageable memory": lambda: host.to("cuda"),
             "launch a kernel": lambda: x + 1}[action]()
    except Exception as error:
        said = f"{type(error).__name__}: {error}".splitlines()[0]

graph, captured = torch.cuda.CUDAGraph(), "works"
try:
    with torch.cuda.graph(graph, capture_error_mode=mode):
        y = x @ x
        thread = threading.Thread(target=other)
        thread.start(), thread.join()
    graph.replay()
    torch.cuda.synchronize()
    captured = "works, right" if torch.allclose(y, x @ x) else "works, wrong"
except Exception as error:
    captured = f"{type(error).__name__}: {error}".splitlines()[0]
import torch
print(f"{mode:13} {action:32} thread: {said[:70]:72} capture: {captured[:90]}")
"""
ACTIONS = (
    "launch a kernel",
    "synchronize a stream of its own",
    "torch.cuda.synchronize()",
    "allocate 1 GiB (cudaMalloc)",
    "copy from pageable memory",
)

if __name__ == "__main__":
    import torch

    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}")
    for mode in ("global", "thread_local", "relaxed"):
        for action in ACTIONS:
            done = subprocess.run(
                [sys.executable, "-W", "ignore", "-c", CODE, mode, action], capture_output=True, text=True, check=False
            )
            print(
                done.stdout.strip() or f"{mode} {action}: ended with {done.returncode}: {done.stderr[-200:]}",
                flush=True,
            )
