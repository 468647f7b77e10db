"""Show which variable sets PyTorch's CUDA allocator, and what it says about wrong values.

python alloc_conf_names.py         # needs torch and a CUDA device
"""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
import torch
x = torch.empty(8, device="cuda")
s = torch.cuda.memory._snapshot()["allocator_settings"]
print(s)
"""
CASES: dict[str, dict[str, str]] = {
    "neither": {},
    "PYTORCH_CUDA_ALLOC_CONF": {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"},
    "PYTORCH_ALLOC_CONF": {"PYTORCH_ALLOC_CONF": "expandable_segments:True"},
    "PYTORCH_HIP_ALLOC_CONF": {"PYTORCH_HIP_ALLOC_CONF": "expandable_segments:True"},
    "both, different": {
        "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True",
        "PYTORCH_ALLOC_CONF": "max_split_size_mb:128",
    },
    "unknown option": {"PYTORCH_ALLOC_CONF": "expandable_segment:True"},
    "wrong value": {"PYTORCH_ALLOC_CONF": "expandable_segments:1"},
    "max_split_size_mb:10": {"PYTORCH_ALLOC_CONF": "max_split_size_mb:10"},
    "equals sign": {"PYTORCH_ALLOC_CONF": "expandable_segments=True"},
    "PYTORCH_NO_CUDA_MEMORY_CACHING=1": {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"},
}


def main() -> None:
    """Start one process a case, all at once."""
    import torch

    print(torch.__version__, torch.version.cuda, f"Python {sys.version.split()[0]}")
    clean = {k: v for k, v in os.environ.items() if "ALLOC_CONF" not in k}
    runs = {
        name: subprocess.Popen(  # noqa: S603
            [sys.executable, "-c", PROGRAM], env=clean | set_, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for name, set_ in CASES.items()
    }
    for name, run in runs.items():
        out, err = run.communicate(timeout=80)
        print(f"== {name}: {' '.join(f'{k}={v}' for k, v in CASES[name].items())}")
        for line in out.strip().splitlines():
            print("   ", line)
        print("    exit status", run.returncode)
        for line in err.strip().splitlines():  # without the frames of Python and C++
            if "what():" in line or "arning" in line or ("Error" in line and "frame #" not in line):
                print("   ", line)


if __name__ == "__main__":
    main()
