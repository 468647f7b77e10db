"""Convert RGB to CIELAB in one kernel compiled at run time, and time both the compiler and the kernel.

Usage: TORCH_EXTENSIONS_DIR=folder python load_inline_lab.py [build | build-slim | race]
"""

import statistics
import sys
import time

import torch
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <cuda_runtime.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

__device__ float lab_f(float t) { return t > 216.f / 24389 ? cbrtf(t) : t * (841.f / 108) + 4.f / 29; }

// sRGB bytes, N x H x W x 3, to CIELAB (D65) as float32, N x 3 x H x W. One thread a pixel.
__global__ void lab_kernel(const uint8_t* rgb, float* lab, int64_t pixels, int64_t plane) {
  __shared__ float linear[256];  // a byte has 256 values: take the power once for each
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    const float c = i / 255.f;
    linear[i] = c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
  }
  __syncthreads();
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < pixels; i += int64_t(gridDim.x) * blockDim.x) {
    const float r = linear[rgb[3 * i]], g = linear[rgb[3 * i + 1]], b = linear[rgb[3 * i + 2]];
    const float x = lab_f((0.4124564f * r + 0.3575761f * g + 0.1804375f * b) / 0.95047f);
    const float y = lab_f(0.2126729f * r + 0.7151522f * g + 0.0721750f * b);
    const float z = lab_f((0.0193339f * r + 0.1191920f * g + 0.9503041f * b) / 1.08883f);
    float* out = lab + i / plane * 3 * plane + i % plane;
    out[0] = 116 * y - 16;
    out[plane] = 500 * (x - y);
    out[2 * plane] = 200 * (y - z);
  }
}

at::Tensor rgb_to_lab(const at::Tensor& rgb, bool current_stream) {
  TORCH_CHECK(rgb.is_cuda() && rgb.scalar_type() == at::kByte && rgb.dim() == 4 && rgb.size(3) == 3,
              "rgb_to_lab: expected a CUDA tensor of bytes, N x H x W x 3");
  const c10::cuda::CUDAGuard guard(rgb.device());
  const at::Tensor in = rgb.contiguous();
  const int64_t plane = in.size(1) * in.size(2), pixels = in.size(0) * plane;
  at::Tensor lab = at::empty({in.size(0), 3, in.size(1), in.size(2)}, in.options().dtype(at::kFloat));
  if (pixels == 0) return lab;
  const cudaStream_t stream = current_stream ? c10::cuda::getCurrentCUDAStream().stream() : nullptr;  // nullptr: the mistake
  const int blocks = std::min<int64_t>((pixels + 255) / 256, 132 * 16);
  lab_kernel<<<blocks, 256, 0, stream>>>(in.const_data_ptr<uint8_t>(), lab.mutable_data_ptr<float>(), pixels, plane);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return lab;
}
"""
SLIM = """
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
"""
DECLARATION = "at::Tensor rgb_to_lab(const at::Tensor& rgb, bool current_stream);"


def build(slim=True):
    begun = time.perf_counter()
    if slim:  # without torch/extension.h, which includes nearly all of PyTorch
        module = load_inline(
            "lab_slim", cpp_sources="#include <torch/csrc/Exceptions.h>\n#include <torch/csrc/utils/pybind.h>\n" + DECLARATION, cuda_sources=SLIM + CUDA,
            functions=["rgb_to_lab"], extra_cuda_cflags=["-O3"], no_implicit_headers=True)
    else:
        module = load_inline("lab", cpp_sources=DECLARATION, cuda_sources=CUDA, functions=["rgb_to_lab"], extra_cuda_cflags=["-O3"])
    print(f"load_inline, {'own includes' if slim else 'implicit headers'}: {time.perf_counter() - begun:.2f} s", flush=True)
    return module


def reference(rgb):
    c = rgb / 255
    c = torch.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    matrix = torch.tensor([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]],
                          dtype=c.dtype, device=c.device)
    white = torch.tensor([0.95047, 1.0, 1.08883], dtype=c.dtype, device=c.device)
    t = (c.unsqueeze(-2) * matrix).sum(-1) / white
    f = torch.where(t > 216 / 24389, t.clamp_min(1e-9) ** (1 / 3), t * (841 / 108) + 4 / 29)
    x, y, z = f.unbind(-1)
    return torch.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], 1)


def microseconds(function, inner=20, repetitions=7):
    for _ in range(5):
        function()
    times = []
    for _ in range(repetitions):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(inner):
            function()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1000 / inner)
    return f"{statistics.median(times):10.1f} {min(times):8.1f} {max(times):8.1f}"


def race(module):
    """A kernel on the default stream does not wait for the current stream."""
    black = module.rgb_to_lab(torch.zeros(1, 64, 64, 3, dtype=torch.uint8, device="cuda"), True)
    wrong = {True: 0, False: 0}
    for current in (True, False):
        for _ in range(20):
            image = torch.zeros(1, 64, 64, 3, dtype=torch.uint8, device="cuda")
            torch.cuda.synchronize()
            with torch.cuda.stream(torch.cuda.Stream()):
                torch.cuda._sleep(20_000_000)  # about 10 ms of work before the image is ready
                image.fill_(255)
                lab = module.rgb_to_lab(image, current)
            torch.cuda.synchronize()
            wrong[current] += torch.equal(lab, black)
    print(f"race: 20 calls on a side stream; results of the black image that was there before: current stream {wrong[True]}, default stream {wrong[False]}")


if __name__ == "__main__":
    mode = sys.argv[1] if len(sys.argv) > 1 else "all"
    module = build(slim=mode != "build")
    if mode.startswith("build"):
        raise SystemExit
    print(f"torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name()}")
    colours = torch.tensor([[255, 255, 255], [255, 0, 0], [0, 255, 0], [0, 0, 255], [128, 128, 128]], dtype=torch.uint8, device="cuda").view(1, 1, 5, 3)
    print("white, red, green, blue, grey:", [[round(v, 2) for v in p] for p in module.rgb_to_lab(colours, True)[0, :, 0].T.tolist()])
    rgb = torch.randint(0, 256, (64, 448, 448, 3), dtype=torch.uint8, device="cuda")
    exact = reference(rgb[:8].double())
    print(f"largest difference from float64: kernel {(module.rgb_to_lab(rgb[:8], True) - exact).abs().max():.2e}, eager {(reference(rgb[:8].float()) - exact).abs().max():.2e}")
    compiled = torch.compile(lambda image: reference(image.float()))
    print("64 images of 448 x 448; 7 repetitions of 20 calls (eager: 3)       median µs     min      max")
    print("  eager          ", microseconds(lambda: reference(rgb.float()), 3))
    print("  torch.compile  ", microseconds(lambda: compiled(rgb)))
    print("  kernel         ", microseconds(lambda: module.rgb_to_lab(rgb, True)))
    moved = rgb.numel() * 5
    print(f"  ({moved / 2**20:.0f} MiB read and written)")
    race(module)
