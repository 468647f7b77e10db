"""Look for a NaN inside a compiled function: what a TorchDispatchMode, the assertions of Inductor and other backends see."""

import os
import sys
import subprocess

import torch
from torch.utils._python_dispatch import TorchDispatchMode

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class FirstBad(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        output = func(*args, **(kwargs or {}))
        self.seen.append(str(func))
        if isinstance(output, torch.Tensor) and output.is_floating_point() and "empty" not in str(func) and not output.isfinite().all():
            raise RuntimeError(f"not finite: {func}")
        return output


def normalize(x, w):
    length = (x * x).sum(-1, keepdim=True).sqrt()
    return (x / length) @ w  # 0 / 0 in rows of zeros


def main():
    backend, mode = sys.argv[1:]
    x, w = torch.ones(8, 16, device=DEVICE), torch.ones(16, 16, device=DEVICE)
    x[3] = 0
    function = torch.compile(normalize, backend=backend) if backend != "eager mode" else normalize
    try:
        if mode == "compiled before":
            function(torch.ones_like(x), w)
        if mode != "plain":
            FirstBad.seen = []
            with FirstBad():
                function(x, w)
        else:
            print(f"    {function(x, w).isnan().sum().item()} NaN, no error")
            return
        print(f"    no error; operators seen: {FirstBad.seen}")
    except BaseException as error:
        print(f"    {type(error).__name__}: {str(error).splitlines()[0] if str(error) else '(no message)'}")
        import traceback

        frames = traceback.extract_tb(error.__traceback__)
        print(f"    last line: {frames[-1].line}")


if len(sys.argv) > 1:
    main()
else:
    print(f"torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name() if DEVICE == 'cuda' else 'CPU'}")
    for backend, mode, variables in (("eager mode", "dispatch", {}), ("inductor", "dispatch", {}), ("inductor", "compiled before", {}), ("aot_eager", "dispatch", {}), ("inductor", "plain", {}),
                                     ("inductor", "plain", {"TORCHINDUCTOR_NAN_ASSERTS": "1"}), ("inductor", "plain", {"TORCHINDUCTOR_RUNTIME_TRITON_NAN_ASSERTS": "1"})):
        print(f"  {backend}, {'no tool' if mode == 'plain' else f'TorchDispatchMode ({mode})'} {variables or ''}", flush=True)
        run = subprocess.run([sys.executable, __file__, backend, mode], env={**os.environ, **variables, "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"}, capture_output=True, text=True)
        lines = [line for line in run.stderr.splitlines() if "ssert" in line][:2]
        print(run.stdout.rstrip() or f"    exit {run.returncode}: {' | '.join(lines)}", flush=True)
