"""silu(a) * b in one CUDA kernel, with a gradient, for eager mode and torch.compile."""

from pathlib import Path

import torch

(_library,) = Path(__file__).parent.glob("_C*.so")
torch.ops.load_library(_library)  # registers the operators; there is no module to import


@torch.library.register_fake("swiglu::forward")
def _(a, b, vectorize=True):
    torch._check(a.shape == b.shape, lambda: "swiglu: b has another shape")
    torch._check(a.dtype == b.dtype, lambda: "swiglu: b has another dtype")
    return torch.empty_like(a, memory_format=torch.contiguous_format)


@torch.library.register_fake("swiglu::backward")
def _(grad, a, b):
    return tuple(torch.empty_like(a, memory_format=torch.contiguous_format) for _ in range(2))


def _setup_context(ctx, inputs, output):
    a, b, _ = inputs
    ctx.save_for_backward(a, b)


def _backward(ctx, grad):
    da, db = torch.ops.swiglu.backward(grad, *ctx.saved_tensors)
    return da, db, None  # one per argument of the schema


torch.library.register_autograd("swiglu::forward", _backward, setup_context=_setup_context)


def swiglu(a, b):
    """Return silu(a) * b for two CUDA tensors of the same shape and dtype."""
    return torch.ops.swiglu.forward(a, b)
