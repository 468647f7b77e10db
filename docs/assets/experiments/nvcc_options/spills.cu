// A thread holds 96 sums: it wants more than 96 registers. SMEM asks ptxas to spill to shared memory.
// Prints milliseconds: median, minimum, maximum of 20 launches after 3, and the sum of all results.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#ifndef BOUNDS
#define BOUNDS
#endif
__global__ void BOUNDS sums(const float *in, float *out, int rounds) {
#ifdef SMEM
  asm volatile(".pragma \"enable_smem_spilling\";");
#endif
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s[96];
#pragma unroll
  for (int k = 0; k < 96; k++) s[k] = float(k);
  for (int r = 0; r < rounds; r++) {
    float x = in[(i + r * 256) & 0xfffff];
#pragma unroll
    for (int k = 0; k < 96; k++) s[k] = s[k] * 0.999f + x * s[(k + 7) % 96];
  }
  float all = 0;
#pragma unroll
  for (int k = 0; k < 96; k++) all += s[k] * float(1 + k % 5);
  out[i] = all;
}
int main(int argc, char **argv) {
  const int block = argc > 1 ? atoi(argv[1]) : 256;
  const int threads = 132 * 2048;
  float *in, *out;
  cudaMalloc(&in, 4 << 20);
  cudaMalloc(&out, threads * 4);
  std::vector<float> host(1 << 20);
  unsigned seed = 1;
  for (auto &v : host) { seed = seed * 1664525u + 1013904223u; v = float(seed >> 8) / (1 << 28); }
  cudaMemcpy(in, host.data(), 4 << 20, cudaMemcpyHostToDevice);
  cudaEvent_t a, b;
  cudaEventCreate(&a); cudaEventCreate(&b);
  std::vector<float> times;
  for (int i = 0; i < 23; i++) {
    cudaEventRecord(a);
    sums<<<threads / block, block>>>(in, out, 256);
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    float ms; cudaEventElapsedTime(&ms, a, b);
    if (i >= 3) times.push_back(ms);
  }
  cudaError_t e = cudaGetLastError();
  if (e != cudaSuccess) { printf("%s (%d): %s\n", cudaGetErrorName(e), int(e), cudaGetErrorString(e)); return 1; }
  std::vector<float> result(threads);
  cudaMemcpy(result.data(), out, threads * 4, cudaMemcpyDeviceToHost);
  double all = 0;
  for (float v : result) all += v;
  std::sort(times.begin(), times.end());
  printf("%.3f ms (%.3f to %.3f), sum %.9e\n", times[times.size() / 2], times.front(), times.back(), all);
}
