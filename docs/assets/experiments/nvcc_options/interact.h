// One pair of an n-body problem. INLINE puts the body into the file that includes this; without it, interact.cu has it.
#pragma once
#ifdef INLINE
#define LINKAGE static __forceinline__
#include "interact.inc"
#else
__device__ float3 interact(float3 acceleration, float4 here, float4 there);
#endif
