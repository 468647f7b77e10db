// swiglu(a, b) = silu(a) * b and its gradient, each in one kernel, with PyTorch's stable ABI.
#include <cuda_runtime.h>
#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/macros.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/BFloat16.h>
#include <torch/headeronly/util/Half.h>

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace {
using torch::headeronly::ScalarType;
using torch::stable::Tensor;

template <typename T> struct Accumulate { using type = float; };
template <> struct Accumulate<double> { using type = double; };

template <typename T, int N> struct alignas(sizeof(T) * N) Pack { T value[N]; };

// Grid-stride loop over packs of N elements; the last n % N elements are taken one by one.
template <int N, typename F> __device__ void for_each_pack(int64_t n, F&& f) {
  const int64_t start = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = start; i < n / N; i += step) f(i * N, std::integral_constant<int, N>());
  for (int64_t i = n / N * N + start; i < n; i += step) f(i, std::integral_constant<int, 1>());
}

template <typename T, int N>
__global__ void forward_kernel(const T* a, const T* b, T* y, int64_t n) {
  using F = typename Accumulate<T>::type;
  for_each_pack<N>(n, [&](int64_t i, auto width) {
    using P = Pack<T, decltype(width)::value>;
    const P pa = *reinterpret_cast<const P*>(a + i), pb = *reinterpret_cast<const P*>(b + i);
    P out;
#pragma unroll
    for (int k = 0; k < decltype(width)::value; ++k) {
      const F x = F(pa.value[k]);
      out.value[k] = T(x / (F(1) + exp(-x)) * F(pb.value[k]));
    }
    *reinterpret_cast<P*>(y + i) = out;
  });
}

template <typename T, int N>
__global__ void backward_kernel(const T* dy, const T* a, const T* b, T* da, T* db, int64_t n) {
  using F = typename Accumulate<T>::type;
  for_each_pack<N>(n, [&](int64_t i, auto width) {
    using P = Pack<T, decltype(width)::value>;
    const P pg = *reinterpret_cast<const P*>(dy + i), pa = *reinterpret_cast<const P*>(a + i),
            pb = *reinterpret_cast<const P*>(b + i);
    P outa, outb;
#pragma unroll
    for (int k = 0; k < decltype(width)::value; ++k) {
      const F x = F(pa.value[k]), g = F(pg.value[k]), s = F(1) / (F(1) + exp(-x));
      outa.value[k] = T(g * F(pb.value[k]) * s * (F(1) + x * (F(1) - s)));
      outb.value[k] = T(g * x * s);
    }
    *reinterpret_cast<P*>(da + i) = outa;
    *reinterpret_cast<P*>(db + i) = outb;
  });
}

void check(const Tensor& t, const Tensor& like, const char* name) {
  STD_TORCH_CHECK(t.is_cuda(), "swiglu: ", name, " must be a CUDA tensor");
  STD_TORCH_CHECK(t.get_device_index() == like.get_device_index(), "swiglu: ", name, " is on another GPU");
  STD_TORCH_CHECK(t.scalar_type() == like.scalar_type(), "swiglu: ", name, " has another dtype");
  STD_TORCH_CHECK(t.sizes().equals(like.sizes()), "swiglu: ", name, " has another shape");
}

cudaStream_t current_stream(const Tensor& t) {
  void* stream = nullptr;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_cuda_stream(t.get_device_index(), &stream));
  return static_cast<cudaStream_t>(stream);
}

// Call f with a null pointer of the C++ type of `type`.
template <typename F> void dispatch(ScalarType type, F&& f) {
  switch (type) {
    case ScalarType::Float: return f(static_cast<float*>(nullptr));
    case ScalarType::Double: return f(static_cast<double*>(nullptr));
    case ScalarType::Half: return f(static_cast<torch::headeronly::Half*>(nullptr));
    case ScalarType::BFloat16: return f(static_cast<torch::headeronly::BFloat16*>(nullptr));
    default: STD_TORCH_CHECK(false, "swiglu: dtype must be float32, float64, float16 or bfloat16");
  }
}

bool aligned16(std::initializer_list<const Tensor*> tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [](const Tensor* t) {
    return reinterpret_cast<uintptr_t>(t->data_ptr()) % 16 == 0;
  });
}

unsigned blocks(int64_t items) {  // enough to fill any GPU; the loop does the rest
  return static_cast<unsigned>(std::min<int64_t>((items + 255) / 256, 132 * 16));
}

Tensor forward(const Tensor& a_, const Tensor& b_, bool vectorize) {
  check(a_, a_, "a");
  check(b_, a_, "b");
  const torch::stable::accelerator::DeviceGuard guard(a_.get_device_index());
  const Tensor a = torch::stable::contiguous(a_), b = torch::stable::contiguous(b_);
  Tensor y = torch::stable::empty_like(a);
  const int64_t n = a.numel();
  if (n == 0) return y;
  dispatch(a.scalar_type(), [&](auto* null) {
    using T = std::remove_pointer_t<decltype(null)>;
    constexpr int N = 16 / sizeof(T);
    auto* pa = static_cast<const T*>(a.data_ptr());
    auto* pb = static_cast<const T*>(b.data_ptr());
    auto* py = static_cast<T*>(y.data_ptr());
    if (vectorize && aligned16({&a, &b, &y}))
      forward_kernel<T, N><<<blocks((n + N - 1) / N), 256, 0, current_stream(a)>>>(pa, pb, py, n);
    else
      forward_kernel<T, 1><<<blocks(n), 256, 0, current_stream(a)>>>(pa, pb, py, n);
  });
  STD_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

std::tuple<Tensor, Tensor> backward(const Tensor& dy_, const Tensor& a_, const Tensor& b_) {
  check(dy_, a_, "grad");
  check(b_, a_, "b");
  const torch::stable::accelerator::DeviceGuard guard(a_.get_device_index());
  const Tensor dy = torch::stable::contiguous(dy_), a = torch::stable::contiguous(a_),
               b = torch::stable::contiguous(b_);
  Tensor da = torch::stable::empty_like(a), db = torch::stable::empty_like(a);
  const int64_t n = a.numel();
  if (n == 0) return {da, db};
  dispatch(a.scalar_type(), [&](auto* null) {
    using T = std::remove_pointer_t<decltype(null)>;
    constexpr int N = 16 / sizeof(T);
    auto launch = [&](auto kernel, int64_t items) {
      kernel<<<blocks(items), 256, 0, current_stream(a)>>>(
          static_cast<const T*>(dy.data_ptr()), static_cast<const T*>(a.data_ptr()),
          static_cast<const T*>(b.data_ptr()), static_cast<T*>(da.data_ptr()),
          static_cast<T*>(db.data_ptr()), n);
    };
    if (aligned16({&dy, &a, &b, &da, &db}))
      launch(backward_kernel<T, N>, (n + N - 1) / N);
    else
      launch(backward_kernel<T, 1>, n);
  });
  STD_CUDA_KERNEL_LAUNCH_CHECK();
  return {da, db};
}
}  // namespace

STABLE_TORCH_LIBRARY(swiglu, m) {
  m.def("forward(Tensor a, Tensor b, bool vectorize=True) -> Tensor");
  m.def("backward(Tensor grad, Tensor a, Tensor b) -> (Tensor, Tensor)");
}
STABLE_TORCH_LIBRARY_IMPL(swiglu, CUDA, m) {
  m.impl("forward", TORCH_BOX(&forward));
  m.impl("backward", TORCH_BOX(&backward));
}
