"""Predict a model's peak from two smaller ones: A, the peak less 16 bytes per parameter, for 6, 12 and 24 layers.

python activation_fit.py; one GPU with 60 GiB. The model is that of ddp_memory.py, each size in a process of its own.
"""

import subprocess
import sys

import ddp_memory


def measure(layers: int, rows: int) -> None:
    """Print layers, rows, parameters and A in GiB, after five steps."""
    import torch
    from torch import nn

    ddp_memory.LAYERS = layers
    model = ddp_memory.build_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    data = torch.randint(0, 32000, (rows, ddp_memory.TOKENS), device="cuda")
    for _ in range(5):
        torch.cuda.reset_peak_memory_stats()
        with torch.autocast("cuda", torch.bfloat16):
            logits = model(data)
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), data.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        del logits, loss
    parameters = sum(p.numel() for p in model.parameters())
    print(layers, rows, parameters, (torch.cuda.max_memory_allocated() - 16 * parameters) / 2**30)


if len(sys.argv) > 1:
    measure(int(sys.argv[1]), int(sys.argv[2]))
    sys.exit()
import torch

print("torch", torch.__version__, torch.cuda.get_device_name())
for rows in (4, 16):
    found = {}
    for layers in (6, 12, 24):
        done = subprocess.run([sys.executable, __file__, str(layers), str(rows)], capture_output=True, text=True, check=True)
        _, _, parameters, a = done.stdout.split()
        found[layers] = (int(parameters), float(a))
        print(f"{rows * ddp_memory.TOKENS:6} tokens, {layers:2} layers: {int(parameters):,} parameters, A {float(a):.2f} GiB", flush=True)
    predicted = found[12][1] + 12 * (found[12][1] - found[6][1]) / 6
    print(f"{rows * ddp_memory.TOKENS:6} tokens, 24 layers, from 6 and 12: A {predicted:.2f} GiB", flush=True)
