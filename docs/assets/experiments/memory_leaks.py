"""Plant ten leaks of GPU memory, measure them, and let the finders of Python and PyTorch name the owner.

python memory_leaks.py             # needs torch; with a CUDA device it counts bytes, else only tensors
"""

from __future__ import annotations

import contextlib
import functools
import gc
import io
import logging
import sys
import types
import warnings
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
MIB = 2**20
STEPS = 10
KEPT: list[Any] = []


def used() -> int:
    """Bytes that tensors occupy on the device (without one: bytes of the tensors that Python knows)."""
    if DEVICE == "cuda":
        torch.cuda.synchronize()
        return torch.cuda.memory_allocated()
    return python_bytes()


def python_bytes() -> int:
    """Bytes of the distinct storages of all tensors that are Python objects."""
    storages = {}
    for item in gc.get_objects():
        with contextlib.suppress(Exception):
            if issubclass(type(item), torch.Tensor) and item.device.type == DEVICE:
                storages[item.untyped_storage().data_ptr()] = item.untyped_storage().nbytes()
    return sum(storages.values())


def who_holds(thing: object, depth: int = 3, skip: tuple[object, ...] = (), indent: str = "    ") -> None:
    """Print what refers to an object, and what refers to that."""
    hidden = {id(item) for item in skip} | {id(sys._getframe())}
    referrers = gc.get_referrers(thing)
    hidden.add(id(referrers))
    told = False
    for holder in referrers:
        if id(holder) in hidden:
            continue
        told = True
        if isinstance(holder, types.FrameType):
            if holder.f_code.co_name not in ("who_holds", "named"):
                print(f"{indent}frame of {holder.f_code.co_name}, line {holder.f_lineno}")
            continue
        if isinstance(holder, types.ModuleType) or (isinstance(holder, dict) and "__name__" in holder):
            name = holder.get("__name__") if isinstance(holder, dict) else holder.__name__
            names = [k for k, v in (holder if isinstance(holder, dict) else vars(holder)).items() if v is thing]
            print(f"{indent}global {', '.join(names)} of module {name}")
            continue
        extra = ""
        if isinstance(holder, dict):
            extra = f" key {[k for k, v in holder.items() if v is thing]!r:.60}"
        elif isinstance(holder, (list, tuple)):
            extra = f" of {len(holder)}, index {[i for i, v in enumerate(holder) if v is thing][:3]}"
        elif isinstance(holder, types.CellType):
            extra = " (a variable that a closure captured)"
        elif isinstance(holder, types.FunctionType):
            extra = f" {holder.__qualname__}, {Path(holder.__code__.co_filename).name}:{holder.__code__.co_firstlineno}"
        elif isinstance(holder, BaseException):
            extra = f" {holder!r:.60}"
        print(f"{indent}{type(holder).__module__}.{type(holder).__name__}{extra}")
        if depth > 1:
            who_holds(holder, depth - 1, (*skip, referrers, thing), indent + "    ")
    if not told and indent == "    ":
        print(f"{indent}no Python object: held from C++ (a view's base, a graph's saved tensor)")


class Net(torch.nn.Module):
    """Two layers."""

    def __init__(self) -> None:
        """1024 wide."""
        super().__init__()
        self.a, self.b = torch.nn.Linear(1024, 1024), torch.nn.Linear(1024, 1024)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Two products with a ReLU between them."""
        return self.b(self.a(x).relu())


NET = Net().to(DEVICE)


def batch() -> torch.Tensor:
    """1 MiB of input."""
    return torch.randn(256, 1024, device=DEVICE)


def loss_of() -> torch.Tensor:
    """A loss with its graph."""
    return NET(batch()).square().mean()


def losses() -> None:
    """losses.append(loss), without backward."""
    KEPT.append(loss_of())


def losses_backward() -> None:
    """losses.append(loss) after loss.backward()."""
    loss = loss_of()
    loss.backward()
    KEPT.append(loss)


def losses_detached() -> None:
    """losses.append(loss.detach())."""
    KEPT.append(loss_of().detach())


def total() -> None:
    """Sum: total = total + loss."""
    KEPT[:] = [(KEPT[0] if KEPT else 0) + loss_of()]


def total_item() -> None:
    """Sum: total = total + loss.item()."""
    KEPT[:] = [(KEPT[0] if KEPT else 0) + loss_of().item()]


def slices() -> None:
    """Keep one row of a batch: a view keeps the whole storage."""
    KEPT.append(batch()[0])


def slices_cloned() -> None:
    """Keep a copy of the row."""
    KEPT.append(batch()[0].clone())


def hooks() -> None:
    """A hook registered each step, which keeps its batch."""
    x = batch()
    NET.a.register_forward_hook(lambda module, inputs, output, x=x: None)
    with torch.no_grad():
        NET(x)


def hooks_removed() -> None:
    """The same hook, removed."""
    x = batch()
    handle = NET.a.register_forward_hook(lambda module, inputs, output, x=x: None)
    with torch.no_grad():
        NET(x)
    handle.remove()


@functools.lru_cache(maxsize=None)  # noqa: UP033 - the mistake
def normalised(x: torch.Tensor) -> torch.Tensor:
    """A tensor is hashed by its identity: never a hit."""
    return x / 2


def cached() -> None:
    """functools.lru_cache on a function of a tensor."""
    normalised(batch())


def exceptions() -> None:
    """errors.append(error): its traceback keeps the frames, and they keep their variables."""
    try:
        activations = batch()  # noqa: F841
        raise ValueError("bad sample")
    except ValueError as error:
        KEPT.append(error)


def exceptions_cleared() -> None:
    """errors.append(error.with_traceback(None))."""
    try:
        activations = batch()  # noqa: F841
        raise ValueError("bad sample")
    except ValueError as error:
        KEPT.append(error.with_traceback(None))


class Trainer:
    """A closure in an attribute refers back to its object."""

    def __init__(self) -> None:
        """Hold a batch."""
        self.buffer = batch()
        self.on_end = lambda: self.buffer


def cycle() -> None:
    """An object with a closure that captured it."""
    Trainer()


def cycle_exception() -> None:
    """The exception in a variable of the frame that its traceback names."""
    x = batch()  # noqa: F841
    saved = None
    try:
        raise ValueError("bad sample")
    except ValueError as error:
        saved = error  # noqa: F841


class OnContext(torch.autograd.Function):
    """Keeps its output as an attribute of ctx."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        """Exponential."""
        ctx.result = x.exp()
        return ctx.result

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        """Its derivative."""
        return gradient * ctx.result


class Saved(torch.autograd.Function):
    """Keeps its output with save_for_backward."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        """Exponential."""
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        """Its derivative."""
        return gradient * ctx.saved_tensors[0]


def on_context() -> None:
    """autograd.Function: ctx.result = result."""
    OnContext.apply(batch().requires_grad_()).sum().backward()


def saved() -> None:
    """autograd.Function: ctx.save_for_backward(result)."""
    Saved.apply(batch().requires_grad_()).sum().backward()


def create_graph() -> None:
    """backward(create_graph=True): parameter and gradient refer to each other."""
    w = batch().requires_grad_()
    w.square().sum().backward(create_graph=True)


def create_graph_grad() -> None:
    """torch.autograd.grad(..., create_graph=True) instead."""
    w = batch().requires_grad_()
    torch.autograd.grad(w.square().sum(), w, create_graph=True)


def clean() -> None:
    """Undo what the last test kept."""
    KEPT.clear()
    NET.a._forward_hooks.clear()
    NET.zero_grad(set_to_none=True)
    normalised.cache_clear()
    gc.collect()


def measure() -> None:
    """Ten steps of each, automatic collection off, then gc.collect()."""
    tests: list[Callable[[], None]] = [
        losses, losses_backward, losses_detached, total, total_item, slices, slices_cloned, hooks, hooks_removed,
        cached, exceptions, exceptions_cleared, cycle, cycle_exception, on_context, saved, create_graph, create_graph_grad,
    ]  # fmt: skip
    print(f"MiB a step over {STEPS} steps, automatic garbage collection off; then what gc.collect() leaves of it")
    print(f"{'':24}{'grows':>8}{'Python':>8}{'after gc':>10}  ")
    for test in tests:
        clean()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            test()  # libraries, workspaces and gradients exist now
            gc.collect()
            gc.disable()
            before, seen = used(), python_bytes()
            for _ in range(STEPS):
                test()
            after, seen_after = used(), python_bytes()
            gc.enable()
            found = gc.collect()
            last = used()
        print(
            f"{test.__name__:24}{(after - before) / STEPS / MIB:8.2f}{(seen_after - seen) / STEPS / MIB:8.2f}"
            f"{(last - before) / STEPS / MIB:10.2f}  {test.__doc__} [gc.collect() found {found} objects]"
        )
        for warning in {str(w.message) for w in caught}:
            print(f"{'':24}{warning}")
    clean()


def default_collection() -> None:
    """How long Python's own collector lets cycles live, at its default thresholds."""
    if DEVICE != "cuda":
        return
    print("cycles under automatic collection, thresholds", gc.get_threshold(), f"Python {sys.version.split()[0]}")
    for test in (cycle, create_graph):
        clean()
        base, readings = used(), []
        collections = sum(s["collections"] for s in gc.get_stats())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(3000):
                test()
                readings.append((used() - base) / MIB)
        runs = sum(s["collections"] for s in gc.get_stats()) - collections
        print(
            f"  {test.__name__}: 3,000 steps of 1 MiB: peak {max(readings):.0f} MiB, last {readings[-1]:.0f} MiB, {runs} collections"
        )
    clean()


def name_owners() -> None:
    """Ask gc.get_referrers who holds a tensor of each leak."""
    for test in (slices, hooks, cached, exceptions, cycle):
        clean()
        known = {id(o) for o in gc.get_objects() if type(o) is torch.Tensor}
        gc.disable()
        test()
        new = [o for o in gc.get_objects() if type(o) is torch.Tensor and id(o) not in known]
        largest = max(new, key=lambda t: t.untyped_storage().nbytes())
        print(f"who holds the {tuple(largest.shape)} tensor of '{test.__name__}'")
        who_holds(largest, 4, (new, known, sys._getframe()))
        del largest, new
        gc.enable()
    clean()


def weak() -> None:
    """A weak reference tells whether a tensor is dead, without keeping it alive."""
    x = batch()
    reference = weakref.ref(x)
    trainer = Trainer()
    inside = weakref.ref(trainer.buffer)
    gc.disable()
    del x, trainer
    print(
        "weakref: after del, plain tensor dead:", reference() is None, "; tensor in the cycle dead:", inside() is None
    )
    gc.enable()
    gc.collect()
    print("weakref: after gc.collect(), tensor in the cycle dead:", inside() is None)


def save_all() -> None:
    """gc.DEBUG_SAVEALL keeps what a collection would have freed in gc.garbage."""
    clean()
    gc.set_debug(gc.DEBUG_SAVEALL)
    cycle()
    gc.collect()
    gc.set_debug(0)
    print("gc.DEBUG_SAVEALL:", len(gc.garbage), "objects:", sorted({type(o).__name__ for o in gc.garbage}))
    gc.garbage.clear()
    gc.collect()


def with_attributes(garbage: list[Any]) -> list[Any]:
    """The garbage and the attribute dictionaries of its objects: see tensor_cycle_graph.py."""
    return [*garbage, *(vars(item) for item in garbage if isinstance(getattr(item, "__dict__", None), dict))]


def tensor_cycles() -> None:
    """torch.utils.viz._cycles: the warning, its file, and the same graph as text."""
    from torch.utils.viz import _cycles

    if DEVICE != "cuda":
        print("torch.utils.viz._cycles needs a CUDA device")
        return
    clean()
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    logging.getLogger("torch.utils.viz._cycles").addHandler(handler)
    remove = _cycles.warn_tensor_cycles()
    cycle()
    gc.collect()
    print("warn_tensor_cycles:")  # a Python call after the collection triggers the report
    remove()
    for line in log.getvalue().splitlines():
        print("   ", line)
        if line.endswith(".html"):
            print("    does that file exist?", Path(line.rsplit(" ", 1)[1]).exists())
    torch.cuda.memory._record_memory_history(enabled=None)

    reports: list[list[Any]] = []
    torch.cuda.memory._record_memory_history(max_entries=100_000)
    remove = _cycles.observe_garbage(
        lambda garbage: (
            any(map(_cycles.is_cuda_tensor, garbage)) and reports.append(_cycles.create_graph(with_attributes(garbage)))
        )
    )
    cycle()
    gc.collect()
    print("observe_garbage, create_graph(with_attributes(garbage)):", len(reports), "reports")
    remove()
    torch.cuda.memory._record_memory_history(enabled=None)
    for number, node in enumerate(reports[0] if reports else []):
        edges = ", ".join(f"{label} -> {target}" for label, target in node.referrents)
        print(f"    {number}: {' '.join(str(node.label).split())!r:.90} | {edges}")
        if node.context:
            frames = [line for line in node.context.splitlines() if "memory_leaks.py" in line]
            print("       allocated at", [frame.strip().rsplit("/", 1)[-1] for frame in frames[:3]])
    html: list[str] = []
    remove = _cycles.observe_tensor_cycles(html.append)
    cycle()
    gc.collect()
    print("observe_tensor_cycles:", len(html), "HTML documents of", [len(text) for text in html], "characters")
    remove()
    torch.cuda.memory._record_memory_history(enabled=None)


def main() -> None:
    """Run all."""
    print(torch.__version__, torch.version.cuda, torch.cuda.get_device_name() if DEVICE == "cuda" else "CPU")
    losses_backward()
    measure()
    default_collection()
    name_owners()
    weak()
    save_all()
    tensor_cycles()


if __name__ == "__main__":
    main()
