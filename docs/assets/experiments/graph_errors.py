"""Provoke the usual errors of CUDA Graphs, each in a process of its own, and print their exact words."""

import subprocess
import sys
import textwrap

SETUP = """
import torch
x = torch.randn(64, 64, device="cuda")
weight = torch.randn(64, 64, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
(x @ x).sum().item()
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        (x @ weight).sum().backward()
torch.cuda.current_stream().wait_stream(side)
"""

CASES = {
    ".item() while capturing": """
        with torch.cuda.graph(graph):
            y = (x @ x).sum().item()
    """,
    "if on a tensor while capturing": """
        with torch.cuda.graph(graph):
            y = x + 1 if x.sum() > 0 else x - 1
    """,
    "torch.cuda.synchronize() while capturing": """
        with torch.cuda.graph(graph):
            y = x @ x
            torch.cuda.synchronize()
    """,
    "copy from pageable host memory while capturing": """
        with torch.cuda.graph(graph):
            y = x + torch.ones(64, 64).to("cuda")
    """,
    "nonzero (a shape that depends on data) while capturing": """
        with torch.cuda.graph(graph):
            y = x.nonzero()
    """,
    "first matrix product of the process inside the capture": """
        import subprocess, sys
        code = ("import torch; x = torch.randn(64, 64, device='cuda'); graph = torch.cuda.CUDAGraph()\\n"
                "with torch.cuda.graph(graph):\\n    y = x @ x\\nprint('captured without an error')")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        print(done.stdout.strip() or next(l for l in done.stderr.splitlines() if "Error: " in l))
    """,
    "capture on the default stream": """
        graph.capture_begin()
        y = x @ x
        graph.capture_end()
    """,
    "work on another thread's stream while capturing (global mode)": """
        import threading
        with torch.cuda.graph(graph):
            y = x @ x
            said = []
            def other():
                try:
                    torch.cuda.synchronize()
                except Exception as error:
                    said.append(f"other thread: {type(error).__name__}: {error}".splitlines()[0])
            t = threading.Thread(target=other); t.start(); t.join()
            print(*said)
    """,
    "replay with another shape": """
        static = torch.randn(64, 64, device="cuda")
        with torch.cuda.graph(graph):
            y = static @ static
        static.copy_(torch.randn(32, 64, device="cuda"))
    """,
    "make_graphed_callables, other shape": """
        linear = torch.nn.Linear(64, 64).cuda()
        run = torch.cuda.make_graphed_callables(linear, (torch.randn(8, 64, device="cuda"),))
        run(torch.randn(4, 64, device="cuda"))
    """,
    "output of reduce-overhead kept over the next run": """
        run = torch.compile(lambda v: v * 2 + 1, mode="reduce-overhead")
        with torch.no_grad():
            for _ in range(3):
                first = run(x)
            expected, other = x * 2 + 1, torch.randn(64, 64, device="cuda")
            second = run(other)
            print("first is second:", first is second, " same memory:", first.data_ptr() == second.data_ptr())
            print("first still right:", torch.equal(first, expected))
    """,
    "output of reduce-overhead kept, cudagraph_mark_step_begin": """
        run = torch.compile(lambda v: v * 2 + 1, mode="reduce-overhead")
        with torch.no_grad():
            for _ in range(3):
                torch.compiler.cudagraph_mark_step_begin()
                first = run(x)
            torch.compiler.cudagraph_mark_step_begin()
            second = run(torch.randn(64, 64, device="cuda"))
            print("first still right:", torch.equal(first, x * 2 + 1))
    """,
    "output of reduce-overhead kept, module with parameters, inference_mode": """
        module = torch.nn.Linear(64, 64).cuda()
        run = torch.compile(module, mode="reduce-overhead")
        with torch.inference_mode():
            for _ in range(3):
                first = run(x)
            expected = module(x)
            second = run(torch.randn(64, 64, device="cuda"))
            print("first still right:", torch.allclose(first, expected))
    """,
    "the same with clone": """
        run = torch.compile(lambda v: v * 2 + 1, mode="reduce-overhead")
        with torch.no_grad():
            for _ in range(3):
                torch.compiler.cudagraph_mark_step_begin()
                first = run(x).clone()
            torch.compiler.cudagraph_mark_step_begin()
            second = run(torch.randn(64, 64, device="cuda"))
            print("first still right:", torch.equal(first, x * 2 + 1))
    """,
    "reduce-overhead with a mutated input": """
        run = torch.compile(lambda v: v.add_(1).mul(2), mode="reduce-overhead")
        with torch.no_grad():
            for _ in range(3):
                run(x)
        print("no error; see what was logged")
    """,
    "reduce-overhead with a CPU tensor in the graph": """
        scale = torch.ones(64)
        run = torch.compile(lambda v, s: (v * 2, s * 2), mode="reduce-overhead")
        with torch.no_grad():
            for _ in range(3):
                run(x, scale)
        print("no error; see what was logged")
    """,
    "reduce-overhead with many shapes": """
        run = torch.compile(lambda v: v * 2 + 1, mode="reduce-overhead", dynamic=True)
        with torch.no_grad():
            for n in range(2, 62):
                torch.compiler.cudagraph_mark_step_begin()
                run(torch.randn(n, 64, device="cuda"))
        print("no error; see what was logged")
    """,
}

def main():
    import os

    import torch

    print(f"torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name()}")
    environment = {**os.environ, "TORCH_LOGS": "perf_hints,cudagraphs", "PYTHONWARNINGS": "default", "TORCHINDUCTOR_COMPILE_THREADS": "1"}
    folder = torch.__path__[0]
    running = []
    for title, body in CASES.items():
        if sys.argv[1:] and not any(word in title for word in sys.argv[1:]):
            continue
        code = SETUP + textwrap.dedent(body)
        running.append((title, subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)))
    for title, process in running:
        try:
            out, err = process.communicate(timeout=28)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            err += "\n(timeout)"
        lines = [line for line in err.splitlines() if line.strip()]
        shown = [line for line in lines if "Error" in line or "cudagraph" in line.lower() or "captur" in line or "CUDAGraph" in line or "warn" in line.lower()]
        print(f"\n== {title}: status {process.returncode}")
        for line in out.splitlines()[-3:]:
            print("   out:", line, flush=True)
        for line in list(dict.fromkeys(shown))[-9:]:
            print("   err:", line.replace(folder, "torch")[:700], flush=True)


main()
