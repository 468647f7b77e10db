// Launch one kernel and say for which target the code that ran was compiled.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void target(int *out) {
#ifdef __CUDA_ARCH__
  *out = __CUDA_ARCH__;
#endif
}
int main() {
  int *device = nullptr, host = 0;
  cudaError_t e = cudaMalloc(&device, sizeof(int));
  if (e != cudaSuccess) return printf("cudaMalloc: %s: %s\n", cudaGetErrorName(e), cudaGetErrorString(e)), 1;
  target<<<1, 1>>>(device);
  e = cudaGetLastError();
  if (e != cudaSuccess) return printf("%s (%d): %s\n", cudaGetErrorName(e), (int)e, cudaGetErrorString(e)), 1;
  e = cudaMemcpy(&host, device, sizeof(int), cudaMemcpyDeviceToHost);
  if (e != cudaSuccess) return printf("copy: %s (%d): %s\n", cudaGetErrorName(e), (int)e, cudaGetErrorString(e)), 1;
  printf("ran; __CUDA_ARCH__ was %d\n", host);
  return 0;
}
