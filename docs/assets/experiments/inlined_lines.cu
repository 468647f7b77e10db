// A fault in a function that is inlined from a header, through two calls. Built with -lineinfo.
#include <cstdio>
#include "inlined_lines.h"

__global__ void scale(float* data, const long* where, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) put_scaled(data, where, i);
}

int main() {
    const int n = 256;
    float* data;
    long *where, host[n];
    for (int i = 0; i < n; ++i) host[i] = i;
    host[77] = 1L << 40;
    cudaMalloc(&data, n * sizeof(float));
    cudaMalloc(&where, sizeof host);
    cudaMemcpy(where, host, sizeof host, cudaMemcpyHostToDevice);
    scale<<<1, n>>>(data, where, n);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
