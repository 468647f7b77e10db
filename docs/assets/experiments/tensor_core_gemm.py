"""Run the kernels of tensor_core_gemm.cu against PyTorch: layout, error and throughput.

Usage: python tensor_core_gemm.py LIBRARY.so [profile KERNEL]
"""

import ctypes
import statistics
import sys

import torch

library = ctypes.CDLL(sys.argv[1])
KERNELS = ["naive", "wmma_simple", "wmma_shared", "mma_sync_4", "mma_sync_8", "wgmma"]
REPETITIONS = 7


def call(name, *arguments):
    """Launch a kernel on the current stream; tensors are passed as pointers."""
    converted = [
        ctypes.c_void_p(a.data_ptr()) if isinstance(a, torch.Tensor) else ctypes.c_int(a)
        for a in arguments
    ]
    status = getattr(library, name)(*converted, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
    if status:
        raise RuntimeError(f"{name}: status {status}")


def gemm(name, a, b, c):
    call(name, a, b, c, a.shape[0], b.shape[0], a.shape[1])
    return c


def microseconds(function, inner):
    """Median, minimum and maximum time of one call, in µs, over REPETITIONS blocks of `inner` calls."""
    for _ in range(max(1, inner // 2)):
        function()
    times = []
    for _ in range(REPETITIONS):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(inner):
            function()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1000 / inner)
    return statistics.median(times), min(times), max(times)


def layouts():
    print("== ldmatrix.x4 of the 16 x 16 tile whose element (r, c) is 16 r + c: (row, column) a lane holds")
    tile = torch.arange(256, dtype=torch.int16, device="cuda")
    got = torch.zeros(32, 8, dtype=torch.int16, device="cuda")
    call("ldmatrix_x4_values", tile, got)
    for lane in (0, 1, 4, 5, 31):
        print(f"  lane {lane:2}:", " ".join(f"r{i // 2}.{'lh'[i % 2]}=({v // 16},{v % 16})" for i, v in enumerate(got[lane].tolist())))
    expected = torch.tensor(
        [[(lane // 4 + 8 * (r % 2)) * 16 + lane % 4 * 2 + 8 * (r // 2) + h for r in range(4) for h in range(2)] for lane in range(32)],
        dtype=torch.int16, device="cuda")
    print("  all 32 lanes as the fragment of A in the PTX ISA asks:", torch.equal(got, expected))
    a = torch.randint(-8, 9, (16, 16), device="cuda").bfloat16()
    b = torch.randint(-8, 9, (8, 16), device="cuda").bfloat16()
    c = torch.empty(16, 8, device="cuda")
    call("one_mma", a, b, c)
    print("  one mma.sync.m16n8k16 of small integers equals the exact product:", torch.equal(c.double(), a.double() @ b.double().T))


def table(size, names):
    generator = torch.Generator("cuda").manual_seed(0)
    a = torch.randn(size, size, device="cuda", generator=generator).bfloat16()
    b = torch.randn(size, size, device="cuda", generator=generator).bfloat16()
    exact = a.double() @ b.double().T
    scale = exact.abs().mean()
    print(f"== C = A B^T, M = N = K = {size}, bfloat16 operands, randn; {REPETITIONS} repetitions; error against float64, mean |C| {scale:.2f}")
    print("  kernel                                   median TFLOP/s   min    max     median µs   max |error|  mean |error| / mean |C|")
    c = torch.empty(size, size, device="cuda")
    # float32 products of the same values, for the precision table
    af, bf = a.float(), b.float()

    def show(name, function, inner):
        function()
        result = function()
        error = (result.double() - exact).abs()
        median, low, high = microseconds(function, inner)
        rate = 2 * size**3 / 1e6
        print(f"  {name:40} {rate / median:14.1f} {rate / high:7.1f} {rate / low:6.1f} {median:12.1f}   {error.max():.3e}    {error.mean() / scale:.3e}", flush=True)

    for name in names:
        c.fill_(float("nan"))
        try:
            show(name, lambda name=name: gemm(name, a, b, c), {"naive": 1, "wmma_simple": 2}.get(name, 20))
        except RuntimeError as problem:
            print(f"  {name:40} failed: {problem}", flush=True)
    show("torch.mm(A, B.T), bfloat16 result", lambda: torch.mm(a, b.T), 20)
    show("torch.mm(..., out_dtype=torch.float32)", lambda: torch.mm(a, b.T, out_dtype=torch.float32), 20)
    torch.backends.cuda.matmul.fp32_precision = "ieee"
    show("torch.mm of float32, fp32_precision=ieee", lambda: torch.mm(af, bf.T), 5)
    torch.backends.cuda.matmul.fp32_precision = "tf32"
    show("torch.mm of float32, fp32_precision=tf32", lambda: torch.mm(af, bf.T), 10)


def formats(size=4096):
    """Error of one product by operand type, against float64 of the same float32 numbers."""
    generator = torch.Generator("cuda").manual_seed(1)
    a = torch.randn(size, size, device="cuda", generator=generator)
    b = torch.randn(size, size, device="cuda", generator=generator)
    exact = a.double() @ b.double().T
    scale = exact.abs().mean()
    print(f"== the same float32 matrices rounded to each operand type, K = {size}: mean |error| / mean |C| against float64")

    def show(name, result):
        print(f"  {name:34} {(result.double() - exact).abs().mean() / scale:.3e}")

    torch.backends.cuda.matmul.fp32_precision = "ieee"
    show("float32, ieee", a @ b.T)
    torch.backends.cuda.matmul.fp32_precision = "tf32"
    show("float32, tf32", a @ b.T)
    show("float16, float32 result", torch.mm(a.half(), b.half().T, out_dtype=torch.float32))
    show("bfloat16, float32 result", torch.mm(a.bfloat16(), b.bfloat16().T, out_dtype=torch.float32))
    show("bfloat16, bfloat16 result", a.bfloat16() @ b.bfloat16().T)
    one = torch.ones((), device="cuda")
    for dtype in (torch.float8_e4m3fn,):
        show(f"{dtype}, scale 1, bf16 result", torch._scaled_mm(a.to(dtype), b.to(dtype).T, one, one, out_dtype=torch.bfloat16))


if __name__ == "__main__":
    if len(sys.argv) > 2:  # one launch, for ncu
        a = torch.randn(4096, 4096, device="cuda").bfloat16()
        c = torch.empty(4096, 4096, device="cuda")
        gemm(sys.argv[3], a, a, c)
        torch.cuda.synchronize()
        raise SystemExit
    print(f"torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name()}, {torch.cuda.get_device_properties(0).multi_processor_count} SMs")
    layouts()
    table(4096, KERNELS)
    table(8192, KERNELS[2:])
    formats()
