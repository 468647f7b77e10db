"""Train a small BERT with gradient accumulation as NVIDIA's BERT example does, eagerly, with CUDA graphs and compiled.

python accumulation_graphs.py [compile | warmup]       # needs torch and a CUDA device; with an argument, that part only

A step is 4 micro-batches. The example captures two graphs: forward and backward alone, and forward and backward with the optimizer's step.
It warms both up on a batch of ones, optimizer steps included. The second part shows what these do to the weights, and how to undo it.
"""

from __future__ import annotations

import copy
import statistics
import sys
import time
from collections.abc import Callable

import torch
from torch import nn
from torch.nn import functional as F

LAYERS, WIDTH, HEADS, VOCABULARY, ROWS, TOKENS, MICRO, REPEATS, STEPS = 12, 768, 12, 30528, 4, 128, 4, 7, 4


class Block(nn.Module):
    """One encoder layer."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, tokens, _ = x.shape
        q, k, v = self.qkv(x).view(rows, tokens, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(rows, tokens, WIDTH)
        x = self.norm1(x + self.out(y))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Bert(nn.Module):
    """Embedding, encoder, and logits by the embedding's weights."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        nn.init.normal_(self.embedding.weight, std=0.02)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.embedding(ids)
        for block in self.blocks:
            x = block(x)
        return F.linear(x, self.embedding.weight)


def make(capturable: bool) -> tuple[nn.Module, torch.optim.Optimizer]:
    """Return the model and its optimizer."""
    torch.manual_seed(0)
    model = Bert().cuda()
    return model, torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True, capturable=capturable)


def forward_backward(model: nn.Module, batch: dict[str, torch.Tensor], total: torch.Tensor) -> torch.Tensor:
    """One micro-batch; the loss is summed up on the device, as the example's SyncFreeStats does."""
    with torch.autocast("cuda", torch.bfloat16):
        loss = F.cross_entropy(model(batch["ids"]).flatten(0, 1).float(), batch["labels"].flatten()) / MICRO
    total.add_(loss.detach())
    loss.backward()
    return loss.detach()


def timed(title: str, step: Callable[[int], object]) -> None:
    """Print milliseconds a step of 4 micro-batches, and how long the host was busy."""
    for k in range(3):
        step(k)
    total, host = [], []
    for _ in range(REPEATS):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for k in range(STEPS):
            step(k)
        host.append((time.perf_counter() - begin) / STEPS * 1e3)
        torch.cuda.synchronize()
        total.append((time.perf_counter() - begin) / STEPS * 1e3)
    print(f"  {title:52}{statistics.median(total):8.2f} ms [{min(total):.2f}, {max(total):.2f}]  host {statistics.median(host):7.2f} ms", flush=True)


def batches() -> list[dict[str, torch.Tensor]]:
    """Eight micro-batches in pinned memory."""
    torch.manual_seed(1)
    return [
        {name: torch.randint(0, VOCABULARY, (ROWS, TOKENS)).pin_memory() for name in ("ids", "labels")}
        for _ in range(8)
    ]


def eager(model: nn.Module, rule: torch.optim.Optimizer, report: str) -> Callable[[int], object]:
    """Return a step that reports the loss in one of three ways."""
    data, total = batches(), torch.zeros((), device="cuda")
    host = torch.zeros(()).pin_memory()
    seen: list[float] = []

    def step(k: int) -> None:
        for m in range(MICRO):
            batch = {name: t.to("cuda", non_blocking=True) for name, t in data[(k * MICRO + m) % 8].items()}
            loss = forward_backward(model, batch, total)
            if report == "item and synchronize":
                torch.cuda.synchronize()
                seen.append(loss.item())
        rule.step()
        rule.zero_grad(set_to_none=True)
        if report == "asynchronous copy":
            host.copy_(total, non_blocking=True)
            seen.append(host.item())  # of an earlier step: the copy may not have arrived
            total.zero_()

    return step


def graphed(model: nn.Module, rule: torch.optim.Optimizer) -> Callable[[int], object]:
    """Return a step made of two graphs, with the example's warm-up."""
    data, total = batches(), torch.zeros((), device="cuda")
    static = {name: torch.ones(ROWS, TOKENS, dtype=torch.int64, device="cuda") for name in ("ids", "labels")}

    def full() -> None:
        forward_backward(model, static, total)
        rule.step()
        rule.zero_grad(set_to_none=False)

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(11):
            full()
    torch.cuda.current_stream().wait_stream(side)
    last, part = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
    with torch.cuda.graph(last):
        full()
    with torch.cuda.graph(part):
        forward_backward(model, static, total)

    def step(k: int) -> None:
        for m in range(MICRO):
            for name, t in data[(k * MICRO + m) % 8].items():
                static[name].copy_(t, non_blocking=True)
            (last if m == MICRO - 1 else part).replay()

    return step


def distance(model: nn.Module, before: dict[str, torch.Tensor]) -> str:
    """Describe how far the weights moved."""
    moved = sum((v.float() - before[k].float()).square().sum() for k, v in model.state_dict().items()).sqrt().item()
    size = sum(v.float().square().sum() for v in before.values()).sqrt().item()
    most = max((v - before[k]).abs().max().item() for k, v in model.state_dict().items())
    return f"||moved|| / ||weights|| = {moved / size:.2e}, largest change of a weight {most:.1e}"


def main() -> None:
    """Measure."""
    print(
        f"torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name()}; {LAYERS} layers of width {WIDTH}, {ROWS} x {TOKENS} tokens a"
        f" micro-batch, {MICRO} micro-batches a step, bfloat16 autocast, fused AdamW; wall clock, median [least, most] of {REPEATS} repetitions of {STEPS} steps"
    )
    if sys.argv[1:] == ["compile"]:
        model, rule = make(False)
        begin = time.perf_counter()
        import torch._functorch.config as functorch

        functorch.backward_pass_autocast = "off"
        for block in model.blocks:
            block.compile()
        step = eager(model, rule, "none")
        step(0)
        torch.cuda.synchronize()
        print(f"  first step, compilation included: {time.perf_counter() - begin:.1f} s", flush=True)
        timed("each layer compiled, no report", step)
        return
    if sys.argv[1:] == ["warmup"]:
        warm_up()
        return
    for report in ("item and synchronize", "asynchronous copy", "none"):
        model, rule = make(False)
        timed(f"eager, loss reported: {report}", eager(model, rule, report))
    model, rule = make(True)
    timed("two CUDA graphs, no report", graphed(model, rule))
    warm_up()


def warm_up() -> None:
    """Show what the warm-up does to the weights."""
    print("\nThe warm-up of the capture: 11 forward, backward and optimizer steps on a batch of ones")
    model, rule = make(True)
    before = copy.deepcopy(model.state_dict())
    graphed(model, rule)
    torch.cuda.synchronize()
    print(f"  as in the example:                                 {distance(model, before)}; AdamW's step counter {int(next(iter(rule.state.values()))['step'])}")
    with torch.no_grad():
        for name, value in model.state_dict().items():
            value.copy_(before[name])
        for state in rule.state.values():
            for value in state.values():
                value.zero_()
    print(f"  weights copied back in place, optimizer state zeroed: {distance(model, before)}; AdamW's step counter {int(next(iter(rule.state.values()))['step'])}")
    again, other = make(False)
    mine, theirs = graphed_from(model, rule, before), eager(again, other, "none")
    for k in range(3):
        mine(k)
        theirs(k)
    torch.cuda.synchronize()
    apart = max((v - again.state_dict()[k]).abs().max().item() for k, v in model.state_dict().items())
    print(f"  then 3 steps with graphs and 3 eager steps from the same weights: largest difference {apart:.1e}")


def graphed_from(model: nn.Module, rule: torch.optim.Optimizer, before: dict[str, torch.Tensor]) -> Callable[[int], object]:
    """Capture again, then put weights, optimizer state and gradients back in place."""
    step = graphed(model, rule)
    with torch.no_grad():
        for name, value in model.state_dict().items():
            value.copy_(before[name])
        for state in rule.state.values():
            for value in state.values():
                value.zero_()
        for p in model.parameters():
            p.grad.zero_()
    return step


if __name__ == "__main__":
    main()
