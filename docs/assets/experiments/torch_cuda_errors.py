"""Provoke PyTorch's CUDA errors, each in processes of its own, with and without CUDA_LAUNCH_BLOCKING=1.

python torch_cuda_errors.py [FOLDER]: nvcc builds one small library there, for the cases that need a kernel of our own.
"""

import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
LIBRARY = """
__global__ void add_one(float* data, int count) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index <= count) data[index] += 1.0f;
}
extern "C" void launch(float* data, int count) { add_one<<<(count + 256) / 256, 256>>>(data, count); }
"""
CASES = {
    "embedding": """
        table = torch.nn.Embedding(10, 4).cuda()
        rows = table(torch.tensor([1, 10], device=DEVICE))     # line 3: the fault
        loss = rows.sum() * 2                                   # line 4
        print(loss.item())                                      # line 5: the first synchronization
    """,
    "cross_entropy": """
        logits = torch.randn(2, 5, device=DEVICE)
        loss = torch.nn.functional.cross_entropy(logits, torch.tensor([0, 5], device=DEVICE))  # line 3: the fault
        scaled = loss * 2
        print(scaled.item())                                    # line 5
    """,
    "index": """
        data = torch.randn(8, device=DEVICE)
        picked = data[torch.tensor([0, 8], device=DEVICE)]      # line 3: the fault
        scaled = picked * 2
        print(scaled.sum().item())                              # line 5
    """,
    "multinomial": """
        weights = torch.tensor([0.5, float("nan")], device=DEVICE)
        picked = torch.multinomial(weights, 1)                  # line 3: the fault
        scaled = picked * 2
        print(scaled.item())                                    # line 5
    """,
    "illegal address": """
        pointer = torch.zeros(8, device=DEVICE).data_ptr() + (1 << 40)
        library.launch(ctypes.c_void_p(pointer), 8)             # line 3: the fault, in a kernel of our own
        scaled = torch.ones(8, device=DEVICE) * 2
        print(scaled.sum().item())                              # line 5
    """,
    "misaligned address": """
        pointer = torch.zeros(8, device=DEVICE).data_ptr() + 2
        library.launch(ctypes.c_void_p(pointer), 4)             # line 3: the fault, in a kernel of our own
        scaled = torch.ones(8, device=DEVICE) * 2
        print(scaled.sum().item())                              # line 5
    """,
    "afterwards": """
        table = torch.nn.Embedding(10, 4).cuda()
        for attempt in range(3):
            try:
                print(table(torch.tensor([10 if attempt == 0 else 1], device=DEVICE)).sum().item())
            except RuntimeError as error:
                print(f"attempt {attempt}: {type(error).__name__}: {str(error).splitlines()[0]}")
        try:
            torch.cuda.empty_cache()
        except RuntimeError as error:
            print(f"empty_cache: {type(error).__name__}: {str(error).splitlines()[0]}")
        print("is_available:", torch.cuda.is_available())
    """,
}
HEAD = "import ctypes, os, torch; DEVICE = os.environ.get('DEVICE', 'cuda'); library = ctypes.CDLL('./liboverrun.so') if os.path.exists('liboverrun.so') else None"


def run(code, **variables):
    import textwrap

    program = HEAD + textwrap.dedent(code).rstrip() + "\n"
    done = subprocess.run([sys.executable, "-c", program], cwd=FOLDER, capture_output=True, text=True, timeout=80, env=os.environ | variables, errors="replace")
    counts, lines = collections.Counter(), []
    for line in (done.stdout + done.stderr).splitlines():
        if "Assertion" in line:  # one line a thread: count them
            line = re.sub(r"block: \[.*?\], thread: \[.*?\]", "block: [...], thread: [...]", line)
            line = re.sub(r"(/\S*/)(aten/src)", r".../\2", line)
            counts[line] += 1
            if counts[line] > 1:
                continue
        lines.append(re.sub(r'File "\S*/(site|dist)-packages/', 'File "', line))
    return done.returncode, lines, counts


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "overrun.cu").write_text(LIBRARY)
    built = subprocess.run(["nvcc", "-O3", "-lineinfo", "-arch=sm_90", "-shared", "-Xcompiler", "-fPIC", "-cudart", "shared", "overrun.cu", "-o", "liboverrun.so"], cwd=FOLDER, capture_output=True, text=True)
    print("built the library: status", built.returncode, built.stderr.strip()[-300:])
    jobs = {}
    for name in CASES:
        jobs[name, "no variable"] = {}
        if name != "afterwards":
            jobs[name, "CUDA_LAUNCH_BLOCKING=1"] = {"CUDA_LAUNCH_BLOCKING": "1"}
        if name in ("embedding", "cross_entropy", "index", "multinomial"):
            jobs[name, "on the CPU"] = {"DEVICE": "cpu"}
    jobs["embedding", "TORCH_USE_CUDA_DSA=1"] = {"TORCH_USE_CUDA_DSA": "1"}
    jobs["embedding", "TORCH_SHOW_CPP_STACKTRACES=1"] = {"TORCH_SHOW_CPP_STACKTRACES": "1"}
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        futures = {key: pool.submit(run, CASES[key[0]] if key[1] != "on the CPU" else CASES[key[0]].replace(".cuda()", ""), **variables) for key, variables in jobs.items()}
        print(subprocess.run([sys.executable, "-c", "import torch; print('torch', torch.__version__, torch.cuda.get_device_name(), 'USE_CUDA_DSA in torch.__config__.show():', 'CUDA_DSA' in torch.__config__.show())"], capture_output=True, text=True).stdout)
        for (name, how), future in futures.items():
            try:
                status, lines, counts = future.result()
            except subprocess.TimeoutExpired:
                print(f"== {name}, {how}: timeout", flush=True)
                continue
            print(f"== {name}, {how}: status {status}; assertion lines: {list(counts.values())}")
            print("\n".join("   " + line for line in lines[:28]), flush=True)


main()
