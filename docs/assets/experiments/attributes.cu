// Print what the runtime knows of the device: the per-capability limits that the Programming Guide tabulates.
#include <cstdio>
#include <cuda_runtime.h>
#define ATTRIBUTE(name) { int v = -1; cudaError_t e = cudaDeviceGetAttribute(&v, cudaDevAttr##name, 0); \
  if (e) printf("%-44s %s\n", #name, cudaGetErrorName(e)); else printf("%-44s %d\n", #name, v); }
int main() {
  cudaDeviceProp p;
  int driver = 0, runtime = 0;
  cudaGetDeviceProperties(&p, 0);
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  printf("%s, compute capability %d.%d, driver API %d, runtime %d\n", p.name, p.major, p.minor, driver, runtime);
  printf("%-44s %zu\n", "totalGlobalMem (bytes)", p.totalGlobalMem);
  ATTRIBUTE(MultiProcessorCount) ATTRIBUTE(WarpSize) ATTRIBUTE(MaxThreadsPerBlock) ATTRIBUTE(MaxThreadsPerMultiProcessor)
  ATTRIBUTE(MaxBlocksPerMultiprocessor) ATTRIBUTE(MaxRegistersPerBlock) ATTRIBUTE(MaxRegistersPerMultiprocessor)
  ATTRIBUTE(MaxSharedMemoryPerBlock) ATTRIBUTE(MaxSharedMemoryPerBlockOptin) ATTRIBUTE(MaxSharedMemoryPerMultiprocessor)
  ATTRIBUTE(ReservedSharedMemoryPerBlock) ATTRIBUTE(L2CacheSize) ATTRIBUTE(MaxPersistingL2CacheSize)
  ATTRIBUTE(GlobalMemoryBusWidth) ATTRIBUTE(MemoryClockRate) ATTRIBUTE(ClockRate) ATTRIBUTE(SingleToDoublePrecisionPerfRatio)
  ATTRIBUTE(ClusterLaunch) ATTRIBUTE(CooperativeLaunch) ATTRIBUTE(MemoryPoolsSupported)
  ATTRIBUTE(GPUDirectRDMASupported) ATTRIBUTE(AsyncEngineCount) ATTRIBUTE(ConcurrentKernels) ATTRIBUTE(EccEnabled)
  ATTRIBUTE(UnifiedAddressing) ATTRIBUTE(PageableMemoryAccess) ATTRIBUTE(MpsEnabled) ATTRIBUTE(HostNumaId)
}
