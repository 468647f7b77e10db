"""Show what torch.utils.viz._cycles draws of a cycle that runs through an object's attributes, and a repair.

python tensor_cycle_graph.py       # needs torch, no GPU: CPU tensors stand in for CUDA tensors as the roots
"""

from __future__ import annotations

import gc
import sys
from typing import Any

import torch
from torch.utils.viz import _cycles


def with_attributes(garbage: list[Any]) -> list[Any]:
    """The garbage and the attribute dictionaries of its objects.

    Since Python 3.11 an object has no dictionary until somebody asks for it, so gc.garbage holds none;
    create_graph() asks, and then finds references to a dictionary that is not in its list.
    """
    return [*garbage, *(vars(item) for item in garbage if isinstance(getattr(item, "__dict__", None), dict))]


class Trainer:
    """An object with a closure that captured it."""

    def __init__(self) -> None:
        """Hold a tensor."""
        self.buffer = torch.ones(4)
        self.on_end = lambda: self.buffer


def draw(garbage: list[Any]) -> None:
    """Print the graph as text."""
    graph = _cycles.create_graph(garbage, context=lambda item: None, filter=lambda item: isinstance(item, torch.Tensor))
    print(f"  {len(garbage)} objects in the list, {len(graph)} in the graph")
    for number, node in enumerate(graph):
        edges = ", ".join(f"{label} -> {target}" for label, target in node.referrents)
        print(f"    {number}: {' '.join(node.label.split())}  [{edges}]")


def main() -> None:
    """Make the garbage twice, draw it as it is and with attributes."""
    print(torch.__version__, f"Python {sys.version.split()[0]}")
    for title, prepare in (("gc.garbage", list), ("with_attributes(gc.garbage)", with_attributes)):
        gc.collect()
        gc.set_debug(gc.DEBUG_SAVEALL)
        Trainer()
        gc.collect()
        gc.set_debug(0)
        print(title)
        draw(prepare(gc.garbage))
        gc.garbage.clear()


if __name__ == "__main__":
    main()
