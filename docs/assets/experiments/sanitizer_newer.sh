# Two releases of Compute Sanitizer on what the older one did not find, and on NVIDIA's sample for synccheck; then printf.
# sh sanitizer_newer.sh SAMPLE NEWER: SAMPLE is Synccheck/divergent_threads.cu of NVIDIA/compute-sanitizer-samples at
# 1e1fab8e25148127f5dec10210ac70b799d1c36f, NEWER the newer release's program (package nvidia-cuda-sanitizer-api 13.5.25).
here=$(dirname "$0"); folder=$(mktemp -d)
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
nvcc --version | grep release
nvcc -O3 -std=c++17 -lineinfo -arch=sm_90 "$1" -o "$folder/sample"
nvcc -G -g -std=c++17 -arch=sm_90 "$1" -o "$folder/sample_G"
nvcc -O3 -std=c++17 -lineinfo -arch=sm_90 "$here/kernel_bugs.cu" -o "$folder/kernel_bugs"
nvcc -O3 -std=c++17 -arch=sm_90 "$here/device_printf.cu" -o "$folder/device_printf"
cd "$folder" || exit
for program in compute-sanitizer "$2"; do
    $program --version | grep ersion
    for bug in ./sample ./sample_G "./kernel_bugs divergent_barrier" "./kernel_bugs shuffle_mask" "./kernel_bugs race_global" "./kernel_bugs stream_order"; do
        tool=synccheck
        case "$bug" in *global) tool=racecheck ;; *order) tool=memcheck ;; esac
        echo "-- $tool $bug"
        timeout 30 $program --tool $tool --print-limit 2 $bug 2>&1 | grep -E "Barrier|Divergent|Error|Race|Invalid| at |by thread|Access|SUMMARY|potentially|afterwards"
    done
done
echo "== what brings the line to stdout, 0.3 s after the launch: order of the kernel's line and the host's marker; three runs each"
for how in "nothing, _exit()" "return from main" cudaDeviceSynchronize "cudaStreamSynchronize, other stream" cudaMemcpy cudaStreamQuery cudaDeviceReset "trap in the same kernel, cudaDeviceSynchronize"; do
    for run in 1 2 3; do echo "$how: $(timeout 15 ./device_printf flush "$how" 2>&1 | tr '\n' '|')"; done
done
