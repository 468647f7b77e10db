"""Train a small image-text model: eager, as one CUDA graph, compiled by layer, compiled whole, with CUDA Graphs.

Prints, for each variant: the time of the first step (compiling included), milliseconds per training step and per forward
pass of one image-text pair (median and range of the repetitions), memory, and the loss after the same number of steps.
"""

import gc
import statistics
import sys
import time

import torch
from torch import nn
from torch._inductor.utils import fresh_cache
from torch.nn import functional as F

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
WIDTH, LAYERS, BATCH, REPETITIONS, STEPS = (384, 2, 64, 5, 20) if DEVICE == "cuda" else (32, 1, 2, 1, 2)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        b, t, w = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, t, 3, w // 32, 32).permute(2, 0, 3, 1, 4)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, t, w))
        return x + self.down(F.gelu(self.up(self.n2(x))))


class ImageText(nn.Module):
    """Patches of 16 x 16 of a 224 x 224 image (196 tokens) and 32 tokens of text, compared by a contrastive loss."""

    def __init__(self):
        super().__init__()
        self.patch, self.image_place = nn.Conv2d(3, WIDTH, 16, 16), nn.Parameter(torch.zeros(196, WIDTH))
        self.token, self.text_place = nn.Embedding(1000, WIDTH), nn.Parameter(torch.zeros(32, WIDTH))
        self.image, self.text = nn.ModuleList(Layer() for _ in range(LAYERS)), nn.ModuleList(Layer() for _ in range(LAYERS))
        self.scale = nn.Parameter(torch.tensor(2.66))

    def forward(self, images, tokens):
        x = self.patch(images).flatten(2).transpose(1, 2) + self.image_place
        y = self.token(tokens) + self.text_place
        for layer in self.image:
            x = layer(x)
        for layer in self.text:
            y = layer(y)
        x, y = F.normalize(x.mean(1), dim=-1), F.normalize(y.mean(1), dim=-1)
        return self.scale.exp() * x @ y.t()


def sync():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def repeat(run, count):
    times = []
    for _ in range(REPETITIONS):
        sync()
        start = time.perf_counter()
        for _ in range(count):
            run()
        sync()
        times.append((time.perf_counter() - start) / count * 1e3)
    return f"{statistics.median(times):7.2f} ms [{min(times):.2f}, {max(times):.2f}]"


def variant(title, how):
    torch._dynamo.reset()
    gc.collect()
    if DEVICE == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    torch.manual_seed(0)
    model = ImageText().to(DEVICE)
    images, tokens = torch.randn(BATCH, 3, 224, 224, device=DEVICE), torch.randint(0, 1000, (BATCH, 32), device=DEVICE)
    labels = torch.arange(BATCH, device=DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=torch.tensor(1e-4, device=DEVICE) if how == "graph" else 1e-4, fused=DEVICE == "cuda", capturable=how == "graph")
    run = model
    if how == "layers":
        for layer in [*model.image, *model.text]:
            layer.compile()
    elif how in ("default", "reduce-overhead", "max-autotune-no-cudagraphs"):
        run = torch.compile(model, mode=how)

    def step():
        if how == "reduce-overhead":
            torch.compiler.cudagraph_mark_step_begin()
        with torch.autocast(DEVICE, torch.bfloat16):
            logits = run(images, tokens)
            loss = F.cross_entropy(logits.float(), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.detach()

    start = time.perf_counter()
    if how == "graph":
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                step()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            captured = step()

        def train():
            graph.replay()
            return captured
    else:
        train = step
        for _ in range(3):
            train()
    sync()
    first = time.perf_counter() - start
    for _ in range(7):
        loss = train()
    after = loss.item()
    training = repeat(train, STEPS)
    reserved = torch.cuda.max_memory_reserved() / 2**20 if DEVICE == "cuda" else 0
    allocated = torch.cuda.max_memory_allocated() / 2**20 if DEVICE == "cuda" else 0
    one, text = images[:1], tokens[:1]

    def infer():
        if how == "reduce-overhead":
            torch.compiler.cudagraph_mark_step_begin()
        with torch.autocast(DEVICE, torch.bfloat16):
            return run(one, text)

    latency = "-"
    if how != "graph":
        with torch.no_grad():
            for _ in range(4):
                infer()
            latency = repeat(infer, STEPS)
    print(f"{title:34} first 3 steps {first:6.2f} s  step {training}  one pair {latency:30}  peak {allocated:.0f} MiB, reserved {reserved:.0f} MiB  loss {after:.5f}", flush=True)


def main():
    name = torch.cuda.get_device_name() if DEVICE == "cuda" else "CPU"
    print(f"torch {torch.__version__}, CUDA {torch.version.cuda}, {name}; {LAYERS} + {LAYERS} layers of width {WIDTH}, batch {BATCH}, bfloat16 autocast, AdamW fused; "
          f"median [least, most] of {REPETITIONS} x {STEPS}; each variant with an empty Inductor cache, after one compilation of x + 1")
    torch.compile(lambda v: v + 1)(torch.ones(8, device=DEVICE))
    for title, how in (("eager", "eager"), ("whole step as one CUDAGraph", "graph"), ("layer.compile() for each layer", "layers"),
                       ("torch.compile(model)", "default"), ("mode=reduce-overhead", "reduce-overhead"),
                       ("mode=max-autotune-no-cudagraphs", "max-autotune-no-cudagraphs"), ("mode=max-autotune", "max-autotune")):
        if how == "graph" and DEVICE == "cpu" or sys.argv[1:] and how not in sys.argv[1:]:
            continue
        try:
            with fresh_cache():
                variant(title, how)
        except Exception as error:
            print(f"{title}: {type(error).__name__}: {str(error).splitlines()[0]}", flush=True)


main()
