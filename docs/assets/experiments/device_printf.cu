// printf() in kernels: how much the buffer holds, what is lost, when it reaches stdout, what it costs.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <cuda_runtime.h>

__global__ void lines(int count) {  // one thread prints all, so that their order is known
    for (int i = 0; i < count; ++i) printf("line %d of %d\n", i, count);
}
__global__ void hello() { printf("from the kernel\n"); }
__global__ void hello_then_trap() {
    printf("from the kernel\n");
    __threadfence_system();
    __trap();
}
__global__ void empty() {}

template <int WHO>  // 0: no printf in the kernel; 1: in a branch that no thread takes; 2: thread 0 of block 0;
__global__ void work(float* data, int count, int never) {  // 3: thread 0 of every block; 4: every thread
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= count) return;
    float value = data[index];
    for (int i = 0; i < 8; ++i) value = value * 0.999f + 0.001f;
    if (WHO == 1 && index == never) printf("%d %f\n", index, value);
    if (WHO == 2 && index == 0) printf("%d %f\n", index, value);
    if (WHO == 3 && threadIdx.x == 0) printf("%d %f\n", index, value);
    if (WHO == 4) printf("%d %f\n", index, value);
    data[index] = value;
}

template <int WHO>
void measure(const char* name, float* data, int count) {
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, work<WHO>);
    float milliseconds[7];
    for (float& time : milliseconds) {
        cudaEventRecord(begin);
        work<WHO><<<(count + 255) / 256, 256>>>(data, count, -1);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&time, begin, end);
        cudaDeviceSynchronize();
    }
    for (int i = 2; i < 7; ++i)
        for (int j = i + 1; j < 7; ++j)
            if (milliseconds[j] < milliseconds[i]) { float t = milliseconds[i]; milliseconds[i] = milliseconds[j]; milliseconds[j] = t; }
    fprintf(stderr, "  %-44s %8.4f ms (%.4f to %.4f), %d registers, %zu bytes of local memory a thread\n", name, milliseconds[4], milliseconds[2], milliseconds[6],
            attributes.numRegs, attributes.localSizeBytes);
}

int main(int argc, char** argv) {
    const char* mode = argc > 1 ? argv[1] : "";
    const char* how = argc > 2 ? argv[2] : "";
    auto is = [&](const char* name) { return !strcmp(how, name); };
    cudaFree(nullptr);
    if (!strcmp(mode, "limit")) {
        size_t size = 0;
        cudaDeviceGetLimit(&size, cudaLimitPrintfFifoSize);
        printf("cudaLimitPrintfFifoSize: %zu bytes\n", size);
    } else if (!strcmp(mode, "overflow")) {  // overflow LINES [BYTES]
        if (argc > 3) fprintf(stderr, "%s\n", cudaGetErrorName(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, atol(argv[3]))));
        lines<<<1, 1>>>(atoi(how));
        fprintf(stderr, "%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    } else if (!strcmp(mode, "late")) {  // the limit after the first launch
        hello<<<1, 1>>>();
        cudaDeviceSynchronize();
        printf("cudaDeviceSetLimit after a launch: %s\n", cudaGetErrorName(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 64 << 20)));
    } else if (!strcmp(mode, "flush")) {
        float *data, host;
        cudaStream_t stream;
        cudaEvent_t event;
        cudaMalloc(&data, 4);
        cudaStreamCreate(&stream);
        cudaEventCreate(&event);
        empty<<<1, 1>>>();
        cudaDeviceSynchronize();
        if (is("trap in the same kernel, cudaDeviceSynchronize")) hello_then_trap<<<1, 1, 0, stream>>>();
        else hello<<<1, 1, 0, stream>>>();
        usleep(300000);
        if (is("cudaDeviceSynchronize")) cudaDeviceSynchronize();
        if (is("trap in the same kernel, cudaDeviceSynchronize")) cudaDeviceSynchronize();
        if (is("cudaStreamSynchronize, same stream")) cudaStreamSynchronize(stream);
        if (is("cudaStreamSynchronize, other stream")) cudaStreamSynchronize(nullptr);
        if (is("cudaEventSynchronize")) { cudaEventRecord(event, stream); cudaEventSynchronize(event); }
        if (is("cudaMemcpy")) cudaMemcpy(&host, data, 4, cudaMemcpyDeviceToHost);
        if (is("cudaMemcpyAsync")) { cudaMemcpyAsync(&host, data, 4, cudaMemcpyDeviceToHost, stream); usleep(200000); }
        if (is("another launch")) { empty<<<1, 1, 0, stream>>>(); usleep(200000); }
        if (is("cudaStreamQuery")) cudaStreamQuery(stream);
        if (is("cudaFree")) cudaFree(data);
        if (is("cudaDeviceReset")) cudaDeviceReset();
        printf("-- after: %s\n", how);
        fflush(stdout);
        if (!is("return from main")) _exit(0);
    } else if (!strcmp(mode, "cost")) {
        const int count = 1 << 20;
        float* data;
        cudaMalloc(&data, count * sizeof(float));
        cudaMemset(data, 0, count * sizeof(float));
        measure<0>("no printf", data, count);
        measure<1>("printf in a branch that no thread takes", data, count);
        measure<2>("thread 0 of block 0 prints (1 line)", data, count);
        measure<3>("thread 0 of each block prints (4,096 lines)", data, count);
        measure<4>("every thread prints (1,048,576 lines)", data, count);
    }
    return 0;
}
