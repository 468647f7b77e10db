// One fault a run, by name: which error the runtime reports, for gpu_faults.py.
// nvcc -arch=sm_90 -lineinfo gpu_faults.cu -o gpu_faults && ./gpu_faults null
#include <cassert>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <unistd.h>

__global__ void fine(int* out) { *out = 1; }
__global__ void null_store(int* nothing) { *nothing = 1; }
__global__ void far_store(int* p, size_t n) { p[n] = 1; }
__global__ void misaligned(char* p) { *reinterpret_cast<int*>(p + 1) = 1; }
__global__ void failed_assert(int zero) { assert(zero == 1); }
__global__ void trap() { asm volatile("trap;"); }
__global__ void shared_overrun(int index) {
  extern __shared__ int tile[];
  tile[index] = 1;
}
__global__ void wild_call(void (*callee)()) { callee(); }
__device__ __noinline__ int deep(int n, volatile int* out) {
  volatile int frame[256];
  frame[n & 255] = n;
  return n == 0 ? frame[0] : deep(n - 1, out) + frame[n & 255];
}
__global__ void recursion(int n, int* out) { *out = deep(n, out); }
__global__ void forever(volatile int* flag) {
  while (*flag == 0) {
  }
}

int main(int, char** arguments) {
  const char* fault = arguments[1];
  auto is = [fault](const char* name) { return !strcmp(fault, name); };
  int* memory;
  cudaError_t status = cudaMalloc(&memory, 1 << 20);
  if (status == cudaSuccess) status = cudaMemset(memory, 0, 1 << 20);
  if (status != cudaSuccess) return printf("%s | before: %d %s\n", fault, status, cudaGetErrorName(status)), 1;
  if (is("none")) fine<<<1, 1>>>(memory);
  if (is("null")) null_store<<<1, 1>>>(nullptr);
  if (is("far")) far_store<<<1, 1>>>(memory, size_t(1) << 40);
  if (is("misaligned")) misaligned<<<1, 1>>>(reinterpret_cast<char*>(memory));
  if (is("assert")) failed_assert<<<1, 1>>>(0);
  if (is("trap")) trap<<<1, 1>>>();
  if (is("shared")) shared_overrun<<<1, 1, 1024>>>(1 << 26);
  if (is("wild-call")) wild_call<<<1, 1>>>(reinterpret_cast<void (*)()>(size_t(0x1230)));
  if (is("recursion")) recursion<<<1, 1>>>(1 << 20, memory);
  if (is("killed")) {
    forever<<<1, 1>>>(memory);
    puts("hanging");
    fflush(stdout);
    cudaDeviceSynchronize();
  }
  if (is("threads")) fine<<<1, 4096>>>(memory);
  if (is("no-memory")) {
    void* all;
    status = cudaMalloc(&all, size_t(1) << 42);
  }
  cudaError_t launch = cudaGetLastError(), synchronised = cudaDeviceSynchronize(), next = cudaMalloc(&memory, 4);
  if (is("no-memory")) launch = status;
  printf("%s | launch: %d %s | synchronize: %d %s \"%s\" | next call: %d\n", fault, launch, cudaGetErrorName(launch),
         synchronised, cudaGetErrorName(synchronised), cudaGetErrorString(synchronised), next);
}
