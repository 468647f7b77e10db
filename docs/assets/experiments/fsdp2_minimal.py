"""Train with FSDP2, save, and go on: the whole of it, without options.

torchrun --standalone --nproc-per-node=2 fsdp2_minimal.py run 20    # GPUs with NCCL, else the CPU with Gloo; again, with 40, to go on
"""

import os
import pathlib
import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

WIDTH, LAYERS, WORDS, MOST = 256, 4, 1000, 64


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(WORDS, WIDTH)
        self.register_buffer("place", torch.empty(MOST, WIDTH), persistent=False)  # in no checkpoint
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, dropout=0.0, batch_first=True) for _ in range(LAYERS))
        self.head = nn.Linear(WIDTH, WORDS)

    def reset_buffers(self) -> None:
        """Compute what neither an initialization nor a checkpoint gives: `to_empty` left it uninitialized."""
        angle = torch.arange(MOST)[:, None] / 1000 ** (torch.arange(WIDTH) / WIDTH)
        self.place.copy_(angle.sin())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.embed(x) + self.place[: x.shape[1]].to(self.embed.weight.dtype)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def newest(out: str) -> str | None:
    """Return the folder of the last whole checkpoint: `.metadata` is written when all ranks are done."""
    whole = [path.parent for path in pathlib.Path(out).glob("step-*/.metadata")]
    return str(max(whole, key=lambda folder: int(folder.name.removeprefix("step-")))) if whole else None


def main() -> None:
    out, steps = sys.argv[1], int(sys.argv[2])
    gpu = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if gpu else torch.device("cpu")
    if gpu:
        torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl" if gpu else "gloo")  # Gloo for the checkpoint's metadata
    rank = dist.get_rank()

    with torch.device("meta"):  # no memory yet: no rank ever holds the whole model
        model = Model()
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for block in model.blocks:
        fully_shard(block, mp_policy=policy)
    fully_shard(model, mp_policy=policy)
    model.to_empty(device=device)  # memory for the shards alone
    torch.manual_seed(0)
    for module in model.modules():  # to_empty leaves everything uninitialized: set every parameter, then every buffer
        if isinstance(module, nn.MultiheadAttention):
            module._reset_parameters()
        elif hasattr(module, "reset_parameters"):
            module.reset_parameters()
    model.reset_buffers()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)  # after fully_shard

    step = 0
    if last := newest(out):
        weights, moments = get_state_dict(model, optimizer)
        state = {"model": weights, "optimizer": moments, "step": torch.tensor(0)}
        dcp.load(state, checkpoint_id=last)
        set_state_dict(model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])
        step = int(state["step"])

    while step < steps:
        generator = torch.Generator().manual_seed(1000 * step + rank)  # a batch depends on step and rank alone
        rows = torch.randint(0, 50, (4, 33), generator=generator).to(device)
        loss = nn.functional.cross_entropy(model(rows[:, :-1]).flatten(0, 1).float(), rows[:, 1:].flatten())
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # a DTensor: over all ranks
        optimizer.step()
        optimizer.zero_grad()
        step += 1
        if step % 10 == 0:
            whole = norm.full_tensor().item()  # every rank must call it
            mean = loss.detach()
            dist.all_reduce(mean, dist.ReduceOp.SUM)
            if rank == 0:
                print(f"step {step:3} loss {mean.item() / dist.get_world_size():.6f} norm {whole:.6f}", flush=True)

    weights, moments = get_state_dict(model, optimizer)
    dcp.save({"model": weights, "optimizer": moments, "step": torch.tensor(step)}, checkpoint_id=os.path.join(out, f"step-{step}"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
