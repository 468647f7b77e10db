"""Provoke failures of NCCL's start: a rank that cannot reach the root, one that waits for a rank that never comes, and the store's.

NCCL_DEBUG=WARN python nccl_bootstrap.py; needs torch with NCCL and one GPU; takes about three minutes.
"""

import ctypes
import datetime
import os
import socket
import subprocess
import sys
import time

import torch
import torch.distributed as dist


class UniqueId(ctypes.Structure):
    _fields_ = [("internal", ctypes.c_byte * 128)]


def nccl() -> ctypes.CDLL:
    """Return the library that torch has loaded."""
    torch.cuda.nccl.version()
    path = next(line.split()[-1] for line in open("/proc/self/maps") if "libnccl" in line)
    return ctypes.CDLL(path)


def make(name: str) -> None:
    """Write the id of a root that ends with this process."""
    value = UniqueId()
    assert nccl().ncclGetUniqueId(ctypes.byref(value)) == 0
    open(name, "wb").write(bytes(value))


def join(name: str, address: str = "") -> None:
    """Start as rank 1 of 2 with that id; with `address`, its root is there."""
    value = UniqueId.from_buffer_copy(open(name, "rb").read())
    raw = bytearray(bytes(value))
    if address:  # magic: 8 bytes, then family and port, then the address
        raw[12:16] = socket.inet_aton(address)
    torch.cuda.set_device(0)
    torch.ones(1, device="cuda")
    library, started = nccl(), time.monotonic()
    library.ncclGetErrorString.restype = ctypes.c_char_p
    library.ncclCommInitRank.argtypes = [ctypes.c_void_p, ctypes.c_int, UniqueId, ctypes.c_int]
    communicator = ctypes.c_void_p()
    code = library.ncclCommInitRank(ctypes.byref(communicator), 2, UniqueId.from_buffer_copy(bytes(raw)), 1)
    print(f"after {time.monotonic() - started:.0f} s: {code} {library.ncclGetErrorString(code).decode()}", flush=True)


def store(rank: int) -> None:
    """Rank 1 calls a collective; rank 0 stays away from it and lives."""
    dist.init_process_group("nccl", init_method="tcp://127.0.0.1:29533", rank=rank, world_size=2, timeout=datetime.timedelta(seconds=20))
    if rank == 0:
        time.sleep(45)
        os._exit(0)
    torch.cuda.set_device(0)
    try:
        dist.all_reduce(torch.ones(1, device="cuda"))
        torch.cuda.synchronize()
    except Exception as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0]}", flush=True)
    os._exit(0)


def ask(*arguments: str, seconds: int = 100, **variables: str) -> None:
    """Run this file with arguments and print its warnings and its result."""
    command = [sys.executable, __file__, *arguments]
    try:
        done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, timeout=seconds)
        lines = (done.stdout + done.stderr).splitlines()
    except subprocess.TimeoutExpired as error:
        lines = (error.stdout or b"").decode().splitlines() + [f"ended after {seconds} s"]
    for line in [line for line in lines if line.strip()][-8:]:
        print("  ", line[:330], flush=True)


if len(sys.argv) > 1:
    {"make": make, "join": join, "store": lambda rank: store(int(rank))}[sys.argv[1]](*sys.argv[2:])
    sys.exit()
print("torch", torch.__version__, "NCCL", torch.cuda.nccl.version(), torch.cuda.get_device_name(), flush=True)
print("== the root has ended: its port refuses")
ask("make", "/tmp/id")
ask("join", "/tmp/id")
print("== the same, NCCL_SOCKET_RETRY_CNT=3")
ask("join", "/tmp/id", NCCL_SOCKET_RETRY_CNT="3")
print("== the root's address is one that nothing answers (192.0.2.1)")
ask("join", "/tmp/id", "192.0.2.1", NCCL_SOCKET_RETRY_CNT="2", seconds=60)
print("== an interface that does not exist")
ask("make", "/tmp/none", NCCL_SOCKET_IFNAME="=eth9")
print("== rank 0 never calls the collective, timeout 20 s")
first = subprocess.Popen([sys.executable, __file__, "store", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
ask("store", "1")
first.kill()
