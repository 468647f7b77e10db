#!/bin/bash
# Compile performance_patterns.cu, check and time its kernels, then count with Nsight Compute.
# Beside performance_patterns.cu and .py; needs an H100, nvcc, ncu and PyTorch. Usage: bash performance_patterns.sh FOLDER-FOR-RESULTS
mkdir -p "$1" || exit 1
out=$(cd "$1" && pwd); cd "$(dirname "$0")" || exit 1
{
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm,clocks.max.mem,power.limit --format=csv
  nvcc --version | tail -2
  ncu --version | tail -1
  nproc; grep -m1 'model name' /proc/cpuinfo
  nvidia-smi --query-gpu=pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current --format=csv
} > "$out/performance_patterns_machine.txt" 2>&1
timeout 40 nvcc -O3 -std=c++17 -gencode arch=compute_90a,code=sm_90a -Xptxas -v -shared -Xcompiler -fPIC -o patterns.so performance_patterns.cu > "$out/performance_patterns_ptxas.txt" 2>&1
echo "nvcc: status $?" >> "$out/performance_patterns_ptxas.txt"
cuobjdump -sass patterns.so | awk '/Function :/ {f = $3} match($0, /(MEMBAR|DEPBAR|LD\.E|LDGSTS|UBLKCP|LDG|STG|LDS|STS|LDSM|SHFL|BAR|HMMA|MUFU|FFMA)[.A-Z0-9_]*/) && !/@!PT/ {n[f " " substr($0, RSTART, RLENGTH)]++}
  END {for (k in n) print k, n[k]}' | c++filt | sort > "$out/performance_patterns_opcodes.txt" 2>&1
timeout 60 python3 performance_patterns.py ./patterns.so > "$out/performance_patterns.txt" 2>&1
echo "status $?" >> "$out/performance_patterns.txt"
nvidia-smi --query-gpu=clocks.sm,clocks.mem,power.draw,clocks_event_reasons.active --format=csv >> "$out/performance_patterns_machine.txt" 2>&1

base=gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum,sm__warps_active.avg.pct_of_peak_sustained_active
wanted="dram__throughput.avg.pct_of_peak_sustained_elapsed
sm__maximum_warps_per_active_cycle_pct
l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
smsp__issue_active.avg.pct_of_peak_sustained_active
sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active
sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active
sm__inst_executed_pipe_tensor_op_hmma.sum
l1tex__t_sector_hit_rate.pct
lts__t_sector_hit_rate.pct
smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio
smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio
smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio
smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio"
timeout 20 ncu --query-metrics --chip gh100 > metrics.list 2>&1
metrics=$base,sm__maximum_warps_per_active_cycle_pct missing=
for m in $wanted; do
  if grep -q "^ *${m%%.*}[ .]" metrics.list; then metrics=$metrics,$m; else missing="$missing $m"; fi
done
metrics=${metrics//,sm__maximum_warps_per_active_cycle_pct,sm__maximum_warps_per_active_cycle_pct/,sm__maximum_warps_per_active_cycle_pct}
profile() {
  timeout -s INT -k 10 "$1" ncu --clock-control none --profile-from-start off --csv --page raw --print-units base --kernel-name-base demangled --metrics "$2" \
    python3 performance_patterns.py ./patterns.so profile
}
profile 45 "$metrics" > "$out/performance_patterns_ncu.csv" 2>&1
echo "status $?; not listed by --query-metrics:$missing" > "$out/performance_patterns_ncu.txt"
if ! grep -q '^"0"' "$out/performance_patterns_ncu.csv"; then  # a metric was refused: the few that every section uses
  cp "$out/performance_patterns_ncu.csv" "$out/performance_patterns_ncu_failed.txt"
  profile 30 "$base" > "$out/performance_patterns_ncu.csv" 2>&1
  echo "second try, status $?" >> "$out/performance_patterns_ncu.txt"
fi
python3 performance_patterns.py ./patterns.so table "$out/performance_patterns_ncu.csv" >> "$out/performance_patterns_ncu.txt" 2>&1
