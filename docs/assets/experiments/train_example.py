"""Train a small language model: the skeleton of NVIDIA's examples in today's PyTorch. It resumes exactly.

torchrun --nproc-per-node=2 train_example.py --steps 40 --out run       # GPUs with NCCL, else the CPU with Gloo; run it again to continue
"""

import argparse
import contextlib
import os
import signal

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

VOCABULARY, TOKENS, ROWS, SEQUENCES = 512, 32, 4, 96


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--accumulate", type=int, default=4)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log-every", type=int, default=10)
    parser.add_argument("--out", default="run")
    return parser.parse_args()


def network() -> nn.Module:
    layer = nn.TransformerEncoderLayer(64, 4, 256, dropout=0.1, batch_first=True)
    return nn.Sequential(nn.Embedding(VOCABULARY, 64), nn.TransformerEncoder(layer, 2), nn.Linear(64, VOCABULARY))


class Data:
    """Random sequences. What comes next depends only on the seed, the rank and the position."""

    def __init__(self, seed: int, rank: int, world: int, pin: bool) -> None:
        self.seed, self.rank, self.world, self.pin = seed, rank, world, pin
        self.rows = torch.randint(0, VOCABULARY, (SEQUENCES, TOKENS), generator=torch.Generator().manual_seed(0))

    def batch(self, position: int) -> torch.Tensor:
        """Return batch number `position` of this rank, (ROWS, TOKENS); each epoch has its own order."""
        per_epoch = SEQUENCES // (ROWS * self.world)
        epoch, at = divmod(position, per_epoch)
        order = torch.randperm(SEQUENCES, generator=torch.Generator().manual_seed(self.seed + epoch))
        rows = self.rows[order[self.rank :: self.world][at * ROWS : (at + 1) * ROWS]]
        return rows.pin_memory() if self.pin else rows  # after indexing, which copies to pageable memory


def main() -> None:
    args = options()
    rank, world, local = (int(os.environ.get(k, d)) for k, d in (("RANK", 0), ("WORLD_SIZE", 1), ("LOCAL_RANK", 0)))
    gpu = torch.cuda.is_available()
    device = torch.device("cuda", local) if gpu else torch.device("cpu")
    if gpu:
        torch.cuda.set_device(device)  # before the process group
    if world > 1:
        dist.init_process_group("nccl" if gpu else "gloo", device_id=device if gpu else None)

    stop = False

    def terminate(*_: object) -> None:
        nonlocal stop
        stop = True

    signal.signal(signal.SIGTERM, terminate)

    torch.manual_seed(args.seed)  # the same weights on every rank ...
    model = network().to(device)
    torch.manual_seed(args.seed + 1000 + rank)  # ... and different dropout
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: min(1.0, (k + 1) / 10))
    step = position = 0
    path = os.path.join(args.out, "last.pt")
    if os.path.exists(path):
        state = torch.load(path, map_location=device, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
        step, position = state["step"], state["position"]
        torch.set_rng_state(state["rng"][rank][0].cpu())
        if gpu:
            torch.cuda.set_rng_state(state["rng"][rank][1].cpu())
    wrapped = DDP(model, device_ids=[local] if gpu else None, gradient_as_bucket_view=True) if world > 1 else model

    def save() -> None:
        mine = [torch.get_rng_state(), torch.cuda.get_rng_state() if gpu else torch.empty(0)]
        rng = [None] * world
        if world > 1:
            dist.all_gather_object(rng, mine)
        else:
            rng = [mine]
        if rank == 0:
            os.makedirs(args.out, exist_ok=True)
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "schedule": schedule.state_dict()}
            torch.save({**state, "step": step, "position": position, "rng": rng}, path + ".new")
            os.replace(path + ".new", path)  # never half a file

    data = Data(args.seed, rank, world, gpu)
    total = torch.zeros((), device=device)
    wrapped.train()
    while step < args.steps:
        for m in range(args.accumulate):
            rows = data.batch(position).to(device, non_blocking=True)
            position += 1
            last = m == args.accumulate - 1
            with contextlib.nullcontext() if last or world == 1 else wrapped.no_sync():  # around the forward pass, too
                with torch.autocast(device.type, torch.bfloat16):
                    loss = F.cross_entropy(wrapped(rows[:, :-1]).flatten(0, 1), rows[:, 1:].flatten()) / args.accumulate
                loss.backward()
                total.add_(loss.detach())  # stays on the device
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # of the whole step
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        if step % args.log_every == 0:
            if world > 1:
                dist.all_reduce(total)
            if rank == 0:
                print(f"step {step:4} loss {total.item() / args.log_every / world:.6f}", flush=True)  # the only synchronisation
            total.zero_()
            flag = torch.tensor(float(stop), device=device)  # all ranks stop at the same step
            if world > 1:
                dist.all_reduce(flag, op=dist.ReduceOp.MAX)
            if flag.item():
                break
    save()
    if rank == 0:
        print(f"saved at step {step}", flush=True)
    if world > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
