# More cuda-gdb sessions, each in batch mode: errors without a breakpoint, watchpoints, launches, attaching, core dumps.
# bash more_sessions.sh FOLDER: the programs of kernel_bugs.py and debugger_session.cu are in FOLDER
cd "$1"
gdb() { timeout 15 cuda-gdb -batch -ex 'set pagination off' -ex 'set breakpoint pending on' -ex 'set width 150' "$@" 2>&1 | grep -v -E '^\[(New|Thread|Detaching|Switching Thread)|libthread_db|^$|^warning: .*(debuginfod|\.so)|debuginfod'; }
title() { echo; echo "== $*"; }

cuda-gdb --version | head -2

title "an illegal address, built with -G: no breakpoint, just run"
gdb -ex run -ex backtrace -ex 'print index' -ex 'print index * stride' -ex 'print &data[index * stride]' -ex 'x/2i $pc' -ex 'print $errorpc' -ex 'info cuda kernels' --args ./kernel_bugs_G write_far
title "the same, built with -O3 -lineinfo"
gdb -ex run -ex backtrace -ex 'print index' -ex 'info line *$pc' -ex 'x/2i $pc' -ex 'print $errorpc' -ex 'x/1i $errorpc' --args ./kernel_bugs write_far
title "misaligned, -lineinfo"
gdb -ex run -ex backtrace --args ./kernel_bugs misaligned
title "assert, -G"
gdb -ex run -ex backtrace -ex 'frame 1' -ex 'print threadIdx' -ex 'print index[threadIdx.x]' --args ./kernel_bugs_G assert
title "trap, -G"
gdb -ex run -ex backtrace -ex 'print threadIdx' --args ./kernel_bugs_G trap
title "stack overflow, -G"
gdb -ex run -ex 'backtrace 3' --args ./kernel_bugs_G endless_recursion
title "a small overrun, -G (what the hardware does not notice)"
gdb -ex run --args ./kernel_bugs_G write_past_end

title "stop at a failing API call: set cuda api_failures stop"
gdb -ex 'set cuda api_failures stop' -ex run -ex 'backtrace 4' --args ./kernel_bugs_G too_many_threads
title "stop at every launch: set cuda break_on_launch application"
gdb -ex 'set cuda break_on_launch application' -ex run -ex 'info cuda kernels' -ex continue ./debugger_session

title "watch a shared variable from inside the kernel"
gdb -ex 'tbreak debugger_session.cu:12' -ex run -ex 'watch partial[0]' -ex continue -ex 'print partial[0]' -ex 'info breakpoints' ./debugger_session
title "watch a local variable of the kernel"
gdb -ex 'tbreak debugger_session.cu:11' -ex run -ex 'watch sum' -ex continue -ex 'print sum' -ex 'info breakpoints' ./debugger_session
title "a watchpoint without hardware: set can-use-hw-watchpoints 0"
gdb -ex 'set can-use-hw-watchpoints 0' -ex 'tbreak debugger_session.cu:11' -ex run -ex 'watch sum' -ex continue -ex 'print sum' ./debugger_session
title "call a function of the kernel's file, and printf by the debugger (dprintf)"
gdb -ex 'dprintf debugger_session.cu:18,"block %d thread %d total %f\n",blockIdx.x,threadIdx.x,partial[0]' -ex 'tbreak debugger_session.cu:20' -ex run -ex 'info breakpoints' ./debugger_session | head -30
title "step and finish"
gdb -ex 'break normalize_rows' -ex run -ex next -ex next -ex step -ex stepi -ex 'info line' -ex finish ./debugger_session
title "break in a kernel built with -lineinfo only"
gdb -ex 'break write_far' -ex 'break kernel_bugs.cu:20' -ex 'info breakpoints' -ex run -ex 'backtrace' -ex 'print index' -ex 'print data' -ex 'info cuda kernels' --args ./kernel_bugs write_far

title "attach to a kernel that hangs (-G build)"
./kernel_bugs_G spin & pid=$!
sleep 2
gdb -p $pid -ex 'info cuda kernels' -ex 'info cuda blocks' -ex 'info cuda threads' -ex 'backtrace' -ex 'print *flag' -ex 'kill' | grep -v -E '^(Reading|0x0|\[)' | tail -30
kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
