"""Show what PyTorch does when the CUPTI of its wheels is there, gone, refusing or replaced.

    python cupti_hidden.py        # needs torch for CUDA; gcc and nm for the cases with a stub

Nothing installed is changed. The script builds a copy of the environment from symbolic links in a temporary folder,
leaves libraries out there, and starts a small profiled program in it: one line a case for what was loaded, what the
trace holds, and what went to stderr. Without a GPU the program runs on the CPU, and the cases still tell what loads.
"""

# ruff: noqa: S603, S607 - it starts Python, nm, gcc and ldconfig by name, with nothing from outside

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

PROBE = """
import collections, json, tempfile
import torch
from torch.profiler import ProfilerActivity, profile, record_function, supported_activities

def mapped():
    with open("/proc/self/maps") as maps:
        return sorted({line.split()[-1] for line in maps if "cupti" in line or "nvperf" in line})

config = torch.__config__.show()
print("mapped by import:", *mapped())
print("USE_KINETO", "-DUSE_KINETO" in config, "/ LIBKINETO_NOCUPTI", "-DLIBKINETO_NOCUPTI" in config,
      "/ supported", sorted(activity.name for activity in supported_activities()))
device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.ones(512, 512, device=device)
(x @ x).sum().item()
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
    with record_function("three_products"):
        for _ in range(3):
            x = torch.relu(x @ x) / 512
    if device == "cuda":
        torch.cuda.synchronize()
with tempfile.NamedTemporaryFile(suffix=".json") as file:
    prof.export_chrome_trace(file.name)
    trace = json.load(open(file.name))
kinds = collections.Counter(event["cat"] for event in trace["traceEvents"] if "cat" in event)
print("ran on:", device, "/ mapped after profiling:", *mapped())
print("events by category:", dict(sorted(kinds.items())))
on_gpu = [event["dur"] for event in trace["traceEvents"] if event.get("cat") == "kernel"]
print(f"kernels in the trace: {len(on_gpu)}, {sum(on_gpu):.0f} us")
"""

SITE = Path(sysconfig.get_paths()["purelib"])


def linked_copy(folder: Path, left_out: str) -> Path:
    """A site-packages of links; of torch and nvidia the folders are real, so that $ORIGIN stays in the copy."""
    site = folder / "site"
    site.mkdir(parents=True)
    for entry in SITE.iterdir():
        if entry.name not in {"torch", "nvidia"}:
            (site / entry.name).symlink_to(entry)
            continue
        for place, _, files in os.walk(entry):
            (site / Path(place).relative_to(SITE)).mkdir()
            for name in files:
                if not re.match(left_out, name):
                    (site / Path(place).relative_to(SITE) / name).symlink_to(Path(place) / name)
    return site


def stub(site: Path) -> None:
    """Put a libcupti into the copy that has every function torch asks for, each of which only refuses."""
    library = SITE / "torch/lib/libtorch_cpu.so"
    listed = subprocess.run(["nm", "-D", "--undefined-only", library], capture_output=True, text=True, check=True)
    names = sorted(set(re.findall(r" U (cupti\w+)@", listed.stdout)))
    soname = re.search(r"@(libcupti\.so\.\d+)", listed.stdout)[1]
    print(f"libtorch_cpu.so asks {soname} for {len(names)} functions:", *names)
    own = {"cuptiGetResultString", "cuptiGetVersion"}
    source = [
        "#include <stdlib.h>",
        'int cuptiGetResultString(int code, const char **text) { *text = "refused by the stub"; return 0; }',
        "int cuptiGetVersion(unsigned *version) { *version = 0; return 0; }",
        *(f'int {name}(void) {{ return atoi(getenv("STUB_RESULT")); }}' for name in names if name not in own),
    ]
    (site.parent / "stub.c").write_text("\n".join(source))
    (site.parent / "stub.map").write_text(f"{soname} {{ global: *; }};")
    target = site / "torch/lib" / soname
    command = ["gcc", "-shared", "-fPIC", "-o", target, "stub.c", f"-Wl,-soname,{soname},--version-script,stub.map"]
    subprocess.run(command, cwd=site.parent, check=True)


def run(title: str, site: Path, *, without_cache: bool = False, path: str | None = None, **extra: str) -> None:
    """Run the probe against the copy and print what came of it."""
    env = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
    env |= {"PYTHONPATH": str(site), **extra}
    if path:
        env["LD_LIBRARY_PATH"] = path
    python = [sys.executable, "-S"]
    if without_cache:  # as in an image whose loader knows no other CUPTI
        loader = next(Path("/lib64").glob("ld-linux-*.so.*"))
        python = [str(loader), "--inhibit-cache", os.path.realpath(sys.executable), "-S"]
    done = subprocess.run([*python, "-c", PROBE], env=env, capture_output=True, text=True, timeout=120, check=False)
    print(f"\n== {title}\nexit status {done.returncode}")
    warned = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("  ")]
    text = done.stdout + "".join(f"stderr: {line[:240]}\n" for line in [*warned[:12], *warned[12:][-1:]])
    print(text.replace(str(site), "COPY").replace(str(SITE), "SITE"), end="", flush=True)


def known_to_loader(name: str) -> list[str]:
    """The files of this name in the cache of the dynamic loader."""
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True)
    return re.findall(rf"{re.escape(name)}\S* \(.*=> (\S+)", listed.stdout)


def main() -> None:
    """Run all cases."""
    print(platform.platform(), "/ Python", platform.python_version())
    others = known_to_loader("libcupti.so.")
    print("CUPTI known to the loader:", *(others or ["none"]))
    driver = str(Path(*known_to_loader("libcuda.so.1")[:1]).parent)
    with tempfile.TemporaryDirectory() as folder:
        whole = linked_copy(Path(folder, "whole"), r"$^")
        gone = linked_copy(Path(folder, "gone"), r"libcupti\.so")
        alone = linked_copy(Path(folder, "alone"), r"lib(nvperf_|checkpoint|pcsampling)")
        run("1. as installed", whole)
        run("2. no GPU visible", whole, CUDA_VISIBLE_DEVICES="")
        run("3. libcupti there, its companions (nvperf, pcsampling, checkpoint) gone", alone)
        run("4. libcupti of the wheel gone; the loader may find another", gone)
        run("5. libcupti of the wheel gone, and no other known to the loader", gone, without_cache=True, path=driver)
        for other in others[:1]:
            where = f"{driver}:{Path(other).parent}"
            run("6. as 5, with the other CUPTI's folder on LD_LIBRARY_PATH", gone, without_cache=True, path=where)
        if shutil.which("gcc") and shutil.which("nm"):
            print()
            stub(gone)
            run("7. a libcupti that refuses: insufficient privileges (35)", gone, STUB_RESULT="35")
            run("8. a libcupti that refuses: another subscriber is there (39)", gone, STUB_RESULT="39")


if __name__ == "__main__":
    main()
