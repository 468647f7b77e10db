// Accelerations of 65,536 bodies, all pairs, tiles in shared memory. The pair's function is here (-DINLINE) or in interact.cu.
// Prints milliseconds (median, minimum, maximum of 20 launches after 3) and the largest relative difference from the host, in double.
#include "interact.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
extern "C" __global__ void accelerate(const float4 *bodies, float3 *result, int n) {
  __shared__ float4 tile[256];
  int me = blockIdx.x * 256 + threadIdx.x;
  float4 here = bodies[me];
  float3 sum = {0, 0, 0};
  for (int start = 0; start < n; start += 256) {
    tile[threadIdx.x] = bodies[start + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 256; k++) sum = interact(sum, here, tile[k]);
    __syncthreads();
  }
  result[me] = sum;
}
#ifndef NO_MAIN
int main() {
  const int n = 65536;
  std::vector<float4> host(n);
  unsigned seed = 1;
  auto next = [&] { seed = seed * 1664525u + 1013904223u; return float(seed >> 8) / (1 << 24); };
  for (auto &b : host) b = {next(), next(), next(), next()};
  float4 *bodies; float3 *result;
  cudaMalloc(&bodies, n * sizeof(float4));
  cudaMalloc(&result, n * sizeof(float3));
  cudaMemcpy(bodies, host.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
  cudaEvent_t a, b;
  cudaEventCreate(&a); cudaEventCreate(&b);
  std::vector<float> times;
  for (int i = 0; i < 23; i++) {
    cudaEventRecord(a);
    accelerate<<<n / 256, 256>>>(bodies, result, n);
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    float ms; cudaEventElapsedTime(&ms, a, b);
    if (i >= 3) times.push_back(ms);
  }
  cudaError_t e = cudaGetLastError();
  if (e != cudaSuccess) { printf("%s: %s\n", cudaGetErrorName(e), cudaGetErrorString(e)); return 1; }
  std::vector<float3> out(n);
  cudaMemcpy(out.data(), result, n * sizeof(float3), cudaMemcpyDeviceToHost);
  double worst = 0;
  for (int i = 0; i < n; i += n / 16) {
    double x = 0, y = 0, z = 0;
    for (int j = 0; j < n; j++) {
      double dx = double(host[j].x) - host[i].x, dy = double(host[j].y) - host[i].y, dz = double(host[j].z) - host[i].z;
      double s = dx * dx + dy * dy + dz * dz + 1e-3, r = host[j].w / (s * std::sqrt(s));
      x += dx * r; y += dy * r; z += dz * r;
    }
    double d = std::sqrt((out[i].x - x) * (out[i].x - x) + (out[i].y - y) * (out[i].y - y) + (out[i].z - z) * (out[i].z - z));
    worst = std::max(worst, d / std::sqrt(x * x + y * y + z * z));
  }
  std::sort(times.begin(), times.end());
  printf("%.3f ms (%.3f to %.3f), relative error %.1e\n", times[times.size() / 2], times.front(), times.back(), worst);
  return worst > 1e-3;
}
#endif
