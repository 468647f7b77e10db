"""Share one GPU by turns and under MPS: throughput, waiting, memory of a process, and MPS's limits.

Usage: python mps_sharing.py      # one GPU that nobody else uses; starts and ends an MPS control daemon of its own
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SECONDS = 3.0


def used_mib():
    done = subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"], capture_output=True, text=True)
    return int(done.stdout.split()[0])


def client():
    """Run the loads that standard input names, one line each; answer with one line of JSON each."""
    import torch

    torch.cuda.init()
    x = torch.zeros(1, device="cuda")
    small = torch.randn(512, 512, device="cuda", dtype=torch.bfloat16)
    large = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    for product in (small, large):
        product @ product
    torch.cuda.synchronize()
    properties = torch.cuda.get_device_properties(0)
    print(json.dumps({"sms": properties.multi_processor_count, "total_gib": round(properties.total_memory / 2**30, 1), "mem_get_info": [round(v / 2**30, 1) for v in torch.cuda.mem_get_info()]}), flush=True)
    for line in sys.stdin:
        load = line.strip()
        count, waits = 0, []
        end = time.time() + SECONDS
        while time.time() < end:
            began = time.perf_counter()
            if load == "small":
                for _ in range(50):
                    small @ small
                count += 50
            elif load == "large":
                large @ large
                count += 1
            elif load == "probe":  # one small product, as a server answers one request
                small @ small
                count += 1
            torch.cuda.synchronize()
            if load == "probe":
                waits.append(time.perf_counter() - began)
                time.sleep(0.005)
            elif load == "bursts":
                for _ in range(5):
                    large @ large
                torch.cuda.synchronize()
                count += 5
                time.sleep(0.01)
        answer = {"per_s": round(count / SECONDS, 1)}
        if waits:
            waits.sort()
            answer |= {"p50_ms": round(waits[len(waits) // 2] * 1e3, 3), "p99_ms": round(waits[int(len(waits) * 0.99)] * 1e3, 3)}
        print(json.dumps(answer), flush=True)
    del x


class Client:
    def __init__(self, **extra):
        self.process = subprocess.Popen([sys.executable, __file__, "client"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | extra)
        self.first = json.loads(self.process.stdout.readline())

    def ask(self, load):
        self.process.stdin.write(load + "\n")
        self.process.stdin.flush()

    def answer(self):
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait(30)


def together(name, clients, loads):
    for one, load in zip(clients, loads, strict=True):
        one.ask(load)
    print(f"  {name}:", *(f"{load} {one.answer()}" for one, load in zip(clients, loads, strict=True)), flush=True)


def series(label, **extra):
    print(f"== {label}")
    before = used_mib()
    clients = []
    for number in (1, 2, 4):
        while len(clients) < number:
            clients.append(Client(**extra))
        print(f" {number} processes, memory used {used_mib() - before} MiB more; the last sees {clients[-1].first}", flush=True)
        for load in ("small", "large", "bursts"):
            together(f"{number} x {load}", clients, [load] * number)
        if number < 3:
            together("probe beside large", clients, ["probe", "large"][:number])
    for one in clients:
        one.end()


def control(*lines):
    done = subprocess.run(["nvidia-cuda-mps-control"], input="\n".join(lines) + "\n", capture_output=True, text=True)
    return (done.stdout + done.stderr).strip()


ALLOCATE = """
import torch
print("SMs", torch.cuda.get_device_properties(0).multi_processor_count, "free and total GiB", [round(v / 2**30, 1) for v in torch.cuda.mem_get_info()])
held = []
try:
    for _ in range(160):
        held.append(torch.empty(1 << 30, dtype=torch.uint8, device="cuda"))
    print("160 GiB: no error")
except torch.OutOfMemoryError as error:
    print(len(held), "GiB, then", str(error).splitlines()[0][:420])
"""


def limited(label, **extra):
    done = subprocess.run([sys.executable, "-c", ALLOCATE], capture_output=True, text=True, env=os.environ | extra)
    print(f"  {label}:", done.stdout.strip().replace("\n", "; "), done.stderr.strip().splitlines()[-1:] if done.returncode else "", flush=True)


def main():
    print(subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,compute_mode", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip())
    print("nvidia-smi compute-policy -l:", subprocess.run(["nvidia-smi", "compute-policy", "-l"], capture_output=True, text=True).stdout.strip())
    series("by turns (no MPS)")
    directory = tempfile.mkdtemp()
    os.environ |= {"CUDA_MPS_PIPE_DIRECTORY": directory + "/pipe", "CUDA_MPS_LOG_DIRECTORY": directory + "/log"}
    for name in ("pipe", "log"):
        pathlib.Path(directory, name).mkdir()
    print("nvidia-cuda-mps-control -d:", subprocess.run(["nvidia-cuda-mps-control", "-d"], capture_output=True, text=True).returncode)
    try:
        series("MPS")
        series("MPS, CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=50", CUDA_MPS_ACTIVE_THREAD_PERCENTAGE="50")
        one = Client()
        print("get_server_list:", control("get_server_list"), "| ps:", control("ps"))
        print(subprocess.run(["nvidia-smi"], capture_output=True, text=True).stdout.split("Processes:")[-1])
        one.end()
        print("== limits: allocate GiB by GiB")
        limited("no limit")
        limited("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=0=8G", CUDA_MPS_PINNED_DEVICE_MEM_LIMIT="0=8G")
        limited("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=25", CUDA_MPS_ACTIVE_THREAD_PERCENTAGE="25")
        print("  set_default_device_pinned_mem_limit 0 6G:", control("set_default_device_pinned_mem_limit 0 6G") or "no answer")
        print("  get_default_device_pinned_mem_limit 0:", control("get_default_device_pinned_mem_limit 0"))
        limited("default 6G, the server still runs")
        server = control("get_server_list").split()
        if server:
            control(f"shutdown_server {server[0]} -f")
            time.sleep(3)
        limited("default 6G, a new server")
        limited("default 6G, the client asks for 12G", CUDA_MPS_PINNED_DEVICE_MEM_LIMIT="0=12G")
        print("  set_default_active_thread_percentage 25:", control("set_default_active_thread_percentage 25"))
        limited("default 25 %, the server still runs")
        print("  get_default_active_thread_percentage:", control("get_default_active_thread_percentage"))
    finally:
        print("quit:", control("quit"))
        time.sleep(2)
    for file in sorted(pathlib.Path(directory, "log").iterdir()):
        print("==", file.name, *file.read_text().splitlines()[-12:], sep="\n  ")
    limited("after quit, pipe directory still set")


if __name__ == "__main__":
    client() if sys.argv[1:] == ["client"] else main()
