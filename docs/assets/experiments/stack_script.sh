#!/bin/sh
# Run the runbook's stacks.sh beside two ranks, one of which is late, with two data loaders each: under torchrun, and behind bash.
# ./stack_script.sh ../../cuda/23-distributed-hangs-and-timeouts.md      # needs PyTorch (CPU), py-spy and root or ptrace_scope 0
page=$(realpath "$1")
cd "$(mktemp -d)" || exit
awk '/^```sh title="stacks.sh"$/ {on = 1; next} /^```$/ {on = 0} on' "$page" >stacks.sh
cat >train.py <<'PY'
import faulthandler, signal, time
import torch, torch.distributed as dist
from torch.utils.data import DataLoader

faulthandler.register(signal.SIGUSR1, all_threads=True)
dist.init_process_group("gloo")
loader = iter(DataLoader(list(range(100)), num_workers=2))
next(loader)


def late():
    time.sleep(60)


if dist.get_rank() == 1:
    late()
dist.barrier()
PY
echo 'python train.py; true' >wrap.sh
export OMP_NUM_THREADS=1
python -c 'import torch; print("torch", torch.__version__)'
py-spy --version
for command in "train.py" "--no-python bash wrap.sh"; do
    timeout 45 torchrun --standalone --nproc-per-node=2 $command >log 2>&1 &
    sleep 14
    printf '\n## torchrun --nproc-per-node=2 %s; python processes: %s\n' "$command" "$(pgrep -fc 'python.*train.py')"
    sh -c "$(cat stacks.sh)" >stacks.txt
    grep -E '^==|\(train.py' stacks.txt
    kill -USR1 "$(sed -n 's/^==.* RANK=1 .*pid //p;s/^==.*LOCAL_RANK=1 RANK=1 pid //p' stacks.txt | head -1)"
    sleep 1
    echo "after kill -USR1: $(grep -o 'line .* in late' log)"
    wait
done
