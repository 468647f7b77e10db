// How a warp loads a 16 x 16 fragment of bfloat16 for WMMA; wide_loads.sh counts the loads each kernel becomes.
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;
using bf16 = __nv_bfloat16;
using A = wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major>;
using B = wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::col_major>;

template <int HOW> __device__ void load(A& a, const bf16* p, unsigned ld) {
  if constexpr (HOW == 1) __builtin_assume(__isShared(p));
  if constexpr (HOW < 2) return wmma::load_matrix_sync(a, p, ld);
  unsigned* r = reinterpret_cast<unsigned*>(&a.x[0]);
  asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.shared.bf16 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(unsigned(__cvta_generic_to_shared(p))), "r"(ld) : "memory");
}
template <int HOW> __device__ void one(const bf16* in, float* out) {
  __shared__ __align__(128) bf16 tile[16 * 24];
  for (int i = threadIdx.x; i < 16 * 24; i += 32) tile[i] = in[i];
  __syncthreads();
  A a;
  B b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(b, __float2bfloat16(1.f));
  wmma::fill_fragment(c, 0.f);
  load<HOW>(a, tile, 24);
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}
__global__ void load_matrix_sync(const bf16* in, float* out) { one<0>(in, out); }
__global__ void assume_isShared(const bf16* in, float* out) { one<1>(in, out); }
__global__ void ptx_dot_shared(const bf16* in, float* out) { one<2>(in, out); }
