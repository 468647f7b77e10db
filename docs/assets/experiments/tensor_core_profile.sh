#!/bin/bash
# Count Tensor Core instructions of each kernel with Nsight Compute.
# Usage: bash tensor_core_profile.sh LIBRARY.so      beside tensor_core_gemm.py
for k in naive wmma_simple wmma_shared mma_sync_4 wgmma; do
  echo "== $k"
  ncu --clock-control none -c 1 --section ComputeWorkloadAnalysis --section Occupancy --section LaunchStats --print-details all \
    --metrics sm__inst_executed_pipe_tensor_op_hmma.sum,sm__inst_executed_pipe_tensor_op_gmma.sum,sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum \
    -k "regex:^(naive|wmma_simple|wmma_shared|mma_sync|wgmma)_kernel" python3 tensor_core_gemm.py "$1" profile $k
done
