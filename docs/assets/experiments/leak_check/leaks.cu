// Five ways to leave CUDA memory allocated, for compute-sanitizer --leak-check full.
// leaks [reset]: with "reset", the program destroys its context before it ends.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#define CHECK(call)                                                                     \
    do {                                                                                \
        cudaError_t status = (call);                                                    \
        if (status != cudaSuccess) {                                                    \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
            return 1;                                                                   \
        }                                                                               \
    } while (0)

__global__ void on_device_heap(int **slot) { *slot = static_cast<int *>(malloc(64)); }

float *make_buffer(size_t count) {
    float *buffer = nullptr;
    cudaMalloc(&buffer, count * sizeof(float));
    return buffer;
}

int main(int argc, char **argv) {
    float *freed = make_buffer(1000);
    float *lost = make_buffer(2000);  // 8,000 bytes: never freed
    for (int i = 0; i < 3; ++i) {
        lost = make_buffer(3000);  // 12,000 bytes, three times
    }
    float *from_pool = nullptr, *pinned = nullptr, *managed = nullptr;
    CHECK(cudaMallocAsync(&from_pool, 4096, 0));  // never freed
    CHECK(cudaMallocHost(&pinned, 5000));         // never freed
    CHECK(cudaMallocManaged(&managed, 6000));     // never freed
    int **slot = nullptr;
    CHECK(cudaMalloc(&slot, sizeof(int *)));
    on_device_heap<<<1, 1>>>(slot);  // malloc in a kernel: never freed
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(slot));
    CHECK(cudaFree(freed));
    std::printf("done, last pointer %s\n", lost ? "set" : "null");
    if (argc > 1 && std::strcmp(argv[1], "reset") == 0) {
        CHECK(cudaDeviceReset());
    }
    return 0;
}
