"""Provoke the faults that stop a job of two ranks: what each rank prints, how it ends, and after how long.

Usage: python distributed_hangs.py nccl|gloo [CASE ...]

Each case runs in two processes of its own, with a time-out of 15 s for collectives and 60 s for the case.
"""

import datetime
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

TIMEOUT = 15


def ready(backend, rank, world=2, same_gpu=False):
    import torch
    import torch.distributed as dist

    device = torch.device("cpu")
    if backend == "nccl":
        device = torch.device("cuda", 0 if same_gpu else rank)
        torch.cuda.set_device(device)
    dist.init_process_group(backend, rank=rank, world_size=world, timeout=datetime.timedelta(seconds=TIMEOUT))
    return torch, dist, device


def first_collective(torch, dist, device):
    x = torch.ones(1, device=device)
    dist.all_reduce(x)
    assert x.item() == 2, x
    print("first all_reduce is right", flush=True)


def rank_main(backend, case, rank):
    """One rank of one case."""
    if case == "incomplete-world":
        ready(backend, rank, world=3)
        return
    if case == "same-gpu":
        first_collective(*ready(backend, rank, same_gpu=True))
        return
    torch, dist, device = ready(backend, rank)
    first_collective(torch, dist, device)
    wait = torch.cuda.synchronize if backend == "nccl" else (lambda: None)
    began = time.monotonic()
    if case == "missing-call":
        if rank == 1:
            time.sleep(45)
            return
        dist.all_reduce(torch.ones(10, device=device))
    elif case == "monitored-barrier":
        group = dist.new_group(backend="gloo", timeout=datetime.timedelta(seconds=TIMEOUT))
        if rank == 1:
            time.sleep(45)
            return
        dist.monitored_barrier(group, timeout=datetime.timedelta(seconds=TIMEOUT))
    elif case in ("other-shape", "other-shape-detail"):
        dist.all_reduce(torch.ones(10 + 1000 * rank, device=device))
    elif case in ("other-call", "other-call-detail"):
        if rank == 0:
            dist.all_reduce(torch.ones(10, device=device))
        else:
            dist.broadcast(torch.ones(10, device=device), 0)
    elif case in ("other-dtype", "other-dtype-detail"):
        dist.all_reduce(torch.ones(10, device=device, dtype=torch.float32 if rank else torch.float64))
    elif case in ("swapped-order", "swapped-order-detail"):
        a, b = torch.full((4,), 1.0, device=device), torch.full((4,), 10.0, device=device)
        for x in (a, b) if rank == 0 else (b, a):
            dist.all_reduce(x)
        wait()
        print("no error; a =", a[0].item(), "(right: 2.0), b =", b[0].item(), "(right: 20.0)", flush=True)
    elif case == "killed":
        if rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(1)
        dist.all_reduce(torch.ones(10, device=device))
    elif case == "exception":
        if rank == 1:
            raise ValueError("a bug on one rank")
        dist.all_reduce(torch.ones(10, device=device))
    elif case == "uneven-batches":
        model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 8).to(device))
        for step in range(5 - rank):
            model(torch.ones(4, 8, device=device)).sum().backward()
        wait()
        print("all steps done", flush=True)
        if rank == 1:
            time.sleep(45)
            return
    elif case == "uneven-batches-join":
        from torch.distributed.algorithms.join import Join

        model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 8).to(device))
        with Join([model]):
            for step in range(5 - rank):
                model(torch.ones(4, 8, device=device)).sum().backward()
        wait()
        print("all steps done", flush=True)
    elif case == "unused-parameter":
        class Two(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.used, self.unused = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)

            def forward(self, x):
                return self.used(x)

        model = torch.nn.parallel.DistributedDataParallel(Two().to(device))
        for step in range(2):
            model(torch.ones(4, 8, device=device)).sum().backward()
    elif case == "branch-by-rank":
        layers = torch.nn.ModuleList([torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)])

        class Branch(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = layers

            def forward(self, x):
                return self.layers[rank](x)

        model = torch.nn.parallel.DistributedDataParallel(Branch().to(device), find_unused_parameters=True)
        model(torch.ones(4, 8, device=device)).sum().backward()
        wait()
        print("no error; gradient of layer 0:", model.module.layers[0].weight.grad.mean().item(), flush=True)
    elif case == "slow-rank":
        for _ in range(3):
            if rank == 1:
                time.sleep(1)
            start = time.monotonic()
            dist.all_reduce(torch.ones(10, device=device))
            wait()
            print(f"all_reduce took {time.monotonic() - start:.2f} s", flush=True)
    wait()
    print(f"the end, after {time.monotonic() - began:.1f} s", flush=True)


CASES = {
    "missing-call": {}, "monitored-barrier": {}, "other-shape": {}, "other-shape-detail": {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"},
    "other-call": {}, "other-call-detail": {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"}, "other-dtype": {}, "other-dtype-detail": {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"},
    "swapped-order": {}, "swapped-order-detail": {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"}, "killed": {}, "exception": {}, "uneven-batches": {}, "uneven-batches-join": {},
    "unused-parameter": {}, "branch-by-rank": {}, "slow-rank": {}, "same-gpu": {}, "incomplete-world": {},
    "wrong-interface": {"NCCL_SOCKET_IFNAME": "eth99", "GLOO_SOCKET_IFNAME": "eth99"},
}  # fmt: skip
LINE = re.compile(r"Error|error|right|took|done|the end|Watchdog|watchdog|timeout|timed out|terminate|signal|Timed|WARN|mismatch|Detected|desync|abort", re.I)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def run(backend, case, extra):
    environment = os.environ | {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "TORCH_CPP_LOG_LEVEL": "WARNING"} | extra
    with tempfile.TemporaryDirectory() as folder:
        environment |= {"TORCH_NCCL_DEBUG_INFO_TEMP_FILE": f"{folder}/fr_", "TORCH_FR_DUMP_TEMP_FILE": f"{folder}/fr_"}
        files = [open(f"{folder}/{rank}.txt", "w+") for rank in (0, 1)]
        began = time.monotonic()
        ranks = [
            subprocess.Popen([sys.executable, __file__, "--rank", backend, case, str(rank)], stdout=file, stderr=subprocess.STDOUT, env=environment)
            for rank, file in enumerate(files)
        ]
        ended = [None, None]
        while None in ended and time.monotonic() - began < 60:
            for rank, process in enumerate(ranks):
                if ended[rank] is None and process.poll() is not None:
                    ended[rank] = f"status {process.returncode} after {time.monotonic() - began:.0f} s"
            time.sleep(0.2)
        for rank, process in enumerate(ranks):
            if ended[rank] is None:
                process.kill()
                process.wait()
                ended[rank] = "still running after 60 s: killed"
        text = [f"== {backend}: {case} {extra or ''}"]
        for rank, file in enumerate(files):
            file.seek(0)
            lines = [line.rstrip() for line in file if LINE.search(line) and "frame #" not in line and "  File " not in line]
            text.append(f"  rank {rank}: {ended[rank]}")
            text += [f"    | {line[:420]}" for line in dict.fromkeys(lines)][:14]
        text.append(f"  files of the flight recorder: {sorted(n for n in os.listdir(folder) if n.startswith('fr_'))}")
        return "\n".join(text)


def main():
    if sys.argv[1] == "--rank":
        rank_main(sys.argv[2], sys.argv[3], int(sys.argv[4]))
        return
    import concurrent.futures

    import torch

    backend = sys.argv[1]
    print(torch.__version__, *(torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())))
    wanted = sys.argv[2:] or [c for c in CASES if backend == "nccl" or c not in ("same-gpu",)]
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("CASES_AT_ONCE", "5"))) as pool:
        for text in pool.map(lambda case: run(backend, case, CASES[case]), wanted):
            print(text, flush=True)


if __name__ == "__main__":
    main()
