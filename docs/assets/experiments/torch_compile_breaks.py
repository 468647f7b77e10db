"""Print what TorchScript, torch.export and torch.compile say about the same functions: warnings, errors, breaks, recompiles.

Needs no GPU. Each part runs in a process of its own, because compiled code and its limits are per process.
"""

import collections
import re
import subprocess
import sys
import tempfile
import textwrap

PARTS = {
    "TorchScript: warnings": """
        import io
        @torch.jit.script
        def scripted(x: torch.Tensor) -> torch.Tensor:
            return x + 1 if x.sum() > 0 else x - 1
        buffer = io.BytesIO()
        torch.jit.save(scripted, buffer); buffer.seek(0); torch.jit.load(buffer)
        torch.jit.trace(lambda x: x + 1, torch.ones(2))
    """,
    "torch.jit.trace: a branch is fixed in place": """
        def f(x):
            return x * 2 if x.sum() > 0 else x - 100
        traced = torch.jit.trace(f, torch.ones(3))
        print("traced(-1):", traced(-torch.ones(3)).tolist(), " eager:", f(-torch.ones(3)).tolist())
        print("torch.jit.script:", torch.jit.script(f)(-torch.ones(3)).tolist())
        try:
            torch.export.export(Wrap(f), (torch.ones(3),))
        except Exception as error:
            say("torch.export.export", error)
        compiled = torch.compile(f)
        print("torch.compile:", compiled(torch.ones(3)).tolist(), compiled(-torch.ones(3)).tolist())
        report = torch._dynamo.explain(f)(torch.ones(3))
        print("explain: graphs", report.graph_count, "breaks", report.graph_break_count)
        def g(x):
            return torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 100, (x,))
        exported = torch.export.export(Wrap(g), (torch.ones(3),))
        print("torch.cond exported:", exported.module()(-torch.ones(3)).tolist())
    """,
    "fullgraph=True: a branch on a value": """
        @torch.compile(fullgraph=True)
        def f(x):
            return x * 2 if x.sum() > 0 else x - 100
        try:
            f(torch.ones(3))
        except Exception as error:
            say("fullgraph=True", error, 12)
    """,
    "graph breaks: how many, and why": """
        import time, json
        def with_print(x):
            x = x.sin(); print(end=""); return x.cos()
        def with_item(x):
            scale = x.max().item(); return x / scale
        def with_numpy(x):
            return torch.from_numpy(np.sort((x + 1).numpy())) + 1
        def with_json(x):
            x = x + 1; n = json.loads('{"n": 2}')["n"]; return x * n
        def with_time(x):
            x = x + 1; start = time.time(); return x * 2, start
        def with_nonzero(x):
            x = x + 1; return x.nonzero() + 1
        def with_try(x):
            try:
                x = x.sin(); raise ValueError
            except ValueError:
                return x.cos()
        def with_logging(x):
            import logging
            x = x.sin(); logging.getLogger("a").warning("w"); return x.cos()
        for f in (with_print, with_item, with_numpy, with_json, with_time, with_nonzero, with_try, with_logging):
            torch._dynamo.reset()
            report = torch._dynamo.explain(f)(torch.rand(4))
            reason = report.break_reasons[0].reason.splitlines()[0] if report.break_reasons else ""
            print(f"{f.__name__:13} graphs {report.graph_count}, breaks {report.graph_break_count}  {reason[:110]}")
        print("-- the same with fullgraph=True")
        for f in (with_print, with_item, with_numpy, with_json, with_time, with_nonzero, with_try, with_logging):
            torch._dynamo.reset()
            try:
                torch.compile(f, fullgraph=True)(torch.rand(4))
                print(f"{f.__name__:13} compiles")
            except Exception as error:
                print(f"{f.__name__:13} {type(error).__name__}: {str(error).splitlines()[0][:110]}")
    """,
    "shapes: compilations by number of rows (automatic, dynamic=False, dynamic=True, mark_dynamic)": """
        from torch._dynamo.testing import CompileCounter
        def f(x):
            return (x * 2).relu()
        for title, keywords, mark in (("automatic", {}, False), ("dynamic=False", {"dynamic": False}, False), ("dynamic=True", {"dynamic": True}, False), ("mark_dynamic", {}, True)):
            torch._dynamo.reset(); counter = CompileCounter()
            run = torch.compile(f, backend=counter, **keywords); seen = []
            for rows in (8, 16, 32, 1, 0, 3, 4, 5, 6, 7, 9, 10):
                x = torch.rand(rows, 4)
                if mark and rows > 1:
                    torch._dynamo.mark_dynamic(x, 0)
                run(x); seen.append(f"{rows}:{counter.frame_count}")
            print(f"{title:14} rows:compilations so far  {' '.join(seen)}")
    """,
    "recompiles of a Python number, and of a module's attribute": """
        from torch._dynamo.testing import CompileCounter
        for title, values in (("int", range(1, 13)), ("float", [v / 10 for v in range(1, 13)]), ("str", [str(v) for v in range(1, 13)])):
            torch._dynamo.reset(); counter = CompileCounter()
            run = torch.compile(lambda x, v: x * (len(v) if isinstance(v, str) else v), backend=counter)
            for v in values:
                run(torch.ones(2), v)
            print(f"{title:6} 12 values: {counter.frame_count} compilations")
        torch._dynamo.reset(); counter = CompileCounter()
        class M(torch.nn.Module):
            step = 0
            def forward(self, x):
                self.step += 1
                return x * self.step
        m = M(); run = torch.compile(m, backend=counter)
        for _ in range(12):
            run(torch.ones(2))
        print(f"self.step += 1, 12 calls: {counter.frame_count} compilations")
    """,
    "recompile_limit": """
        run = torch.compile(lambda x, name: x * len(name), backend="eager")
        for n in range(12):
            run(torch.ones(2), "a" * n)
    """,
    "recompile_limit with fullgraph=True": """
        run = torch.compile(lambda x, name: x * len(name), backend="eager", fullgraph=True)
        try:
            for n in range(12):
                run(torch.ones(2), "a" * n)
        except Exception as error:
            say(f"call {n + 1}", error, 3)
    """,
    "guards of a function with a module, a global and a number": """
        SCALE = 3
        m = torch.nn.Linear(4, 4)
        def f(x, n):
            return m(x) * SCALE + n
        torch._logging.set_logs(guards=True)
        torch.compile(f, backend="eager")(torch.ones(2, 4), 5)
    """,
    "modes": """
        for mode, options in torch._inductor.list_mode_options().items():
            print(mode, options)
        print("backends:", torch._dynamo.list_backends())
        print("recompile_limit", torch._dynamo.config.recompile_limit, "accumulated_recompile_limit", torch._dynamo.config.accumulated_recompile_limit)
    """,
    "TorchScript to torch.export": """
        from torch._export.converter import TS2EPConverter
        m = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
        traced = torch.jit.trace(m, torch.ones(2, 4))
        exported = TS2EPConverter(traced, (torch.ones(2, 4),)).convert()
        print(type(exported).__name__, torch.equal(exported.module()(torch.ones(2, 4)), m(torch.ones(2, 4))))
    """,
    "dynamic sizes in torch.export": """
        from torch.export import Dim, export
        class M(torch.nn.Module):
            def forward(self, x):
                return x.reshape(x.shape[0] // 2, 2, -1).sum(1)
        m, x = M(), torch.ones(8, 4)
        fixed = export(m, (x,))
        try:
            fixed.module()(torch.ones(6, 4))
        except Exception as error:
            say("fixed, other size", error, 2)
        free = export(m, (x,), dynamic_shapes={"x": {0: Dim.AUTO}})
        print("Dim.AUTO:", free.range_constraints, free.module()(torch.ones(6, 4)).shape)
        try:
            export(m, (x,), dynamic_shapes={"x": {0: Dim("rows")}})
        except Exception as error:
            say('Dim("rows")', error, 4)
        def g(x):
            return x * 2 if x.shape[0] == 8 else x
        try:
            export(Wrap(g), (x,), dynamic_shapes=(({0: Dim.DYNAMIC},),))
        except Exception as error:
            say("Dim.DYNAMIC specialised", error, 4)
    """,
}

SETUP = """
import torch, warnings, numpy as np
warnings.simplefilter("always")
class Wrap(torch.nn.Module):
    def __init__(self, f):
        super().__init__(); self.f = f
    def forward(self, *args):
        return self.f(*args)
def say(title, error, lines=3):
    print(f"{title}: {type(error).__module__}.{type(error).__name__}:")
    for line in [l for l in str(error).splitlines() if l.strip()][:lines]:
        print("   ", line[:200])
"""


def hide(text, folder):
    """Replace the names of temporary files and folders, which differ from run to run."""
    return re.sub(r"(/t)?mp/part_\w+", "part", text.replace(folder, "torch"))


def main():
    import torch

    print(f"torch {torch.__version__} on the CPU, Python {sys.version.split()[0]}")
    for title, body in PARTS.items():
        with tempfile.NamedTemporaryFile("w", prefix="part_", suffix=".py") as file:  # TorchScript reads the source
            file.write(SETUP + textwrap.dedent(body))
            file.flush()
            done = subprocess.run([sys.executable, file.name], capture_output=True, text=True)
        print(f"\n== {title}" + (f" (status {done.returncode})" if done.returncode else ""))
        folder = torch.__path__[0]
        print(hide(done.stdout, folder), end="")
        guards = [re.sub(r".*\+- ", "", line) for line in done.stderr.splitlines() if re.search(r"\+- [A-Z_]+:", line)]
        if guards:
            print(len(guards), "guards:", dict(collections.Counter(guard.split(":")[0] for guard in guards)))
            for guard in guards:
                if guard.startswith(("TENSOR_MATCH", "EQUALS_MATCH", "GLOBAL_STATE")):
                    print("  ", re.sub(r"  +#.*", "", guard)[:300])
        for line in done.stderr.splitlines():
            if line.strip() and "[__guards]" not in line and not line.lstrip().startswith("warnings.warn"):
                print("   stderr:", hide(line, folder)[:300])


main()
