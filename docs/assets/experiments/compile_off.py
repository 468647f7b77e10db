"""Count the graphs that torch.compile makes under each way to switch it off, without and with fullgraph=True.

python compile_off.py; no GPU needed.
"""

import os
import subprocess
import sys

import torch
from torch._dynamo.testing import CompileCounter


def count(full: bool, stance: str = "default", off: bool = False) -> str:
    """Return how many graphs one call of a compiled function makes, or the error that it raises."""
    torch._dynamo.reset()
    counter = CompileCounter()

    def inner(x: torch.Tensor) -> torch.Tensor:
        return x.sin() + 1

    called = torch.compiler.disable(inner) if off else inner
    compiled = torch.compile(lambda x: called(x).cos(), backend=counter, fullgraph=full)
    try:
        with torch.compiler.set_stance(stance):
            compiled(torch.ones(3))
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return str(counter.frame_count)


if len(sys.argv) > 1:
    print(count(sys.argv[1] == "full"))
    sys.exit()
print("torch", torch.__version__)
for full in (False, True):
    print(f"fullgraph={full}")
    print("  as it is:", count(full))
    for name in ("TORCH_COMPILE_DISABLE", "TORCHDYNAMO_DISABLE"):
        command = [sys.executable, __file__, "full" if full else "partial"]
        done = subprocess.run(command, env={**os.environ, name: "1"}, capture_output=True, text=True)
        print(f"  {name}=1:", done.stdout.strip())
    print("  force_eager:", count(full, "force_eager"))
    print("  disable around the inner function:", count(full, off=True))
