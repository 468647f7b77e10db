"""Run the first code block of each page of docs/cuda as it is printed: Python and CUDA ones, and nvcc's commands.

Usage: python opening_blocks.py FOLDER_OF_PAGES

Blocks that need what a reader has (a training step, an application) get it from PROLOGUE. Dockerfiles, image tools and builds of PyTorch are not run.
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

PROLOGUE = {
    "14-mixed-precision-debugging-expert": (
        "import torch\nmodel = torch.nn.Linear(8, 8).cuda(); batch = torch.full((4, 8), 3e38, device='cuda')\n"
        "def training_step(batch):\n    return (model(batch) * 10).sum()\n"
    ),
    "15-nvidia-deep-learning-examples": (
        "import contextlib, torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
        "class Data:\n    def batch(self, position):\n        return torch.randint(0, 50, (4, 9)).pin_memory()\n"
        "model = nn.Sequential(nn.Embedding(50, 16), nn.Linear(16, 50)).cuda(); ddp = model; world = 1; device = 'cuda'; data = Data(); position = 0; accumulate = 2\n"
        "total = torch.zeros((), device='cuda'); optimizer = torch.optim.AdamW(model.parameters(), fused=True); schedule = torch.optim.lr_scheduler.LinearLR(optimizer)\n"
    ),
}
EPILOGUE = {"13-memory-leak-profiling-expert": "\nx = torch.ones(2**28, device='cuda')\nprint(readings())\n", "14-mixed-precision-debugging-expert": ""}
SHELL = {
    "03-compute-capabilities-gpu-architectures": "echo '__global__ void k() {}' > kernel.cu\n",
    "16-nvidia-cuda-compilation-best-practices": "printf '__global__ void k() {}\\nint main() { k<<<1,1>>>(); return cudaDeviceSynchronize(); }' > app.cu\n",
}
MAIN = "\nint main() { return 0; }\n"


def block(path):
    text = path.read_text(encoding="utf-8").split("\n---\n", 1)[1]
    found = re.search(r"^```(\w+)[^\n]*\n(.*?)^```", text, re.M | re.S)
    return found.groups() if found else ("", "")


def run(path):
    language, code = block(path)
    with tempfile.TemporaryDirectory() as folder:
        if language == "python":
            command = [sys.executable, "-c", PROLOGUE.get(path.stem, "") + code + EPILOGUE.get(path.stem, "")]
        elif language == "cuda":
            pathlib.Path(folder, "block.cu").write_text(code + MAIN)
            command = ["nvcc", "-std=c++17", "-arch=sm_90", "block.cu", "-o", "block"]
        elif path.stem in SHELL:
            command = ["bash", "-ec", SHELL[path.stem] + code]
        else:
            return f"{path.stem}: {language}, not run here"
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=280)
        said = (done.stdout + done.stderr).strip().splitlines()
        return f"{path.stem}: {language}, status {done.returncode}\n    " + "\n    ".join(line[:200] for line in said[-4:])


if __name__ == "__main__":
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        for text in pool.map(run, sorted(pathlib.Path(sys.argv[1]).glob("*.md"))):
            print(text)
