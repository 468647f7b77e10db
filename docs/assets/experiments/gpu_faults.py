"""Provoke faults on a GPU: the runtime's error, the driver's Xid, and a neighbour that computes beside each.

Usage: python gpu_faults.py DIRECTORY [mps]
DIRECTORY gets the compiled program. With `mps` all processes are clients of one MPS daemon.

The Xids come from NVML's events (nvmlEventTypeXidCriticalError), in a process of its own. The neighbour multiplies
matrices for as long as the fault takes, compares each product with its first, and says at the end how many were right.
"""

import ctypes
import multiprocessing
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
FAULTS = ["none", "assert", "null", "far", "misaligned", "shared", "trap", "wild-call", "recursion", "killed", "threads", "no-memory"]
ROUNDS = 3


class Event(ctypes.Structure):
    _fields_ = [
        ("device", ctypes.c_void_p),
        ("type", ctypes.c_ulonglong),
        ("data", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    ]


def watch(found, ready, end):
    """Append each Xid that NVML reports to `found` until `end` is set."""
    nvml = ctypes.CDLL("libnvidia-ml.so.1")
    device, events = ctypes.c_void_p(), ctypes.c_void_p()
    codes = [
        nvml.nvmlInit_v2(),
        nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device)),
        nvml.nvmlEventSetCreate(ctypes.byref(events)),
        nvml.nvmlDeviceRegisterEvents(device, ctypes.c_ulonglong(8), events),
    ]
    found.put(("registered", codes))
    ready.set()
    event = Event()
    while not end.is_set():
        if nvml.nvmlEventSetWait_v2(events, ctypes.byref(event), 200) == 0:
            found.put(("xid", event.data))


def neighbour(ready, end, answer):
    """Multiply until `end` is set; answer with the number of right products, and the error if one came."""
    import torch

    a = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
    first = a @ a
    torch.cuda.synchronize()
    ready.set()
    right = wrong = 0
    try:
        while not end.is_set():
            if torch.equal(a @ a, first):
                right += 1
            else:
                wrong += 1
        answer.put(f"{right} right, {wrong} wrong, no error")
    except Exception as error:  # any error of the runtime is what is asked for
        answer.put(f"{right} right, {wrong} wrong, then {str(error).splitlines()[0]}")


def provoke(program, fault):
    process = subprocess.Popen([program, fault], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if fault == "killed":
        process.stdout.readline()
        time.sleep(1)
        process.kill()
    out, _ = process.communicate(timeout=60)
    return out.strip() or f"{fault} | exit status {process.returncode}"


def main():
    program = str(pathlib.Path(sys.argv[1]) / "gpu_faults")
    subprocess.run(["nvcc", "-arch=sm_90", "-lineinfo", str(HERE / "gpu_faults.cu"), "-o", program], check=True)
    print(subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip())
    if "mps" in sys.argv:
        print("MPS:", subprocess.run(["nvidia-cuda-mps-control", "-d"], capture_output=True, text=True))
        time.sleep(2)
    context = multiprocessing.get_context("spawn")
    found, watching, done = context.Queue(), context.Event(), context.Event()
    watcher = context.Process(target=watch, args=(found, watching, done))
    watcher.start()
    watching.wait(30)
    print("nvmlInit, handle, event set, register:", found.get(timeout=10)[1])
    for fault in FAULTS:
        for number in range(ROUNDS):
            ready, end, answer = context.Event(), context.Event(), context.Queue()
            beside = context.Process(target=neighbour, args=(ready, end, answer))
            beside.start()
            began = ready.wait(60)
            time.sleep(0.3)
            said = provoke(program, fault)
            time.sleep(1)
            end.set()
            told = answer.get(timeout=60) if began else "did not begin"
            beside.join(30)
            if beside.is_alive():
                beside.kill()
            xids = []
            while not found.empty():
                xids.append(found.get()[1])
            print(f"round {number + 1}: {said}")
            print(f"    Xid {xids or 'none'}; neighbour: {told}", flush=True)
    done.set()
    watcher.join(10)
    if "mps" in sys.argv:
        subprocess.run(["nvidia-cuda-mps-control"], input="quit\n", text=True)
    kernel_log = subprocess.run("dmesg 2>/dev/null | grep -iE 'NVRM|Xid' | tail -60", shell=True, capture_output=True, text=True, env=os.environ).stdout
    print("kernel log:", kernel_log or "nothing")


if __name__ == "__main__":
    main()
