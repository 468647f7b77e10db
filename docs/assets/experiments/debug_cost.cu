// A correct program, to time what the debugging tools cost: three kernels and many small launches.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int TILE = 16;

__global__ void saxpy(const float* x, float* y, float a, int count) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count) y[index] += a * x[index];
}

__global__ void matmul(const float* a, const float* b, float* c, int size) {  // tiles in shared memory
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int start = 0; start < size; start += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * size + start + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * size + column];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    c[row * size + column] = sum;
}

__global__ void increment(float* data) { data[threadIdx.x] += 1.0f; }

template <typename F>
void measure(const char* name, F launch) {
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    launch();
    cudaDeviceSynchronize();
    std::vector<float> times(5);
    for (float& time : times) {
        cudaEventRecord(begin);
        launch();
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&time, begin, end);
    }
    std::sort(times.begin(), times.end());
    printf("%s %.4f\n", name, times[2]);
}

int main() {
    const int count = 1 << 22, size = 512, launches = 1000;
    float *x, *y, *a, *b, *c;
    cudaMalloc(&x, count * sizeof(float));
    cudaMalloc(&y, count * sizeof(float));
    cudaMalloc(&a, size * size * sizeof(float));
    cudaMalloc(&b, size * size * sizeof(float));
    cudaMalloc(&c, size * size * sizeof(float));
    for (float* data : {x, y}) cudaMemset(data, 0, count * sizeof(float));
    for (float* data : {a, b, c}) cudaMemset(data, 0, size * size * sizeof(float));
    measure("saxpy", [&] { saxpy<<<count / 256, 256>>>(x, y, 2.0f, count); });
    measure("matmul", [&] { matmul<<<dim3(size / TILE, size / TILE), dim3(TILE, TILE)>>>(a, b, c, size); });
    std::vector<double> times(3);
    for (double& time : times) {
        auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < launches; ++i) increment<<<1, 256>>>(y);
        cudaDeviceSynchronize();
        time = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / launches;
    }
    std::sort(times.begin(), times.end());
    printf("launch %.3f\n", times[1]);
    printf("error %d\n", cudaGetLastError());
    return 0;
}
