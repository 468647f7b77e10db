"""Export a model, compile it ahead of time with AOTInductor, and load it in a process that does not have its class. No GPU needed."""

import os
import subprocess
import sys
import tempfile
import time

import torch
from torch.export import Dim

LOAD = """
import sys, torch
x = torch.linspace(-1, 1, 5 * 16).reshape(5, 16)
print("exported:", torch.export.load(sys.argv[1]).module()(x).sum().item())
print("AOTInductor:", torch._inductor.aoti_load_package(sys.argv[2])(x).sum().item())
"""


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = torch.nn.Linear(16, 64), torch.nn.Linear(64, 4)

    def forward(self, x):
        return self.down(torch.nn.functional.gelu(self.up(x)))


def main():
    print(f"torch {torch.__version__} on the CPU, Python {sys.version.split()[0]}")
    torch.manual_seed(0)
    folder = tempfile.mkdtemp()
    model = Model().eval()
    exported = torch.export.export(model, (torch.randn(8, 16),), dynamic_shapes={"x": {0: Dim("batch", min=1, max=1024)}})
    print(exported.graph_module.code.strip())
    print("range:", exported.range_constraints)
    torch.export.save(exported, folder + "/model.pt2")
    start = time.perf_counter()
    package = torch._inductor.aoti_compile_and_package(exported, package_path=folder + "/aoti.pt2")
    print(f"aoti_compile_and_package: {time.perf_counter() - start:.1f} s; sizes: exported {os.path.getsize(folder + '/model.pt2')}, package {os.path.getsize(package)} bytes")
    print("eager:", model(torch.linspace(-1, 1, 5 * 16).reshape(5, 16)).sum().item())
    print(subprocess.run([sys.executable, "-c", LOAD, folder + "/model.pt2", package], capture_output=True, text=True).stdout.strip())


main()
