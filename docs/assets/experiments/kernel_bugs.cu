// One planted bug or failing launch a name: `kernel_bugs NAME`. Prints what the runtime says at the launch, at the
// next synchronization and afterwards. Nothing here is meant to be copied except into a bug report.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <cuda_runtime.h>

constexpr int COUNT = 1000;  // elements; the launches below use 1024 threads or more

// ---- memory -----------------------------------------------------------------------------------------------------
__global__ void write_past_end(float* data) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    data[index] = index;  // no `if (index < COUNT)`
}

__global__ void write_far(float* data, long stride) {
    long index = blockIdx.x * blockDim.x + threadIdx.x;
    data[index * stride] = index;
}

__global__ void misaligned_load(const float* data, float4* result) {
    const float* shifted = data + 1;
    result[threadIdx.x] = reinterpret_cast<const float4*>(shifted)[threadIdx.x];
}

__global__ void shared_past_end(float* data) {
    __shared__ float tile[256];
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = tile[threadIdx.x + 1];  // the last thread reads tile[256]
}

__global__ void shared_far(float* data, int offset) {
    __shared__ float tile[256];
    tile[threadIdx.x + offset] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = tile[threadIdx.x];
}

__global__ void local_past_end(float* data, int offset) {
    float values[16];
    for (int i = 0; i < 16; ++i) values[i] = data[i];
    values[(threadIdx.x & 15) + offset] = 1.0f;  // up to values[16 + 15]
    float sum = 0;
    for (int i = 0; i < 16; ++i) sum += values[(i + threadIdx.x) & 15];
    data[threadIdx.x] = sum;
}

__global__ void scale(float* data, int count) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count) data[index] *= 2.0f;
}

// ---- races ------------------------------------------------------------------------------------------------------
__global__ void race_shared(float* data) {
    __shared__ float tile[256];
    tile[threadIdx.x] = data[threadIdx.x];
    // missing: __syncthreads();
    data[threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void race_warp(float* data) {
    __shared__ float tile[32];
    tile[threadIdx.x] = data[threadIdx.x];
    // missing: __syncwarp();
    data[threadIdx.x] = tile[31 - threadIdx.x];
}

__global__ void race_global(int* counter) {
    *counter = *counter + 1;  // should be atomicAdd(counter, 1)
}

// ---- memory that nobody wrote ------------------------------------------------------------------------------------
__global__ void sum_into(const float* data, float* result, int count) {
    float sum = 0;
    for (int i = 0; i < count; ++i) sum += data[i];
    *result = sum;
}

__global__ void uninitialized_shared(float* data) {
    __shared__ float tile[256];
    if (threadIdx.x < 128) tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = tile[threadIdx.x];
}

// ---- barriers ---------------------------------------------------------------------------------------------------
__global__ void divergent_barrier(float* data) {
    __shared__ float tile[64];
    tile[threadIdx.x] = data[threadIdx.x];
    if (threadIdx.x < 40) {  // splits the second warp
        __syncthreads();
        data[threadIdx.x] = tile[39 - threadIdx.x];
    }
}

__global__ void shuffle_mask(float* data) {
    float value = data[threadIdx.x];
    if (threadIdx.x < 16) value += __shfl_down_sync(0xffffffffu, value, 8);  // names 32 lanes, 16 take part
    data[threadIdx.x] = value;
}

__global__ void syncwarp_mask(float* data) {
    if (threadIdx.x >= 16) __syncwarp(0x0000ffffu);  // names lanes 0 to 15, called by 16 to 31
    data[threadIdx.x] += 1;
}

// ---- stops ------------------------------------------------------------------------------------------------------
__global__ void failed_assert(const int* index, int count) {
    assert(index[threadIdx.x] < count);
}

__global__ void failed_trap() {
    if (threadIdx.x == 5) __trap();
}

__global__ void failed_brkpt() {
    if (threadIdx.x == 5) asm volatile("brkpt;");
}

typedef float (*function_pointer)(float);
__global__ void null_function(float* data, function_pointer function) {
    data[threadIdx.x] = function(data[threadIdx.x]);
}

__device__ __noinline__ int descend(int depth, volatile int* limit) {
    volatile int local[64];
    local[depth & 63] = depth;
    if (depth > *limit) return local[depth & 63];
    return descend(depth + 1, limit) + local[depth & 63];
}
__global__ void endless_recursion(int* data) {
    data[threadIdx.x] = descend(0, data);
}

__global__ void empty() {}

template <int REGISTERS>
__global__ void many_registers(float* data) {
    float values[REGISTERS];
#pragma unroll
    for (int i = 0; i < REGISTERS; ++i) values[i] = data[i * 1024 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < REGISTERS; ++i) data[(REGISTERS - 1 - i) * 1024 + threadIdx.x] = values[i] * values[(i * 7) % REGISTERS];
}

__global__ void dynamic_shared(float* data) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void spin(volatile int* flag) {
    if (blockIdx.x == 1 && threadIdx.x == 0)
        while (*flag == 0) {}  // nobody sets it
}

static float* floats(int count, bool clear = true) {
    float* data = nullptr;
    cudaMalloc(&data, count * sizeof(float));
    if (clear) cudaMemset(data, 0, count * sizeof(float));
    return data;
}

int main(int argc, char** argv) {
    const char* name = argc > 1 ? argv[1] : "";
    auto is = [&](const char* other) { return !strcmp(name, other); };
    setvbuf(stdout, nullptr, _IOLBF, 0);
    cudaFree(nullptr);
    const char* result = "";
    char text[200] = "";

    if (is("write_past_end")) write_past_end<<<1, 1024>>>(floats(COUNT));
    else if (is("write_neighbour")) {
        float *data = floats(COUNT), *next = floats(COUNT);
        write_past_end<<<33, 32>>>(data);   // the last 32 land in the next allocation
        float first = 0;
        cudaMemcpy(&first, next, sizeof first, cudaMemcpyDeviceToHost);
        snprintf(text, sizeof text, "next - data = %td floats, next[0] = %g (it was set to 0)", next - data, first);
    }
    else if (is("write_far")) write_far<<<4, 256>>>(floats(COUNT), 1l << 24);
    else if (is("misaligned")) misaligned_load<<<1, 32>>>(floats(COUNT), (float4*)floats(COUNT));
    else if (is("shared_past_end")) shared_past_end<<<1, 256>>>(floats(COUNT));
    else if (is("shared_far")) shared_far<<<1, 256>>>(floats(COUNT), 1 << 20);
    else if (is("local_past_end")) local_past_end<<<1, 32>>>(floats(COUNT), 16);
    else if (is("use_after_free")) {
        float* data = floats(1 << 22);
        cudaFree(data);
        scale<<<4, 256>>>(data, COUNT);
    }
    else if (is("host_pointer")) {
        float* data = (float*)calloc(COUNT, sizeof(float));
        scale<<<4, 256>>>(data, COUNT);
    }
    else if (is("stream_order")) {  // freed in one stream while another stream still uses it
        cudaStream_t one, two;
        cudaStreamCreate(&one);
        cudaStreamCreate(&two);
        float* data;
        cudaMallocAsync(&data, COUNT * sizeof(float), one);
        cudaMemsetAsync(data, 0, COUNT * sizeof(float), one);
        scale<<<4, 256, 0, two>>>(data, COUNT);  // no event between the streams
        cudaFreeAsync(data, one);
    }
    else if (is("race_shared") || is("race_warp")) {
        float host[256], *data = floats(256);
        for (int i = 0; i < 256; ++i) host[i] = i;
        int count = is("race_warp") ? 32 : 256, wrong = 0;
        cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
        if (is("race_warp")) race_warp<<<1, 32>>>(data); else race_shared<<<1, 256>>>(data);
        cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
        for (int i = 0; i < count; ++i) wrong += host[i] != count - 1 - i;
        snprintf(text, sizeof text, "%d of %d values wrong", wrong, count);
    }
    else if (is("race_global")) {
        int *counter = (int*)floats(1), value = 0;
        race_global<<<64, 256>>>(counter);
        cudaMemcpy(&value, counter, sizeof value, cudaMemcpyDeviceToHost);
        snprintf(text, sizeof text, "counter = %d, right is %d", value, 64 * 256);
    }
    else if (is("uninitialized")) sum_into<<<1, 1>>>(floats(COUNT, false), floats(1), COUNT);
    else if (is("uninitialized_shared")) uninitialized_shared<<<1, 256>>>(floats(256));
    else if (is("divergent_barrier")) divergent_barrier<<<1, 64>>>(floats(64));
    else if (is("shuffle_mask")) shuffle_mask<<<1, 32>>>(floats(32));
    else if (is("syncwarp_mask")) syncwarp_mask<<<1, 32>>>(floats(32));
    else if (is("assert")) {
        int host[8] = {0, 1, 2, 3, 4, 5, 60, 7}, *index = (int*)floats(8);
        cudaMemcpy(index, host, sizeof host, cudaMemcpyHostToDevice);
        failed_assert<<<1, 8>>>(index, 8);
    }
    else if (is("trap")) failed_trap<<<1, 32>>>();
    else if (is("brkpt")) failed_brkpt<<<1, 32>>>();
    else if (is("null_function")) null_function<<<1, 32>>>(floats(32), nullptr);
    else if (is("endless_recursion")) {
        int limit = 1 << 30, *data = (int*)floats(32);
        cudaMemcpy(data, &limit, sizeof limit, cudaMemcpyHostToDevice);
        endless_recursion<<<1, 32>>>(data);
    }
    else if (is("too_many_threads")) empty<<<1, 2048>>>();
    else if (is("no_blocks")) empty<<<0, 256>>>();
    else if (is("grid_y")) empty<<<dim3(1, 65536), 256>>>();
    else if (is("too_many_registers")) {
        cudaFuncAttributes attributes;
        cudaFuncGetAttributes(&attributes, many_registers<96>);
        snprintf(text, sizeof text, "%d registers a thread, at most %d threads a block", attributes.numRegs, attributes.maxThreadsPerBlock);
        many_registers<96><<<1, 1024>>>(floats(96 * 1024));
    }
    else if (is("too_much_shared")) dynamic_shared<<<1, 256, 64 * 1024>>>(floats(256));
    else if (is("shared_allowed")) {
        cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024);
        dynamic_shared<<<1, 256, 64 * 1024>>>(floats(256));
    }
    else if (is("too_large")) { void* data; cudaMalloc(&data, 1ull << 45); }
    else if (is("no_image")) empty<<<1, 32>>>();  // built for another architecture
    else if (is("spin")) spin<<<2, 32>>>((int*)floats(1));
    else if (is("none")) scale<<<4, 256>>>(floats(COUNT), COUNT);
    else { fprintf(stderr, "no bug of the name '%s'\n", name); return 2; }

    cudaError_t launch = cudaGetLastError();
    cudaError_t synchronized = cudaDeviceSynchronize();
    auto print = [](const char* what, cudaError_t error) {
        printf("  %-26s %d %s: %s\n", what, error, cudaGetErrorName(error), cudaGetErrorString(error));
    };
    printf("%s%s%s%s\n", name, *text ? ": " : "", text, result);
    print("after the launch", launch);
    print("after synchronizing", synchronized);
    void* pointer = nullptr;
    cudaError_t later = cudaMalloc(&pointer, 4096);
    print("cudaMalloc afterwards", later);
    if (later != cudaSuccess) {
        print("cudaDeviceReset", cudaDeviceReset());
        cudaGetLastError();
        print("cudaMalloc after the reset", cudaMalloc(&pointer, 4096));
    }
    _exit(launch || synchronized ? 1 : 0);
}
