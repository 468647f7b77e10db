"""From a wrong result of torch.compile to a smaller program: backends and PyTorch's minifier, on a planted fault.

Usage: python compile_minifier.py       one GPU, or --cpu
The fault is PyTorch's own for its tests: Inductor makes relu wrong (inject_relu_bug_TESTING_ONLY).
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

PROGRAM = r"""
import torch, torch._inductor.config as config
DEVICE = "@"
(config.cpp if DEVICE == "cpu" else config.triton).inject_relu_bug_TESTING_ONLY = "accuracy"
torch.manual_seed(0)
layers = []
for _ in range(6):
    layers += [torch.nn.Linear(64, 64), torch.nn.LayerNorm(64), torch.nn.GELU()]
model = torch.nn.Sequential(*layers, torch.nn.ReLU(), torch.nn.Linear(64, 8)).to(DEVICE).eval()
x = torch.randn(32, 64, device=DEVICE)
with torch.no_grad():
    difference = (torch.compile(model)(x) - model(x)).abs().max().item()
print(f"largest difference from eager: {difference:.3g}")
raise SystemExit(difference > 1e-3)
"""


def run(title, command, folder, **variables):
    """Run a command in the folder and print its last lines and its time."""
    began = time.perf_counter()
    try:
        done = subprocess.run(
            command, cwd=folder, env=os.environ | variables, capture_output=True, text=True, timeout=900
        )
    except subprocess.TimeoutExpired:
        print(f"\n== {title}: stopped after 900 s")
        return
    print(f"\n== {title}: status {done.returncode}, {time.perf_counter() - began:.0f} s")
    text = (done.stdout + "\n" + done.stderr).replace(str(folder), "FOLDER")
    keep = [line for line in text.splitlines() if line.strip() and not line.startswith(("  File", "    "))]
    print("\n".join(line[:200] for line in keep[-int(os.environ.get("LINES_KEPT", "14")) :]))


def main():
    import torch

    device = "cpu" if "--cpu" in sys.argv else "cuda"
    print(torch.__version__, device, torch.cuda.get_device_name() if device == "cuda" else "")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "train.py").write_text(PROGRAM.replace("@", device))
        python = sys.executable
        run("as it is", [python, "train.py"], folder)
        for backend in ("aot_eager", "inductor"):
            text = (
                (folder / "train.py")
                .read_text()
                .replace("torch.compile(model)", f'torch.compile(model, backend="{backend}")')
            )
            (folder / "backend.py").write_text(text)
            run(f"backend={backend}", [python, "backend.py"], folder)
        repro = {"TORCHDYNAMO_REPRO_AFTER": "aot", "TORCHDYNAMO_REPRO_LEVEL": "4"}
        run(
            "TORCHDYNAMO_REPRO_AFTER=aot, TORCHDYNAMO_REPRO_LEVEL=4, with what is cached",
            [python, "train.py"],
            folder,
            **repro,
        )
        print("launchers:", len(sorted(folder.rglob("minifier_launcher.py"))))
        fresh = {"TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"}
        run("the same with TORCHINDUCTOR_FORCE_DISABLE_CACHES=1", [python, "train.py"], folder, **repro, **fresh)
        launchers = sorted(folder.rglob("minifier_launcher.py"))
        print("launchers:", [str(p.relative_to(folder)) for p in launchers])
        for launcher in launchers[:1]:
            run(
                "python minifier_launcher.py minify --no-save-dir",
                [python, str(launcher), "minify", "--no-save-dir"],
                folder,
            )
        repros = sorted(folder.rglob("repro.py"))
        print("repro:", [str(p.relative_to(folder)) for p in repros])
        for repro in repros[:1]:
            lines = repro.read_text().splitlines()
            at = next((i for i, line in enumerate(lines) if "class Repro" in line), 0)
            print("\n".join(lines[at : at + 14]))


if __name__ == "__main__":
    main()
