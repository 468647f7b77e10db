// Ways to compute C = A * B^T on one GPU: A is M x K, B is N x K, both bfloat16 and row-major
// (the layout of torch.nn.Linear), C is M x N in float32. Every kernel accumulates in float32.
// M and N must be multiples of 256, K of 64. No bounds are checked: this is a measurement, not a library.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cstdint>

using bf16 = __nv_bfloat16;

// Consecutive blocks share rows of A and columns of B in L2: walk the tiles in groups of 8 rows.
__device__ void tile_of(int id, int rows, int columns, int* row, int* column) {
  const int group = 8, first = id / (group * columns) * group;
  const int height = min(rows - first, group), place = id % (group * columns);
  *row = first + place % height;
  *column = place / height;
}

// ---- 1. One thread an element, no Tensor Core ---------------------------------------------------
__global__ void naive_kernel(const bf16* A, const bf16* B, float* C, int M, int N, int K) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x, m = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0.f;
  for (int k = 0; k < K; ++k)
    sum += __bfloat162float(A[size_t(m) * K + k]) * __bfloat162float(B[size_t(n) * K + k]);
  C[size_t(m) * N + n] = sum;
}

// ---- 2. WMMA, each warp one 16 x 16 tile, operands straight from global memory ------------------
__global__ void wmma_simple_kernel(const bf16* A, const bf16* B, float* C, int M, int N, int K) {
  using namespace nvcuda;
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int m = warp / (N / 16) * 16, n = warp % (N / 16) * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::col_major> b;  // B^T, as B is N x K
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.f);
  for (int k = 0; k < K; k += 16) {
    wmma::load_matrix_sync(a, A + size_t(m) * K + k, K);
    wmma::load_matrix_sync(b, B + size_t(n) * K + k, K);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(C + size_t(m) * N + n, c, N, wmma::mem_row_major);
}

// ---- 3. WMMA through shared memory: 128 x 128 x 32 tile, 8 warps of 32 x 64 ---------------------
__global__ void __launch_bounds__(256)
    wmma_shared_kernel(const bf16* A, const bf16* B, float* C, int M, int N, int K) {
  using namespace nvcuda;
  constexpr int BK = 32, LD = BK + 16;  // padding against bank conflicts; rows stay aligned to 32 bytes
  __shared__ __align__(32) bf16 sA[128 * LD], sB[128 * LD];
  int tm, tn;
  tile_of(blockIdx.x, M / 128, N / 128, &tm, &tn);
  A += size_t(tm) * 128 * K;
  B += size_t(tn) * 128 * K;
  const int warp = threadIdx.x / 32, wm = warp / 2 * 32, wn = warp % 2 * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][4];
  for (auto& row : c)
    for (auto& tile : row) wmma::fill_fragment(tile, 0.f);
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = threadIdx.x; i < 128 * BK / 8; i += 256) {  // 16 bytes a thread
      const int r = i / (BK / 8), q = i % (BK / 8) * 8;
      *reinterpret_cast<uint4*>(&sA[r * LD + q]) =
          *reinterpret_cast<const uint4*>(&A[size_t(r) * K + k0 + q]);
      *reinterpret_cast<uint4*>(&sB[r * LD + q]) =
          *reinterpret_cast<const uint4*>(&B[size_t(r) * K + k0 + q]);
    }
    __syncthreads();
    for (int k = 0; k < BK; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major> a[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::col_major> b[4];
      for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(a[i], &sA[(wm + i * 16) * LD + k], LD);
      for (int j = 0; j < 4; ++j) wmma::load_matrix_sync(b[j], &sB[(wn + j * 16) * LD + k], LD);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j) wmma::mma_sync(c[i][j], a[i], b[j], c[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      wmma::store_matrix_sync(
          C + size_t(tm * 128 + wm + i * 16) * N + tn * 128 + wn + j * 16, c[i][j], N,
          wmma::mem_row_major);
}

// ---- 4. mma.sync, ldmatrix, cp.async: 128 x 128 x 64 tile, 3 stages, warps of 64 x WN elements ---
__device__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ void cp_async16(uint32_t to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}
__device__ void ldmatrix_x4(uint32_t (&r)[4], uint32_t row_address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row_address)
               : "memory");
}
__device__ void mma_m16n8k16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
// A row of a tile is 64 elements, 128 bytes: eight chunks of 16 bytes. Chunk c of row r is stored
// at c ^ (r % 8), so that the eight rows that one ldmatrix phase reads lie in different banks.
__device__ uint32_t swizzled(int row, int chunk) { return row * 128 + ((chunk ^ (row & 7)) << 4); }

constexpr int kMmaStages = 3, kMmaStage = 2 * 128 * 128;  // bytes of a stage: A and B
template <int WN>  // 64: 4 warps a block; 32: 8 warps
__global__ void __launch_bounds__(256 * 32 / WN, 2)
    mma_sync_kernel(const bf16* A, const bf16* B, float* C, int M, int N, int K) {
  extern __shared__ __align__(1024) uint8_t shared[];
  int tm, tn;
  tile_of(blockIdx.x, M / 128, N / 128, &tm, &tn);
  A += size_t(tm) * 128 * K;
  B += size_t(tn) * 128 * K;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  constexpr int kWarpsN = 128 / WN, kThreads = 2 * kWarpsN * 32, J = WN / 8;
  const int wm = warp / kWarpsN * 64, wn = warp % kWarpsN * WN, steps = K / 64;
  const uint32_t base = shared_address(shared);
  auto load = [&](int step) {
    if (step < steps) {
      const uint32_t stage = base + step % kMmaStages * kMmaStage;
      for (int i = threadIdx.x; i < 128 * 8; i += kThreads) {
        const int row = i / 8, chunk = i % 8;
        const size_t from = size_t(row) * K + step * 64 + chunk * 8;
        cp_async16(stage + swizzled(row, chunk), A + from);
        cp_async16(stage + 128 * 128 + swizzled(row, chunk), B + from);
      }
    }
    asm volatile("cp.async.commit_group;");
  };
  float c[4][J][4] = {};
  for (int s = 0; s < kMmaStages - 1; ++s) load(s);
  for (int step = 0; step < steps; ++step) {
    asm volatile("cp.async.wait_group %0;" ::"n"(kMmaStages - 2) : "memory");
    __syncthreads();
    load(step + kMmaStages - 1);  // overwrites the stage that all warps have left
    const uint32_t tA = base + step % kMmaStages * kMmaStage, tB = tA + 128 * 128;
#pragma unroll
    for (int k = 0; k < 4; ++k) {  // 64 = 4 x 16
      uint32_t a[4][4], b[J / 2][4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        ldmatrix_x4(a[i], tA + swizzled(wm + i * 16 + lane % 16, k * 2 + lane / 16));
#pragma unroll
      for (int j = 0; j < J / 2; ++j)
        ldmatrix_x4(b[j], tB + swizzled(wn + j * 16 + lane % 8 + lane / 16 * 8, k * 2 + lane / 8 % 2));
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < J; ++j)
          mma_m16n8k16(c[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
  }
  const int row = tm * 128 + wm + lane / 4, column = tn * 128 + wn + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < J; ++j) {
      float* to = C + size_t(row + i * 16) * N + column + j * 8;
      *reinterpret_cast<float2*>(to) = make_float2(c[i][j][0], c[i][j][1]);
      *reinterpret_cast<float2*>(to + size_t(8) * N) = make_float2(c[i][j][2], c[i][j][3]);
    }
}

// ---- 5. wgmma and TMA (Hopper, sm_90a): 128 x 256 x 64 tile, 1 producer and 2 consumer warpgroups
constexpr int kStages = 4, kTileA = 128 * 64 * 2, kTileB = 256 * 64 * 2;
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || !defined(__CUDA_ARCH__)
#define HAS_WGMMA 1
#endif

__device__ void barrier_wait(uint32_t barrier, int parity) {
  asm volatile(
      "{\n.reg .pred done;\nWAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra DONE;\nbra WAIT;\nDONE:\n}" ::"r"(barrier), "r"(parity) : "memory");
}
__device__ void tma_load(uint32_t to, const CUtensorMap* map, uint32_t barrier, int k, int row) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4}], [%2];" ::"r"(to), "l"(map), "r"(barrier), "r"(k), "r"(row) : "memory");
}
// A tile in shared memory, K-major, 128-byte swizzle: 8 rows of 128 bytes (1024 bytes) an atom.
__device__ uint64_t descriptor(uint32_t address) {
  return uint64_t((address & 0x3FFFF) >> 4) | uint64_t(1) << 16 | uint64_t(1024 >> 4) << 32 |
         uint64_t(1) << 62;
}
#define F8(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define F32(i) F8(i), F8(i + 8), F8(i + 16), F8(i + 24)
__device__ void wgmma_m64n256k16(float (&d)[128], uint64_t a, uint64_t b, int accumulate) {
#ifdef HAS_WGMMA
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
      "}, %128, %129, p, 1, 1, 0, 0;\n}"
      : F32(0), F32(32), F32(64), F32(96)
      : "l"(a), "l"(b), "r"(accumulate));
#endif
}

__global__ void __launch_bounds__(384, 1)
    wgmma_kernel(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB,
                 float* C, int M, int N, int K) {
#ifdef HAS_WGMMA
  extern __shared__ __align__(1024) uint8_t shared[];
  __shared__ __align__(8) uint64_t full[kStages], empty[kStages];
  int tm, tn;
  tile_of(blockIdx.x, M / 128, N / 256, &tm, &tn);
  const uint32_t tiles = shared_address(shared), f = shared_address(full), e = shared_address(empty);
  const int group = threadIdx.x / 128, steps = K / 64;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(f + 8 * s));  // the producer
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(e + 8 * s));  // both consumers
    }
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
  }
  __syncthreads();
  if (group == 0) {  // the producer: one thread asks TMA for tiles
    if (threadIdx.x == 0)
      for (int step = 0; step < steps; ++step) {
        const int s = step % kStages;
        barrier_wait(e + 8 * s, step / kStages % 2 ^ 1);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(f + 8 * s),
                     "r"(kTileA + kTileB) : "memory");
        const uint32_t stage = tiles + s * (kTileA + kTileB);
        tma_load(stage, &mapA, f + 8 * s, step * 64, tm * 128);
        tma_load(stage + kTileA, &mapB, f + 8 * s, step * 64, tn * 256);
      }
    return;
  }
  float d[128];
  for (int step = 0; step < steps; ++step) {
    const int s = step % kStages;
    barrier_wait(f + 8 * s, step / kStages % 2);
    const uint32_t stage = tiles + s * (kTileA + kTileB);
    const uint64_t a = descriptor(stage + (group - 1) * 64 * 128), b = descriptor(stage + kTileA);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < 4; ++k)  // 16 elements are 32 bytes: 2 in units of 16
      wgmma_m64n256k16(d, a + 2 * k, b + 2 * k, step > 0 || k > 0);
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (threadIdx.x % 128 == 0)
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(e + 8 * s) : "memory");
  }
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  const int row = tm * 128 + (group - 1) * 64 + warp * 16 + lane / 4, column = tn * 256 + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 32; ++j) {
    float* to = C + size_t(row) * N + column + j * 8;
    *reinterpret_cast<float2*>(to) = make_float2(d[4 * j], d[4 * j + 1]);
    *reinterpret_cast<float2*>(to + size_t(8) * N) = make_float2(d[4 * j + 2], d[4 * j + 3]);
  }
#endif
}

// ---- Two kernels of one warp that show where the elements of a fragment are ---------------------
// One mma.sync.m16n8k16 with the fragments filled by the formulas of the PTX ISA, without ldmatrix.
__global__ void one_mma_kernel(const bf16* A, const bf16* B, float* C) {  // 16x16, 8x16 (n, k), 16x8
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  auto pair = [](const bf16* p) { return *reinterpret_cast<const uint32_t*>(p); };
  const uint32_t a[4] = {pair(A + g * 16 + 2 * t), pair(A + (g + 8) * 16 + 2 * t),
                         pair(A + g * 16 + 2 * t + 8), pair(A + (g + 8) * 16 + 2 * t + 8)};
  const uint32_t b0 = pair(B + g * 16 + 2 * t), b1 = pair(B + g * 16 + 2 * t + 8);
  float d[4] = {};
  mma_m16n8k16(d, a, b0, b1);
  C[g * 8 + 2 * t] = d[0];
  C[g * 8 + 2 * t + 1] = d[1];
  C[(g + 8) * 8 + 2 * t] = d[2];
  C[(g + 8) * 8 + 2 * t + 1] = d[3];
}
// ldmatrix.x4 of a 16 x 16 tile of 16-bit values: the eight values each thread receives.
__global__ void ldmatrix_kernel(const uint16_t* in, uint16_t* out) {
  __shared__ __align__(16) uint16_t tile[256];
  for (int i = threadIdx.x; i < 256; i += 32) tile[i] = in[i];
  __syncwarp();
  uint32_t r[4];
  ldmatrix_x4(r, shared_address(tile + threadIdx.x % 16 * 16 + threadIdx.x / 16 * 8));
  for (int i = 0; i < 4; ++i) reinterpret_cast<uint32_t*>(out)[threadIdx.x * 4 + i] = r[i];
}

// ---- Host side: plain C functions, called from Python with ctypes -------------------------------
using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                            const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                            CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                            CUtensorMapFloatOOBfill);
static int tensor_map(CUtensorMap* map, const void* data, int rows, int K, int box) {
  static Encode encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result);
    return reinterpret_cast<Encode>(found);
  }();
  const cuuint64_t dims[2] = {cuuint64_t(K), cuuint64_t(rows)}, strides[1] = {cuuint64_t(K) * 2};
  const cuuint32_t boxes[2] = {64, cuuint32_t(box)}, steps[2] = {1, 1};
  return encode ? encode(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<void*>(data), dims,
                         strides, boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                         CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
                : 999;
}
#define ARGUMENTS const bf16 *A, const bf16 *B, float *C, int M, int N, int K, cudaStream_t stream
template <int WN> int mma_sync(ARGUMENTS) {
  const int bytes = kMmaStages * kMmaStage;
  cudaFuncSetAttribute(mma_sync_kernel<WN>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  mma_sync_kernel<WN><<<(M / 128) * (N / 128), 256 * 32 / WN, bytes, stream>>>(A, B, C, M, N, K);
  return cudaGetLastError();
}
extern "C" {
int naive(ARGUMENTS) {
  naive_kernel<<<dim3(N / 32, M / 8), dim3(32, 8), 0, stream>>>(A, B, C, M, N, K);
  return cudaGetLastError();
}
int wmma_simple(ARGUMENTS) {
  wmma_simple_kernel<<<(M / 16) * (N / 16) / 8, 256, 0, stream>>>(A, B, C, M, N, K);
  return cudaGetLastError();
}
int wmma_shared(ARGUMENTS) {
  wmma_shared_kernel<<<(M / 128) * (N / 128), 256, 0, stream>>>(A, B, C, M, N, K);
  return cudaGetLastError();
}
int mma_sync_4(ARGUMENTS) { return mma_sync<64>(A, B, C, M, N, K, stream); }
int mma_sync_8(ARGUMENTS) { return mma_sync<32>(A, B, C, M, N, K, stream); }
int wgmma(ARGUMENTS) {
  CUtensorMap a, b;
  if (int wrong = tensor_map(&a, A, M, K, 128)) return 1000 + wrong;
  if (int wrong = tensor_map(&b, B, N, K, 256)) return 1000 + wrong;
  const int bytes = kStages * (kTileA + kTileB);
  cudaFuncSetAttribute(wgmma_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  wgmma_kernel<<<(M / 128) * (N / 256), 384, bytes, stream>>>(a, b, C, M, N, K);
  return cudaGetLastError();
}
int one_mma(const bf16* A, const bf16* B, float* C, cudaStream_t stream) {
  one_mma_kernel<<<1, 32, 0, stream>>>(A, B, C);
  return cudaGetLastError();
}
int ldmatrix_x4_values(const uint16_t* in, uint16_t* out, cudaStream_t stream) {
  ldmatrix_kernel<<<1, 32, 0, stream>>>(in, out);
  return cudaGetLastError();
}
}
