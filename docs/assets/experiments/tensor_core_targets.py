"""Assemble one Tensor Core instruction at a time for each target, and print the machine instructions that come out.

No GPU is needed. Usage: python tensor_core_targets.py FOLDER-WITH-PTXAS-AND-NVDISASM [PTX-VERSION]
"""

import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

tools = Path(sys.argv[1])
ptx_version = sys.argv[2] if len(sys.argv) > 2 else "9.0"
TARGETS = ["sm_75", "sm_80", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_103a", "sm_110a", "sm_120", "sm_120a"]
SUFFIX = {"f32": "f32", "s32": "b32", "b32": "b32", "f64": "f64", "b64": "b64"}


def kernel(body, target, **registers):
    """Return a PTX module whose kernel loads all registers from memory, runs the body, and stores them again."""
    declare, load, store, offset = [], [], [], 0
    for name, (kind, count) in registers.items():
        declare.append(f".reg .{kind} %{name}<{count}>;")
        for i in range(count):
            size = 8 if kind.endswith("64") else 4
            offset = (offset + size - 1) // size * size
            load.append(f"ld.global.{SUFFIX[kind]} %{name}{i}, [%p+{offset}];")
            store.append(f"st.global.{SUFFIX[kind]} [%p+{offset}], %{name}{i};")
            offset += size
    return "\n".join([f".version {ptx_version}", f".target {target}", ".address_size 64", ".visible .entry k(.param .u64 x) {",
                      ".reg .b64 %p; .reg .pred %q;", *declare, "ld.param.u64 %p, [x]; cvta.to.global.u64 %p, %p; setp.ne.b64 %q, %p, 0;",
                      *load, body, *store, "ret;", "}", ""])


def listed(name, count):
    return "{" + ", ".join(f"%{name}{i}" for i in range(count)) + "}"


def mma(opcode, a, b, c, kind="f32", operand="b32", tail=""):
    body = f"{opcode} {listed('d', c)}, {listed('a', a)}, {listed('b', b)}, {listed('d', c)}{tail};"
    return body, {"a": (operand, a), "b": (operand, b), "d": (kind, c), "s": ("b32", 2)}


SCALE = ", %s0, {0, 0}, %s1, {0, 0}"
CASES = {
    "mma m16n8k8  f16": mma("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4),
    "mma m16n8k16 f16": mma("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4),
    "mma m16n8k16 bf16": mma("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4),
    "mma m16n8k8  tf32": mma("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4),
    "mma m8n8k4   f64": mma("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 2, "f64", "f64"),
    "mma m16n8k32 s8": mma("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4, "s32"),
    "mma m16n8k64 s4": mma("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 4, 2, 4, "s32"),
    "mma m16n8k256 b1 and": mma("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 2, 4, "s32"),
    "mma m16n8k32 e4m3": mma("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2, 4),
    "mma m16n8k32 e2m1 f8f6f4": mma("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32", 4, 2, 4),
    "mma m16n8k32 mxf8 scaled": mma("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0", 4, 2, 4, tail=SCALE),
    "mma m16n8k64 nvf4 scaled": mma("mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3", 4, 2, 4, tail=SCALE),
    "mma.sp m16n8k32 f16": mma("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 4, 4, 4, tail=", %s0, 0x0"),
    "wgmma m64n8k16 bf16": ("wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%d0, %d1, %d2, %d3}, %a0, %a1, %q, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;", {"a": ("b64", 2), "d": ("f32", 4)}),
    "wgmma m64n8k32 e4m3": ("wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%d0, %d1, %d2, %d3}, %a0, %a1, %q, 1, 1; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;", {"a": ("b64", 2), "d": ("f32", 4)}),
    "tcgen05.mma kind::f16": ("tcgen05.mma.cta_group::1.kind::f16 [%s0], %a0, %a1, %s1, %q;", {"a": ("b64", 2), "s": ("b32", 2)}),
    "tcgen05.mma kind::f8f6f4": ("tcgen05.mma.cta_group::1.kind::f8f6f4 [%s0], %a0, %a1, %s1, %q;", {"a": ("b64", 2), "s": ("b32", 2)}),
    "tcgen05.mma mxf4nvf4": ("tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [%s0], %a0, %a1, %s1, [%s0], [%s1], %q;", {"a": ("b64", 2), "s": ("b32", 2)}),
    "ldmatrix.x4": ("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a0, %a1, %a2, %a3}, [%s0];", {"a": ("b32", 4), "s": ("b32", 1)}),
    "stmatrix.x4": ("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%s0], {%a0, %a1, %a2, %a3};", {"a": ("b32", 4), "s": ("b32", 1)}),
    "cp.async 16 bytes": ("cp.async.cg.shared.global [%s0], [%a0], 16;", {"a": ("b64", 1), "s": ("b32", 1)}),
    "TMA load, 2 dimensions": ("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s0], [%a0, {%s1, %s2}], [%s3];", {"a": ("b64", 1), "s": ("b32", 4)}),
}
# What counts as the instruction asked for; the rest of the code loads, stores, converts or computes addresses.
WANTED = re.compile(r"\b((?:UTC)?[A-Z]*MMA[.\w]*|UTC\w*MMA[.\w]*|LDSM[.\w]*|STSM[.\w]*|LDGSTS[.\w]*|UTMALDG[.\w]*|WARPGROUP[.\w]*|F2FP[.\w]*E4M3[.\w]*|IMAD\.\w*E4M3\S*|CALL[.\w]*)")


def assemble(body, registers, target):
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "k.ptx"), Path(folder, "k.cubin")
        source.write_text(kernel(body, target, **registers))
        run = subprocess.run([tools / "ptxas", f"-arch={target}", source, "-o", out], capture_output=True, text=True)
        if run.returncode:
            errors = [line.split(": ", 1)[-1] if "; error" not in line else line.split("; ", 1)[1] for line in (run.stderr + run.stdout).splitlines() if "error" in line]
            return None, errors[0].strip() if errors else run.stderr.strip()
        sass = subprocess.run([tools / "nvdisasm", "-c", out], capture_output=True, text=True).stdout
        counts = Counter(m.group(1) for line in sass.splitlines() for m in [WANTED.search(line)] if m)
        return counts, ""


print(subprocess.run([tools / "ptxas", "--version"], capture_output=True, text=True).stdout.splitlines()[-1], "; PTX", ptx_version)
for name, (body, registers) in CASES.items():
    print(f"\n{name}\n  {body.split(';')[1 if body.startswith('wgmma') else 0].split(' {')[0].split(' [')[0].strip()}")
    rows = {}
    for target in TARGETS:
        counts, error = assemble(body, registers, target)
        text = error if counts is None else ", ".join(f"{n} {op}" if n > 1 else op for op, n in counts.items() if "WARPGROUP" not in op) or "(no such instruction found)"
        rows.setdefault(text.replace(target, "TARGET"), []).append(target)
    for text, targets in rows.items():
        print(f"  {' '.join(targets):70} {text}")
