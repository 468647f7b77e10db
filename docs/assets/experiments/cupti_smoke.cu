// Does one CUPTI library file suffice? Loads the file named by the first argument, asks it for kernel records, launches
// one kernel, then asks for the list of chips whose hardware counters it knows; prints what came, and which files were mapped.
// Build: nvcc -o cupti_smoke cupti_smoke.cu      Run: ./cupti_smoke libcupti.so.13
#include <cuda.h>
#include <cupti.h>
#include <cupti_profiler_host.h>
#include <dlfcn.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static decltype(&cuptiActivityGetNextRecord) next_record;
static int kernels = 0;

static void CUPTIAPI give(uint8_t **buffer, size_t *size, size_t *max_records) {
    *size = 1 << 20;
    *buffer = static_cast<uint8_t *>(aligned_alloc(8, *size));
    *max_records = 0;
}

static void CUPTIAPI take(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid) {
    for (CUpti_Activity *record = nullptr; next_record(buffer, valid, &record) == CUPTI_SUCCESS;)
        kernels += record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    free(buffer);
}

__global__ void add_one(float *x) { x[threadIdx.x] += 1; }

int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "libcupti.so";
    void *library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        printf("dlopen: %s\n", dlerror());
        return 2;
    }
#define FIND(symbol) auto symbol##_ = reinterpret_cast<decltype(&symbol)>(dlsym(library, #symbol))
    FIND(cuptiGetVersion);
    FIND(cuptiActivityRegisterCallbacks);
    FIND(cuptiActivityEnable);
    FIND(cuptiActivityFlushAll);
    next_record = reinterpret_cast<decltype(next_record)>(dlsym(library, "cuptiActivityGetNextRecord"));
    uint32_t version = 0;
    cuptiGetVersion_(&version);
    int registered = cuptiActivityRegisterCallbacks_(give, take);
    int enabled = cuptiActivityEnable_(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    float *x = nullptr;
    cudaError_t allocated = cudaMalloc(&x, 32 * sizeof *x);
    add_one<<<1, 32>>>(x);
    cudaError_t ran = cudaDeviceSynchronize();
    int flushed = cuptiActivityFlushAll_(0);
    printf("CUPTI API version %u; register %d, enable %d, flush %d; cudaMalloc %d, kernel %d; kernel records: %d\n",
           version, registered, enabled, flushed, allocated, ran, kernels);
    FIND(cuptiProfilerHostGetSupportedChips);
    CUpti_Profiler_Host_GetSupportedChips_Params chips = {CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE};
    int listed = cuptiProfilerHostGetSupportedChips_ ? cuptiProfilerHostGetSupportedChips_(&chips) : -1;
    printf("counters: result %d, chips known: %zu\n", listed, listed == CUPTI_SUCCESS ? chips.numChips : 0);
    char line[4096], last[4096] = "";
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        char *path = strchr(line, '/');
        if (path && (strstr(path, "cupti") || strstr(path, "nvperf")) && !strstr(path, "cupti_smoke") && strcmp(path, last))
            printf("mapped: %s", strcpy(last, path));
    }
    return kernels == 1 ? 0 : 1;
}
