// Divide each row by its sum: one block a row. The sums come out too small, in every row, by a part that varies.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void normalize_rows(const float* input, float* output, int columns) {
    __shared__ float partial[THREADS];
    const float* row = input + blockIdx.x * columns;
    float sum = 0;
    for (int column = threadIdx.x; column < columns; column += THREADS) sum += row[column];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int stride = THREADS / 2; stride > 1; stride /= 2) {  // the bug: stops before stride 1
        if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
        __syncthreads();
    }
    float total = partial[0];
    for (int column = threadIdx.x; column < columns; column += THREADS)
        output[blockIdx.x * columns + column] = row[column] / total;
}

int main() {
    const int rows = 8, columns = 256;
    float *input, *output, host[rows * columns];
    for (int i = 0; i < rows * columns; ++i) host[i] = 1 + i % 3;
    cudaMalloc(&input, sizeof host);
    cudaMalloc(&output, sizeof host);
    cudaMemcpy(input, host, sizeof host, cudaMemcpyHostToDevice);
    normalize_rows<<<rows, THREADS>>>(input, output, columns);
    cudaMemcpy(host, output, sizeof host, cudaMemcpyDeviceToHost);
    for (int row = 0; row < 5; ++row) {
        double sum = 0;
        for (int column = 0; column < columns; ++column) sum += host[row * columns + column];
        printf("row %d sums to %.4f\n", row, sum);
    }
}
