// Rate of mma.sync.m16n8k16 (bf16 in, fp32 out) from registers: the widest bf16 mma.sync of sm_80 code.
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
constexpr int kTiles = 8, kLoops = 4096;
__global__ void rate(float *out, unsigned seed) {
  unsigned a[4], b[2];
  for (int i = 0; i < 4; i++) a[i] = (0x3f803f80u ^ (seed * (threadIdx.x + i)) % 0x00400040u);
  for (int i = 0; i < 2; i++) b[i] = (0x3f80bf80u ^ (seed * (threadIdx.x * 3 + i)) % 0x00400040u);
  float c[kTiles][4] = {};
  for (int k = 0; k < kLoops; k++)
#pragma unroll
    for (int t = 0; t < kTiles; t++)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(c[t][0]), "+f"(c[t][1]), "+f"(c[t][2]), "+f"(c[t][3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  float sum = 0;
  for (int t = 0; t < kTiles; t++) for (int i = 0; i < 4; i++) sum += c[t][i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
int main() {
  int sms = 0;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  const int blocks = sms * 2, threads = 512;
  float *out;
  cudaMalloc(&out, sizeof(float) * blocks * threads);
  cudaEvent_t from, to;
  cudaEventCreate(&from);
  cudaEventCreate(&to);
  std::vector<double> rates;
  for (int run = 0; run < 12; run++) {
    cudaEventRecord(from);
    for (int i = 0; i < 10; i++) rate<<<blocks, threads>>>(out, 12345u + run);
    cudaEventRecord(to);
    cudaError_t e = cudaDeviceSynchronize();
    if (e == cudaSuccess) e = cudaGetLastError();
    if (e != cudaSuccess) return printf("%s: %s\n", cudaGetErrorName(e), cudaGetErrorString(e)), 1;
    float ms = 0;
    cudaEventElapsedTime(&ms, from, to);
    double flop = 2.0 * 16 * 8 * 16 * kTiles * kLoops * (threads / 32) * blocks * 10;
    if (run >= 2) rates.push_back(flop / ms / 1e9);
  }
  std::sort(rates.begin(), rates.end());
  printf("%.0f TFLOP/s (median of %zu; %.0f to %.0f)\n", rates[rates.size() / 2], rates.size(), rates.front(), rates.back());
}
