// Ways to write a copy of 16 bytes a thread; wide_loads.sh counts the loads and stores that each becomes.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <string.h>

#define KERNEL(name, type) __global__ void name(const type* in, type* out) { const int i = blockIdx.x * blockDim.x + threadIdx.x;
struct alignas(16) Words { unsigned v[4]; };
struct alignas(16) Pairs { __nv_bfloat162 v[4]; };
struct alignas(16) Halves { __half v[8]; };
struct alignas(16) Bfloats { __nv_bfloat16 v[8]; };
struct Unaligned { float v[4]; };

KERNEL(float4_assigned, float4) out[i] = in[i]; }
KERNEL(aligned_words, Words) out[i] = in[i]; }
KERNEL(aligned_bfloat162, Pairs) out[i] = in[i]; }
KERNEL(aligned_bfloat16, Bfloats) out[i] = in[i]; }
KERNEL(aligned_half, Halves) out[i] = in[i]; }
KERNEL(unaligned_floats, Unaligned) out[i] = in[i]; }
KERNEL(cast_to_uint4, Pairs) reinterpret_cast<uint4*>(out)[i] = reinterpret_cast<const uint4*>(in)[i]; }
KERNEL(memcpy_global, Pairs) memcpy(out + i, in + i, 16); }
KERNEL(memcpy_through_uint4, Pairs)
  const uint4 raw = reinterpret_cast<const uint4*>(in)[i];
  Pairs e;
  memcpy(&e, &raw, 16);
  e.v[0] = __hneg2(e.v[0]);
  uint4 result;
  memcpy(&result, &e, 16);
  reinterpret_cast<uint4*>(out)[i] = result;
}
KERNEL(four_floats_in_a_loop, float) for (int j = 0; j < 4; ++j) out[4 * i + j] = in[4 * i + j]; }
