# ruff: noqa: E501, S603
# An experiment, kept as it ran.
"""What does a variable of NVIDIA's images do to float32 products?

Prints torch's settings in new processes, with TORCH_ALLOW_TF32_CUBLAS_OVERRIDE unset, 0 and 1, and after the program asked
for full precision. The settings exist without a GPU; products are not run.

Run: python container_tf32.py       Needs torch, a CUDA build.
"""

import os
import platform
import subprocess
import sys

NAME = "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE"
PROGRAM = """
import torch
if {ask}:
    torch.set_float32_matmul_precision("highest")
print(torch.get_float32_matmul_precision(), torch.backends.cuda.matmul.allow_tf32)
"""


def main() -> None:
    """Print one line a case."""
    version = subprocess.run(
        [sys.executable, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True, check=True
    ).stdout.strip()
    print(f"torch {version}, Python {platform.python_version()}, {platform.platform()}")
    print("variable | program asks for 'highest' | get_float32_matmul_precision, cuda.matmul.allow_tf32")
    for value in (None, "0", "1"):
        environment = {key: text for key, text in os.environ.items() if key != NAME}
        if value is not None:
            environment[NAME] = value
        for ask in (False, True):
            done = subprocess.run(
                [sys.executable, "-c", PROGRAM.format(ask=ask)],
                capture_output=True,
                text=True,
                check=False,
                env=environment,
            )
            print(f"{value or 'unset'} | {'yes' if ask else 'no'} | {done.stdout.strip()}")
            for line in done.stderr.splitlines():
                print("    " + line[:200])


main()
