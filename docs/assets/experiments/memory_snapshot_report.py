"""Read PyTorch's memory snapshots without a browser: who holds memory, what grew, how the free space is cut.

python memory_snapshot_report.py SNAPSHOT             # one snapshot
python memory_snapshot_report.py BEFORE AFTER         # what grew between two
python memory_snapshot_report.py                      # make three, with planted leaks (needs a CUDA device)
"""

from __future__ import annotations

import pickle
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

MIB = 2**20
LIBRARIES = ("/torch/", "??", "<frozen", "/threading.py")


def line(frames: list[dict[str, Any]]) -> str:
    """The innermost frame that is neither PyTorch's nor C++'s."""
    for frame in frames:
        if not any(part in frame["filename"] for part in LIBRARIES) and frame["filename"].endswith(".py"):
            return f"{Path(frame['filename']).name}:{frame['line']} {frame['name']}"
    return f"({frames[0]['name']}, no line of the program)" if frames else "(allocated before the recording)"


def live(snapshot: dict[str, Any]) -> tuple[Counter[str], Counter[str]]:
    """Bytes and blocks in use, by line of the program."""
    size: Counter[str] = Counter()
    blocks: Counter[str] = Counter()
    for segment in snapshot["segments"]:
        for block in segment["blocks"]:
            if block["state"].startswith("active"):
                name = line(block.get("frames", []))
                size[name] += block["size"]
                blocks[name] += 1
    return size, blocks


def oldest(snapshot: dict[str, Any]) -> dict[str, tuple[float, int]]:
    """Age in seconds of the oldest and number of the allocations that were not freed, by line."""
    open_: dict[int, dict[str, Any]] = {}
    last = 0
    for trace in snapshot["device_traces"]:
        for entry in trace:
            last = max(last, entry.get("time_us", 0))
            if entry["action"] == "alloc":
                open_[entry["addr"]] = entry
            elif entry["action"] == "free_requested":
                open_.pop(entry["addr"], None)
    ages: dict[str, tuple[float, int]] = {}
    for entry in open_.values():
        name = line(entry.get("frames", []))
        age, count = ages.get(name, (0.0, 0))
        ages[name] = (max(age, (last - entry.get("time_us", last)) / 1e6), count + 1)
    return ages


def report(snapshot: dict[str, Any]) -> None:
    """One snapshot."""
    size, blocks = live(snapshot)
    ages = oldest(snapshot)
    print("in use, by line:        MiB  blocks  not freed, oldest")
    for name, count in size.most_common(8):
        age = f"{ages[name][1]} in the history, {ages[name][0]:.2f} s" if name in ages else "-"
        print(f"  {count / MIB:22.1f}{blocks[name]:8}  {age:28}{name}")
    pools: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for segment in snapshot["segments"]:
        pools[
            (segment.get("segment_pool_id"), segment["stream"], segment["segment_type"], segment.get("is_expandable"))
        ].append(segment)
    print("pool, stream, type, expandable: segments, reserved, in use, free, largest free block (MiB)")
    for key, segments in pools.items():
        free = [b["size"] for s in segments for b in s["blocks"] if b["state"] == "inactive"]
        reserved = sum(s["total_size"] for s in segments)
        in_use = sum(s["active_size"] for s in segments)
        print(
            f"  {key}: {len(segments)}, {reserved / MIB:.1f}, {in_use / MIB:.1f}, {sum(free) / MIB:.1f}, {max(free, default=0) / MIB:.1f}"
        )
    for number, trace in enumerate(snapshot["device_traces"]):
        if trace:
            span = (trace[-1].get("time_us", 0) - trace[0].get("time_us", 0)) / 1e6
            print(
                f"history of device {number}: {len(trace)} entries over {span:.2f} s:",
                dict(Counter(e["action"] for e in trace)),
            )
            for entry in trace:
                if entry["action"] == "oom":
                    print(
                        f"  oom: {entry['size'] / MIB:.0f} MiB asked for, device_free {entry.get('device_free', 0) / MIB:.0f} MiB, at {line(entry['frames'])}"
                    )


def compare(before: dict[str, Any], after: dict[str, Any]) -> None:
    """What grew."""
    (old, old_blocks), (new, new_blocks) = live(before), live(after)
    print("grown, by line:         MiB  blocks")
    for name, count in (new - old).most_common(8):
        print(f"  {count / MIB:+22.1f}{new_blocks[name] - old_blocks[name]:+8}  {name}")
    print(
        f"  {(sum(new.values()) - sum(old.values())) / MIB:+22.1f}{sum(new_blocks.values()) - sum(old_blocks.values()):+8}  all"
    )


def load(path: str) -> dict[str, Any]:
    """A snapshot file. Pickle runs code: open only your own."""
    return pickle.loads(Path(path).read_bytes())  # noqa: S301


def demo(folder: Path) -> None:
    """Train with two leaks, take snapshots at steps 10 and 30 and on running out of memory; read them."""
    import torch

    print(torch.__version__, torch.version.cuda, torch.cuda.get_device_name(), f"Python {sys.version.split()[0]}")
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(1024 * MIB / total)
    model = torch.nn.Sequential(
        *[part for _ in range(4) for part in (torch.nn.Linear(1024, 1024), torch.nn.GELU())]
    ).cuda()
    torch.cuda.memory._record_memory_history(max_entries=5_000, stacks="python")
    losses, features = [], []

    def on_oom(device: int, alloc: int, device_alloc: int, device_free: int) -> None:
        print(
            f"observer: device {device}, alloc {alloc / MIB:.0f} MiB, device_alloc {device_alloc / MIB:.0f} MiB, device_free {device_free / MIB:.0f} MiB"
        )
        torch.cuda.memory._dump_snapshot(str(folder / "oom.pickle"))

    torch._C._cuda_attach_out_of_memory_observer(on_oom)

    def step(number: int) -> None:
        x = torch.randn(256, 1024, device="cuda")
        out = model(x)
        loss = out.square().mean()
        losses.append(loss)  # leak: the whole graph
        features.append(out.detach()[:1])  # leak: one row keeps the batch

    for number in range(200):
        try:
            step(number)
        except torch.cuda.OutOfMemoryError as error:
            print(f"step {number}: {error}")
            break
        if number in (10, 30):
            torch.cuda.memory._dump_snapshot(str(folder / f"step{number}.pickle"))
    torch.cuda.memory._record_memory_history(enabled=None)
    first = load(str(folder / "step10.pickle"))
    print("keys of the snapshot:", {key: type(value).__name__ for key, value in first.items()})
    print("keys of a segment:", sorted(first["segments"][0]))
    print("keys of a block:", sorted(first["segments"][0]["blocks"][0]))
    print("keys of an entry:", sorted({key for entry in first["device_traces"][0] for key in entry}))
    print("keys of a frame:", sorted(next(e for e in first["device_traces"][0] if e.get("frames"))["frames"][0]))
    print("allocator_settings:", first["allocator_settings"])
    for name in ("step10", "step30", "oom"):
        path = folder / f"{name}.pickle"
        if path.exists():
            print(f"--- {name}.pickle, {path.stat().st_size / MIB:.2f} MiB")
            report(load(str(path)))
    print("--- step10.pickle to step30.pickle")
    compare(first, load(str(folder / "step30.pickle")))
    losses.clear()
    features.clear()


def main() -> None:
    """Read the files that are named, or make some."""
    if len(sys.argv) == 2 and not Path(sys.argv[1]).is_dir():
        report(load(sys.argv[1]))
    elif len(sys.argv) == 3:
        compare(load(sys.argv[1]), load(sys.argv[2]))
    else:
        from tempfile import TemporaryDirectory

        if len(sys.argv) == 2:
            demo(Path(sys.argv[1]))
            return
        with TemporaryDirectory() as folder:
            demo(Path(folder))


if __name__ == "__main__":
    main()
