"""Plant four faults in a training step and record which tool names the operation that made the first NaN or Inf.

Prints, for each fault and tool: what the tool named, and where. Then the cost: milliseconds per training step with each
tool, on a sound model (median and range of the repetitions). Arguments: `faults`, `cost`; both without. `counts` prints
operators and reads of the host in one forward and backward pass instead, which do not depend on the machine.
"""

import contextlib
import linecache
import statistics
import sys
import time
import traceback
import warnings

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

GPU = torch.cuda.is_available()
DEVICE = "cuda" if GPU else "cpu"
WIDTH, HEADS, LAYERS, BATCH, LENGTH, VOCABULARY = (1024, 16, 6, 8, 512, 512) if GPU else (64, 4, 6 if "counts" in sys.argv else 3, 2, 16, 512)
REPETITIONS, STEPS = 5, 5
EXPONENT = 26 if GPU else 20  # of the loss scale that overflows


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x):
        b, t, w = x.shape
        q, k, v = (layer(x).view(b, t, HEADS, -1).transpose(1, 2) for layer in (self.query, self.key, self.value))
        scores = q @ k.transpose(-2, -1) / (w // HEADS) ** 0.5  # the product is float16, then it is divided
        weights = scores.masked_fill(self.mask[:t, :t], float("-inf")).softmax(-1)
        return self.out((weights.to(v.dtype) @ v).transpose(1, 2).reshape(b, t, w))


class Scale(nn.Module):
    """Divide each row by its length, without care for rows of zeros."""

    def forward(self, x):
        length = (x * x).sum(-1, keepdim=True).sqrt()  # backward: 1 / (2 * 0)
        return x / (length + 1e-3)


class Layer(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.norm1, self.attention, self.norm2 = nn.LayerNorm(WIDTH), Attention(), nn.LayerNorm(WIDTH)
        self.up, self.act, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        self.scale = Scale() if scale else nn.Identity()

    def forward(self, x, keep):
        x = x + self.attention(self.norm1(x))
        x = x + self.down(self.act(self.up(self.norm2(x))))
        return self.scale(x * keep)


class Model(nn.Module):
    def __init__(self, scale=False):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.layers = nn.ModuleList(Layer(scale and i == 1) for i in range(LAYERS))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY)
        mask = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)
        for layer in self.layers:
            layer.attention.register_buffer("mask", mask)

    def forward(self, tokens):
        keep = (tokens != 0).unsqueeze(-1)  # token 0 is padding
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x, keep)
        return self.head(self.norm(x))


def bad(value):
    """Return 'NaN' or '+Inf' if a floating tensor holds one; -Inf alone is let through, as masks write it."""
    for tensor in tree_leaves(value):
        if isinstance(tensor, torch.Tensor) and tensor.is_floating_point() and not tensor.isfinite().all():
            if tensor.isnan().any():
                return "NaN"
            if (tensor == float("inf")).any():
                return "+Inf"
    return None


def line():
    """Return the innermost line of this file outside the tools."""
    for frame in reversed(traceback.extract_stack()):
        if frame.filename == __file__ and frame.name in ("forward", "step"):
            return f"{frame.name}: {linecache.getline(__file__, frame.lineno).strip().split('  #')[0]}"
    return None


class Found(Exception):
    pass


@contextlib.contextmanager
def forward_hooks(model, inputs_too=False):
    """Stop at the first module whose output is bad; with `inputs_too` only if its inputs were sound."""
    names = {module: name for name, module in model.named_modules()}

    def hook(module, inputs, output):
        if (what := bad(output)) and not (inputs_too and bad(inputs)):
            raise Found(f"{what} from {names[module] or 'model'} ({type(module).__name__})")

    handles = [module.register_forward_hook(hook) for module in model.modules()]
    yield
    for handle in handles:
        handle.remove()


@contextlib.contextmanager
def backward_hooks(model):
    """Stop at the first module that turns a sound gradient of its output into a bad gradient of its input."""
    names = {module: name for name, module in model.named_modules()}

    def hook(module, into, out):
        if (what := bad(into)) and not bad(out):
            raise Found(f"{what} in the gradient that leaves {names[module]} ({type(module).__name__})")

    handles = [module.register_full_backward_hook(hook) for module in model.modules() if not list(module.children())]
    yield
    for handle in handles:
        handle.remove()


@contextlib.contextmanager
def parameter_hooks(model):
    """Stop at the first parameter whose gradient is bad."""

    def hook(parameter):
        if what := bad(parameter.grad):
            raise Found(f"{what} in the gradient of {names[parameter]}")

    names = {parameter: name for name, parameter in model.named_parameters()}
    handles = [parameter.register_post_accumulate_grad_hook(hook) for parameter in names]
    yield
    for handle in handles:
        handle.remove()


class FirstBad(TorchDispatchMode):
    """Stop at the first operator that writes a NaN or +Inf: in the forward pass, in backward or in the optimizer."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        output = func(*args, **(kwargs or {}))
        if "empty" not in str(func) and (what := bad(args[0] if output is None else output)):  # None: a _foreach operator in place
            node = torch._C._current_autograd_node()
            raise Found(f"{what} from {func} ({f'backward, {node.name()}' if node is not None else line()})")
        return output


def detect_anomaly(model):
    return torch.autograd.detect_anomaly(check_nan=True)


TOOLS = {
    "forward hooks, output": forward_hooks,
    "forward hooks, input and output": lambda model: forward_hooks(model, True),
    "full backward hooks": backward_hooks,
    "parameter gradient hooks": parameter_hooks,
    "detect_anomaly": detect_anomaly,
    "TorchDispatchMode": lambda model: FirstBad(),
}


def build(fault):
    torch.manual_seed(0)
    model = Model(scale=fault == "norm of a zero row")
    if fault == "product of scores":
        with torch.no_grad():
            model.layers[1].attention.query.weight *= 200
            model.layers[1].attention.key.weight *= 200
    model.to(DEVICE, torch.float16 if fault == "epsilon of the optimizer" else torch.float32)
    tokens = torch.randint(1, VOCABULARY // 2, (BATCH, LENGTH + 1), device=DEVICE)
    tokens[:, LENGTH - 4 : LENGTH] = 0
    return model, tokens, torch.optim.AdamW(model.parameters(), lr=1e-4)


def step(model, tokens, optimizer, scale=1.0, dtype=torch.float16):
    mixed = next(model.parameters()).dtype == torch.float32
    with torch.autocast(DEVICE, dtype, enabled=mixed):
        loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    (loss * scale).backward()
    if scale == 1.0:
        optimizer.step()
    optimizer.zero_grad()
    return loss


FAULTS = {
    "product of scores": "forward: `q @ k` of layers.1 overflows float16, before it is divided",
    "norm of a zero row": "backward: `sqrt` of 0 in layers.1.scale, at padded rows; the forward pass is sound",
    "loss scale": f"backward: gradients of the loss times 2**{EXPONENT} overflow float16; nothing is wrong with the model",
    "epsilon of the optimizer": "step: float16 parameters, Adam's eps of 1e-8 rounds to 0, and 0 / 0 in rows without gradient; two steps",
}


def faults():
    for fault, truth in FAULTS.items():
        print(f"\n{fault}: {truth}")
        for title, tool in TOOLS.items():
            model, tokens, optimizer = build(fault)
            result = "nothing"
            try:
                with warnings.catch_warnings(record=True) as caught, tool(model):
                    for number in range(1, 3):
                        step(model, tokens, optimizer, 2.0**EXPONENT if fault == "loss scale" else 1.0)
            except Found as found:
                result = f"{found} [step {number}]"
            except RuntimeError as error:
                result = f"RuntimeError: {str(error).splitlines()[0]} [step {number}]"
                traces = [[row.strip() for row in str(w.message).splitlines() if row.strip() and "Triggered" not in row][-1] for w in caught if "Traceback of forward call" in str(w.message)]
                result += f"\n  {'':34} forward call: {traces[0]}" if traces else ""
            print(f"  {title:34} {result}", flush=True)


@contextlib.contextmanager
def deferred(model, flags):
    """Forward hooks that only record; one read at the end of the step."""
    names = {module: name for name, module in model.named_modules()}

    def hook(module, inputs, output):
        flags.append((names[module], torch.isfinite(output).all()))

    handles = [module.register_forward_hook(hook) for module in model.modules()]
    yield
    for handle in handles:
        handle.remove()


class Counter(TorchDispatchMode):
    """Count operators, and those that make the host wait for a value."""

    operators = reads = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.operators += 1
        self.reads += any(name in str(func) for name in ("_local_scalar_dense", "is_nonzero"))
        return func(*args, **(kwargs or {}))


def counts():
    print(f"\noperators and reads of one forward and backward pass without the optimizer: {LAYERS} layers, float16 autocast")
    for title in ("no tool", *TOOLS, "forward hooks, one read per step", "norm of all gradients, one read"):
        model, tokens, _ = build(None)
        flags = []
        tool = TOOLS.get(title, lambda m: deferred(m, flags) if title.startswith("forward hooks, one") else contextlib.nullcontext())
        with warnings.catch_warnings(record=True), Counter() as counter, tool(model):
            with torch.autocast(DEVICE, torch.float16):
                loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
            loss.backward()
            if flags:
                assert torch.stack([flag for _, flag in flags]).all()
            if title.startswith("norm"):
                assert torch.nn.utils.get_total_norm([p.grad for p in model.parameters()]).isfinite()
        print(f"  {title:34} operators {counter.operators:6}  reads {counter.reads:5}", flush=True)


def cost():
    def sync():
        if GPU:
            torch.cuda.synchronize()

    def norm_check(model, flags):
        norm = torch.nn.utils.get_total_norm([p.grad for p in model.parameters()])
        assert torch.isfinite(norm)

    print(f"\ncost of one training step: {LAYERS} layers of width {WIDTH}, {BATCH} x {LENGTH} tokens, float16 autocast, AdamW; median [least, most] of {REPETITIONS} x {STEPS}")
    variants = {"no tool": lambda m: contextlib.nullcontext(), **TOOLS, "forward hooks, one read per step": None, "norm of all gradients, one read": None,
                "no tool, again": lambda m: contextlib.nullcontext()}
    for title, tool in variants.items():
        model, tokens, optimizer = build(None)
        flags = []
        context = deferred(model, flags) if title.startswith("forward hooks, one") else contextlib.nullcontext() if tool is None else (warnings.simplefilter("ignore"), tool(model))[1]
        times = []

        def one():
            flags.clear()
            with torch.autocast(DEVICE, torch.float16):
                loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
            loss.backward()
            if title.startswith("norm"):
                norm_check(model, flags)
            optimizer.step()
            optimizer.zero_grad()
            if flags:
                assert torch.stack([flag for _, flag in flags]).all()

        with warnings.catch_warnings(record=True), context:
            for _ in range(3):
                one()
            for _ in range(REPETITIONS):
                sync()
                start = time.perf_counter()
                for _ in range(STEPS):
                    one()
                sync()
                times.append((time.perf_counter() - start) / STEPS * 1e3)
        print(f"  {title:34} {statistics.median(times):8.2f} ms [{min(times):.2f}, {max(times):.2f}]", flush=True)


def main():
    name = torch.cuda.get_device_name() if GPU else "CPU"
    print(f"torch {torch.__version__}, CUDA {torch.version.cuda}, {name}; {LAYERS} layers of width {WIDTH}, {BATCH} x {LENGTH} tokens")
    if "counts" in sys.argv:
        return counts()
    if "cost" not in sys.argv:
        faults()
    if "faults" not in sys.argv:
        cost()


main()
