# cuda-gdb -batch -x debugger_session.gdb ./debugger_session   (built with -g -G)
set pagination off
set breakpoint pending on
set width 150

echo \n(1) stop in a kernel: pending breakpoint, then the kernel, the blocks and the focus\n
break normalize_rows
run
info cuda kernels
info cuda blocks
cuda kernel block thread
print blockIdx
print blockDim
print columns
delete

echo \n(2) a conditional breakpoint: one thread of one block, after the reduction\n
break debugger_session.cu:18 if blockIdx.x == 3 && threadIdx.x == 37
info breakpoints
continue
cuda kernel block thread warp lane

echo \n(3) shared memory and a variable of another thread\n
print partial[0]@4
print sum
cuda thread 1
print sum
cuda block 5 thread 70
print sum
print partial[0]@4
cuda block 3 thread 0
info locals
print row[0]@6
print &partial

echo \n(4) warps, lanes, registers and the next instructions\n
info cuda warps
info cuda lanes
info cuda threads block 3
info registers $R0 $R1 $R2 $R3
print $R4
x/4i $pc
backtrace

echo \n(5) stepping, and writing a variable: does adding partial[1] give the right sum?\n
set var partial[0] = partial[0] + partial[1]
print partial[0]
next
print total
next
next
cuda kernel block thread

echo \n(6) to the end: block 3 is right now, the others are not\n
delete
continue
