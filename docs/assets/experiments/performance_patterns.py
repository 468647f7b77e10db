"""Check and time the kernels of performance_patterns.cu beside PyTorch's; or run each once for ncu.

Usage: python performance_patterns.py LIBRARY.so [time | profile | table NCU.csv]
"""

import csv
import ctypes
import math
import statistics
import sys
import time

REPETITIONS = 7
MODE = sys.argv[2] if len(sys.argv) > 2 else "time"

if MODE == "table":  # no GPU needed
    with open(sys.argv[3], newline="") as file:
        rows = list(csv.reader(line for line in file if line.startswith('"')))
    head, records = rows[0], [dict(zip(rows[0], r)) for r in rows[1:] if r[0].strip()]

    def number(record, name, scale=1.0):
        text = record.get(name, "").replace(",", "")
        try:
            return float(text) * scale
        except ValueError:
            return math.nan

    print("kernel | grid | block | ms | occupancy: theoretical, achieved % | DRAM read, written MiB | DRAM % of peak"
          " | L1 hit %, L2 hit % | sectors a request: load, store | shared bank conflicts: load, store | issue slots % | tensor pipe %"
          " | stalls an issue: long scoreboard, barrier, MIO+short scoreboard")
    for r in records:
        ratio = [number(r, f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum") / (number(r, f"l1tex__t_requests_pipe_lsu_mem_global_op_{op}.sum") or math.nan) for op in ("ld", "st")]
        stall = {k: number(r, f"smsp__average_warps_issue_stalled_{k}_per_issue_active.ratio") for k in ("long_scoreboard", "barrier", "mio_throttle", "short_scoreboard")}
        print(" | ".join([
            r["Kernel Name"].split("(")[0].replace("void ", "")[:60], r.get("Grid Size", ""), r.get("Block Size", ""),
            f"{number(r, 'gpu__time_duration.sum', 1e-6):.3f}",
            f"{number(r, 'sm__maximum_warps_per_active_cycle_pct'):.1f}, {number(r, 'sm__warps_active.avg.pct_of_peak_sustained_active'):.1f}",
            f"{number(r, 'dram__bytes_read.sum', 2**-20):.0f}, {number(r, 'dram__bytes_write.sum', 2**-20):.0f}",
            f"{number(r, 'dram__throughput.avg.pct_of_peak_sustained_elapsed'):.1f}",
            f"{number(r, 'l1tex__t_sector_hit_rate.pct'):.1f}, {number(r, 'lts__t_sector_hit_rate.pct'):.1f}",
            f"{ratio[0]:.1f}, {ratio[1]:.1f}",
            f"{number(r, 'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum'):.0f}, {number(r, 'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum'):.0f}",
            f"{number(r, 'smsp__issue_active.avg.pct_of_peak_sustained_active'):.1f}",
            f"{number(r, 'sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active'):.1f}",
            f"{stall['long_scoreboard']:.2f}, {stall['barrier']:.2f}, {stall['mio_throttle'] + stall['short_scoreboard']:.2f}",
        ]))
    raise SystemExit

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

library = ctypes.CDLL(sys.argv[1])
DEVICE = "cuda"
BEST = {}  # best median of the copies, in TB/s; "roof" once all of them have run


def converted(value):
    if isinstance(value, torch.Tensor):
        return ctypes.c_void_p(value.data_ptr())
    if isinstance(value, float):
        return ctypes.c_float(value)
    return value if isinstance(value, ctypes._SimpleCData) else ctypes.c_int(value)


def size_t(value):
    return ctypes.c_size_t(value)


def launch(name, n, per_sm, *arguments):
    """Launch a kernel on the current stream with these arguments."""
    values = [converted(a) for a in arguments]
    pointers = (ctypes.c_void_p * len(values))(*(ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values))
    status = library.launch(name.encode(), size_t(n), ctypes.c_int(per_sm), pointers, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
    if status:
        raise RuntimeError(f"{name}: status {status}")


def occupancy(name, n):
    out = (ctypes.c_int * 5)()
    if status := library.describe(name.encode(), size_t(n), out):
        return f"status {status}"
    blocks, threads, registers, shared, local = out
    return f"{registers} registers, {shared} B shared, {blocks} blocks of {threads}: {blocks * threads / 2048:.1%}"


def milliseconds(function):
    """Median, minimum and maximum time of one call, over REPETITIONS blocks of calls."""
    def block(count):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(count):
            function()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / count
    function()
    inner = max(1, min(50, int(8 / block(1))))
    times = [block(inner) for _ in range(REPETITIONS)]
    return statistics.median(times), min(times), max(times)


def section(title, unit):
    if MODE == "time":
        print(f"== {title}")
        print(f"  {'variant':34} median ms     min     max   {unit:>9}  % of roof  check     occupancy by the runtime (blocks an SM can hold)", flush=True)


def case(label, function, work, check=None, kernel=None, n=0, flops=False, roof=None):
    """Run one variant: check it once, then time it. `work` is bytes that must move, or FLOP."""
    try:
        if MODE == "profile":
            function()
            torch.cuda.synchronize()
            print(f"profile: {label}", flush=True)
            torch.cuda.profiler.start()
            function()
            torch.cuda.synchronize()
            torch.cuda.profiler.stop()
            return
        checked = check() if check else ""
        median, low, high = milliseconds(function)
        rate = work / median / 1e9  # TFLOP/s or TB/s
        if "roof" not in BEST:
            BEST["copy"] = max(BEST.get("copy", 0), rate)
        top = roof or (None if flops else BEST.get("roof"))
        share = f"{rate / top:10.1%}" if top else " " * 10
        print(f"  {label:34} {median:9.4f} {low:7.4f} {high:7.4f}   {rate:9.3f} {share}  {checked:9} {occupancy(kernel, n) if kernel else ''}", flush=True)
    except Exception as problem:  # a failure must not lose the rest
        print(f"  {label:34} failed: {type(problem).__name__}: {str(problem)[:200]}", flush=True)


def error(result, exact):
    """Largest error relative to the largest value, against float64."""
    return f"{((result.double() - exact).abs().max() / exact.abs().max()).item():.1e}"


def copies():
    n = 2**27  # 512 MiB in, 512 MiB out
    a, b = torch.rand(n, device=DEVICE), torch.empty(n, device=DEVICE)
    section("1. Copy of 2^27 float32: the roof is the best of these", "TB/s")

    def run(label, name, count, per_sm, gap=1):
        def check():
            b.fill_(float("nan"))
            launch(name, n, per_sm, a, b, size_t(count))
            expected = a.view(-1, 32, gap).transpose(1, 2).reshape(-1)  # round by round
            return "equal" if torch.equal(expected, b) else "DIFFERENT"
        case(label, lambda: launch(name, n, per_sm, a, b, size_t(count)), 8 * n, check, name, n)

    case("Tensor.copy_", lambda: b.copy_(a), 8 * n)
    run("copy_one, 4 B a thread", "copy_one", n, 0)
    run("copy_one4, 16 B a thread", "copy_one4", n // 4, 0)
    for per_sm in (1, 8):
        run(f"copy_stride, {per_sm} blocks an SM", "copy_stride", n, per_sm)
    for per_sm in (1, 2, 4, 8):
        run(f"copy_stride4, {per_sm} blocks an SM", "copy_stride4", n // 4, per_sm)
    for gap in (1, 2, 8, 32):
        run(f"copy_gap_{gap}, lanes {4 * gap} B apart", f"copy_gap_{gap}", n, 0, gap)
    BEST["roof"] = BEST.get("copy")
    if MODE == "time":
        for name in ("copy_gap_1", "copy_gap_32"):  # one launch at a time, as ncu does
            times = []
            for _ in range(REPETITIONS):
                start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                torch.cuda.synchronize()
                start.record()
                launch(name, n, 0, a, b, size_t(n))
                end.record()
                end.synchronize()
                times.append(start.elapsed_time(end))
            print(f"  {name + ', one at a time':34} {statistics.median(times):9.4f} {min(times):7.4f} {max(times):7.4f}")
        print(f"  roof: {BEST['roof']:.3f} TB/s")


def fusion():
    rows, columns = 16384, 4096
    x, residual = (torch.randn(rows, columns, device=DEVICE).bfloat16() for _ in range(2))
    bias = torch.randn(columns, device=DEVICE).bfloat16()
    y = torch.empty_like(x)
    section("2. gelu(x + bias) + residual, bfloat16, 16384 x 4096; must move 3 x 128 MiB", "TB/s")
    exact = (F.gelu(x.double() + bias.double()) + residual.double()) if MODE == "time" else None
    work = 3 * x.numel() * 2

    def eager():
        return F.gelu(x + bias) + residual
    case("PyTorch, eager", eager, work, lambda: error(eager(), exact))
    if MODE == "time":
        compiled = torch.compile(eager)
        began = time.perf_counter()
        compiled()
        print(f"  (torch.compile: first call {time.perf_counter() - began:.1f} s)")
        case("torch.compile", compiled, work, lambda: error(compiled(), exact))
    for name, n, per_sm, last in (("bias_gelu_residual", x.numel(), 8, (x.numel(), columns)),
                                  ("bias_gelu_residual8_struct", x.numel() // 8, 8, (x.numel() // 8, columns // 8)),
                                  ("bias_gelu_residual8", x.numel() // 8, 8, (x.numel() // 8, columns // 8)),
                                  ("fused", x.numel() // 8, 8, (x.numel() // 8, columns // 8)),
                                  ("fused_once", x.numel() // 8, 0, (x.numel() // 8, columns // 8))):
        def check(name=name, n=n, per_sm=per_sm, last=last):
            y.fill_(float("nan"))
            launch(name, n, per_sm, x, bias, residual, y, *last)
            return error(y, exact)
        case(name, lambda name=name, n=n, per_sm=per_sm, last=last: launch(name, n, per_sm, x, bias, residual, y, *last), work, check, name, n)
    del exact

    weight = torch.randn(columns, device=DEVICE).bfloat16()
    section("3. residual += x; y = rms_norm(residual) * weight, bfloat16, 16384 x 4096; must move 4 x 128 MiB", "TB/s")
    total = (x + residual).double()
    exact = total * torch.rsqrt(total.square().mean(1, keepdim=True) + 1e-6) * weight.double() if MODE == "time" else None
    del total
    work = 4 * x.numel() * 2

    def written_out(x, r):  # as models write it
        r = x + r
        wide = r.float()
        return r, (wide * torch.rsqrt(wide.square().mean(1, keepdim=True) + 1e-6)).to(r.dtype) * weight

    def library_norm(x, r):
        r = x + r
        return r, F.rms_norm(r, (columns,), weight, 1e-6)
    variants = [("PyTorch, written out", written_out), ("x + r, F.rms_norm", library_norm)]
    if MODE == "time":
        variants += [("torch.compile, written out", torch.compile(written_out)), ("torch.compile, F.rms_norm", torch.compile(library_norm))]
    for label, function in variants:
        case(label, lambda function=function: function(x, residual), work, lambda function=function: error(function(x, residual)[1], exact))
    for name, last in (("rms_tree", (columns, 1e-6)), ("rms_registers", (1e-6,))):
        r = residual.clone()
        def check(name=name, last=last, r=r):
            y.fill_(float("nan"))
            launch(name, rows, 0, x, r, weight, y, *last)
            same = torch.equal(r, x + residual)
            return error(y, exact) + ("" if same else " residual DIFFERENT")
        case(name, lambda name=name, last=last, r=r: launch(name, rows, 0, x, r, weight, y, *last), work, check, name, rows)


def sums():
    n = 2**27
    a, out = torch.rand(n, device=DEVICE), torch.zeros((), device=DEVICE)
    exact = a.double().sum()
    section(f"4. Sum of 2^27 float32 in [0, 1): {exact.item():.1f}; must read 512 MiB", "TB/s")
    case("torch.sum", lambda: a.sum(), 4 * n, lambda: error(a.sum(), exact))
    for name, count, per_sm in (("sum_atomic", n, 0), ("sum_tree", n, 0), ("sum_shuffle", n // 4, 8)):
        def check(name=name, count=count, per_sm=per_sm):
            out.zero_()
            launch(name, n, per_sm, a, out, size_t(count))
            return error(out, exact)
        case(name, lambda name=name, count=count, per_sm=per_sm: launch(name, n, per_sm, a, out, size_t(count)), 4 * n, check, name, n)


def transposes():
    size = 8192
    a, b = torch.rand(size, size, device=DEVICE), torch.empty(size, size, device=DEVICE)
    section("5. Transpose of 8192 x 8192 float32; must move 512 MiB", "TB/s")
    case("Tensor.copy_, same layout", lambda: b.copy_(a), 8 * size * size)
    case("b.copy_(a.T)", lambda: b.copy_(a.T), 8 * size * size)
    for name in ("transpose_naive", "transpose_tiled", "transpose_padded", "transpose_swizzled"):
        def check(name=name):
            b.fill_(float("nan"))
            launch(name, size, 0, a, b, size)
            return "equal" if torch.equal(b, a.T) else "DIFFERENT"
        case(name, lambda name=name: launch(name, size, 0, a, b, size), 8 * size * size, check, name, size)


def sgemm():
    size = 4096
    a, b = (torch.randn(size, size, device=DEVICE) for _ in range(2))
    c = torch.empty_like(a)
    section("6. C = A B, float32, 4096: 137 GFLOP; roof: cuBLAS", "TFLOP/s")
    exact = a.double() @ b.double() if MODE == "time" else None
    torch.backends.cuda.matmul.fp32_precision = "ieee"
    work = 2 * size**3
    top = None
    if MODE == "time":
        top = work / milliseconds(lambda: torch.mm(a, b))[0] / 1e9
    case("torch.mm, ieee", lambda: torch.mm(a, b), work, lambda: error(torch.mm(a, b), exact), flops=True, roof=top)
    for name in ("sgemm_naive", "sgemm_tiled", "sgemm_registers"):
        def check(name=name):
            c.fill_(float("nan"))
            launch(name, size, 0, a, b, c, size)
            return error(c, exact)
        case(name, lambda name=name: launch(name, size, 0, a, b, c, size), work, check, name, size, flops=True, roof=top)


def tensor_cores():
    size = 4096
    a, b = (torch.randn(size, size, device=DEVICE).bfloat16() for _ in range(2))
    c = torch.empty(size, size, device=DEVICE)
    section("7. C = A B^T, bfloat16, float32 result, 4096; roof: cuBLAS", "TFLOP/s")
    exact = a.double() @ b.double().T if MODE == "time" else None
    work = 2 * size**3
    top = work / milliseconds(lambda: torch.mm(a, b.T, out_dtype=torch.float32))[0] / 1e9 if MODE == "time" else None
    case("torch.mm, out_dtype float32", lambda: torch.mm(a, b.T, out_dtype=torch.float32), work, lambda: error(torch.mm(a, b.T, out_dtype=torch.float32), exact), flops=True, roof=top)
    for name in ("wmma_staged_0", "wmma_staged_1", "wmma_staged_2", "wmma_staged_3", "wmma_staged_4",
                 "wmma_staged_0_64x64", "wmma_staged_3_64x64", "wmma_staged_3_64x64_k64",
                 "wmma_staged_0_named", "wmma_staged_1_named", "wmma_staged_2_named", "wmma_staged_3_named", "wmma_staged_4_named",
                 "wmma_staged_1_64x64_named", "wmma_staged_2_64x64_named", "wmma_staged_3_64x64_named", "wmma_staged_3_64x64_k64_named"):
        def check(name=name):
            c.fill_(float("nan"))
            launch(name, size, 0, a, b, c, size, size, size)
            return error(c, exact)
        case(name, lambda name=name: launch(name, size, 0, a, b, c, size, size, size), work, check, name, size, flops=True, roof=top)


def in_flight():
    n = 2**27
    a, b = torch.rand(n, device=DEVICE), torch.empty(n, device=DEVICE)
    section("9. y = 2 x, 2^27 float32, 256 threads a block: bytes in flight decide", "TB/s")
    case("torch.mul(a, 2, out=b)", lambda: torch.mul(a, 2, out=b), 8 * n)
    for name, counts in (("scale_plain", (1, 2, 4, 8)), ("scale_unrolled_4", (1, 2, 4, 8)), ("scale_unrolled_8", (1, 2, 4)),
                         ("scale_cp_async", (1, 2, 3)), ("scale_pipeline", (1, 2, 3)), ("scale_bulk", (1, 2, 3))):
        for per_sm in counts:
            def check(name=name, per_sm=per_sm):
                b.fill_(float("nan"))
                launch(name, n, per_sm, a, b, size_t(n // 4))
                return "equal" if torch.equal(b, 2 * a) else "DIFFERENT"
            case(f"{name}, {per_sm} blocks an SM", lambda name=name, per_sm=per_sm: launch(name, n, per_sm, a, b, size_t(n // 4)), 8 * n, check, name, n)


def streams():
    if MODE != "time":
        return
    n = 2**26  # 256 MiB
    pageable = torch.rand(n)
    pinned = pageable.pin_memory()
    back_pageable, back_pinned = torch.empty(n), torch.empty(n, pin_memory=True)
    buffer = torch.empty(n, device=DEVICE)

    def wall(function, repetitions=REPETITIONS):
        function()
        times = []
        for _ in range(repetitions):
            torch.cuda.synchronize()
            began = time.perf_counter()
            function()
            torch.cuda.synchronize()
            times.append((time.perf_counter() - began) * 1000)
        return statistics.median(times), min(times), max(times)

    print("== 8. 256 MiB to the GPU, a kernel, and back; wall clock; 5 repetitions where pageable, else 21")
    print("  variant                                    median ms     min     max")

    def show(label, function, after=None):
        try:
            median, low, high = wall(function, 5 if "pageable" in label else 21)
            print(f"  {label:42} {median:9.3f} {low:7.3f} {high:7.3f}  {after() if after else ''}", flush=True)
            return median
        except Exception as problem:
            print(f"  {label:42} failed: {type(problem).__name__}: {str(problem)[:200]}", flush=True)
            return 10.0

    show("to the GPU, pageable", lambda: buffer.copy_(pageable, non_blocking=True))
    there = show("to the GPU, pinned", lambda: buffer.copy_(pinned, non_blocking=True))
    show("back, pageable", lambda: back_pageable.copy_(buffer, non_blocking=True))
    show("back, pinned", lambda: back_pinned.copy_(buffer, non_blocking=True))
    once = wall(lambda: launch("busy", n, 8, buffer, size_t(n), 1024))[0]
    rounds = max(1, int(1024 * there / once))
    show(f"the kernel, {rounds} rounds", lambda: launch("busy", n, 8, buffer, size_t(n), rounds))
    factor = 0.999**rounds
    exact = pageable[::61].double() * factor + 0.001 * (1 - factor) / (1 - 0.999)

    def one_stream(source, target):
        buffer.copy_(source, non_blocking=True)
        launch("busy", n, 8, buffer, size_t(n), rounds)
        target.copy_(buffer, non_blocking=True)

    def many(count, source, target, pieces=16):
        pool = [torch.cuda.Stream() for _ in range(count)]
        step = n // pieces

        def run():
            for i in range(pieces):
                part = slice(i * step, (i + 1) * step)
                with torch.cuda.stream(pool[i % count]):
                    buffer[part].copy_(source[part], non_blocking=True)
                    launch("busy", step, 8, buffer[part], size_t(step), rounds)
                    target[part].copy_(buffer[part], non_blocking=True)
        return run

    def check(target):
        def verdict():
            value = ((target[::61].double() - exact).abs().max() / exact.abs().max()).item()
            target.fill_(float("nan"))
            return f"largest error {value:.1e}"
        return verdict
    show("pageable, one stream", lambda: one_stream(pageable, back_pageable), check(back_pageable))
    show("pageable, 16 pieces, 4 streams", many(4, pageable, back_pageable), check(back_pageable))
    show("pinned, one stream", lambda: one_stream(pinned, back_pinned), check(back_pinned))
    for pieces, count in ((16, 1), (16, 2), (16, 3), (16, 4), (16, 8), (4, 4), (64, 4)):
        show(f"pinned, {pieces} pieces, {count} streams", many(count, pinned, back_pinned, pieces), check(back_pinned))


if __name__ == "__main__":
    properties = torch.cuda.get_device_properties(0)
    print(f"torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name()}, {properties.multi_processor_count} SMs, L2 {properties.L2_cache_size / 2**20:.0f} MiB; {REPETITIONS} repetitions")
    torch.manual_seed(0)
    for part in (copies, fusion, sums, transposes, sgemm, tensor_cores, streams, in_flight):
        try:
            part()
        except Exception as problem:
            print(f"{part.__name__} failed: {type(problem).__name__}: {str(problem)[:300]}", flush=True)
        torch.cuda.empty_cache()
