// KERNELS kernels, of which one is launched: how long until it ran? Prints milliseconds: context, first launch, second launch
// of the same kernel, first launch of another one.
#include <chrono>
#include <cstdio>
#include <cuda_runtime.h>
#ifndef KERNELS
#define KERNELS 64
#endif
template <int N> __global__ void work(float *x) {
  float a[16];
#pragma unroll
  for (int i = 0; i < 16; i++) a[i] = x[threadIdx.x + i * N];
#pragma unroll
  for (int k = 0; k < 12; k++)
#pragma unroll
    for (int i = 0; i < 16; i++) a[i] = a[i] * a[(i + k + 1) % 16] + a[(i + N) % 16];
#pragma unroll
  for (int i = 0; i < 16; i++) x[threadIdx.x + i * N] = a[i];
}
template <int N> void launch(int n, float *x) {
  if (n == N) work<N><<<1, 32>>>(x);
  if constexpr (N > 1) launch<N - 1>(n, x);
}
static double now() { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
int main(int argc, char **) {
  double t0 = now();
  float *x = nullptr;
  cudaFree(nullptr);
  cudaMalloc(&x, 1 << 20);
  cudaMemset(x, 0, 1 << 20);
  cudaDeviceSynchronize();
  double t1 = now();
  launch<KERNELS>(argc, x);
  cudaError_t e = cudaGetLastError();
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  double t2 = now();
  launch<KERNELS>(argc, x);
  cudaDeviceSynchronize();
  double t3 = now();
  launch<KERNELS>(argc + 1, x);
  cudaDeviceSynchronize();
  double t4 = now();
  if (e != cudaSuccess) printf("%s (%d): %s\n", cudaGetErrorName(e), int(e), cudaGetErrorString(e));
  else printf("%.2f %.3f %.3f %.3f\n", t1 - t0, t2 - t1, t3 - t2, t4 - t3);
  return e != cudaSuccess;
}
