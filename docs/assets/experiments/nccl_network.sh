#!/bin/bash
# Say which network NCCL takes, with one GPU and one process, and what its log has at two levels.
#
#   bash nccl_network.sh
#
# Needs torch with CUDA and a GPU.
set -u
cd "$(mktemp -d)" || exit
cat >one.py <<'END'
import torch, torch.distributed as dist

device = torch.device("cuda", 0)
dist.init_process_group("nccl", init_method="tcp://127.0.0.1:29511", rank=0, world_size=1, device_id=device)
x = torch.ones(8, device="cuda")
dist.all_reduce(x)
print("torch", torch.__version__, "NCCL", torch.cuda.nccl.version(), "sum", x.sum().item())
dist.destroy_process_group()
END
echo "libibverbs in the loader's cache: $(ldconfig -p | grep -c libibverbs.so)"
for level in INFO WARN; do
    echo "== NCCL_DEBUG=$level"
    NCCL_DEBUG=$level timeout 60 python one.py 2>&1 </dev/null | grep -Ei 'ibverbs|NET|torch|WARN|plugin' | head -14
done
