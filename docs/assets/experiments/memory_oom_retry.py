"""Show what an out-of-memory handler holds, what empty_cache() returns, and a retry that works.

python memory_oom_retry.py         # needs torch and a CUDA device with 8 GiB free
"""

from __future__ import annotations

import gc
import multiprocessing
import sys
import traceback
from collections.abc import Callable

import torch

MIB = 2**20


def block(mebibytes: float) -> torch.Tensor:
    """A tensor of so many MiB."""
    return torch.empty(int(mebibytes * MIB), dtype=torch.uint8, device="cuda")


def figures(name: str) -> None:
    """Allocated, reserved and what the device reports as free."""
    free = torch.cuda.mem_get_info()[0]
    print(
        f"  {name:58} allocated {torch.cuda.memory_allocated() / MIB:7.0f}  reserved "
        f"{torch.cuda.memory_reserved() / MIB:7.0f}  free on the device {free / MIB:7.0f} MiB"
    )


def limit(mebibytes: int) -> None:
    """Let this process reserve so many MiB."""
    torch.cuda.set_per_process_memory_fraction(mebibytes * MIB / torch.cuda.get_device_properties(0).total_memory)


def forward(batch: int) -> int:
    """A step that needs 256 MiB a sample, kept in its frame."""
    activations = []
    for _ in range(batch):
        activations.append(block(256))  # not a comprehension: its list dies with the exception
    return len(activations)


def handler() -> None:
    """Where the memory is while an exception is handled."""
    limit(4096)
    figures("before")
    saved = None
    try:
        forward(32)
    except torch.cuda.OutOfMemoryError as error:
        figures("in the except clause")
        torch.cuda.empty_cache()
        figures("in the except clause, after empty_cache()")
        traceback.clear_frames(error.__traceback__)
        figures("in the except clause, after traceback.clear_frames()")
        saved = error
    figures("after the except clause, the exception kept")
    del saved
    figures("after del")
    torch.cuda.empty_cache()
    figures("after empty_cache()")


def kept() -> None:
    """An exception that is kept keeps the activations."""
    limit(4096)
    errors = []
    try:
        forward(32)
    except torch.cuda.OutOfMemoryError as error:
        errors.append(error)
    gc.collect()
    torch.cuda.empty_cache()
    figures("errors.append(error), gc.collect(), empty_cache()")
    errors.clear()
    figures("errors.clear()")


def retry() -> None:
    """Halve the batch until it fits, outside the except clause."""
    limit(4096)
    batch, done, attempts = 32, 0, []
    while done < 32:
        failed = False
        try:
            done += forward(min(batch, 32 - done))
            attempts.append(f"{batch}: ok")
        except torch.cuda.OutOfMemoryError:
            failed = True
        if failed:  # here the traceback and the frames are gone
            attempts.append(f"{batch}: out of memory")
            batch //= 2
            if batch == 0:
                raise RuntimeError("one sample does not fit")
            torch.cuda.empty_cache()
    print("  ", "; ".join(attempts))


def split() -> None:
    """empty_cache() returns whole segments only."""
    limit(4096)
    big = [block(500) for _ in range(6)]
    small = []
    for number in range(6):
        big[number] = None  # type: ignore[call-overload]
        small.append(block(300))
    figures("six segments of 500 MiB, 300 MiB of each in use")
    torch.cuda.empty_cache()
    figures("empty_cache()")
    small[0] = None  # type: ignore[call-overload]
    torch.cuda.empty_cache()
    figures("one tensor deleted, empty_cache()")


def private_pool() -> None:
    """The message when a CUDA graph's pool holds memory."""
    limit(2048)
    static = block(512)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = static + 1
    figures("a graph captured: input 512 MiB, result 512 MiB")
    del result
    torch.cuda.empty_cache()
    figures("its result deleted, empty_cache()")
    try:
        block(1200)
    except torch.cuda.OutOfMemoryError as error:
        print("  ", error)
    graph.reset()
    torch.cuda.empty_cache()
    figures("graph.reset(), empty_cache()")


def expandable_message() -> None:
    """The message where expandable segments are on already."""
    torch.cuda.memory._set_allocator_settings("expandable_segments:True")
    limit(2048)
    held = block(1024)
    try:
        block(1200)
    except torch.cuda.OutOfMemoryError as error:
        print("  ", error)
    figures("still held")
    del held


def switched() -> None:
    """_set_allocator_settings in a running program applies to new segments."""
    old = block(100)
    torch.cuda.memory._set_allocator_settings("expandable_segments:True")
    new = block(100)
    print("  segments:", [(s["total_size"] // MIB, s["is_expandable"]) for s in torch.cuda.memory_snapshot()])
    print("  settings:", torch.cuda.memory._snapshot()["allocator_settings"])
    print("  inactive_split_bytes", torch.cuda.memory_stats()["inactive_split_bytes.all.current"])
    del old, new


def share(expandable: bool) -> Callable[[], None]:
    """Send a CUDA tensor to another process."""

    def test() -> None:
        if expandable:
            torch.cuda.memory._set_allocator_settings("expandable_segments:True")
        context = torch.multiprocessing.get_context("spawn")
        queue, answer = context.Queue(), context.Queue()
        receiver = context.Process(target=_receive, args=(queue, answer))
        receiver.start()
        tensor = torch.arange(8, device="cuda")
        queue.put(tensor)
        print("   the receiver's sum:", answer.get(timeout=25))
        receiver.join(5)

    return test


def _receive(queue: multiprocessing.Queue, answer: multiprocessing.Queue) -> None:  # type: ignore[type-arg]
    try:
        answer.put(queue.get(timeout=20).sum().item())
    except Exception as error:
        answer.put(f"{type(error).__name__}: {error}")


def collected_threshold() -> None:
    """garbage_collection_threshold, with and without a memory fraction."""
    for fraction in (None, 1.0, 0.1):
        torch.cuda.empty_cache()
        torch.cuda.memory._set_allocator_settings("garbage_collection_threshold:0.5")
        if fraction is not None:
            torch.cuda.set_per_process_memory_fraction(fraction)
        peak = 0
        for size in range(100, 1400, 20):  # each request is larger than every cached block
            block(size)
            peak = max(peak, torch.cuda.memory_reserved())
        print(f"   fraction {fraction}: reserved at most {peak / MIB:.0f} MiB for one tensor of at most 1380 MiB")


def main() -> None:
    """Each test in a forked process."""
    print(torch.__version__, torch.version.cuda, f"Python {sys.version.split()[0]}", flush=True)
    tests = {
        "an exception that is handled": handler,
        "an exception that is kept": kept,
        "retry with half the batch": retry,
        "empty_cache and split segments": split,
        "a CUDA graph's pool": private_pool,
        "the message under expandable segments": expandable_message,
        "expandable segments switched on at run time": switched,
        "garbage_collection_threshold:0.5": collected_threshold,
        "a tensor sent to another process": share(False),
        "the same under expandable segments": share(True),
    }
    for name, test in tests.items():
        print(f"== {name}", flush=True)

        def body(test: Callable[[], None] = test) -> None:
            try:
                test()
            except Exception as error:
                print(f"  {type(error).__name__}: {error}")
            sys.stdout.flush()

        process = multiprocessing.get_context("fork").Process(target=body)
        process.start()
        process.join(45)
        if process.is_alive():
            print("  no end after 45 s")
            process.kill()


if __name__ == "__main__":
    main()
