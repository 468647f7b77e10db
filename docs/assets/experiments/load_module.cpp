// Load a PTX or cubin file through the driver, and print what the driver says.
#include <cstdio>
#include <string>
#include <cuda.h>
int main(int argc, char **argv) {
  cuInit(0);
  int version = 0;
  cuDriverGetVersion(&version);
  CUdevice device;
  CUcontext context;
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  printf("driver API version %d\n", version);
  for (int i = 1; i < argc; i++) {
    FILE *f = fopen(argv[i], "rb");
    if (!f) { printf("%-24s not there\n", argv[i]); continue; }
    std::string image;
    char buffer[4096];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;) image.append(buffer, n);
    fclose(f);
    image.push_back('\0');
    char log[2048] = "";
    CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(size_t)sizeof log};
    CUmodule module;
    CUresult r = cuModuleLoadDataEx(&module, image.data(), 2, names, values);
    const char *name = "?", *text = "?";
    cuGetErrorName(r, &name);
    cuGetErrorString(r, &text);
    printf("%-24s %s (%d): %s%s%s\n", argv[i], name, (int)r, text, log[0] ? " | " : "", log);
    if (r == CUDA_SUCCESS) cuModuleUnload(module);
  }
}
