// C = A * B^T with wgmma, whole and as short as it gets: one warpgroup for a 64 x 64 tile, ordinary loads, no TMA.
// A is M x K, B is N x K, both bfloat16 and row-major; C is M x N, float32. M, N and K are multiples of 64.
//
// nvcc -O3 -std=c++17 -gencode arch=compute_90a,code=sm_90a wgmma_minimal.cu -o wgmma_minimal && ./wgmma_minimal
#include <cuda_bf16.h>

#include <cstdint>
#include <cstdio>
#include <vector>

using bf16 = __nv_bfloat16;

// A tile of 64 rows, K-major, 128 bytes a row, 128-byte swizzle: see "What is in the descriptor?" of the page.
__device__ uint64_t descriptor(const bf16* tile) {
  const uint64_t address = __cvta_generic_to_shared(tile);
  return (address & 0x3FFFF) >> 4 | uint64_t(1) << 16 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 62;
}

#define D8(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
__device__ void wgmma_m64n64k16(float (&d)[32], uint64_t a, uint64_t b) {  // d += a * b
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
      "}, %32, %33, add, 1, 1, 0, 0;\n}"
      : D8(0), D8(8), D8(16), D8(24)
      : "l"(a), "l"(b), "r"(1));
}

__global__ void __launch_bounds__(128) gemm(const bf16* A, const bf16* B, float* C, int M, int N, int K) {
  __shared__ __align__(1024) bf16 a[64 * 64], b[64 * 64];
  const int m = blockIdx.y * 64, n = blockIdx.x * 64;
  float d[32] = {};
  for (int k0 = 0; k0 < K; k0 += 64) {
    for (int i = threadIdx.x; i < 64 * 8; i += 128) {  // chunk c of row r goes to place c ^ (r % 8)
      const int r = i / 8, c = i % 8;
#ifdef NO_SWIZZLE
      const int to = r * 64 + c * 8;
#else
      const int to = r * 64 + (c ^ r % 8) * 8;
#endif
      *reinterpret_cast<uint4*>(&a[to]) = *reinterpret_cast<const uint4*>(&A[size_t(m + r) * K + k0 + c * 8]);
      *reinterpret_cast<uint4*>(&b[to]) = *reinterpret_cast<const uint4*>(&B[size_t(n + r) * K + k0 + c * 8]);
    }
#ifndef NO_PROXY_FENCE
    asm volatile("fence.proxy.async;" ::: "memory");  // in every thread that wrote, before the barrier
#endif
    __syncthreads();
#ifndef NO_WGMMA_FENCE
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
#pragma unroll
    for (int k = 0; k < 4; ++k) wgmma_m64n64k16(d, descriptor(a) + 2 * k, descriptor(b) + 2 * k);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#ifndef NO_WAIT
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
    __syncthreads();  // all four warps are done with the tiles
  }
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float* row = C + size_t(m + warp * 16 + lane / 4) * N + n + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    *reinterpret_cast<float2*>(row + j * 8) = make_float2(d[4 * j], d[4 * j + 1]);
    *reinterpret_cast<float2*>(row + size_t(8) * N + j * 8) = make_float2(d[4 * j + 2], d[4 * j + 3]);
  }
}

int main() {
  const int M = 256, N = 320, K = 1024, big = 4096;
  std::vector<bf16> A(size_t(big) * big), B(size_t(big) * big);  // the test takes their beginnings
  uint32_t state = 1;
  auto next = [&] { return state = state * 1664525u + 1013904223u, float(int(state >> 24) % 17 - 8); };
  for (auto& x : A) x = __float2bfloat16(next());
  for (auto& x : B) x = __float2bfloat16(next());
  bf16 *dA, *dB;
  float* dC;
  cudaMalloc(&dA, size_t(big) * big * 2);
  cudaMalloc(&dB, size_t(big) * big * 2);
  cudaMalloc(&dC, size_t(big) * big * 4);
  cudaMemset(dC, 0xFF, size_t(big) * big * 4);  // NaN: an element that is not written shows
  cudaMemcpy(dA, A.data(), A.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(dB, B.data(), B.size() * 2, cudaMemcpyHostToDevice);
  gemm<<<dim3(N / 64, M / 64), 128>>>(dA, dB, dC, M, N, K);
  std::vector<float> C(M * N);
  cudaMemcpy(C.data(), dC, C.size() * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      float sum = 0;  // integers below 2^24: exact
      for (int k = 0; k < K; ++k) sum += __bfloat162float(A[m * K + k]) * __bfloat162float(B[n * K + k]);
      wrong += C[m * N + n] != sum;
    }
  std::printf("%d of %d elements differ from the exact result; %s\n", wrong, M * N, cudaGetErrorString(cudaGetLastError()));
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  for (int round = 0; round < 4; ++round) {
    cudaEventRecord(start);
    for (int i = 0; i < 10; ++i) gemm<<<dim3(big / 64, big / 64), 128>>>(dA, dB, dC, big, big, big);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms = 0;
    cudaEventElapsedTime(&ms, start, end);
    if (round) std::printf("%.0f TFLOP/s ", 2.0 * big * big * big * 10 / ms / 1e9);
  }
  std::printf("at M = N = K = %d\n", big);
  return wrong != 0;
}
