#!/bin/bash
# Compile tensor_core_gemm.cu, test and time its kernels while nvidia-smi logs clock and power, then count
# Tensor Core instructions with Nsight Compute. Beside tensor_core_gemm.cu and .py; needs an H100, nvcc, ncu.
# Usage: bash tensor_core_profile.sh FOLDER-FOR-RESULTS
# Written afterwards: these are the commands of the run that gave the results, less its time limits.
mkdir -p "$1" || exit 1
nvcc -O3 -std=c++17 -gencode arch=compute_90a,code=sm_90a -Xptxas -v -shared -Xcompiler -fPIC -o gemm.so tensor_core_gemm.cu > "$1/tensor_core_gemm_ptxas.txt" 2>&1 || exit 1
nvidia-smi --query-gpu=timestamp,clocks.sm,power.draw,temperature.gpu,clocks_event_reasons.active --format=csv,noheader -lms 100 > "$1/tensor_core_clocks.txt" & log=$!
python3 tensor_core_gemm.py ./gemm.so > "$1/tensor_core_gemm.txt" 2>&1
kill $log
for k in naive wmma_simple wmma_shared mma_sync_4 wgmma; do
  echo "== $k"
  ncu --clock-control none -c 1 --section ComputeWorkloadAnalysis --section Occupancy --section LaunchStats --print-details all \
    --metrics sm__inst_executed_pipe_tensor_op_hmma.sum,sm__inst_executed_pipe_tensor_op_gmma.sum,sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum \
    -k "regex:^(naive|wmma_simple|wmma_shared|mma_sync|wgmma)_kernel" python3 tensor_core_gemm.py ./gemm.so profile $k
done > "$1/tensor_core_ncu.txt" 2>&1
