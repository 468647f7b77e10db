"""Tell run-to-run differences from rounding: the same step twice, with another batch size, in another order, against float64.

Prints, for several operations and one training step: whether two runs are equal bit by bit, their largest relative
difference, the error against float64, and what deterministic algorithms change.
"""

import os
import statistics
import time

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")

import torch
from torch import nn
from torch.nn import functional as F

GPU = torch.cuda.is_available()
DEVICE = "cuda" if GPU else "cpu"


def difference(a, b):
    return ((a.double() - b.double()).norm() / b.double().norm().clamp(min=1e-300)).item()


def operations(dtype):
    generator = torch.Generator().manual_seed(0)
    index = torch.randint(0, 64, (2**18,), generator=generator).to(DEVICE)
    source = torch.randn(2**18, 16, generator=generator).to(DEVICE, dtype)
    x, w = (torch.randn(1024, 1024, generator=generator).to(DEVICE, dtype) for _ in range(2))
    image = torch.randn(2, 8, 32, 32, generator=generator).to(DEVICE, dtype)

    def grad_of(function, value):
        value = value.detach().requires_grad_()
        function(value).float().square().sum().backward()
        return value.grad

    table = torch.randn(64, 16, generator=generator).to(DEVICE, dtype)
    return {
        "index_add_": lambda: torch.zeros(64, 16, device=DEVICE, dtype=dtype).index_add_(0, index, source),
        "scatter_add_": lambda: torch.zeros(64, 16, device=DEVICE, dtype=dtype).scatter_add_(0, index[:, None].expand(-1, 16), source),
        "index_put_(accumulate=True)": lambda: torch.zeros(64, 16, device=DEVICE, dtype=dtype).index_put_((index,), source, accumulate=True),
        "embedding, backward": lambda: grad_of(lambda t: F.embedding(index, t), table),
        "interpolate bilinear, backward": lambda: grad_of(lambda t: F.interpolate(t, scale_factor=2.5, mode="bilinear"), image),
        "x @ w": lambda: x @ w,
        "x[:1] @ w": lambda: x[:1] @ w,
        "x[:7] @ w, row 0": lambda: (x[:7] @ w)[:1],
        "x.sum()": lambda: x.sum().reshape(1),
        "cumsum": lambda: x.cumsum(0),
    }


def main():
    print(f"torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name() if GPU else 'CPU'}; CUBLAS_WORKSPACE_CONFIG={os.environ['CUBLAS_WORKSPACE_CONFIG']}")
    exact = {name: run() for name, run in operations(torch.float64).items()}
    for dtype in (torch.float32, torch.bfloat16):
        print(f"\n{dtype}: ten runs; with deterministic algorithms; median ms of 20")
        for name in exact:
            line = f"  {name:32}"
            for deterministic in (False, True):
                torch.use_deterministic_algorithms(deterministic)
                run = operations(dtype)[name]
                try:
                    values, times = [], []
                    for _ in range(10):
                        values.append(run())
                    for _ in range(20):
                        torch.cuda.synchronize() if GPU else None
                        start = time.perf_counter()
                        run()
                        torch.cuda.synchronize() if GPU else None
                        times.append((time.perf_counter() - start) * 1e3)
                    different = sum(not torch.equal(values[0], v) for v in values[1:])
                    spread = max(difference(v, values[0]) for v in values)
                    # float64 of the same rounded inputs would differ from `exact` by the rounding of the inputs in bfloat16
                    line += f" {'deterministic' if deterministic else 'default'}: {different} of 9 differ, by {spread:.1e}; {'error ' + format(difference(values[0], exact[name]), '.1e') if dtype == torch.float32 else ''} {statistics.median(times):.3f} ms |"
                except Exception as problem:
                    line += f" {'deterministic' if deterministic else 'default'}: {type(problem).__name__}: {str(problem).splitlines()[0]}"
            print(line, flush=True)
    torch.use_deterministic_algorithms(False)
    print("\nrow 0 of x[:n] @ w against row 0 of x @ w: equal?, relative difference")
    for dtype in (torch.float32, torch.bfloat16):
        generator = torch.Generator().manual_seed(1)
        x, w = (torch.randn(1024, 1024, generator=generator).to(DEVICE, dtype) for _ in range(2))
        whole = x @ w
        print(f"  {str(dtype):16}" + "  ".join(f"n={n}: {torch.equal((x[:n] @ w)[0], whole[0])}, {difference((x[:n] @ w)[0], whole[0]):.1e}" for n in (1, 2, 8, 64, 256)))

    print("\nthree training runs of 50 steps from one seed, float32: last losses, in full")
    for deterministic in (False, True):
        torch.use_deterministic_algorithms(deterministic)
        losses = []
        for _ in range(3):
            torch.manual_seed(0)
            table, head = nn.Parameter(torch.randn(1000, 64, device=DEVICE)), nn.Linear(64, 8, device=DEVICE)
            optimizer = torch.optim.AdamW([table, *head.parameters()], lr=1e-2)
            for step in range(50):
                generator = torch.Generator().manual_seed(step)
                index = torch.randint(0, 1000, (4096,), generator=generator).to(DEVICE)
                nodes = torch.randint(0, 100, (4096,), generator=generator).to(DEVICE)
                pooled = torch.zeros(100, 64, device=DEVICE).index_add(0, nodes, table[index])
                loss = F.cross_entropy(head(pooled), torch.arange(100, device=DEVICE) % 8)
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
            losses.append(loss.item())
        print(f"  deterministic {deterministic!s:6} {losses}")
    torch.use_deterministic_algorithms(False)


main()
