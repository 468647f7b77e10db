"""Compare the functions, and the fields of cudaDeviceProp, in the headers of two CUDA wheels.

pip download --no-deps nvidia-cuda-runtime-cu12==12.8.90 nvidia-cuda-runtime==13.0.96   # and unpack each
python cuda_headers.py nvidia_cuda_runtime_cu12-12.8.90 nvidia_cuda_runtime-13.0.96
"""

import re
import sys
from pathlib import Path

FUNCTION = re.compile(r"(?:cudaError_t|CUresult)\s+(?:CUDARTAPI(?:_CDECL)?|CUDAAPI)\s+(\w+)\s*\((.*?)\)\s*;", re.S)


def header(folder: str, name: str) -> str:
    """Return a header without its comments."""
    (path,) = Path(folder).rglob(name)
    return re.sub(r"/\*.*?\*/", "", path.read_text(errors="replace"), flags=re.S)


def functions(folder: str, name: str) -> dict[str, str]:
    """Return the parameters of each function, as it is declared first."""
    found = {}
    for match in FUNCTION.finditer(header(folder, name)):
        found.setdefault(match[1], re.sub(r"\s|__dv\([^)]*\)", "", match[2]))
    return found


def fields(folder: str) -> set[str]:
    """Return the names of the fields of cudaDeviceProp."""
    body = re.search(r"struct __device_builtin__ cudaDeviceProp\s*\{(.*?)\n\};", header(folder, "driver_types.h"), re.S)
    return set(re.findall(r"(\w+)(?:\[\w+\])?;", body[1]))


old, new = sys.argv[1:]
print(f"{Path(old).name} -> {Path(new).name}")
for name in ("cuda_runtime_api.h", "cuda.h"):
    before, after = functions(old, name), functions(new, name)
    gone = sorted(before.keys() - after.keys())
    print(f"\n{name}: {len(before)} functions, then {len(after)}")
    print("  gone:", *gone, sep="\n    ")
    print(
        "  other parameters:", *sorted(f for f in before.keys() & after.keys() if before[f] != after[f]), sep="\n    "
    )
print("\nfields of cudaDeviceProp that are gone:", *sorted(fields(old) - fields(new)), sep="\n    ")
