"""What TORCH_NCCL_DESYNC_DEBUG=1 adds to the log of a job of two ranks in which one skips a collective.

Usage: python desync_debug.py           two GPUs
"""

import os
import re
import socket
import subprocess
import sys

RANK = r"""
import datetime, os, time, torch, torch.distributed as dist
rank = int(os.environ["RANK"]); torch.cuda.set_device(rank)
dist.init_process_group("nccl", timeout=datetime.timedelta(seconds=15))
x = torch.ones(1000, device="cuda")
for step in range(3):
    dist.all_reduce(x)
if rank == 0 or os.environ["FAULT"] == "none":
    dist.all_reduce(x)      # what rank 1 leaves out
if rank == 1 and os.environ["FAULT"] == "waits":
    time.sleep(90)          # it never comes to the next collective
dist.all_gather_into_tensor(torch.empty(2000, device="cuda"), x)
torch.cuda.synchronize()
print("the end")
"""


def run(fault, value):
    """Run both ranks and print the lines of their logs that speak of the fault."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    environment = os.environ | {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2", "FAULT": fault, "TORCH_NCCL_DESYNC_DEBUG": value, "NCCL_NVLS_ENABLE": "0", "TORCH_NCCL_DUMP_ON_TIMEOUT": "0"}
    ranks = [subprocess.Popen([sys.executable, "-c", RANK], env=environment | {"RANK": str(r)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for r in (0, 1)]
    for rank, process in enumerate(ranks):
        try:
            out = process.communicate(timeout=120)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            out = process.communicate()[0] + "\n(killed after 120 s)"
        print(f"== rank 1 {fault}, TORCH_NCCL_DESYNC_DEBUG={value}: rank {rank}, status {process.returncode}")
        print("\n".join(dict.fromkeys(re.sub(r"E\d{4} [\d:.]+", "E", line)[:400] for line in report(out))))


def report(out):
    """Return the lines of the watchdog and of its report on the desync, without stack frames."""
    lines, within = [], False
    for line in out.splitlines():
        if line.startswith("["):
            within = "desync" in line.lower() or "Rank" in line and line.rstrip().endswith(("Rank 0", "Rank 1"))
        if within or "Watchdog caught" in line and "terminated" not in line or line.startswith(("the end", "(killed", "\t")):
            lines.append(line)
    return lines


def main():
    import torch

    print(torch.__version__, torch.cuda.get_device_name(), torch.cuda.device_count(), "GPUs")
    for fault in ("skips", "waits"):
        run(fault, "1")


if __name__ == "__main__":
    main()
