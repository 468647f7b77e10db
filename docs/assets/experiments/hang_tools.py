"""A job of ranks that hang in a collective, on CPUs with Gloo: what each way of looking at it says.

python hang_tools.py       # needs py-spy, aiohttp, jinja2, tabulate

1. Which processes do `pgrep -f` and `pgrep -P` name, with DataLoader workers beside the ranks?
2. What does torchfrtrace say, if rank 0, 1 or 2 of three skipped an all_reduce?
3. What does the debug server show of a hang?
4. How long does torchrun take to end the others after `kill -9` of one rank?
"""

import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

BIN = pathlib.Path(sys.executable).parent

TRAIN = r'''
import os, sys, time, datetime, torch, torch.distributed as dist
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 10**6

    def __getitem__(self, index):
        return float(index)


def main():
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=300))
    rank, skips = dist.get_rank(), int(os.environ.get("SKIPS", "-1"))
    loader = iter(DataLoader(Numbers(), batch_size=4, num_workers=2)) if os.environ.get("LOADER") else None
    if os.environ.get("SERVER"):
        from torch.distributed.debug import start_debug_server
        start_debug_server(port=int(os.environ["SERVER"]), start_method="spawn")
    x = torch.ones(8)
    for step in range(3):
        if loader:
            next(loader)
        dist.all_reduce(x)
    print("ready", rank, flush=True)
    if os.environ.get("DUMP"):
        import threading

        def dump():
            time.sleep(6)
            from torch._C._distributed_c10d import _dump_fr_trace
            try:
                data = _dump_fr_trace(includeCollectives=True, includeStackTraces=True, onlyActive=False)
            except TypeError:
                data = _dump_fr_trace()
            with open(os.environ["DUMP"] + str(rank), "wb") as file:
                file.write(data)

        threading.Thread(target=dump, daemon=True).start()
    if rank != skips:
        dist.all_reduce(x)  # the line that one rank skips
    dist.all_gather_into_tensor(torch.empty(8 * dist.get_world_size()), x)
    time.sleep(120)


if __name__ == "__main__":
    main()
'''


def start(folder, ranks, **environment):
    """Start torchrun in a session of its own, wait until all ranks are ready, and return it."""
    script = pathlib.Path(folder, "train.py")
    script.write_text(TRAIN)
    log = open(f"{folder}/log", "w")
    command = [str(BIN / "torchrun"), "--standalone", f"--nproc-per-node={ranks}", str(script)]
    process = subprocess.Popen(command, env=os.environ | {"OMP_NUM_THREADS": "1", "TORCH_FR_BUFFER_SIZE": "2000"} | environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    for _ in range(240):
        time.sleep(0.25)
        if pathlib.Path(folder, "log").read_text().count("ready") == ranks or process.poll() is not None:
            break
    return process


def end(process):
    """Kill the session."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def shell(command):
    """Return what a command prints."""
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout.strip()


def which_processes():
    with tempfile.TemporaryDirectory() as folder:
        process = start(folder, 2, LOADER="1", SKIPS="1")
        time.sleep(2)
        both = shell(f"pgrep -f -- '-u {folder}/train\\.py'").split()
        ranks = shell(f"pgrep -P {process.pid}").split()
        print(f"pgrep -f -- '-u train\\.py': {len(both)} processes; pgrep -P (the agent's children): {len(ranks)}")
        print("    all ranks among the first:", set(ranks) <= set(both))
        for pid in ranks:
            stack = shell(f"{BIN}/py-spy dump --pid {pid} 2>&1")
            here = [line.strip() for line in stack.splitlines() if "train.py" in line or "Thread" in line or "Error" in line or "ermission" in line]
            print("   ", here[:4])
        end(process)


def name_the_group(path):
    """Fill in what Gloo leaves empty in a dump of 2.13.0, the name of the group, as NCCL's dumps have it."""
    dump = pickle.loads(path.read_bytes())
    dump["pg_config"] = {"0": {"name": "0", "desc": "default_pg", "ranks": dump["pg_config"][""]["ranks"]}}
    for entry in dump["entries"]:
        entry["profiling_name"] = entry["profiling_name"].replace("gloo:", "nccl:")
    path.write_bytes(pickle.dumps(dump))


def analyse():
    for skips in (0, 1, 2):
        with tempfile.TemporaryDirectory() as folder:
            process = start(folder, 3, SKIPS=str(skips), DUMP=f"{folder}/fr_")
            time.sleep(20)
            end(process)
            files = sorted(p.name for p in pathlib.Path(folder).glob("fr_*"))
            raw = subprocess.run([str(BIN / "torchfrtrace"), folder, "-p", "fr_"], capture_output=True, text=True)
            print("as Gloo wrote them:", (raw.stdout + raw.stderr).strip().splitlines()[-1:])
            for path in pathlib.Path(folder).glob("fr_*"):
                name_the_group(path)
            said = subprocess.run([str(BIN / "torchfrtrace"), folder, "-p", "fr_"], capture_output=True, text=True)
            print(f"rank {skips} skipped the all_reduce; files {files}; torchfrtrace: status {said.returncode}")
            for line in (said.stdout + said.stderr).splitlines():
                if re.search(r"ulprit|missing ranks|Not all ranks|has errors|Error|error msg", line):
                    print("   ", line.strip()[:300])


def server():
    with tempfile.TemporaryDirectory() as folder:
        process = start(folder, 2, SKIPS="1", SERVER="25990")
        time.sleep(8)
        for path in ("/stacks", "/pyspy_dump", "/fr_trace_json", "/tcpstore"):
            try:
                with urllib.request.urlopen(f"http://localhost:25990{path}", timeout=30) as answer:
                    text = answer.read().decode(errors="replace")
                text = re.sub(r"<[^>]+>", "", re.sub(r"(?s)<style.*?</style>|<nav>.*?</nav>", "", text))
                lines = [line.strip() for line in text.splitlines() if re.search(r"train\.py|Rank|rank|Error|all_|denied", line)]
                print(path, answer.status, lines[:14])
            except Exception as error:
                print(path, type(error).__name__, error)
        print("listening on:", shell("ss -ltn 2>/dev/null | grep 25990") or shell("grep -i ':6586 ' /proc/net/tcp /proc/net/tcp6"))
        print(pathlib.Path(folder, "log").read_text()[-800:])
        end(process)


def killed():
    with tempfile.TemporaryDirectory() as folder:
        process = start(folder, 3, SKIPS="1")
        victim = shell(f"pgrep -P {process.pid}").split()[1]
        os.kill(int(victim), signal.SIGKILL)
        began = time.monotonic()
        try:
            process.wait(120)
        except subprocess.TimeoutExpired:
            print("still running after 120 s")
        print(f"torchrun ended {time.monotonic() - began:.1f} s after kill -9 of one rank, status {process.returncode}")
        for line in pathlib.Path(folder, "log").read_text().splitlines():
            if re.search(r"SIGTERM|Sending|exitcode|failed \(|Signal|rank +:", line):
                print("   ", line.strip()[:200])
        end(process)


if __name__ == "__main__":
    import torch

    print(torch.__version__)
    for part in sys.argv[1:] or ("which_processes", "analyse", "server", "killed"):
        print(f"== {part}")
        globals()[part]()
