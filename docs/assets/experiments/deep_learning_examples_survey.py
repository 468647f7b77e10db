"""Count, in a mirror of NVIDIA/DeepLearningExamples, which PyTorch example uses which technique, and how old each is.

python deep_learning_examples_survey.py MIRROR [COMMIT]      # needs git; MIRROR is a clone or bare mirror

An example is a folder with a Dockerfile two levels below PyTorch/ or DGLPyTorch/. Read are its .py and .sh files (for launchers and CPU binding) or its .py files
(all else), comments and strings left out, deployment folders (triton, trtis, tensorrt, notebooks, tests) too. A pattern that occurs counts; options
that are off by default count as well.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize

TECHNIQUES = {
    "torch.cuda.amp autocast": r"\bcuda \. amp\b|\bcuda import amp\b",
    "torch.cuda.amp GradScaler": r"\bGradScaler\b",
    "torch.amp (device as argument)": r"\btorch \. amp\b|\btorch import amp\b",
    "apex.amp calls (initialize, scale_loss)": r"\bamp \. (initialize|scale_loss)\b",
    "apex.amp imported": r"\bapex import amp\b|\bapex \. amp\b",
    "apex, anything of it": r"\bapex\b",
    "apex optimizers (FusedAdam, LAMB, SGD)": r"\bFused(Adam|LAMB|SGD)\w*\b",
    "apex DDP": r"\bapex \. parallel\b",
    "torch fused= or foreach= optimizers": r"\b(fused|foreach) = (True|False)\b",
    "DistributedDataParallel of torch": r"\bnn \. parallel\b.*\bDistributedDataParallel\b|\bparallel \. distributed import DistributedDataParallel\b|\bstrategy = .*ddp",
    "no_sync": r"\bno_sync\b",
    "gradient accumulation": r"\b(\w*grad\w*_acc\w*|grads_accumulated|\w*accumulation_steps|accumulate_grad\w*|ACCUMULATE_GRAD|update_freq|batch_chunk|iter_size)\b",
    "channels_last": r"\bchannels_last\b",
    "cudnn.benchmark": r"\bcudnn \. benchmark = |\bbenchmark = True ,",
    "DALI": r"\bnvidia \. dali\b",
    "pin_memory": r"\bpin_memory = (?!False)|\. pin_memory \(|\"pin_memory\" : True",
    "non_blocking": r"\bnon_blocking\b",
    "a stream for prefetching (record_stream)": r"\brecord_stream\b",
    "persistent_workers": r"\bpersistent_workers\b",
    "torch.jit.script": r"\bjit \. script\b",
    "nvFuser switched on": r"_jit_set_nvfuser_enabled",
    "torch.compile": r"\btorch \. compile\b",
    "CUDA graphs": r"\bCUDAGraph\b|\bmake_graphed_callables\b",
    "zero_grad(set_to_none=True)": r"\bset_to_none = True\b|\. grad = None\b",
    "CPU affinity by GPU": r"\bset_affinity\b|\bsched_setaffinity\b",
    "L2 fetch granularity of 128 bytes": r"\bcudaDeviceSetLimit\b",
    "dllogger": r"\bdllogger\b",
    "torch.cuda.synchronize": r"\bcuda \. synchronize\b",
    "SIGTERM handled": r"\bSIGTERM\b",
    "scaler state in checkpoints": r"scaler(_\w+)? \. state_dict\b|\bamp \. state_dict\b|\bstate_dict \( scaler \)",
    "random state in checkpoints": r"\bset_rng_state\b",
    "bfloat16": r"\bbfloat16\b",
    "NCCL_ variable set": r"environ \[ \"NCCL_",
}
LAUNCHERS = {
    "torch.distributed.launch": r"torch\.distributed\.launch",
    "torchrun or torch.distributed.run": r"\btorchrun\b|torch\.distributed\.run",
    "multiproc.py of its own": r"\bmultiproc\.py|-m multiproc\b",
    "CPU binding by numactl or bindpcie": r"\bnumactl\b|\bbindpcie\b",
}
LEFT_OUT = re.compile(r"/(triton|trtis\w*|tensorrt|notebooks?|tests?|deployment\w*|inference_server)/")


def git(mirror: str, *words: str) -> str:
    """Return the output of a git command."""
    return subprocess.run(["git", "-C", mirror, *words], check=True, capture_output=True, text=True, errors="replace").stdout


def code(text: str) -> str:
    """Return the names and marks of a Python file, one space between them, a line a statement line; keep strings of capitals (variables' names), 'ddp' and 'pin_memory' only."""
    words, row = [], 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in (tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.NL, tokenize.ENDMARKER):
                continue
            if token.start[0] != row:
                words.append("\n")
                row = token.start[0]
            string = token.string
            if token.type == tokenize.STRING:
                string = '"' + string.strip("\"'") if re.fullmatch(r"[\"'][A-Z_]+[\"']", string) else '""'
                string = f'"{word}"' if (word := token.string.strip("\"'")) in ("ddp", "pin_memory") else string
            words.append(string)
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return ""
    return " ".join(words)


def main() -> None:
    """Print the tables."""
    mirror = sys.argv[1]
    commit = git(mirror, "rev-parse", sys.argv[2] if len(sys.argv) > 2 else "HEAD").strip()
    names = git(mirror, "ls-tree", "-r", "--name-only", commit).splitlines()
    examples = [n.removesuffix("/Dockerfile") for n in names if re.fullmatch(r"(DGL)?PyTorch/[^/]+/[^/]+/Dockerfile", n)]
    print(f"NVIDIA/DeepLearningExamples at {commit} of {git(mirror, 'log', '-1', '--format=%cs', commit).strip()}; {len(examples)} PyTorch examples\n")
    print("Age: last commit to the folder; last commit to one of its .py files; container of its Dockerfile")
    last = {}
    for e in examples:
        last[e] = git(mirror, "log", "-1", "--format=%cs %h", commit, "--", e).strip()
        script = git(mirror, "log", "-1", "--format=%cs %h", commit, "--", f":(glob){e}/**/*.py").strip()
        tag = re.search(r"^(?:ARG FROM_IMAGE_NAME=|FROM )(\S+)", git(mirror, "show", f"{commit}:{e}/Dockerfile"), re.M)
        print(f"  {e:48}{last[e]:24}{script:24}{tag[1] if tag else '?'}")
    years = [v[:4] for v in last.values()]
    print("  last commit by year: " + ", ".join(f"{y}: {years.count(y)}" for y in sorted(set(years))))

    found: dict[str, list[str]] = {t: [] for t in (*TECHNIQUES, *LAUNCHERS)}
    files: dict[str, int] = {}
    for e in examples:
        mine = [n for n in names if n.startswith(e + "/") and n.endswith((".py", ".sh")) and not LEFT_OUT.search(n)]
        texts = {n: git(mirror, "show", f"{commit}:{n}") for n in mine}
        python = [code(t) for n, t in texts.items() if n.endswith(".py")]
        files[e] = len(python)
        short = e.split("/")[-1]
        for t, pattern in TECHNIQUES.items():
            if sum(bool(re.search(pattern, p)) for p in python):
                found[t].append(short)
        for t, pattern in LAUNCHERS.items():
            if sum(bool(re.search(pattern, x)) for x in texts.values()):
                found[t].append(short)
    print(f"\nTechniques: examples that contain each, of {len(examples)} ({sum(files.values())} Python files read)")
    for t, where in found.items():
        print(f"  {len(where):2}  {t:42}{' '.join(where)}")
    print("\napex.amp only in a README: its code has moved on")
    for e in examples:
        texts = [git(mirror, "show", f"{commit}:{n}") for n in names if n.startswith(e + "/") and n.endswith("README.md")]
        told = any(re.search(r"amp\.(initialize|scale_loss)", t) for t in texts)
        if told and e.split("/")[-1] not in found["apex.amp calls (initialize, scale_loss)"]:
            print(f"  {e}")


if __name__ == "__main__":
    main()
