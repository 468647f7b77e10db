"""Start torchrun as on two nodes, on loopback: what works, and what each mistake says.

python torchrun_two_nodes.py [NAME...]

Each NAME is a part of a case's name; without one, all cases run. The cases "on two hosts" give each agent
a network namespace of its own, with its own loopback, and need root on Linux.
"""

import contextlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

BIN = pathlib.Path(sys.executable).parent
SCRIPT = r'''
import os, datetime, torch, torch.distributed as dist
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
x = torch.ones(1); dist.all_reduce(x)
print("RANK", *(f"{k}={os.environ[k]}" for k in ("RANK", "LOCAL_RANK", "GROUP_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR")), "sum", int(x), flush=True)
dist.barrier()
dist.destroy_process_group()
'''


def free_port():
    """Return a port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


HOSTS = ("planbook0", "planbook1")  # network namespaces: 10.99.57.1 and 10.99.57.2, connected


@contextlib.contextmanager
def two_hosts():
    """Make two network namespaces, each with a loopback of its own, and a link between them."""
    def ip(*arguments):
        subprocess.run(["ip", *arguments], check=True)

    for host in HOSTS:
        ip("netns", "add", host)
    try:
        ip("link", "add", "pb0", "netns", HOSTS[0], "type", "veth", "peer", "name", "pb1", "netns", HOSTS[1])
        for number, host in enumerate(HOSTS):
            ip("-n", host, "addr", "add", f"10.99.57.{number + 1}/24", "dev", f"pb{number}")
            ip("-n", host, "link", "set", "lo", "up")
            ip("-n", host, "link", "set", f"pb{number}", "up")
        yield [["ip", "netns", "exec", host] for host in HOSTS]
    finally:
        for host in HOSTS:
            ip("netns", "del", host)


def run(name, *nodes, seconds=60, delay=0.0, hosts=((), ())):
    """Start one agent per list of options, and print what they say."""
    if sys.argv[1:] and not any(part in name for part in sys.argv[1:]):
        return
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "train.py")
        script.write_text(SCRIPT)
        began, agents = time.monotonic(), []
        for number, options in enumerate(nodes):
            if number:
                time.sleep(delay)
            log = open(f"{folder}/{number}", "w")
            command = [*hosts[number], str(BIN / "torchrun"), *options, str(script)]
            agents.append(subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=os.environ | {"OMP_NUM_THREADS": "1"}, start_new_session=True))
        print(f"== {name}")
        for number, agent in enumerate(agents):
            try:
                agent.wait(max(0.1, seconds - (time.monotonic() - began)))
                status = f"status {agent.returncode} after {time.monotonic() - began:.0f} s"
            except subprocess.TimeoutExpired:
                status = f"still waiting after {seconds} s"
            print(f"   node {number}: torchrun {' '.join(nodes[number])}: {status}")
            for line in pathlib.Path(folder, str(number)).read_text().splitlines():
                if re.search(r"^RANK|^[\w.]+Error\b|timed out|refused|mismatch", line):
                    print("      ", line.strip()[:260])
        for agent in agents:
            try:
                os.killpg(agent.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def main():
    """Run each case."""
    import torch

    print(torch.__version__)
    port = free_port()
    both = ["--nnodes=2", "--nproc-per-node=2", "--rdzv-backend=c10d", f"--rdzv-endpoint=127.0.0.1:{port}", "--rdzv-id=7"]
    run("c10d, the same command on both", both, both)
    port = free_port()
    static = ["--nnodes=2", "--nproc-per-node=2", "--master-addr=127.0.0.1", f"--master-port={port}"]
    run("static, --node-rank by node", [*static, "--node-rank=0"], [*static, "--node-rank=1"])
    port = free_port()
    static = ["--nnodes=2", "--nproc-per-node=2", "--master-addr=127.0.0.1", f"--master-port={port}"]
    run("static, --node-rank forgotten", static, static, seconds=40)
    port = free_port()
    one = ["--nnodes=2", "--nproc-per-node=2", "--rdzv-backend=c10d", f"--rdzv-endpoint=127.0.0.1:{port}", "--rdzv-id=7", "--rdzv-conf=join_timeout=15"]
    run("c10d, the second node never comes, join_timeout=15", one, seconds=50)
    port = free_port()
    ids = ["--nnodes=2", "--nproc-per-node=2", "--rdzv-backend=c10d", f"--rdzv-endpoint=127.0.0.1:{port}", "--rdzv-conf=join_timeout=15"]
    run("c10d, another --rdzv-id", [*ids, "--rdzv-id=7"], [*ids, "--rdzv-id=8"], seconds=50)
    port = free_port()
    few = ["--nnodes=2", "--rdzv-backend=c10d", f"--rdzv-endpoint=127.0.0.1:{port}", "--rdzv-id=7"]
    run("c10d, 2 and 1 processes", [*few, "--nproc-per-node=2"], [*few, "--nproc-per-node=1"])
    wrong = ["--nnodes=2", "--nproc-per-node=2", "--rdzv-backend=c10d", f"--rdzv-endpoint=127.0.0.2:{port}", "--rdzv-id=7"]
    run("c10d, an endpoint where nobody listens", wrong, seconds=75)
    alone = ["--nnodes=2", "--nproc-per-node=2"]
    run("no rendezvous options, one agent", alone, seconds=30)
    run("no rendezvous options, two agents on one host", alone, alone, seconds=40)
    forgotten = ["--nnodes=2", "--nproc-per-node=2", "--master-addr=10.99.57.1", "--master-port=29511"]
    with two_hosts() as hosts:
        run("no rendezvous options, two agents on two hosts", alone, alone, seconds=40, hosts=hosts)
        run("static on two hosts, --node-rank forgotten", forgotten, forgotten, seconds=60, hosts=hosts)


if __name__ == "__main__":
    main()
