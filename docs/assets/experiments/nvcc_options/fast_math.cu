// Nine single-precision operations: the largest error against double, in units of the last place, and the time of 2^32 of them.
#include <algorithm>
#include <cfloat>
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>
enum { DIV, DIVBIG, SQRT, RSQRT, EXP, LOG, SIN, SINBIG, POW, COUNT };
const char *names[] = {"x / y", "1 / y, y from 2^126", "sqrtf(x)", "1 / sqrtf(x)", "expf(x)", "logf(x)", "sinf(x), |x| < 3", "sinf(x), |x| < 30000", "powf(x, 2.5)"};
template <int F> __device__ float f(float x) {  // x is in [1, 2)
  switch (F) {
    case DIV: return 1.7f / x;
    case DIVBIG: return 1.0f / (x * 0x1p126f);
    case SQRT: return sqrtf(x);
    case RSQRT: return 1.0f / sqrtf(x);
    case EXP: return expf((x - 1.5f) * 40.0f);
    case LOG: return logf(x);
    case SIN: return sinf((x - 1.5f) * 6.0f);
    case SINBIG: return sinf((x - 1.5f) * 60000.0f);
    default: return powf(x, 2.5f);
  }
}
template <int F> __device__ double exact(float x) {
  switch (F) {
    case DIV: return double(1.7f) / x;
    case DIVBIG: return 1.0 / (double(x) * 0x1p126);
    case SQRT: return sqrt(double(x));
    case RSQRT: return 1.0 / sqrt(double(x));
    case EXP: return exp(double((x - 1.5f) * 40.0f));
    case LOG: return log(double(x));
    case SIN: return sin(double((x - 1.5f) * 6.0f));
    case SINBIG: return sin(double((x - 1.5f) * 60000.0f));
    default: return pow(double(x), 2.5);
  }
}
__device__ float at(unsigned i) { return __uint_as_float(0x3f800000u | (i & 0x7fffffu)); }
template <int F> __global__ void error(unsigned *ulps, unsigned *absolute) {  // all 2^23 floats of [1, 2)
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float got = f<F>(at(i));
  double want = exact<F>(at(i)), difference = fabs(double(got) - want);
  int exponent = want == 0 ? -126 : max(ilogb(want), -126);
  atomicMax(ulps, __float_as_uint(float(difference / ldexp(1.0, exponent - 23))));
  atomicMax(absolute, __float_as_uint(float(difference)));
}
template <int F> __global__ void speed(float *out, unsigned rounds) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (unsigned r = 0; r < rounds; r++) sum += f<F>(at(i * 977 + r * 8191));
  out[i] = sum;
}
template <int F> void test(unsigned *ulps, float *out) {
  unsigned worst[2] = {0, 0};
  cudaMemcpy(ulps, worst, 8, cudaMemcpyHostToDevice);
  error<F><<<(1 << 23) / 256, 256>>>(ulps, ulps + 1);
  cudaMemcpy(worst, ulps, 8, cudaMemcpyDeviceToHost);
  cudaEvent_t a, b;
  cudaEventCreate(&a); cudaEventCreate(&b);
  std::vector<float> times;
  for (int i = 0; i < 9; i++) {
    cudaEventRecord(a);
    speed<F><<<4096, 256>>>(out, 4096);
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    float ms; cudaEventElapsedTime(&ms, a, b);
    if (i >= 2) times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  float ulp, absolute;
  memcpy(&ulp, worst, 4); memcpy(&absolute, worst + 1, 4);
  printf("  %-22s %12.1f ulp, %.1e absolute; %7.3f ms (%.3f to %.3f)\n", names[F], ulp, absolute, times[3], times[0], times[6]);
  if constexpr (F + 1 < COUNT) test<F + 1>(ulps, out);
}
int main() {
  unsigned *ulps; float *out;
  cudaMalloc(&ulps, 8);
  cudaMalloc(&out, 4096 * 256 * 4);
  test<0>(ulps, out);
  cudaError_t e = cudaGetLastError();
  if (e != cudaSuccess) printf("%s\n", cudaGetErrorString(e));
  return e != cudaSuccess;
}
