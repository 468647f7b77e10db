"""Dump the flight recorder of a running job: by its pipe, from Python, and by the debug server. One rank, NCCL.

python dump_on_demand.py OUT.json

A group of one rank cannot hang in a collective; what is tried is whether each way writes a file or answers while
the main thread is busy (it sleeps), and which names of variables this build knows.
"""

import glob
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

BODY = r"""
    import os, time, torch, torch.distributed as dist
    torch.cuda.set_device(0)
    dist.init_process_group("nccl", rank=0, world_size=1, device_id=torch.device("cuda", 0))
    x = torch.ones(1000, device="cuda")
    for _ in range(3):
        dist.all_reduce(x)
    torch.cuda.synchronize()
"""
WAIT = r"""
    if os.environ.get("WITH_SERVER"):
        from torch.distributed.debug import start_debug_server
        port = int(os.environ["WITH_SERVER"])
        start_debug_server(port=port, start_method="spawn", dump_dir=os.environ["DUMPS"], dump_interval=5.0)
    print("ready", flush=True)
    time.sleep(float(os.environ.get("SLEEP", "40")))
"""
DUMP = r"""
    import pickle
    from torch._C._distributed_c10d import _dump_nccl_trace
    dump = pickle.loads(_dump_nccl_trace(includeCollectives=True, includeStackTraces=True, onlyActive=False))
    print("KEYS", sorted(dump), len(dump["entries"]), dump["entries"][-1]["state"])
    dist.destroy_process_group()
"""


def program(*parts):
    """Return a module that runs the parts, and only when it is started itself (spawned children import it)."""
    return "def main():" + "".join(parts) + '\n\nif __name__ == "__main__":\n    main()\n'


def free_port():
    """Return a port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def start(folder, extra):
    """Start the rank and wait until it is ready; return the process."""
    script = pathlib.Path(folder, "rank.py")
    script.write_text(program(BODY, WAIT))
    environment = os.environ | {
        "RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "NCCL_NVLS_ENABLE": "0", "TORCH_FR_BUFFER_SIZE": "2000",
        "TORCH_NCCL_DUMP_ON_TIMEOUT": "1", "TORCH_FR_DUMP_TEMP_FILE": f"{folder}/fr_", "DUMPS": f"{folder}/dumps",
    } | extra  # fmt: skip
    log = open(f"{folder}/log", "w+")
    process = subprocess.Popen([sys.executable, str(script)], env=environment, stdout=log, stderr=subprocess.STDOUT, text=True)
    for _ in range(240):
        time.sleep(0.25)
        if "ready" in pathlib.Path(folder, "log").read_text() or process.poll() is not None:
            break
    return process


def names():
    """Return the variables whose names are in the libraries of this build."""
    import torch

    libraries = glob.glob(str(pathlib.Path(torch.__file__).parent / "lib" / "libtorch_c*.so")) + glob.glob(str(pathlib.Path(torch.__file__).parent / "lib" / "libtorch_python.so"))
    found = set()
    for library in libraries:
        found |= set(re.findall(rb"TORCH_(?:NCCL|FR|DIST)_[A-Z_0-9]+", pathlib.Path(library).read_bytes()))
    return sorted(name.decode() for name in found)


def by_pipe(variable):
    """Write to the pipe that `variable` names and return what appeared."""
    with tempfile.TemporaryDirectory() as folder:
        process = start(folder, {variable: f"{folder}/pipe_"})
        pipes = sorted(os.path.basename(p) for p in glob.glob(f"{folder}/pipe_*"))
        began = time.monotonic()
        for pipe in pipes:
            with open(os.open(f"{folder}/{pipe}", os.O_WRONLY | os.O_NONBLOCK), "w") as file:
                file.write("1\n")
        files, waited = [], 0.0
        while not files and waited < 20:
            time.sleep(0.25)
            waited = time.monotonic() - began
            files = sorted(os.path.basename(p) for p in glob.glob(f"{folder}/fr_*"))
        alive = process.poll() is None
        analysed = subprocess.run(["torchfrtrace", "-j", folder, "-p", "fr_"], capture_output=True, text=True) if files else None
        process.send_signal(signal.SIGKILL)
        process.wait()
        log = pathlib.Path(folder, "log").read_text()[-1500:]
        return {"variable": variable, "pipes": pipes, "files": files, "seconds": round(waited, 2), "job_alive": alive, "log": log, "torchfrtrace": analysed and (analysed.stdout + analysed.stderr)[-1500:]}


def by_server():
    """Ask the debug server, and list what it dumps by itself."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        process = start(folder, {"WITH_SERVER": str(port), "SLEEP": "60"})
        answers = {}
        time.sleep(8)
        for path in ("/", "/stacks", "/pyspy_dump", "/fr_trace", "/fr_trace_nccl", "/fr_trace_json", "/tcpstore"):
            try:
                with urllib.request.urlopen(f"http://localhost:{port}{path}", timeout=20) as answer:
                    text = answer.read().decode(errors="replace")
                    answers[path] = {"status": answer.status, "length": len(text), "text": re.sub(r"<style.*?</style>", "", text, flags=re.S)[:1500]}
            except Exception as error:
                answers[path] = f"{type(error).__name__}: {error}"
        dumped = sorted(os.path.relpath(p, folder) for p in glob.glob(f"{folder}/dumps/**", recursive=True))
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
        log = pathlib.Path(folder, "log").read_text()[-2500:]
        return {"answers": answers, "dumped": dumped[:20], "log": log}


def from_python():
    """Return the keys of a dump that the program itself takes."""
    environment = os.environ | {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "NCCL_NVLS_ENABLE": "0", "TORCH_FR_BUFFER_SIZE": "2000"}
    run = subprocess.run([sys.executable, "-c", program(BODY, DUMP)], env=environment, capture_output=True, text=True, timeout=120)
    return {"returncode": run.returncode, "out": run.stdout[-600:], "err": run.stderr[-800:]}


def main():
    """Try each way, and write what happened."""
    import torch

    result = {"date": time.strftime("%Y-%m-%d"), "torch": torch.__version__, "gpu": torch.cuda.get_device_name(), "variables": names()}
    ways = {
        "pipe_new": lambda: by_pipe("TORCH_FR_DUMP_PIPE_FILE"), "pipe_old": lambda: by_pipe("TORCH_NCCL_DEBUG_INFO_PIPE_FILE"),
        "python": from_python, "server": by_server,
    }  # fmt: skip
    for name, way in ways.items():
        try:
            result[name] = way()
        except Exception as error:
            result[name] = f"{type(error).__name__}: {error}"
        print(name, json.dumps(result[name])[:1500], flush=True)
        with open(sys.argv[1], "w") as file:
            json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
