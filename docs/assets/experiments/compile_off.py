"""Count the graphs that torch.compile makes under each way to switch it off.

python compile_off.py; no GPU needed.
"""

import os
import subprocess
import sys

import torch
from torch._dynamo.testing import CompileCounter


def count(stance: str = "default", off: bool = False) -> int:
    """Return how many graphs one call of a compiled function makes."""
    torch._dynamo.reset()
    counter = CompileCounter()

    def inner(x: torch.Tensor) -> torch.Tensor:
        return x.sin() + 1

    called = torch.compiler.disable(inner) if off else inner
    compiled = torch.compile(lambda x: called(x), backend=counter)
    with torch.compiler.set_stance(stance):
        compiled(torch.ones(3))
    return counter.frame_count


if len(sys.argv) > 1:
    print(count())
else:
    print("as it is", count(), "force_eager", count("force_eager"), "disable", count(off=True))
    command = [sys.executable, __file__, "once"]
    switched = {**os.environ, "TORCH_COMPILE_DISABLE": "1"}
    print("TORCH_COMPILE_DISABLE=1", subprocess.run(command, env=switched, capture_output=True, text=True).stdout.strip())
