#!/usr/bin/env bash
# What Nsight Compute and Nsight Systems do on this machine: as root, as an ordinary user, and with torch.profiler.
#
#     ./nsight_probe.sh FOLDER      # needs torch, a CUDA device, and ncu or nsys; FOLDER gets the reports
#
# Every step may fail: what it says then is the result. Nothing on the machine is changed.
set -u
folder=${1:?a folder for the reports}
mkdir -p "$folder"
chmod 777 "$folder"            # for the ordinary user; the folders above must let others in, too

cat >"$folder/work.py" <<'PYTHON'
import os, sys, time
import torch

x = torch.randn(2048, 2048, device="cuda", dtype=torch.bfloat16)
for _ in range(3):
    x @ x
torch.cuda.synchronize()
start = time.perf_counter()
if "profile" in sys.argv:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]) as prof:
        for _ in range(10):
            torch.relu(x @ x)
        torch.cuda.synchronize()
    for row in prof.key_averages():
        if row.key in ("aten::mm", "aten::clamp_min"):
            print(f"torch.profiler: {row.key} {row.self_device_time_total / row.count:.1f} us on the GPU, mean of {row.count}")
else:
    for number in range(10):
        torch.cuda.nvtx.range_push(f"step {number}")
        torch.relu(x @ x)
        torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()
print(f"user {os.getuid()}: loop took {(time.perf_counter() - start) * 1e3:.1f} ms")
with open("/proc/self/maps") as maps:
    paths = sorted({line.split()[-1] for line in maps if "cupti" in line or "nvperf" in line or "njection" in line})
print("mapped:", *(path.split("site-packages/")[-1].replace("/opt/nvidia/nsight-compute/", "") for path in paths), sep="\n  ")
PYTHON

section() { printf '\n== %s\n' "$*"; }
tell() { # run a command, show what it says, shortened, and its status
    printf '$ %s\n' "$*"
    timeout 40 "$@" 2>&1 | grep -v '^ *$' | cut -c1-200 | head -45
    printf 'status %s\n' "${PIPESTATUS[0]}"
}
# shellcheck disable=SC2329 # called by name, in a shell of its own
ordinary() { setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all \
    env HOME="$folder" TMPDIR="$folder" "$@"; }
export -f ordinary
export folder

section "Who may read counters"
grep -H RmProfilingAdminOnly /proc/driver/nvidia/params
grep -H . /proc/sys/kernel/perf_event_paranoid /proc/sys/kernel/yama/ptrace_scope
grep -E 'CapEff|CapBnd' /proc/self/status

section "Without a tool"
tell python "$folder/work.py"
tell python "$folder/work.py" profile
section "torch.profiler as an ordinary user without capabilities"
tell bash -c "ordinary python $folder/work.py profile"

ncu=$(command -v ncu || find /opt/nvidia /usr/local/cuda -name ncu -type f 2>/dev/null | head -1)
if [ -n "$ncu" ]; then
    section "Nsight Compute: $("$ncu" --version | tail -1)"
    for set in basic full; do
        tell "$ncu" --set "$set" --kernel-name 'regex:(gemm|nvjet)' --launch-skip 3 --launch-count 1 \
            -o "$folder/ncu-$set" -f python "$folder/work.py"
    done
    tell "$ncu" --import "$folder/ncu-basic.ncu-rep" --page details --section SpeedOfLight
    section "Nsight Compute, without locking the clocks, two counters"
    tell "$ncu" --clock-control none --metrics gpu__time_duration.sum,sm__cycles_elapsed.max \
        --kernel-name 'regex:(gemm|nvjet)' --launch-skip 3 --launch-count 2 python "$folder/work.py"
    section "Nsight Compute with torch.profiler in the same process"
    tell "$ncu" --metrics gpu__time_duration.sum --launch-count 2 python "$folder/work.py" profile
    section "Nsight Compute as an ordinary user without capabilities"
    tell bash -c "ordinary $ncu --metrics sm__cycles_elapsed.max --launch-count 1 python $folder/work.py"
fi

nsys=$(command -v nsys || find /opt/nvidia /usr/local/cuda -name nsys -type f 2>/dev/null | head -1)
if [ -n "$nsys" ]; then
    section "Nsight Systems at $nsys: $("$nsys" --version 2>&1 | tail -1)"
    tell "$nsys" status --environment
    tell "$nsys" profile --trace=cuda,nvtx --sample=none --cpuctxsw=none --force-overwrite=true \
        --output="$folder/nsys" python "$folder/work.py"
    tell "$nsys" stats --report cuda_gpu_kern_sum "$folder/nsys.nsys-rep"
    section "Nsight Systems with torch.profiler in the same process"
    tell "$nsys" profile --trace=cuda --sample=none --cpuctxsw=none --force-overwrite=true \
        --output="$folder/nsys2" python "$folder/work.py" profile
    section "Nsight Systems as an ordinary user without capabilities"
    tell bash -c "ordinary $nsys profile --trace=cuda --sample=none --cpuctxsw=none --output=$folder/nsys3 python $folder/work.py"
fi
find "$folder" -maxdepth 1 -name '*.*' -type f -printf '%f %s bytes\n' | sort

section "Files"
find / -xdev -path /tmp -prune -o \( -name 'libcupti.so*' -o -name 'libnvperf_host*.so' -o -name 'libToolsInjection64.so' \) -printf '%p %s\n' 2>/dev/null | sort
dpkg -l 2>/dev/null | awk '/nsight|cupti|nvtx|cuda-tools|command-line-tools/ {print $2, $3}'
for place in /opt/nvidia/nsight-compute/* /opt/nvidia/nsight-systems/*; do
    [ -d "$place" ] && du -sm "$place" | sed 's/\t/ MiB /'
done
exit 0
