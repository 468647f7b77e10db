"""Tell which shared libraries of PyTorch's wheels a step maps into memory, by wheel, with their sizes.

    python loaded_libraries.py [import|infer|train|profile|wide|compile] [--list] [--mapped FILE]

Runs one step in this process, reads /proc/self/smaps, and compares it with the files that torch and the wheels
it requires have installed. `mapped` is the size on disk of the libraries that the loader has opened, `resident`
the part of them that was in memory when the step had ended. Every step but `import` needs a GPU.

Prints the table; --list adds the libraries that stayed closed, --mapped writes the open ones to FILE.
Exits with 0 when the step ran.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import torch

MIB = 2**20
OURS = re.compile(r"^(torch|triton|nvidia-.*|cuda-.*)$")
NVIDIA = re.compile(r"/cuda|/lib(cu|nv|nccl)[^/]*$")
LIBRARY = re.compile(r"\.so(\.\d+)*$")


def wheels(root: str) -> dict[str, list[Path]]:
    """The files of `root` and of the CUDA wheels it requires, directly or not, by wheel."""
    found: dict[str, list[Path]] = {}
    names = [root]
    while names:
        name = re.match(r"[\w.-]+", names.pop())[0].lower().replace("_", "-")
        if name in found or not OURS.match(name):
            continue
        try:
            dist = distribution(name)
        except PackageNotFoundError:
            continue
        files = {Path(dist.locate_file(file)) for file in dist.files or ()}
        found[name] = sorted(file for file in files if file.is_file())
        names += dist.requires or ()
    return found


def model():
    """A convolution and a layer of a transformer: a bit of everything that networks are made of."""

    class Small(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = torch.nn.Conv2d(3, 64, 8, 8)
            self.layer = torch.nn.TransformerEncoderLayer(64, 4, 256, batch_first=True)
            self.head = torch.nn.Linear(64, 10)

        def forward(self, images):
            return self.head(self.layer(self.conv(images).flatten(2).transpose(1, 2)).mean(1))

    return Small().cuda(), torch.randn(32, 3, 64, 64, device="cuda")


def infer(compiled: bool = False) -> None:
    """One batch, without gradients."""
    net, images = model()
    net = torch.compile(net) if compiled else net
    with torch.inference_mode(), torch.autocast("cuda", torch.bfloat16):
        net.eval()(images)
    torch.cuda.synchronize()


def train() -> None:
    """One batch, its gradients, one step of the optimizer."""
    net, images = model()
    optimizer = torch.optim.AdamW(net.parameters())
    with torch.autocast("cuda", torch.bfloat16):
        loss = torch.nn.functional.cross_entropy(net(images), torch.randint(10, (32,), device="cuda"))
    loss.backward()
    optimizer.step()
    torch.cuda.synchronize()


def profile() -> None:
    """A training step that torch.profiler looks at."""
    with torch.profiler.profile(activities=list(torch.profiler.supported_activities())) as seen:
        train()
    kernels = sum(event.self_device_time_total > 0 for event in seen.key_averages())
    print(f"kinds of events with time on the GPU: {kernels}")


def wide() -> None:
    """A training step, and what not every network uses: FFT, sparse product, solver, code compiled by NVRTC."""
    train()
    square = torch.rand(64, 64, device="cuda")
    torch.fft.fft2(square)
    square.to_sparse_csr() @ square
    torch.linalg.solve(square, square)
    torch.cuda.jiterator._create_jit_fn("template <typename T> T twice(T x) { return x + x; }")(square)
    torch.cuda.synchronize()


STEPS = {
    "import": lambda: None,
    "infer": infer,
    "train": train,
    "profile": profile,
    "wide": wide,
    "compile": lambda: infer(compiled=True),
}


def resident() -> dict[Path, int]:
    """Bytes in memory of each file that this process maps."""
    sizes: dict[Path, int] = defaultdict(int)
    path = None
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            path = Path(line[line.index("/") :]) if "/" in line else None
        elif path and line.startswith("Rss:"):
            sizes[path] += int(line.split()[1]) * 1024
    return sizes


def main() -> int:
    """Run the step, then print what it has opened."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("step", choices=STEPS)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--mapped", type=Path)
    chosen = parser.parse_args()

    print(f"torch {torch.__version__}, Python {sys.version.split()[0]}, step: {chosen.step}", flush=True)
    STEPS[chosen.step]()
    memory = resident()

    print(f"{'wheel':24}{'installed':>11}{'libraries':>15}{'mapped':>15}{'resident':>10}   (MiB, number)")
    sums = [0] * 6
    closed = []
    for name, files in sorted(wheels("torch").items()):
        libraries = {file.resolve() for file in files if LIBRARY.search(file.name)}
        open_ones = [file for file in libraries if file in memory]
        closed += [file for file in libraries if file not in memory]
        row = [
            sum(file.stat().st_size for file in files),
            sum(file.stat().st_size for file in libraries),
            len(libraries),
            sum(file.stat().st_size for file in open_ones),
            len(open_ones),
            sum(memory[file] for file in open_ones),
        ]
        sums = [a + b for a, b in zip(sums, row, strict=True)]
        if libraries:
            print(line(name, row))
    print(line("all", sums))
    known = {file.resolve() for files in wheels("torch").values() for file in files}
    print("from elsewhere:", *sorted(str(path) for path in memory if path not in known and NVIDIA.search(str(path))))
    if chosen.list:
        for file in sorted(closed, key=lambda file: -file.stat().st_size):
            print(f"closed {file.stat().st_size / MIB:9.1f}  {file.name}")
    if chosen.mapped:
        chosen.mapped.write_text("".join(f"{path}\n" for path in sorted(memory) if path in known))
    return 0


def line(name: str, row: list[int]) -> str:
    """A row of the table."""
    installed, size, number, mapped, opened, memory = row
    return (
        f"{name:24}{installed / MIB:11.1f}{size / MIB:10.1f}{number:5}"
        f"{mapped / MIB:10.1f}{opened:5}{memory / MIB:10.1f}"
    )


if __name__ == "__main__":
    sys.exit(main())
