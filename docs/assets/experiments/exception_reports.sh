# How reliably cuda-gdb reports an illegal address, and what else it does in device code. bash exception_reports.sh FOLDER
cd "$1"
nvcc -std=c++17 -g -G -Xptxas --make-errors-visible-at-exit -arch=sm_90 kernel_bugs.cu -o kernel_bugs_visible 2>&1 | grep -v Stack
gdb() { timeout 15 cuda-gdb -batch -ex 'set pagination off' -ex 'set breakpoint pending on' -ex 'set width 150' "$@" 2>&1 | grep -v -E '^\[(New|Thread|Detaching|Switching Thread)|libthread_db|^$|^warning: .*(debuginfod|\.so)|debuginfod'; }
title() { echo; echo "== $*"; }
cuda-gdb --version 2>&1 | grep -E 'cuda-gdb [0-9]'
title "write_far, no breakpoint, five runs of each build: which exception, at which line"
for program in kernel_bugs kernel_bugs_G kernel_bugs_visible; do
    for try in 1 2 3 4 5; do
        echo "$program: $(gdb -ex run --args ./$program write_far | grep -E 'The exception was triggered|No unwaited|Exception:' | paste -sd' ')"
    done
done
title "a register, shared memory by address, and hardware breakpoints"
gdb -ex 'break debugger_session.cu:18 if blockIdx.x == 3 && threadIdx.x == 0' -ex run -ex 'print &partial' -ex 'print *(@shared float*)0x4' -ex 'print partial[1]' -ex 'print &sum' -ex 'info registers $R4' -ex 'print $smid' -ex 'print $clock' -ex 'hbreak debugger_session.cu:20' -ex 'info breakpoints' ./debugger_session
title "watch an element of the output in global memory, from inside the kernel"
gdb -ex 'tbreak debugger_session.cu:18' -ex run -ex 'watch output[0]' -ex continue ./debugger_session
title "watch the shared partial[64], from thread 64 before it is written"
gdb -ex 'tbreak debugger_session.cu:12' -ex run -ex 'cuda thread 64' -ex 'watch partial[64]' -ex continue ./debugger_session
title "rwatch and awatch a local variable"
gdb -ex 'tbreak debugger_session.cu:11' -ex run -ex 'rwatch sum' -ex 'awatch sum' -ex continue ./debugger_session
title "a condition that calls a function"
gdb -ex 'break debugger_session.cu:18 if printf("x") > 0' -ex run ./debugger_session
title "kernel_bugs_G: breakpoint in a kernel that is launched with the wrong size; every API failure: stop_all"
gdb -ex 'set cuda api_failures stop_all' -ex run -ex 'backtrace' --args ./kernel_bugs_G too_many_registers
