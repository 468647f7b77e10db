"""Interrupt a run of train_example.py, resume it, and compare its weights with an uninterrupted run; then forget one part of the checkpoint at a time.

python resume_exact.py [PROCESSES]      # needs torch and train_example.py beside this file; CPU with Gloo, or as many GPUs with NCCL
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

SCRIPT = Path(__file__).with_name("train_example.py")


def run(out: Path, world: int, steps: int, kill_after: str = "") -> tuple[int, str]:
    """Run train_example.py under torchrun; send SIGTERM to torchrun once its output has a given text."""
    words = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={world}", str(SCRIPT), "--steps", str(steps), "--log-every", "5", "--out", str(out)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}) as child:
        text = ""
        while line := child.stdout.readline():
            text += line
            if kill_after and kill_after in line:
                child.send_signal(signal.SIGTERM)
                kill_after = ""
        errors = child.stderr.read()
    found = [e for e in errors.splitlines() if "SignalException" in e and "raise" not in e]
    return child.returncode, text + (found[-1] + "\n" if found else "")


def compare(one: Path, other: Path) -> str:
    """Compare the final weights."""
    a, b = (torch.load(p / "last.pt", map_location="cpu", weights_only=True)["model"] for p in (one, other))
    apart = max((a[k] - b[k]).abs().max().item() for k in a)
    return "weights identical, bit by bit" if all(torch.equal(a[k], b[k]) for k in a) else f"largest difference of a weight {apart:.1e}"


def main() -> None:
    """Run the comparison."""
    world = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    print(f"torch {torch.__version__}, {world} processes, {'NCCL' if torch.cuda.is_available() else 'Gloo on the CPU'}; 40 steps")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        begin = time.time()
        code, text = run(folder / "whole", world, 40)
        print(f"\nuninterrupted: exit {code}, {text.splitlines()[-2]}", flush=True)
        run(folder / "again", world, 40)
        print(f"the same again: {compare(folder / 'whole', folder / 'again')}", flush=True)
        code, text = run(folder / "cut", world, 40, kill_after="step   15")
        print(f"\nSIGTERM to torchrun after step 15: exit {code}")
        print("".join(f"    {line}\n" for line in text.splitlines()), end="", flush=True)
        saved = torch.load(folder / "cut" / "last.pt", map_location="cpu", weights_only=True)
        print("the checkpoint holds " + ", ".join(saved))
        code, text = run(folder / "cut", world, 40)
        print(f"resumed: exit {code}, {compare(folder / 'whole', folder / 'cut')}", flush=True)
        fresh = network_optimizer_state(saved)
        for title, change in (
            ("random state", {"rng": [[torch.Generator().manual_seed(1001 + r).get_state(), x[1]] for r, x in enumerate(saved["rng"])]}),
            ("position in the data", {"position": 0}),
            ("optimizer state", {"optimizer": fresh}),
            ("schedule and step count of the schedule", {"schedule": {**saved["schedule"], "last_epoch": 0, "_step_count": 1, "_last_lr": [1e-4]}}),
        ):
            where = folder / title.replace(" ", "-")
            where.mkdir()
            torch.save({**saved, **change}, where / "last.pt")
            code, text = run(where, world, 40)
            print(f"  without the {title + ':':42} exit {code}, {compare(folder / 'whole', where)}; {text.splitlines()[-2]}", flush=True)
        print(f"\n{time.time() - begin:.0f} s")


def network_optimizer_state(saved: dict) -> dict:
    """Return the optimizer's state as at the start: no moments, the groups as they are."""
    return {**saved["optimizer"], "state": {}}


if __name__ == "__main__":
    main()
