#!/bin/bash
# Provoke, on the CPU, the errors and warnings that the PyTorch examples of NVIDIA/DeepLearningExamples meet in today's environment.
# bash old_example_errors.sh PYTHON EXAMPLES APEX      # a Python with torch and numpy; mirrors of NVIDIA/DeepLearningExamples and NVIDIA/apex
python=$1; examples=$2; apex=$3
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work" || exit 1
export CUDA_VISIBLE_DEVICES= PYTHONWARNINGS=default
tidy() { sed -e 's/\x1b\[[0-9;]*m//g' -e "s#$work/##g" -e "s#$work#.#g" -e 's#/[^ "]*/site-packages/##g' -e 's#/[^ "]*/lib/python3#lib/python3#g' -e 's#/[^ ]*/bin/python[0-9.]*#python#g' \
  | grep -vE 'No CUDA runtime|^ *$|cpp_extension.py|OMP_NUM_THREADS|^\*+$|UserWarning: CUDA initialization|torch._C._cuda_getDeviceCount'; }
"$python" -W ignore -c 'import sys, torch, numpy; print(f"torch {torch.__version__}, numpy {numpy.__version__}, Python {sys.version.split()[0]}")' 2>/dev/null
echo "DeepLearningExamples $(git -C "$examples" log -1 --format='%h of %cs'), apex $(git -C "$apex" log -1 --format='%h of %cs')"

mkdir ../"$(basename "$work")"/apexdir && git -C "$apex" archive HEAD apex | tar -x -C apexdir
echo; echo "== 1. from apex import amp (BERT/run_squad.py line 38, GNMT, Transformer-XL, SSD, GPUNet)"
PYTHONPATH=apexdir "$python" -W ignore -c 'from apex import amp' 2>&1 | tail -1 | tidy
echo "== from apex.parallel import DistributedDataParallel"
PYTHONPATH=apexdir "$python" -W ignore -c 'from apex.parallel import DistributedDataParallel' 2>&1 | tail -1 | tidy

cat >rank.py <<'P'
import argparse, os
parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=os.getenv('LOCAL_RANK', -1))   # as in BERT/run_pretraining.py, lines 203 to 206
print("local_rank", parser.parse_args().local_rank)
P
echo; echo "== 2. python -m torch.distributed.launch --nproc_per_node=1 rank.py"
"$python" -m torch.distributed.launch --nproc_per_node=1 rank.py 2>&1 | tidy | grep -E 'FutureWarning|deprecated|usage|error|local_rank' | cut -c1-160 | head -12
echo "== torchrun --nproc_per_node=1 rank.py"
"$python" -W ignore -m torch.distributed.run --nproc_per_node=1 rank.py 2>&1 | tidy | grep -vE 'Warning' | tail -1

cat >load.py <<'P'
import argparse, torch
torch.save({"model": {"w": torch.ones(1)}, "args": argparse.Namespace(lr=1)}, "a.pt")      # Transformer-XL's checkpoint holds its arguments like this
try:
    torch.load("a.pt")
except Exception as error:
    print(type(error).__module__ + "." + type(error).__name__ + ":", str(error))
with torch.serialization.safe_globals([argparse.Namespace]):
    print("with safe_globals([argparse.Namespace]):", torch.load("a.pt")["args"])
P
echo; echo "== 3. torch.load of a checkpoint with an argparse.Namespace"
"$python" -W ignore load.py 2>&1 | tidy

echo; echo "== 4. names that are gone"
for code in 'from torch._six import string_classes' 'import torch; torch._six.string_classes' 'from torch.hub import _download_url_to_file' 'import numpy as np; np.int' 'import numpy as np; np.float' 'import numpy as np; np.Inf' 'import numpy as np; np.sctypes'; do
  echo "-- $code"; "$python" -W ignore -c "$code" 2>&1 | grep -E '^[A-Za-z]*Error' | tidy | cut -c1-220
done

echo; echo "== 5. deprecated: torch.cuda.amp, torch.jit.script"
cat >warn.py <<'P'
import warnings, torch
warnings.simplefilter("always")
for code in ("torch.cuda.amp.autocast()", "torch.cuda.amp.GradScaler()", "torch.jit.script(torch.nn.Linear(2, 2))"):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        eval(code)
    for w in seen:
        if "deprecat" in str(w.message) or "not supported" in str(w.message):
            print(f"-- {code}\n{w.category.__name__}: {w.message}")
P
"$python" warn.py 2>/dev/null | tidy

echo "-- torch._C._jit_set_nvfuser_enabled(True) (BERT/run_pretraining.py line 56)"
"$python" -W ignore -c 'import torch; torch._C._jit_set_nvfuser_enabled(True)' 2>&1 | grep -i 'nvfuser is' | sed -e 's/^\[[^]]*\] //'

echo; echo "== 6. ConvNets' GradScaler: init_scale=1 (--static-loss-scale by default), growth_interval=100; not in its checkpoint"
cat >scale.py <<'P'
import torch
def scaler(): return torch.amp.GradScaler("cpu", init_scale=1, growth_factor=2, backoff_factor=0.5, growth_interval=100)
p = torch.nn.Parameter(torch.zeros(1)); rule = torch.optim.SGD([p], lr=0.1)
def run(s, steps):
    for _ in range(steps):
        s.scale((p * 1.0).sum()).backward(); s.step(rule); s.update(); rule.zero_grad()
    return s.get_scale()
s = scaler()
for more, total in ((1, 1), (99, 100), (900, 1000), (600, 1600)):
    print(f"after {total:4} steps without overflow: scale {run(s, more):.0f}")
print(f"resumed without the scaler's state:  scale {scaler().get_scale():.0f}")
t = scaler(); t.load_state_dict(s.state_dict())
print(f"resumed with the scaler's state:     scale {t.get_scale():.0f}")
P
"$python" -W ignore scale.py 2>/dev/null | tidy

echo; echo '== 7. a DDP hook in a file with "from __future__ import annotations"'
cat >hook.py <<'P'
from __future__ import annotations
import torch
import torch.distributed as dist
def hook(state: object, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]: ...
dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29511", rank=0, world_size=1)
try:
    torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1)).register_comm_hook(None, hook)
except Exception as error:
    print(f"{type(error).__name__}: {error}")
dist.destroy_process_group()
P
"$python" -W ignore hook.py 2>/dev/null | tidy
