"""Compare one training step in a narrow format with the same step in float64, module by module.

For each module: the relative error of its output as it is in the run ("run"), and the error that it adds itself
("own": the module gets the reference's input, rounded to the type it had); and the error of the gradients of its output
and of its parameters. Import `compare` for your own model, or run the script for an example with two planted faults.
"""

import copy
import time

import torch
from torch import nn
from torch.nn import functional as F

GPU = torch.cuda.is_available()
DEVICE = "cuda" if GPU else "cpu"


def error(value, reference):
    """Return the norm of the difference over the norm of the reference, in float64."""
    value, reference = value.detach().double(), reference.detach().double()
    return ((value - reference).norm() / reference.norm().clamp(min=1e-300)).item()


def record(model, loss, keep_inputs):
    """Run loss(model) and backward; return {name: [input, output, gradient of the output]} of the modules with one tensor in and out, as they finish."""
    seen, handles = {}, []

    def hook(name):
        def forward(module, inputs, output):
            if len(inputs) != 1 or not isinstance(output, torch.Tensor):
                return
            seen[name] = [inputs[0].detach() if keep_inputs else inputs[0].dtype, output.detach(), None]
            if output.requires_grad:
                output.register_hook(lambda gradient: seen[name].__setitem__(2, gradient.detach()))

        return forward

    for name, module in model.named_modules():
        if name:
            handles.append(module.register_forward_hook(hook(name)))
    value = loss(model)
    value.backward()
    for handle in handles:
        handle.remove()
    return value.item(), seen


def compare(model, loss, autocast=None):
    """Return the two losses and a list of (name, run, own, gradient, parameter), errors of each module.

    Args:
        model: the model; not changed.
        loss: a function of the model that returns the loss; it must be deterministic (no dropout).
        autocast: the type for torch.autocast, or None.
    """
    reference, narrow = copy.deepcopy(model).double(), copy.deepcopy(model)
    device = next(model.parameters()).device.type
    expected, truth = record(reference, loss, True)
    with torch.autocast(device, autocast, enabled=autocast is not None):
        actual, seen = record(narrow, loss, False)
    modules, twins, rows = dict(narrow.named_modules()), dict(reference.named_modules()), []
    for name, (kind, output, gradient) in seen.items():
        own = float("nan")
        if truth[name][0].is_floating_point():
            given = truth[name][0].to(kind)
            with torch.no_grad(), torch.autocast(device, autocast, enabled=autocast is not None):
                alone = modules[name](given)
            with torch.no_grad():
                own = error(alone, twins[name](given.double()))
        pairs = [(p.grad, q.grad) for p, q in zip(modules[name].parameters(), twins[name].parameters()) if p.grad is not None]
        rows.append((name, error(output, truth[name][1]), own, error(gradient, truth[name][2]) if gradient is not None else float("nan"),
                     max((error(p, q) for p, q in pairs), default=float("nan"))))
    return actual, expected, rows


# ---- the example


class NarrowNorm(nn.Module):
    """A layer norm by hand: E[x^2] - E[x]^2, in autocast's type."""

    def __init__(self, width, offset):
        super().__init__()
        self.weight, self.offset = nn.Parameter(torch.ones(width)), offset

    def forward(self, x):
        if torch.is_autocast_enabled(x.device.type):
            x = x.to(torch.get_autocast_dtype(x.device.type))
        x = x + self.offset
        variance = (x * x).mean(-1, keepdim=True) - x.mean(-1, keepdim=True) ** 2
        return (x - x.mean(-1, keepdim=True)) * (variance.clamp(min=1e-3) ** -0.5).to(x.dtype) * self.weight.to(x.dtype)


class Router(nn.Module):
    """Weights of 8 experts; the logits in an island of float32, or in autocast's type."""

    def __init__(self, width, island):
        super().__init__()
        self.linear, self.island = nn.Linear(width, 8), island

    def forward(self, x):
        if self.island:
            with torch.autocast(x.device.type, enabled=False):
                return self.linear(x.to(self.linear.weight.dtype)).mul(30).softmax(-1)
        return self.linear(x).mul(30).softmax(-1)


class Block(nn.Module):
    def __init__(self, width, norm):
        super().__init__()
        self.norm, self.up, self.act, self.down = norm, nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(self.act(self.up(self.norm(x))))


class Model(nn.Module):
    def __init__(self, width, planted):
        super().__init__()
        self.embedding = nn.Embedding(256, width)
        self.blocks = nn.Sequential(*[Block(width, NarrowNorm(width, 6.0) if planted and i == 2 else nn.LayerNorm(width)) for i in range(5)])
        self.router, self.head = Router(width, not planted), nn.Linear(width, 256)
        self.register_buffer("gains", torch.linspace(0.5, 1.5, 8))

    def forward(self, tokens):
        x = self.blocks(self.embedding(tokens))
        return self.head(x) * (self.router(x) * self.gains).sum(-1, keepdim=True)


def main():
    width, batch, length = (512, 8, 256) if GPU else (128, 2, 32)
    print(f"torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name() if GPU else 'CPU'}; 5 blocks of width {width}, {batch} x {length} tokens; reference float64")
    torch.backends.cuda.matmul.fp32_precision = "ieee"
    for planted in (False, True):
        for title, dtype in (("bfloat16 autocast", torch.bfloat16), ("float16 autocast", torch.float16) if planted else ("float32", None)):
            torch.manual_seed(0)
            model = Model(width, planted).to(DEVICE)
            tokens = torch.randint(0, 256, (batch, length + 1), device=DEVICE)
            start = time.perf_counter()
            actual, expected, rows = compare(model, lambda m: F.cross_entropy(m(tokens[:, :-1]).flatten(0, 1).to(torch.float64 if next(m.parameters()).dtype == torch.float64 else torch.float32), tokens[:, 1:].flatten()), dtype)
            seconds = time.perf_counter() - start
            limit = torch.finfo(dtype).eps if dtype else 16 * torch.finfo(torch.float32).eps  # float32 also adds up in float32
            print(f"\n{'two faults planted' if planted else 'sound'}, {title}: loss {actual:.6f}, reference {expected:.6f}; eps {torch.finfo(dtype or torch.float32).eps:.1e}; {seconds:.2f} s")
            print(f"  {'module':18} {'run':>9} {'own':>9} {'gradient':>9} {'parameter':>9}")
            for name, run, own, gradient, parameter in rows:
                print(f"  {name:18} {run:9.1e} {own:9.1e} {gradient:9.1e} {parameter:9.1e}{f'   <-- own error > {limit:.1e}' if own > limit else ''}")


if __name__ == "__main__":
    main()
