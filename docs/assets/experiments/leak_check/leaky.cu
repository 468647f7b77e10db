// An extension that keeps a cudaMalloc of its own: PyTorch's counters don't see it.
#include <cuda_runtime.h>
#include <torch/library.h>
#include <ATen/ATen.h>

__global__ void scale_kernel(const float *in, float *scratch, float *out, long count) {
    long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
    if (i < count) {
        scratch[i] = in[i] * 2.0f;
        out[i] = scratch[i] + 1.0f;
    }
}

at::Tensor leaky_scale(const at::Tensor &in) {
    at::Tensor out = at::empty_like(in);
    float *scratch = nullptr;
    cudaMalloc(&scratch, in.numel() * sizeof(float));  // the leak: no cudaFree
    scale_kernel<<<static_cast<unsigned>((in.numel() + 255) / 256), 256>>>(in.data_ptr<float>(), scratch,
                                                                          out.data_ptr<float>(), in.numel());
    return out;
}

at::Tensor good_scale(const at::Tensor &in) {
    at::Tensor out = at::empty_like(in);
    at::Tensor scratch = at::empty_like(in);  // PyTorch's allocator: counted, cached, freed
    scale_kernel<<<static_cast<unsigned>((in.numel() + 255) / 256), 256>>>(
        in.data_ptr<float>(), scratch.data_ptr<float>(), out.data_ptr<float>(), in.numel());
    return out;
}

TORCH_LIBRARY(leaky, m) {
    m.def("scale(Tensor x) -> Tensor", &leaky_scale);
    m.def("good_scale(Tensor x) -> Tensor", &good_scale);
}
