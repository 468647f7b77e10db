"""Is the backward pass of attention the same in each run, and what does determinism cost? One GPU.

python attention_backward.py
"""

import statistics
import time

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

KINDS = {"flash": SDPBackend.FLASH_ATTENTION, "efficient": SDPBackend.EFFICIENT_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}


def gradients(q, k, v, upstream):
    for t in (q, k, v):
        t.grad = None
    scaled_dot_product_attention(q, k, v, is_causal=True).backward(upstream)
    return [t.grad.clone() for t in (q, k, v)]


def milliseconds(*args):
    times = []
    for _ in range(12):
        torch.cuda.synchronize()
        began = time.perf_counter()
        gradients(*args)
        torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - began))
    kept = times[5:]
    return f"{statistics.median(kept):.2f} [{min(kept):.2f}, {max(kept):.2f}] ms"


def main():
    print(torch.__version__, torch.cuda.get_device_name())
    torch.manual_seed(0)
    q, k, v = (torch.randn(4, 16, 4096, 128, device="cuda", dtype=torch.bfloat16, requires_grad=True) for _ in range(3))
    upstream = torch.randn_like(q)
    for deterministic in (False, True):
        torch.use_deterministic_algorithms(deterministic)
        for name, backend in KINDS.items():
            try:
                with sdpa_kernel(backend):
                    first = gradients(q, k, v, upstream)
                    same = [all(torch.equal(a, b) for a, b in zip(first, gradients(q, k, v, upstream))) for _ in range(10)]
                    print(f"deterministic={deterministic} {name}: {sum(same)} of 10 equal to the first; {milliseconds(q, k, v, upstream)}")
            except RuntimeError as error:
                print(f"deterministic={deterministic} {name}: RuntimeError: {str(error).splitlines()[0][:110]}")


main()
