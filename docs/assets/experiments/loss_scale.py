"""Follow GradScaler through real training steps, provoke its error messages, and compare the places of clipping.

Prints: the scale of four runs, step by step where it changes; the messages of fourteen wrong programs; the loss after
training with the gradient clipped before and after unscale_; and the parameters lost to one Inf gradient without a scaler.
"""

import math
import sys
import warnings

import torch
from torch import nn
from torch.nn import functional as F

GPU = torch.cuda.is_available()
DEVICE = "cuda" if GPU else "cpu"


def data(seed, rows=256):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, 64, generator=generator).to(DEVICE)
    return x, (x[:, :8] * x[:, 8:16]).sum(1, keepdim=True).tanh()


def build(seed=0, **options):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 256), nn.GELU(), nn.Linear(256, 1)).to(DEVICE)
    return model, torch.optim.AdamW(model.parameters(), lr=1e-3, **options)


def loss_of(model, x, y, dtype=torch.float16):
    with torch.autocast(DEVICE, dtype):
        return F.mse_loss(model(x).float(), y)


def trace(title, steps, fault=None, **options):
    """Train, and print each step at which the scale changed."""
    model, optimizer = build()
    scaler = torch.amp.GradScaler(DEVICE, **options)
    print(f"\n{title}: {options or 'defaults'}, {steps} steps")
    skipped, lines, first_below, first_zero = [], [], None, None
    for step in range(1, steps + 1):
        x, y = data(step)
        if fault:
            x = fault(step, x)
        loss = loss_of(model, x, y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        bad = [name for name, parameter in model.named_parameters() if not parameter.grad.isfinite().all()]
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).item()
        before = scaler.get_scale()
        scaler.step(optimizer)
        found = sum(value.item() for value in scaler._found_inf_per_device(optimizer).values())
        scaler.update()
        after = scaler.get_scale()
        optimizer.zero_grad()
        if found:
            skipped.append(step)
        if after != before:
            lines.append(f"  step {step:3}  loss {loss.item():<9.4g} grad norm {norm:<9.3g} found_inf {found:g}  scale 2**{math.log2(before):g} -> {f'2**{math.log2(after):g}' if after else '0'}"
                         + (f"  bad: {', '.join(bad)}" if bad else ""))
        first_below = first_below or (step if after < 1 else None)
        first_zero = first_zero or (step if after == 0 else None)
    print("\n".join(lines if len(lines) <= 26 else [*lines[:13], f"  ... {len(lines) - 18} more", *lines[-5:]]))
    print(f"  skipped {len(skipped)} of {steps}; last loss {loss.item():.4g}; last scale {scaler.get_scale():g}; below 1 from step {first_below}, 0 from step {first_zero}", flush=True)


def traces():
    trace("defaults", 200)
    trace("too high, growing fast", 120, init_scale=2.0**40, growth_interval=20)
    trace("one bad batch at step 50", 100, lambda step, x: x * 1e6 if step == 50 else x)
    trace("the forward pass overflows from step 50 on", 260, lambda step, x: x * 1e6 if step >= 50 else x)


def zero():
    """Not part of the run without arguments: the forward pass recovers after the scale has reached 0."""
    trace("the forward pass overflows in steps 50 to 229", 260, lambda step, x: x * 1e6 if 50 <= step < 230 else x)
    print("\na sound model, sound batches, scale 0")
    model, optimizer = build()
    scaler = torch.amp.GradScaler(DEVICE, init_scale=0.0)
    for step in range(1, 4):
        loss = loss_of(model, *data(step))
        scaler.scale(loss).backward()
        largest = max(p.grad.abs().max().item() for p in model.parameters())
        scaler.step(optimizer)
        found = sum(value.item() for value in scaler._found_inf_per_device(optimizer).values())
        scaler.update()
        optimizer.zero_grad()
        bad = sum((~p.isfinite()).sum().item() for p in model.parameters())
        print(f"  step {step}  loss {loss.item():.4g}  largest scaled gradient {largest:g}  found_inf {found:g}  parameters not finite {bad} of {sum(p.numel() for p in model.parameters())}")


def errors():
    """Wrong programs, and what each raises."""

    def no_gradient(model, optimizer, scaler):
        scaler.scale(loss_of(model, *data(0)))  # no backward()
        scaler.step(optimizer)

    def no_gradient_fused(model, optimizer, scaler):
        fused = torch.optim.AdamW(model.parameters(), fused=True)
        scaler.scale(loss_of(model, *data(0)))
        scaler.step(fused)
        print(f"  {'':44} step() of a fused optimizer without gradients: no error")
        scaler.update()

    def second_optimizer(model, optimizer, scaler):
        other = torch.optim.AdamW(nn.Linear(4, 4).to(DEVICE).parameters())
        scaler.scale(loss_of(model, *data(0))).backward()
        scaler.step(optimizer)
        scaler.step(other)  # its parameters took no part in the loss

    def unscale_twice(model, optimizer, scaler):
        scaler.scale(loss_of(model, *data(0))).backward()
        scaler.unscale_(optimizer)
        scaler.unscale_(optimizer)

    def unscale_after_step(model, optimizer, scaler):
        scaler.scale(loss_of(model, *data(0))).backward()
        scaler.step(optimizer)
        scaler.unscale_(optimizer)

    def step_twice(model, optimizer, scaler):
        scaler.scale(loss_of(model, *data(0))).backward()
        scaler.step(optimizer)
        scaler.step(optimizer)

    def update_only(model, optimizer, scaler):
        scaler.scale(loss_of(model, *data(0))).backward()
        scaler.update()

    def not_scaled(model, optimizer, scaler):
        loss_of(model, *data(0)).backward()
        scaler.step(optimizer)

    def half_parameters(model, optimizer, scaler):
        model.half()
        x, y = data(0)
        scaler.scale(F.mse_loss(model(x.half()).float(), y)).backward()
        scaler.step(optimizer)

    def half_parameters_fused(model, optimizer, scaler):
        model.half()
        fused = torch.optim.AdamW(model.parameters(), fused=True)
        x, y = data(0)
        scaler.scale(F.mse_loss(model(x.half()).float(), y)).backward()
        scaler.step(fused)
        scaler.update()
        return "no error with a fused optimizer"

    def bfloat16_parameters(model, optimizer, scaler):
        model.bfloat16()
        x, y = data(0)
        scaler.scale(F.mse_loss(model(x.bfloat16()).float(), y)).backward()
        scaler.step(optimizer)
        scaler.update()

    def non_finite_norm(model, optimizer, scaler):
        x, y = data(0)
        scaler.scale(loss_of(model, x * 1e6, y)).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)

    def scheduler(model, optimizer, scaler):
        schedule = torch.optim.lr_scheduler.StepLR(optimizer, 10)
        x, y = data(0)
        scaler.scale(loss_of(model, x * 1e6, y)).backward()
        scaler.step(optimizer)  # skipped
        scaler.update()
        schedule.step()

    def pickle_inside(model, optimizer, scaler):
        import copy

        scaler.scale(loss_of(model, *data(0))).backward()
        scaler.unscale_(optimizer)
        copy.deepcopy(scaler)

    print("\nmessages of wrong programs")
    for program in (no_gradient, no_gradient_fused, second_optimizer, unscale_twice, unscale_after_step, step_twice, update_only, not_scaled,
                    half_parameters, half_parameters_fused, bfloat16_parameters, non_finite_norm, scheduler, pickle_inside):
        model, optimizer = build()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result = program(model, optimizer, torch.amp.GradScaler(DEVICE)) or "no error"
            except Exception as error:
                result = f"{type(error).__name__}: {error}"
        result = " | ".join([result, *(f"{w.category.__name__}: {w.message}" for w in caught)])
        print(f"  {program.__name__:24} {result}", flush=True)

    print("\nmessages about types")
    half = {"dtype": torch.float16, "device": DEVICE}
    linear = nn.Linear(4, 4, device=DEVICE)

    def anomaly():
        with torch.autograd.detect_anomaly():
            (torch.zeros(3, device=DEVICE, requires_grad=True).sqrt() * 0).sum().backward()

    cases = {
        "masked_fill(mask, -1e9) in float16": lambda: torch.zeros(2, **half).masked_fill(torch.tensor([True, False], device=DEVICE), -1e9),
        "float16 input, float32 layer": lambda: linear(torch.zeros(2, 4, **half)),
        "float32 @ float16": lambda: torch.zeros(2, 2, device=DEVICE) @ torch.zeros(2, 2, **half),
        "index_put of float32 into float16": lambda: torch.zeros(4, **half).index_put_((torch.tensor([1], device=DEVICE),), torch.ones(1, device=DEVICE)),
        "attention, query float16, key float32": lambda: F.scaled_dot_product_attention(torch.zeros(1, 1, 2, 8, **half), *[torch.zeros(1, 1, 2, 8, device=DEVICE)] * 2),
        "anomaly mode": anomaly,
    }
    for title, case in cases.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                case()
                result = "no error"
            except Exception as error:
                result = f"{type(error).__name__}: {error}"
        print(f"  {title:40} {result}", flush=True)


def clipping():
    print("\nclipping at norm 0.25, SGD lr 0.5, 300 steps, scale 2**16; loss on held-out rows, and the norm that clip_grad_norm_ returned in the first step")
    for title in ("no clipping", "after unscale_", "before unscale_"):
        losses, norms = [], []
        for seed in range(3):
            model, _ = build(seed)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
            scaler = torch.amp.GradScaler(DEVICE)
            for step in range(300):
                scaler.scale(loss_of(model, *data(1000 * seed + step))).backward()
                if title == "after unscale_":
                    scaler.unscale_(optimizer)
                if title != "no clipping":
                    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25).item()
                    norms += [norm] if step == 0 else []
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad()
            with torch.no_grad():
                losses.append(loss_of(model, *data(10**6, 4096)).item())
        print(f"  {title:18} loss {sorted(losses)[1]:.4f} [{min(losses):.4f}, {max(losses):.4f}]  first norm {[f'{n:.4g}' for n in norms]}", flush=True)


def without_scaler():
    print("\none Inf or NaN in one gradient element, bfloat16, no scaler: parameters that are not finite after one step")
    for value in (math.inf, math.nan):
        for clip in (False, True):
            model, optimizer = build()
            loss_of(model, *data(0), torch.bfloat16).backward()
            model[2].weight.grad[0, 0] = value
            norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).item() if clip else None
            optimizer.step()
            values = torch.cat([p.detach().flatten() for p in model.parameters()])
            print(f"  {value!s:4} clip {clip!s:6} norm {norm!s:5} bad parameters {(~values.isfinite()).sum().item()} of {values.numel()}", flush=True)
    model, optimizer = build()
    loss_of(model, *data(0), torch.bfloat16).backward()
    model[2].weight.grad[0, 0] = math.inf
    before = torch.cat([p.detach().flatten() for p in model.parameters()])
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    if torch.isfinite(norm):
        optimizer.step()
    after = torch.cat([p.detach().flatten() for p in model.parameters()])
    print(f"  with `if torch.isfinite(norm): optimizer.step()`: parameters changed {(before != after).sum().item()}")


def main():
    print(f"torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name() if GPU else 'CPU'}; a perceptron of 3 layers, float16 autocast, AdamW lr 0.001")
    for part in (traces, errors, clipping, without_scaler, zero):
        if not sys.argv[1:] and part is not zero or part.__name__ in sys.argv[1:]:
            part()


main()
