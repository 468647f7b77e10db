# Core dumps of a kernel that hangs, asked for from outside, and a fault that waits for a debugger. bash hang_dumps.sh FOLDER
here=$(cd "$(dirname "$0")" && pwd); mkdir -p "$1" && cd "$1" || exit 1
cp "$here/kernel_bugs.cu" .
nvcc -std=c++17 -arch=sm_90 -O3 -lineinfo -o kernel_bugs kernel_bugs.cu 2>/dev/null && nvcc -std=c++17 -arch=sm_90 -G -o kernel_bugs_G kernel_bugs.cu 2>/dev/null || exit 1
title() { echo; echo "== $*"; }
open() { timeout 40 cuda-gdb -batch -ex 'set pagination off' -ex 'set width 150' "$@" 2>&1 | grep -v -E '^$|debuginfod|libthread_db|^\[New LWP|^\[Thread'; }
SMALL=skip_nonrelocated_elf_images,skip_global_memory,skip_shared_memory,skip_local_memory,skip_constbank_memory
now() { date +%s%N; }
since() { echo $(( ($(now) - $1) / 1000000 )); }
hang() {  # hang NAME PROGRAM WRITER VARIABLES...: start the program, write to its pipe, wait for the dump
    local name=$1 program=$2 writer=$3; shift 3
    rm -f core_* pipe_* hang.txt
    ( ulimit -c 0; exec env CUDA_ENABLE_USER_TRIGGERED_COREDUMP=1 CUDA_COREDUMP_PIPE="$PWD/pipe_%p" CUDA_COREDUMP_FILE="$PWD/core_%h_%p" "$@" ./$program spin > hang.txt 2>&1 ) & local pid=$!
    for i in $(seq 40); do [ -p pipe_$pid ] && break; sleep 0.1; done
    sleep 2  # the kernel is running
    local pipes=$(ls -l pipe_* 2>/dev/null | cut -c1-10) start=$(now)
    timeout 20 bash -c "$writer" - "$PWD/pipe_$pid" 2>/dev/null; local wrote=$?
    for i in $(seq 40); do kill -0 $pid 2>/dev/null || break; ls core_* >/dev/null 2>&1 && sleep 2 && break; sleep 0.25; done
    local ms=$(since "$start") alive=no; kill -0 $pid 2>/dev/null && alive=yes
    echo "$name: pipe '$pipes', writer's status $wrote, after $ms ms: dump of $(stat -c %s core_* 2>/dev/null | paste -sd' ') bytes, program still runs: $alive"
    kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null; echo "  status of the program: $?; it printed: $(head -c 300 hang.txt | tr '\n' ' ')"
}
DD='dd if=/dev/zero bs=1M count=1 of="$1"'; ECHO='echo > "$1"'
nvcc --version | tail -2 | head -1; cuda-gdb --version | head -1; nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
title "who writes to the pipe"
for try in 1 2 3; do hang "echo" kernel_bugs "$ECHO"; hang "dd, 1 MiB" kernel_bugs "$DD"; done
title "without CUDA_ENABLE_USER_TRIGGERED_COREDUMP (=0)"
hang "dd" kernel_bugs "$DD" CUDA_ENABLE_USER_TRIGGERED_COREDUMP=0
title "without memory, and skip_abort"
hang "dd, five skip flags" kernel_bugs "$DD" CUDA_COREDUMP_GENERATION_FLAGS=$SMALL
hang "dd, skip_abort" kernel_bugs "$DD" CUDA_COREDUMP_GENERATION_FLAGS=skip_abort
title "opened: -O3 -lineinfo, whole dump"
hang "dd" kernel_bugs "$DD"
open -ex "target cudacore $(ls core_* | head -1)" -ex 'info cuda kernels' -ex backtrace -ex 'info cuda threads' -ex 'x/1i $pc' | head -24
title "opened: -G, whole dump"
hang "dd" kernel_bugs_G "$DD"
open -ex "target cudacore $(ls core_* | head -1)" -ex 'info cuda kernels' -ex backtrace -ex 'print flag' -ex 'print *flag' -ex 'info cuda threads' ./kernel_bugs_G | head -24
title "CUDA_DEVICE_WAITS_ON_EXCEPTION=1: the fault waits for a debugger"
CUDA_DEVICE_WAITS_ON_EXCEPTION=1 ./kernel_bugs_G write_far > wait.txt 2>&1 & pid=$!
sleep 4; kill -0 $pid 2>/dev/null && echo "after 4 s it still runs"; head -c 600 wait.txt
open -p $pid -ex 'info cuda kernels' -ex backtrace -ex 'print index' -ex 'print stride' -ex kill | grep -v -E '^(Reading|0x0|\[)' | tail -20
kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
rm -f core_* pipe_*
