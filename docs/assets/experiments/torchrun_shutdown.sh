#!/bin/bash
# Send SIGTERM to torchrun while its two ranks need 20 or 40 seconds to save: with the default, and with --shutdown-timeout.
#
#   bash torchrun_shutdown.sh EMPTY_FOLDER      # needs torch in the `python` of the PATH; no GPU
set -u
cd "$1" || exit 1
cat >slow_save.py <<'END'
import os, signal, sys, time

stop = False


def terminate(*_):
    global stop
    stop = True


signal.signal(signal.SIGTERM, terminate)
open(f"ready.{os.environ['RANK']}", "w").close()
while not stop:
    time.sleep(0.1)
time.sleep(float(sys.argv[1]))
print(f"rank {os.environ['RANK']} saved after {sys.argv[1]} s", flush=True)
END

stop_after() { # SECONDS [OPTION...]: ranks that take SECONDS to save
    local seconds=$1
    shift
    rm -f ready.*
    python -m torch.distributed.run --standalone --nproc-per-node=2 "$@" slow_save.py "$seconds" >out 2>&1 &
    local child=$!
    until [ -e ready.0 ] && [ -e ready.1 ]; do sleep 0.2; done
    local begin=$SECONDS status=0
    kill -TERM "$child"
    wait "$child" || status=$?
    local label=${*:-default}
    if [ -n "${TORCH_ELASTIC_SHUTDOWN_TIMEOUT:-}" ]; then label=TORCH_ELASTIC_SHUTDOWN_TIMEOUT=$TORCH_ELASTIC_SHUTDOWN_TIMEOUT; fi
    echo "saving takes $seconds s, $label: exit $status, ended after $((SECONDS - begin)) s, $(grep -c saved out) of 2 ranks saved"
}
python -c 'import torch; print("torch", torch.__version__)'
stop_after 20
stop_after 40
stop_after 40 --shutdown-timeout=120
TORCH_ELASTIC_SHUTDOWN_TIMEOUT=120 stop_after 40
