"""A job of two ranks that hangs, its flight recorder's files, and what the analyser says of them.

Usage: python flight_recorder.py
"""

import os
import pickle
import socket
import subprocess
import sys
import tempfile

RANK = r"""
import datetime, os, time, torch, torch.distributed as dist
rank = int(os.environ["RANK"]); torch.cuda.set_device(rank)
dist.init_process_group("nccl", timeout=datetime.timedelta(seconds=15))
x = torch.ones(1000, device="cuda")
for step in range(3):
    dist.all_reduce(x)
if rank == 0:
    dist.all_reduce(x)      # the step that rank 1 left out
dist.all_gather_into_tensor(torch.empty(2000, device="cuda"), x)
torch.cuda.synchronize()
print("the end")
"""


def main():
    import torch

    print(torch.__version__, torch.cuda.get_device_name())
    with tempfile.TemporaryDirectory() as folder:
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        environment = os.environ | {
            "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2",
            "TORCH_FR_BUFFER_SIZE": "2000", "TORCH_NCCL_TRACE_BUFFER_SIZE": "2000", "TORCH_NCCL_DUMP_ON_TIMEOUT": "1",
            "TORCH_NCCL_DEBUG_INFO_TEMP_FILE": f"{folder}/fr_", "TORCH_FR_DUMP_TEMP_FILE": f"{folder}/fr_",
        }  # fmt: skip
        ranks = [subprocess.Popen([sys.executable, "-c", RANK], env=environment | {"RANK": str(r), "LOCAL_RANK": str(r)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for r in (0, 1)]
        for rank, process in enumerate(ranks):
            out = process.communicate(timeout=120)[0]
            print(f"== rank {rank}: status {process.returncode}")
            print("\n".join(line[:600] for line in out.splitlines() if "Watchdog" in line or "Flight" in line or "mismatch" in line or "dump" in line.lower())[:4000])
        files = sorted(n for n in os.listdir(folder) if n.startswith("fr_"))
        print("files:", files)
        for name in files:
            with open(f"{folder}/{name}", "rb") as file:
                dump = pickle.load(file)
            print(name, "keys:", sorted(dump))
            for entry in dump["entries"][-3:]:
                print("   ", {k: entry[k] for k in ("collective_seq_id", "profiling_name", "input_sizes", "state", "time_discovered_started_ns") if k in entry}, entry["frames"][0] if entry.get("frames") else "")
        for command in (["torchfrtrace", folder, "-p", "fr_"], [sys.executable, "-m", "torch.distributed.flight_recorder.fr_trace", folder, "-p", "fr_"], ["torchfrtrace", "-j", folder, "-p", "fr_"]):
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=60)
            except FileNotFoundError as error:
                print(command[0], error)
                continue
            print("$", " ".join(command[:3]), "...: status", done.returncode)
            print((done.stdout + done.stderr)[-3500:])


if __name__ == "__main__":
    main()
