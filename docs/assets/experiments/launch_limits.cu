// What one and the same wrong launch returns, by CUDA runtime: build with nvcc of several toolkits, run on one driver.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void empty() {}
__global__ void dynamic_shared(float* data) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = 1;
    __syncthreads();
    if (data) data[threadIdx.x] = tile[255 - threadIdx.x];
}
__global__ void __launch_bounds__(256) bounded(float* data) {
    if (data) data[threadIdx.x] = 1;
}

int main() {
    int runtime = 0, driver = 0;
    cudaRuntimeGetVersion(&runtime);
    cudaDriverGetVersion(&driver);
    printf("runtime %d.%d, driver for CUDA %d.%d\n", runtime / 1000, runtime % 1000 / 10, driver / 1000, driver % 1000 / 10);
    cudaFree(nullptr);
    auto print = [](const char* what) {
        cudaError_t error = cudaGetLastError();
        printf("   %-34s %d %s: %s\n", what, error, cudaGetErrorName(error), cudaGetErrorString(error));
    };
    empty<<<1, 2048>>>();
    print("2,048 threads a block");
    empty<<<1, dim3(1, 1, 128)>>>();
    print("128 threads in z");
    empty<<<0, 256>>>();
    print("no blocks");
    empty<<<dim3(1, 65536), 256>>>();
    print("65,536 blocks in y");
    dynamic_shared<<<1, 256, 64 * 1024>>>(nullptr);
    print("64 KiB of dynamic shared memory");
    dynamic_shared<<<1, 256, 300 * 1024>>>(nullptr);
    print("300 KiB of dynamic shared memory");
    bounded<<<1, 512>>>(nullptr);
    print("512 threads, __launch_bounds__(256)");
    return 0;
}
