"""Count compilations where many modules are compiled one by one, and of a step counter kept in a buffer. No GPU needed."""

import io
import subprocess
import sys
import warnings

import torch
from torch._dynamo.testing import CompileCounter
from torch._export.converter import TS2EPConverter

warnings.simplefilter("ignore")


def many(title, build, **keywords):
    torch._dynamo.reset()
    counter = CompileCounter()
    modules = [build(n) for n in range(12)]
    for module in modules:
        module.compile(backend=counter, **keywords)
    for module in modules:
        module(torch.ones(2, module.in_features))
    print(f"{title:58} 12 modules: {counter.frame_count} compilations", flush=True)


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("step", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        self.step.add_(1)
        return x * self.step


def main():
    print(f"torch {torch.__version__}, CPU, Python {sys.version.split()[0]}")
    many("equal Linear layers, layer.compile()", lambda n: torch.nn.Linear(4, 4))
    many("Linear layers of 12 sizes, layer.compile()", lambda n: torch.nn.Linear(4 + n, 4 + n))
    many("the same, dynamic=False", lambda n: torch.nn.Linear(4 + n, 4 + n), dynamic=False)
    many("the same, dynamic=False, isolate_recompiles=True", lambda n: torch.nn.Linear(4 + n, 4 + n), dynamic=False, isolate_recompiles=True)
    torch._dynamo.reset()
    counter = CompileCounter()
    run = torch.compile(Counting(), backend=counter)
    results = [run(torch.ones(1)).item() for _ in range(12)]
    print(f"step counter in a buffer, 12 calls: {counter.frame_count} compilations, results {results[:3]}...")
    buffer = io.BytesIO()
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
    torch.jit.save(torch.jit.trace(model, torch.ones(2, 4)), buffer)
    buffer.seek(0)
    exported = TS2EPConverter(torch.jit.load(buffer), (torch.ones(2, 4),)).convert()
    print("TS2EPConverter of a loaded file:", type(exported).__name__, torch.equal(exported.module()(torch.ones(2, 4)), model(torch.ones(2, 4))))


if sys.argv[1:]:
    main()
else:  # a child, so that the folder of torch can be left out of what it logs
    done = subprocess.run([sys.executable, __file__, "child"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout.replace(torch.__path__[0], "torch"), end="")
