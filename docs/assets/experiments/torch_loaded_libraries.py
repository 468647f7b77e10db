"""Which shared libraries does torch map into memory at import, and which later, at the first use of what?

Run it with a CUDA build of torch, on a machine with a GPU. After each step it prints the libraries that are new in
/proc/self/maps, with the size of the file; at the end, those of NVIDIA's wheels that no step has mapped.
"""

import warnings
from collections.abc import Callable
from pathlib import Path


def mapped() -> set[str]:
    """The shared libraries that are mapped now, by path."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    return {line.split()[-1] for line in lines if ".so" in line and line.split()[-1].startswith("/")}


def show(step: str, paths: set[str]) -> None:
    """Print a step and the libraries that it brought, those of Python's own aside."""
    told = sorted(path for path in paths if not any(part in path for part in ("lib-dynload", "numpy", "markupsafe")))
    sizes = [Path(path).stat().st_size if Path(path).exists() else 0 for path in told]
    print(f"{step}: {len(told)} libraries, {sum(sizes) / 2**20:.1f} MiB")
    for path, size in zip(told, sizes, strict=True):
        print(f"  {size:>11} {path.partition('site-packages/')[2] or path}")


warnings.simplefilter("ignore")
seen = mapped()


def step(name: str, work: Callable[[], object]) -> None:
    """Do one thing, and show which libraries came with it."""
    work()
    now = mapped()
    show(name, now - seen)
    seen.update(now)


step("import torch", lambda: __import__("torch"))
import torch  # noqa: E402 - it was imported in the step above, where it is measured

print("torch", torch.__version__, "on", torch.cuda.get_device_name())
step("torch.cuda.init()", torch.cuda.init)
square = torch.randn(512, 512, device="cuda")
step("matmul", lambda: (square @ square).sum().item())


def convolve() -> None:
    """One convolution, forward and backward."""
    layer = torch.nn.Conv2d(8, 8, 3, device="cuda")
    layer(torch.randn(2, 8, 32, 32, device="cuda")).sum().backward()
    torch.cuda.synchronize()


def trace() -> None:
    """Kernels in a trace of torch.profiler."""
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        (square @ square).sum().item()
    kernels = [event for event in profile.events() if str(event.device_type).endswith("CUDA")]
    print(f"(the trace holds {len(kernels)} events of the GPU)")


step("conv2d, forward and backward", convolve)
step("fft", lambda: torch.fft.fft(square).sum().item())
step("linalg.svd", lambda: torch.linalg.svd(square)[1].sum().item())
step("torch.profiler with CUDA", trace)
folders = [folder for folder in Path(torch.__file__).parents[1].glob("nvidia/*/lib") if folder.is_dir()]
never = {str(path) for folder in folders for path in folder.glob("*.so*")} - seen
show("in NVIDIA's wheels, mapped by none of these", never)
