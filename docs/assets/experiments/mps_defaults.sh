# Set MPS defaults before the first client, and look at what clients see.   bash mps_defaults.sh
export CUDA_MPS_PIPE_DIRECTORY=/tmp/mp CUDA_MPS_LOG_DIRECTORY=/tmp/ml; mkdir -p /tmp/mp /tmp/ml
nvidia-cuda-mps-control -d
echo "set_default_device_pinned_mem_limit 0 6G" | nvidia-cuda-mps-control
echo "set_default_active_thread_percentage 25" | nvidia-cuda-mps-control
for limit in "" "0=3G" "0=12G"; do
  CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=$limit python3 -c "
import os, torch
print(repr(os.environ['CUDA_MPS_PINNED_DEVICE_MEM_LIMIT']), torch.cuda.get_device_properties(0).multi_processor_count, 'SMs', [round(v / 2**30, 1) for v in torch.cuda.mem_get_info()])"
done
CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=50 python3 -c "import torch; print('asks for 50 %:', torch.cuda.get_device_properties(0).multi_processor_count, 'SMs')"
echo quit | nvidia-cuda-mps-control
