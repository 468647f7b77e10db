"""Make one mistake at a time in the wgmma kernels: does it hang, is the result wrong, or does nothing show?

Usage: python wgmma_mistakes.py DIRECTORY

Each mistake is one replacement in tensor_core_gemm.cu (a producer that loads by TMA, two consumers), or one macro of
wgmma_minimal.cu. A variant runs in a process of its own, which is ended after 20 seconds.
"""

import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).parent
FULL = "barrier_wait(f + 8 * s, step / kStages % 2);"
EMPTY = "barrier_wait(e + 8 * s, step / kStages % 2 ^ 1);"
BYTES = '"r"(kTileA + kTileB) : "memory"'
ARRIVALS = "mbarrier.init.shared::cta.b64 [%0], 2;"
BASE = "const uint32_t tiles = shared_address(shared), f"
SHARED = "const int bytes = kStages * (kTileA + kTileB);"
FENCE = 'asm volatile("wgmma.fence.sync.aligned;" ::: "memory");'
COMMIT = 'asm volatile("wgmma.commit_group.sync.aligned;\\nwgmma.wait_group.sync.aligned 0;" ::: "memory");'
ARRIVE = """    if (threadIdx.x % 128 == 0)
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(e + 8 * s) : "memory");"""
MISTAKES = {
    "as published": [],
    "consumer: parity inverted": [(FULL, FULL.replace("% 2", "% 2 ^ 1"))],
    "producer: parity inverted": [(EMPTY, EMPTY.replace(" ^ 1", ""))],
    "3 arrivals expected, 2 come": [(ARRIVALS, ARRIVALS.replace("2;", "3;"))],
    "1 arrival expected, 2 come": [(ARRIVALS, ARRIVALS.replace("2;", "1;"))],
    "16 bytes too many announced": [(BYTES, BYTES.replace("kTileB", "kTileB + 16"))],
    "16 bytes too few announced": [(BYTES, BYTES.replace("kTileB", "kTileB - 16"))],
    "only the bytes of A announced": [(BYTES, BYTES.replace(" + kTileB", ""))],
    "map without swizzle": [("CU_TENSOR_MAP_SWIZZLE_128B", "CU_TENSOR_MAP_SWIZZLE_NONE")],
    "map with the 64-byte swizzle": [("CU_TENSOR_MAP_SWIZZLE_128B", "CU_TENSOR_MAP_SWIZZLE_64B")],
    "descriptor with the 64-byte swizzle": [("uint64_t(1) << 62;", "uint64_t(2) << 62;")],
    "stride byte offset of 512": [("uint64_t(1024 >> 4) << 32", "uint64_t(512 >> 4) << 32")],
    "tiles at 128 bytes past 1,024": [(BASE, BASE.replace("(shared)", "(shared) + 128")), (SHARED, SHARED.replace("kTileB)", "kTileB) + 1024"))],
    "tiles at 16 bytes past 1,024": [(BASE, BASE.replace("(shared)", "(shared) + 16")), (SHARED, SHARED.replace("kTileB)", "kTileB) + 1024"))],
    "without wgmma.fence": [(FENCE, "")],
    "stage released before wait_group": [(COMMIT, COMMIT.replace("\\nwgmma.wait_group.sync.aligned 0;", "")), (ARRIVE, ARRIVE + '\n    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");')],
    "without the fences after mbarrier.init": [('asm volatile("fence.mbarrier_init.release.cluster;\\nfence.proxy.async;" ::: "memory");', "")],
}
MACROS = ["", "NO_SWIZZLE", "NO_PROXY_FENCE", "NO_WGMMA_FENCE", "NO_WAIT"]
RUN = r"""
import ctypes, sys, torch
library = ctypes.CDLL(sys.argv[1])
n = 4096
torch.manual_seed(0)
a = torch.randint(-8, 9, (n, n), device="cuda").bfloat16()
b = torch.randint(-8, 9, (n, n), device="cuda").bfloat16()
want = (a.double() @ b.double().T).float()
for _ in range(3):
    c = torch.full((n, n), float("nan"), device="cuda")
    pointers = [ctypes.c_void_p(t.data_ptr()) for t in (a, b, c)]
    status = library.wgmma(*pointers, n, n, n, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
    try:
        torch.cuda.synchronize()
        print(f"status {status}, {(c != want).double().mean().item():.2%} of the elements wrong;", end=" ")
    except Exception as error:
        print("error:", str(error).splitlines()[0], end=" ")
        break
"""
NVCC = ["nvcc", "-O3", "-std=c++17", "-gencode", "arch=compute_90a,code=sm_90a"]


def compiled(arguments):
    done = subprocess.run([*NVCC, *arguments], capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if "C75" in line or "error" in line]
    return f"nvcc exits with {done.returncode}" + "".join("; " + line for line in said[:2])


def ran(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    except subprocess.TimeoutExpired:
        return "hangs: ended after 20 seconds"
    return f"{done.stdout.strip()} (exit status {done.returncode})"


def main():
    directory = pathlib.Path(sys.argv[1])
    source = (HERE / "tensor_core_gemm.cu").read_text()
    jobs = {}
    for number, (name, replacements) in enumerate(MISTAKES.items()):
        text = source
        for old, new in replacements:
            assert text.count(old) == 1, (name, old, text.count(old))
            text = text.replace(old, new)
        file = directory / f"mistake_{number}.cu"
        file.write_text(text)
        jobs[name] = (["-shared", "-Xcompiler", "-fPIC", str(file), "-o", str(file.with_suffix(".so"))], [sys.executable, "-c", RUN, str(file.with_suffix(".so"))])
    for macro in MACROS:
        program = directory / f"minimal_{macro}"
        jobs[f"wgmma_minimal.cu {macro}"] = ([str(HERE / "wgmma_minimal.cu"), "-o", str(program), *([f"-D{macro}"] if macro else [])], [str(program)])
    with ThreadPoolExecutor(16) as pool:
        said = dict(zip(jobs, pool.map(compiled, [job[0] for job in jobs.values()]), strict=True))
    print(subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip())
    print(subprocess.run(["nvcc", "--version"], capture_output=True, text=True).stdout.strip().splitlines()[-2])
    for name, (_, command) in jobs.items():
        print(f"== {name}\n   {said[name]}\n   {ran(command)}", flush=True)


if __name__ == "__main__":
    main()
