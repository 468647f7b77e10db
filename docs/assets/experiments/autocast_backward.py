"""Autocast and torch.compile: in which type the backward pass runs, and what autocast does to single operators. No GPU needed.

The backward pass is called outside autocast, as AMP's examples do.
"""

import re
import sys

import torch
from torch._functorch import config

config.enable_autograd_cache = False


def gradients(title, compiled, setting, inner):
    """Print the error of the gradients of one product, against float64, of a region that is called under autocast."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    weight, x = torch.randn(64, 64, requires_grad=True), torch.randn(64, 64, requires_grad=True)

    def float32_island(x):
        with torch.autocast("cpu", enabled=False):
            return (x @ weight).square().sum()

    def plain(x):
        return (x @ weight).float().square().sum()

    region = float32_island if inner else plain
    config.backward_pass_autocast = setting
    run = torch.compile(region, backend="aot_eager") if compiled else region
    with torch.autocast("cpu", torch.bfloat16):
        loss = run(x)
    loss.backward()
    x64, w64 = x.detach().double(), weight.detach().double()
    exact = x64.T @ (2 * (x64 @ w64))
    error = ((weight.grad.double() - exact).norm() / exact.norm()).item()
    print(f"{'float32 island' if inner else 'product in bf16':16} {title:46} error of the gradient {error:.1e}")


def lists():
    """Operators per policy, read from the header of this release."""
    header = open(torch.__path__[0] + "/include/ATen/autocast_mode.h").read()
    for name in ("LOWER_PRECISION_FP", "FP32", "FP32_SET_OPT_DTYPE", "PROMOTE"):
        body = re.search(rf"#define AT_FORALL_{name}\(_\)(.*?)\n\n", header, re.S).group(1)
        names = list(dict.fromkeys(re.findall(r"_\((\w+)", body)))
        print(f"{name} ({len(names)}): {', '.join(names)}")


def main():
    print(f"torch {torch.__version__}, CPU, Python {sys.version.split()[0]}")
    lists()
    print()
    print("backward_pass_autocast =", repr(config.backward_pass_autocast))
    for inner in (True, False):
        gradients("eager", False, "off", inner)
        gradients("torch.compile, same_as_forward (the default)", True, "same_as_forward", inner)
        gradients("torch.compile, off", True, "off", inner)


main()
