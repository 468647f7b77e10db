"""Compare a bound C++ function with the same function as an operator, under torch.compile, on the CPU.

Usage: python extension_graph_break.py
"""

import torch
from torch.utils.cpp_extension import load_inline

ext = load_inline(
    "scale_plain", "at::Tensor scale(const at::Tensor& x, double factor) { return x * factor; }", functions=["scale"]
)


@torch.library.custom_op("demo::scale", mutates_args=())
def scale(x: torch.Tensor, factor: float) -> torch.Tensor:
    """Multiply by a factor, as an operator."""
    return ext.scale(x, factor)


@scale.register_fake
def _(x, factor):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def setup_context(ctx, inputs, output):
    """Keep the factor for the gradient."""
    ctx.factor = inputs[1]


scale.register_autograd(lambda ctx, grad: (scale(grad, ctx.factor), None), setup_context=setup_context)

if __name__ == "__main__":
    print("torch", torch.__version__)
    for name, function in (("bound function", ext.scale), ("operator", scale)):
        x = torch.ones(4, requires_grad=True)
        torch._dynamo.reset()
        try:
            result = torch.compile(lambda x, function=function: function(x, 3.0) + 1, backend="aot_eager", fullgraph=True)(x)
            result.sum().backward()
            print(f"{name}: one graph, result {result.tolist()}, gradient {x.grad.tolist()}")
        except torch._dynamo.exc.Unsupported as error:
            print(f"{name}: {str(error).splitlines()[0]}")
    print("opcheck:", torch.library.opcheck(scale, (torch.ones(4, requires_grad=True), 3.0)))
