#!/bin/bash
# Provoke messages of NCCL on a machine with two GPUs, as root: each case for at most 60 s. It makes /dev/shm small and puts it back.
# bash nccl_messages.sh ../../cuda/22-nccl-hangs-and-faults.md
page=$(realpath "$1")
cd "$(mktemp -d)" || exit
awk '/^```python title="reduce.py"$/ {on = 1; next} /^```$/ {on = 0} on' "$page" >reduce.py
cat >full.py <<'PY'
import os, torch, torch.distributed as dist
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
left = torch.cuda.mem_get_info()[0]
hold = torch.empty(left - 200 * 2**20, dtype=torch.uint8, device="cuda")  # 200 MiB are left for NCCL
dist.init_process_group("nccl")
dist.all_reduce(torch.ones(1, device="cuda"))
torch.cuda.synchronize()
print("no error", flush=True)
PY
cat >killed.py <<'PY'
import os, signal, torch, torch.distributed as dist
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
data = torch.ones(2**24, device="cuda")
dist.all_reduce(data)
torch.cuda.synchronize()
if dist.get_rank() == 1:
    os.kill(os.getpid(), signal.SIGKILL)
dist.all_reduce(data)
torch.cuda.synchronize()
PY
export NCCL_DEBUG=WARN NCCL_NVLS_ENABLE=0 OMP_NUM_THREADS=4
rank() { RANK=$1 LOCAL_RANK=$1 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=29511 timeout 60 python3 "$2" >"$1.log" 2>&1; echo "rank $1: status $?" >>"$1.log"; }
both() { # two ranks without a launcher, so that none is ended for the other's sake
    printf '\n== %s\n' "$1"
    rank 0 "$2" & rank 1 "$2" & wait
    for n in 0 1; do grep -hE 'NCCL WARN|NCCL error|ncclUnhandled|ncclSystem|ncclRemote|ncclInternal|ncclInvalid|Last error|^Error:|Too many open|GB/s|no error|remote process|: status' $n.log | cut -c1-300 | sort -u | head -14; done
}
python3 -c 'import torch; print("torch", torch.__version__, "NCCL", torch.cuda.nccl.version(), torch.cuda.device_count(), "x", torch.cuda.get_device_name())'
before=$(df --output=size -k /dev/shm | tail -1)
mount -o remount,size=256k /dev/shm && df -h /dev/shm | tail -1
NCCL_P2P_DISABLE=1 NCCL_CUMEM_HOST_ENABLE=0 both "/dev/shm of 256 KiB, no peer-to-peer, no cuMem host memory" reduce.py
NCCL_P2P_DISABLE=1 both "/dev/shm of 256 KiB, no peer-to-peer" reduce.py
mount -o remount,size="${before}k" /dev/shm && df -h /dev/shm | tail -1
(ulimit -n 60; both "ulimit -n 60" reduce.py)
both "200 MiB of the GPU's memory left" full.py
NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1 both "TCP on one node" reduce.py
NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1 both "TCP, and rank 1 is killed" killed.py
both "rank 1 is killed" killed.py
