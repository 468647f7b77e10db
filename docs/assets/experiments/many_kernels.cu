// 64 kernels: enough code that the driver's compiler takes a time that can be measured. Only one of them is launched.
#include <cstdio>
#include <cuda_runtime.h>
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
int main(int argc, char **) {
  float *x = nullptr;
  cudaMalloc(&x, 1 << 20);
  cudaMemset(x, 0, 1 << 20);
  launch<64>(argc + 30, x);
  cudaError_t e = cudaGetLastError();
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  if (e != cudaSuccess) printf("%s\n", cudaGetErrorName(e));
  return e != cudaSuccess;
}
