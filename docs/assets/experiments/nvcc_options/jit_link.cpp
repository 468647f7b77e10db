// Links two files of LTO IR at run time with nvJitLink, loads the result, and times the kernel as nbody.cu does.
// Usage: jit_link sm_90 FILE FILE   (made by nvcc -ltoir)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>
#include <cuda_runtime.h>
#include <nvJitLink.h>
#define CUDA(call) do { cudaError_t r = (call); if (r) { printf("%s: %d %s\n", #call, int(r), cudaGetErrorString(r)); exit(1); } } while (0)
static double now() { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
int main(int argc, char **argv) {
  std::string arch = std::string("-arch=") + argv[1];
  const char *options[] = {"-lto", arch.c_str()};
  double t0 = now();
  nvJitLinkHandle handle;
  auto check = [&](const char *what, nvJitLinkResult r) {
    if (r == NVJITLINK_SUCCESS) return;
    size_t size = 0;
    std::string log;
    if (nvJitLinkGetErrorLogSize(handle, &size) == NVJITLINK_SUCCESS && size) { log.resize(size); nvJitLinkGetErrorLog(handle, log.data()); }
    printf("%s: nvJitLinkResult %d: %s\n", what, int(r), log.c_str());
    exit(1);
  };
  check("create", nvJitLinkCreate(&handle, 2, options));
  for (int i = 2; i < argc; i++) check(argv[i], nvJitLinkAddFile(handle, NVJITLINK_INPUT_ANY, argv[i]));
  check("complete", nvJitLinkComplete(handle));
  size_t size = 0;
  check("size", nvJitLinkGetLinkedCubinSize(handle, &size));
  std::vector<char> cubin(size);
  check("cubin", nvJitLinkGetLinkedCubin(handle, cubin.data()));
  nvJitLinkDestroy(&handle);
  double t1 = now();
  printf("linked in %.1f ms, %zu bytes of machine code\n", t1 - t0, size);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) || !devices) return printf("no GPU: not run\n"), 0;
  cudaLibrary_t library; cudaKernel_t kernel;
  CUDA(cudaLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUDA(cudaLibraryGetKernel(&kernel, library, "accelerate"));
  int n = 65536;
  std::vector<float> host(4 * n);
  unsigned seed = 1;
  for (auto &v : host) { seed = seed * 1664525u + 1013904223u; v = float(seed >> 8) / (1 << 24); }
  void *bodies, *result;
  CUDA(cudaMalloc(&bodies, n * 16)); CUDA(cudaMalloc(&result, n * 12));
  CUDA(cudaMemcpy(bodies, host.data(), n * 16, cudaMemcpyHostToDevice));
  cudaEvent_t a, b;
  CUDA(cudaEventCreate(&a)); CUDA(cudaEventCreate(&b));
  void *arguments[] = {&bodies, &result, &n};
  std::vector<float> times;
  for (int i = 0; i < 23; i++) {
    CUDA(cudaEventRecord(a));
    CUDA(cudaLaunchKernel(kernel, dim3(n / 256), dim3(256), arguments, 0, nullptr));
    CUDA(cudaEventRecord(b)); CUDA(cudaEventSynchronize(b));
    float ms; CUDA(cudaEventElapsedTime(&ms, a, b));
    if (i >= 3) times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  printf("kernel %.3f ms (%.3f to %.3f)\n", times[times.size() / 2], times.front(), times.back());
}
