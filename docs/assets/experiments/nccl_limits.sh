#!/bin/bash
# What NCCL says without libibverbs, and with few file descriptors. Moves the library away: only on a machine that nobody needs, as root.
# bash nccl_limits.sh      # one GPU, one process
cat >/tmp/one.py <<'END'
import torch, torch.distributed as dist
dist.init_process_group("nccl", init_method="tcp://127.0.0.1:29511", rank=0, world_size=1, device_id=torch.device("cuda", 0))
x = torch.ones(8, device="cuda"); dist.all_reduce(x); print("sum", x.sum().item()); dist.destroy_process_group()
END
python3 -c 'import torch; print("torch", torch.__version__, "NCCL", torch.cuda.nccl.version())'
mkdir -p /tmp/away; for f in $(ldconfig -p | awk '/libibverbs\.so/ {print $NF}'); do d=$(dirname $f); mv $d/libibverbs.so* /tmp/away/ 2>/dev/null; done; ldconfig; echo "libibverbs in the loader's cache: $(ldconfig -p | grep -c libibverbs.so)"
for level in INFO WARN; do echo "== NCCL_DEBUG=$level, no libibverbs"; NCCL_DEBUG=$level timeout 60 python3 /tmp/one.py 2>&1 | grep -Ei 'ibv|NET|sum|WARN' | grep -v "not find" | head -12; done
for n in 40 60 80 100; do echo "== ulimit -n $n"; (ulimit -n $n; NCCL_DEBUG=WARN timeout 40 python3 /tmp/one.py 2>&1 | grep -iE "too many|NCCL WARN|sum|Error" | sort -u | cut -c1-200 | head -6); done
