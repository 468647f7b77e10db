"""Ask which calls run compiled code after the recompile limit.

python recompile_limit.py; no GPU needed.
"""

import torch
from torch._dynamo.testing import CompileCounter

counter, ran = CompileCounter(), []


def backend(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]):
    """Return the graph with a note of each run."""
    counter(graph, inputs)
    number = counter.frame_count

    def run(*arguments: torch.Tensor):
        ran.append(number)
        return graph.forward(*arguments)

    return run


scaled = torch.compile(lambda x, name: x * len(name), backend=backend)
for length in range(1, 13):
    scaled(torch.ones(2), "a" * length)
print("torch", torch.__version__, "compilations of 12 arguments", counter.frame_count)
for length in (2, 12):
    ran.clear()
    scaled(torch.ones(2), "a" * length)
    print(f"argument {length} again ran graphs {ran}")
