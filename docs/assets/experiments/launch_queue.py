"""How many launches can wait for the GPU before the CPU has to wait, and what that does to a ratio of times.

python launch_queue.py        # one GPU
"""

import statistics
import time

import torch


def queue_depth():
    """Return the number of launches behind a sleeping GPU after which one launch takes more than 10 ms."""
    x = torch.zeros(1, device="cuda")
    for _ in range(100):
        x.add_(1)
    torch.cuda.synchronize()
    torch.cuda._sleep(4_000_000_000)
    for number in range(1, 20_001):
        start = time.perf_counter()
        x.add_(1)
        if time.perf_counter() - start > 0.01:
            return number
    return None


def times(step, repetitions=7, warm_up=3):
    """Return the milliseconds until the CPU has issued a step, and until the GPU is done with it; medians."""
    issued, done = [], []
    for _ in range(warm_up + repetitions):
        torch.cuda.synchronize()
        start = time.perf_counter()
        step()
        issued.append(time.perf_counter() - start)
        torch.cuda.synchronize()
        done.append(time.perf_counter() - start)
    return [1000 * statistics.median(each[warm_up:]) for each in (issued, done)]


def report(label, rows, width, launches):
    """Print the times of a step of equal matrix products."""
    a, b = (torch.randn(size, width, device="cuda", dtype=torch.bfloat16) for size in (rows, width))
    out = torch.empty(rows, width, device="cuda", dtype=torch.bfloat16)
    issued, done = times(lambda: [torch.mm(a, b, out=out) for _ in range(launches)])
    ratio = f"ratio {issued / done:.2f}"
    print(f"{label}, {launches:5} launches: issued {issued:8.2f} ms, done {done:8.2f} ms, {ratio}", flush=True)


def main():
    """Measure the queue, then steps that keep the GPU busy, then steps that do not."""
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}", flush=True)
    print("launch that waits:", [queue_depth() for _ in range(3)], flush=True)
    for rows in (4096, 2048):
        for launches in (250, 500, 1000, 1500, 2000, 4000, 8000):
            report(f"{rows} rows", rows, 4096, launches)
    for rows in (64, 32):
        for launches in (1000, 4000):
            report(f"{rows} rows of width 64", rows, 64, launches)


if __name__ == "__main__":
    main()
