"""What a check that ranks agree costs: memory and time, with float64 copies and without. One GPU, no ranks.

python agree_memory.py OUT.json
"""

import json
import sys
import time

import torch


def copies(state):
    """The check of the page until now: each tensor as float64, and its square."""
    return torch.stack([t.double().sum() + t.double().square().sum() for t in state])


def reductions(state):
    """Sums whose accumulator is float64; no copy of the tensor is asked for."""
    sums = [t.sum(dtype=torch.float64) for t in state]
    norms = [torch.linalg.vector_norm(t, dtype=torch.float64) for t in state]
    return torch.stack([torch.stack(sums), torch.stack(norms)])


def chunks(state, size=2**24):
    """Float64 copies of at most `size` elements at a time."""
    return torch.stack([sum(c.double().sum() + c.double().square().sum() for c in t.flatten().split(size)) for t in state])


def hashes(state):
    """Sums of the bits as integers, weighted by place: equal bits give equal sums, in any order of addition."""
    found = []
    for t in state:
        bits = t.flatten().view({4: torch.int32, 2: torch.int16}[t.element_size()])
        found.append(sum(c.sum(dtype=torch.int64) for c in bits.split(2**24)))
    return torch.stack(found)


def measure(name, check, state):
    """Return seconds and extra bytes of one check, the median of three after a first."""
    seconds = []
    for _ in range(4):
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        began = time.perf_counter()
        check(state)
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - began)
    return {"check": name, "ms": sorted(seconds[1:])[1] * 1e3, "extra_gib": (torch.cuda.max_memory_allocated() - before) / 2**30}


def main():
    """Measure each check on one tensor of 2**30 elements, and on 100 of 2**20."""
    result = {"date": time.strftime("%Y-%m-%d"), "torch": torch.__version__, "gpu": torch.cuda.get_device_name(), "rows": []}
    shapes = {"one of 2**30": [2**30], "100 of 2**20": [2**20] * 100}
    for dtype in (torch.float32, torch.bfloat16):
        for label, sizes in shapes.items():
            state = [torch.randn(n, device="cuda", dtype=torch.float32).to(dtype) for n in sizes]
            for check in (copies, reductions, chunks, hashes):
                try:
                    row = measure(check.__name__, check, state)
                except Exception as error:
                    row = {"check": check.__name__, "error": f"{type(error).__name__}: {error}"[:300]}
                result["rows"].append({"tensors": label, "dtype": str(dtype), **row})
                print(result["rows"][-1], flush=True)
            # does one changed element show in each?
            before = [float(c(state).double().sum()) if c is not hashes else int(c(state).sum()) for c in (copies, reductions, chunks, hashes)]
            state[0][1] += 1e-3
            after = [float(c(state).double().sum()) if c is not hashes else int(c(state).sum()) for c in (copies, reductions, chunks, hashes)]
            result["rows"].append({"tensors": label, "dtype": str(dtype), "seen": [a != b for a, b in zip(before, after)]})
            del state
            torch.cuda.empty_cache()
    with open(sys.argv[1], "w") as file:
        json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
