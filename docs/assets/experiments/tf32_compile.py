"""Which ways to allow TF32 does torch.compile take? One way and one use a process.

Usage: python tf32_compile.py
"""

import concurrent.futures
import subprocess
import sys

WAYS = {
    "cuda.matmul": 'torch.backends.cuda.matmul.fp32_precision = "tf32"',
    "backends": 'torch.backends.fp32_precision = "tf32"',
    "high": 'torch.set_float32_matmul_precision("high")',
    "matmul, conv": 'torch.backends.cuda.matmul.fp32_precision = "tf32"; torch.backends.cudnn.conv.fp32_precision = "tf32"',
    "matmul, conv, rnn": 'torch.backends.cuda.matmul.fp32_precision = "tf32"; torch.backends.cudnn.conv.fp32_precision = "tf32"; torch.backends.cudnn.rnn.fp32_precision = "tf32"',
    "conv = ieee alone": 'torch.backends.cudnn.conv.fp32_precision = "ieee"',
}
LINEAR = "model = torch.nn.Linear(256, 256).cuda(); x = torch.randn(64, 256, device='cuda')\n"
USES = {
    "eager linear": LINEAR + "model(x).sum().backward()",
    "compile, linear": LINEAR + "torch.compile(model)(x).sum().backward()",
    "compile, bmm": "x = torch.randn(8, 64, 64, device='cuda'); torch.compile(lambda t: (t @ t).relu())(x)",
    "compile, conv": "model = torch.nn.Conv2d(8, 8, 3).cuda(); torch.compile(model)(torch.randn(4, 8, 32, 32, device='cuda')).sum().backward()",
    "compile, flex_attention": "from torch.nn.attention.flex_attention import flex_attention; q = torch.randn(1, 4, 256, 64, device='cuda'); torch.compile(flex_attention)(q, q, q)",
    "max-autotune, linear": LINEAR + "torch.compile(model, mode='max-autotune')(x)",
    "max-autotune-no-cudagraphs, linear": LINEAR + "torch.compile(model, mode='max-autotune-no-cudagraphs')(x)",
    "reduce-overhead, linear": LINEAR + "torch.compile(model, mode='reduce-overhead')(x)",
    "export": LINEAR + "torch.export.export(model, (x,))",
    "reading allow_tf32": "print(torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32)",
}


def tell(way, use):
    code = f"import torch\n{WAYS[way]}\n{USES[use]}\ntorch.cuda.synchronize()\nprint('ok')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    if done.returncode == 0:
        return " ".join(lines)
    wrong = [line for line in lines if "Error" in line and not line.startswith(" ")] or lines
    return "RAISES " + wrong[-1 if len(wrong) == 1 else 0][:230]


def main():
    import torch

    print(torch.__version__, torch.cuda.get_device_name())
    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        told = {(way, use): pool.submit(tell, way, use) for way in WAYS for use in USES}
        for way in WAYS:
            print(f"== {WAYS[way]}")
            for use in USES:
                print(f"  {use:36} {told[way, use].result()}", flush=True)
    print("== reduced precision and split-K, 64 x 131072 x 64 in bfloat16")
    for value in ("True", "False", "(True, True)", "(False, True)", "(False, False)"):
        code = (
            "import torch\n"
            f"torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = {value}\n"
            "print('reads back', torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction)\n"
            "torch.manual_seed(0); a = torch.randn(64, 131072, device='cuda').bfloat16(); b = torch.randn(131072, 64, device='cuda').bfloat16()\n"
            "from torch.profiler import profile, ProfilerActivity\n"
            "a @ b; torch.cuda.synchronize()\n"
            "with profile(activities=[ProfilerActivity.CUDA]) as p:\n"
            "    y = a @ b; torch.cuda.synchronize()\n"
            "print('error', ((y.double() - a.double() @ b.double()).norm() / (a.double() @ b.double()).norm()).item())\n"
            "print('kernels', [e.key[:90] for e in p.key_averages()])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        out = done.stdout.strip().splitlines() + [line for line in done.stderr.strip().splitlines() if "Error" in line][-1:]
        print(f"  {value:16}", " | ".join(out))


if __name__ == "__main__":
    main()
