# GPU core dumps: written by the driver, opened later without the GPU program running. bash core_dumps.sh FOLDER
cd "$1"
title() { echo; echo "== $*"; }
dump() {  # dump NAME PROGRAM BUG VARIABLES...
    local name=$1 program=$2 bug=$3; shift 3
    rm -f core_* *.nvcudmp; local start=$(date +%s%N)
    { ( ulimit -c 0; timeout 40 env "$@" ./$program $bug > dump.txt 2>&1 ); } 2>/dev/null; local status=$?
    local ms=$(( ($(date +%s%N) - start) / 1000000 ))
    echo "$name: status $status, $ms ms, core dump of $(stat -c %s core_* 2>/dev/null | paste -sd" ") bytes"
}
open() { timeout 40 cuda-gdb -batch -ex 'set pagination off' -ex 'set width 150' "$@" 2>&1 | grep -v -E '^$|debuginfod|libthread_db'; }
SMALL=skip_nonrelocated_elf_images,skip_global_memory,skip_shared_memory,skip_local_memory,skip_constbank_memory
title "what is written"
ON=CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1 NAME=CUDA_COREDUMP_FILE=core_%h_%p FLAGS=CUDA_COREDUMP_GENERATION_FLAGS
for try in 1 2 3; do
    dump "no variable" kernel_bugs write_far NOTHING=1
    dump "CUDA_COREDUMP_FILE only" kernel_bugs write_far $NAME
    dump "CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1" kernel_bugs write_far $ON
    dump "CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1, five skip flags" kernel_bugs write_far $ON $FLAGS=$SMALL
    dump "CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1, skip_abort" kernel_bugs write_far $ON $FLAGS=skip_abort; grep synchronizing dump.txt
done
env | grep -E "^CUDA_(ENABLE|COREDUMP)" || echo "no such variable in the environment of this script"
title "what the program prints with skip_abort, and without"
dump "skip_abort" kernel_bugs write_far $ON $FLAGS=skip_abort; cat dump.txt
dump "without" kernel_bugs write_far $ON CUDA_COREDUMP_SHOW_PROGRESS=1; grep -v "finished state" dump.txt | head -30
title "opened: -O3 -lineinfo, whole dump"
open -ex "target cudacore $(ls core_* | head -1)" -ex backtrace -ex 'info cuda kernels' -ex 'info cuda devices' -ex 'x/1i $errorpc' -ex 'info registers $R2 $R3 $R4 $R5' | head -40
title "opened: -G, dump without memory (the five skip flags)"
dump "small" kernel_bugs_G write_far $ON $FLAGS=$SMALL
open -ex "target cudacore $(ls core_* | head -1)" -ex backtrace -ex 'print index' -ex 'print stride' -ex 'print data[0]' -ex 'info cuda kernels' ./kernel_bugs_G | head -40
title "opened: -G, whole dump"
dump "whole" kernel_bugs_G write_far $ON
open -ex "target cudacore $(ls core_* | head -1)" -ex backtrace -ex 'print index' -ex 'print stride' -ex 'print data[0]@4' -ex 'info cuda blocks' -ex 'cuda block 2 thread 9' -ex 'print index' ./kernel_bugs_G | head -60
title "other errors: a failed assert, a trap, a launch that fails, a small overrun"
for bug in assert trap too_many_threads write_past_end; do dump "$bug" kernel_bugs $bug $ON; done
title "a kernel that hangs: CUDA_ENABLE_USER_TRIGGERED_COREDUMP=1 and a write to the pipe"
rm -f core_* pipe_*
CUDA_ENABLE_USER_TRIGGERED_COREDUMP=1 CUDA_COREDUMP_PIPE=pipe_%p CUDA_COREDUMP_FILE=core_%h_%p ./kernel_bugs spin > hang.txt 2>&1 & pid=$!
sleep 2; ls -l pipe_* | cut -c1-10
dd if=/dev/zero bs=1M count=1 of="$(ls pipe_* | head -1)" 2>/dev/null & writer=$!
for i in $(seq 40); do sleep 0.25; ls core_* >/dev/null 2>&1 && break; done; sleep 1.5
ls core_* | sed 's/[0-9].*/.../'; cat hang.txt | head -5
kill -9 $pid $writer 2>/dev/null; wait $pid 2>/dev/null
open -ex "target cudacore $(ls core_* | head -1)" -ex 'info cuda kernels' -ex backtrace -ex 'info cuda threads' ./kernel_bugs | head -30
rm -f core_* pipe_*
