// Print what CUTLASS's collective builder chooses for Hopper from a type and a tile: instruction, stages, layout in
// shared memory, schedule. Only types are asked, so no GPU is needed. With CUTLASS's include folder in $CUTLASS:
//   nvcc -std=c++17 -arch=sm_90a -I$CUTLASS cutlass_builder.cu -o cutlass_builder && ./cutlass_builder
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/version.h>

#include <cstdio>
#include <string>

template <class T> std::string name() {
  std::string s = __PRETTY_FUNCTION__;
  s = s.substr(s.find("T = ") + 4);
  for (const char* end : {"; std::string", "]"})
    if (auto p = s.find(end); p != std::string::npos) s = s.substr(0, p);
  return s;
}

template <class T, int M, int N, int K, class Schedule = cutlass::gemm::collective::KernelScheduleAuto>
void choose(const char* type) {
  using namespace cute;
  constexpr int kAlign = 16 / sizeof(T);
  using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, T, cutlass::layout::RowMajor, kAlign, T,
      cutlass::layout::ColumnMajor, kAlign, float, Shape<Int<M>, Int<N>, Int<K>>, Shape<_2, _1, _1>,
      cutlass::gemm::collective::StageCountAuto, Schedule>::CollectiveOp;
  using Policy = typename Mainloop::DispatchPolicy;
  std::string op = name<typename Mainloop::TiledMma::Atom::MMA_Op>(), layout = name<typename Mainloop::SmemLayoutAtomA>(),
              schedule = name<typename Policy::Schedule>();
  op = op.substr(op.find("MMA_"));
  op = op.substr(0, op.find('<'));
  layout = layout.substr(layout.find("Swizzle"));
  layout = layout.substr(0, layout.find('>') + 1);
  schedule = schedule.substr(schedule.rfind(':') + 1);
  std::printf("%-5s %3d x %3d x %3d | %-32s | %2d stages of %2d KiB | %-16s | %s\n", type, M, N, K, op.c_str(), int(Policy::Stages),
              int((M + N) * K * sizeof(T) / 1024), layout.c_str(), schedule.c_str());
}

int main() {
  std::printf("CUTLASS %d.%d.%d, nvcc %d.%d.%d\n", CUTLASS_MAJOR, CUTLASS_MINOR, CUTLASS_PATCH, __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__,
              __CUDACC_VER_BUILD__);
  using bf16 = cutlass::bfloat16_t;
  using e4m3 = cutlass::float_e4m3_t;
  choose<bf16, 128, 256, 64>("bf16");
  choose<bf16, 128, 128, 64>("bf16");
  choose<bf16, 64, 128, 64>("bf16");
  choose<bf16, 128, 128, 32>("bf16");
  choose<bf16, 128, 128, 16>("bf16");
  choose<float, 128, 128, 32>("tf32");
  choose<e4m3, 128, 128, 128>("e4m3");
  choose<e4m3, 128, 128, 128, cutlass::gemm::KernelTmaWarpSpecializedCooperativeFP8FastAccum>("e4m3");
}
