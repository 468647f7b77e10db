#!/usr/bin/env python3
# ruff: noqa: E501, PLW1510, S603
# An experiment, kept as it ran.
"""Assemble one PTX instruction at a time for each target, and print which targets accept it and what ptxas says.

No GPU is needed. Each probe is a file with `.target sm_X`, assembled with `ptxas -arch=sm_X`.

Usage: instruction_targets.py PTXAS [TARGET ...]
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

TARGETS = [
    "75",
    "80",
    "86",
    "89",
    "90",
    "90a",
    "100",
    "100f",
    "100a",
    "103a",
    "107a",
    "110a",
    "120",
    "120f",
    "120a",
    "121a",
]
F4 = "{f0,f1,f2,f3}"
R4, R2 = "{r0,r1,r2,r3}", "{r4,r5}"
PROBES = {  # name in the table: the instruction
    "ldmatrix .x4 .b16": "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r0,r1,r2,r3}, [rs];",
    "tanh.approx.f32": "tanh.approx.f32 f0, f1;",
    "mma m16n8k8 f16": f"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {F4}, {R2}, {{r6}}, {F4};",
    "mma m8n8k16 s8": "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {r0,r1}, {r2}, {r3}, {r0,r1};",
    "mma m16n8k16 f16": f"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {F4}, {R4}, {R2}, {F4};",
    "mma m16n8k16 bf16": f"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {F4}, {R4}, {R2}, {F4};",
    "mma m16n8k8 tf32": f"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {F4}, {R4}, {R2}, {F4};",
    "mma m8n8k4 f64": "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {d0,d1}, {d2}, {d3}, {d0,d1};",
    "mma.sp m16n8k32 f16": f"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {F4}, {R4}, {{r4,r5,r6,r7}}, {F4}, r8, 0x0;",
    "mma m16n8k32 e4m3": f"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {F4}, {R4}, {R2}, {F4};",
    "mma m16n8k16 f64": "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {d0,d1,d2,d3}, {d4,d5,d6,d7,d8,d9,d10,d11}, {d12,d13,d14,d15}, {d0,d1,d2,d3};",
    "mma kind::f8f6f4 e2m1": f"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32 {F4}, {R4}, {R2}, {F4};",
    "mma kind::mxf4 e2m1": f"mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 {F4}, {R4}, {R2}, {F4}, {{r8}}, {{h0,h0}}, {{r9}}, {{h0,h0}};",
    "cp.async 16 bytes": "cp.async.cg.shared.global [rs], [rg], 16;",
    "mbarrier.init": "mbarrier.init.shared.b64 [rs], 1;",
    "redux.sync.add.s32": "redux.sync.add.s32 r0, r1, 0xffffffff;",
    "cvt to bf16x2": "cvt.rn.bf16x2.f32 r0, f0, f1;",
    "cvt to e4m3x2": "cvt.rn.satfinite.e4m3x2.f32 h0, f0, f1;",
    "cvt to e2m1x2": "{ .reg .b8 q; cvt.rn.satfinite.e2m1x2.f32 q, f0, f1; }",
    "mbarrier.try_wait": "mbarrier.try_wait.shared.b64 p0, [rs], d64;",
    "cp.async.bulk": "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [rs], [rg], 64, [rs];",
    "cp.async.bulk.tensor (TMA)": "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [rs], [rg, {r0,r1}], [rs];",
    "barrier.cluster": "barrier.cluster.arrive.aligned;",
    "mapa (distributed shared)": "mapa.shared::cluster.u32 r0, rs, r1;",
    "griddepcontrol.wait": "griddepcontrol.wait;",
    "max.s16x2 (DPX)": "max.s16x2 r0, r1, r2;",
    "atom.add bf16": "atom.global.add.noftz.bf16 h0, [rg], h1;",
    "setmaxnreg": "setmaxnreg.inc.sync.aligned.u32 240;",
    "wgmma m64n8k16 bf16": f"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {F4}, d64, e64, 1, 1, 1, 0, 0;",
    "fma.rn.f32x2": "fma.rn.f32x2 d64, d64, e64, d64;",
    "ld.global.v8.f32": "ld.global.v8.f32 {f0,f1,f2,f3,f4,f5,f6,f7}, [rg];",
    "clusterlaunchcontrol": "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [rs], [rs];",
    "redux.sync.min.f32": "redux.sync.min.f32 f0, f1, 0xffffffff;",
    "tcgen05.alloc": "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [rs], 32;",
    "tcgen05.mma kind::f16": "tcgen05.mma.cta_group::1.kind::f16 [r0], d64, e64, r1, p0;",
    "tcgen05.mma kind::i8": "tcgen05.mma.cta_group::1.kind::i8 [r0], d64, e64, r1, p0;",
}
FRAME = """.version {version}
.target sm_{target}
.address_size 64
.visible .entry probe(.param .u64 x)
{{
  .reg .pred p<4>; .reg .b16 h<4>; .reg .b32 r<16>; .reg .b32 rs; .reg .f32 f<8>; .reg .f64 d<16>; .reg .b64 rg, d64, e64;
  .shared .align 128 .b8 buffer[1024];
  ld.param.u64 rg, [x]; mov.u32 rs, buffer;
  {body}
  ret;
}}
"""

ptxas = sys.argv[1]
targets = sys.argv[2:] or TARGETS
print(subprocess.run([ptxas, "--version"], capture_output=True, text=True).stdout.strip().splitlines()[-2])
folder = Path(tempfile.mkdtemp())
version = None
for candidate in ("9.5", "9.4", "9.3", "9.2", "9.1", "9.0", "8.8", "8.7", "8.4"):
    (folder / "p.ptx").write_text(FRAME.format(version=candidate, target="80", body=""))
    if not subprocess.run(
        [ptxas, "-arch=sm_80", str(folder / "p.ptx"), "-o", "/dev/null"], capture_output=True
    ).returncode:
        version = candidate
        break
print("PTX ISA", version)
print("yes: assembled; -: refused\n")
width = max(map(len, PROBES))
print(" " * width, *(f"{t:>4}" for t in targets))
said = {}
for name, body in PROBES.items():
    row = []
    for target in targets:
        (folder / "p.ptx").write_text(FRAME.format(version=version, target=target, body=body))
        done = subprocess.run(
            [ptxas, f"-arch=sm_{target}", str(folder / "p.ptx"), "-o", "/dev/null"], capture_output=True, text=True
        )
        row.append("yes" if done.returncode == 0 else "-")
        if done.returncode:
            line = re.sub(r"^ptxas .*?p\.ptx, line \d+; ", "", (done.stderr or done.stdout).strip().splitlines()[0])
            said.setdefault(name, {}).setdefault(line.replace(f"sm_{target}", "sm_TARGET"), []).append(target)
    print(f"{name:{width}}", *(f"{r:>4}" for r in row), flush=True)
print("\nWhat ptxas says, first line, with the targets it was said for:")
for name, lines in said.items():
    for line, where in lines.items():
        print(f"{name}: {line}  [{' '.join(where)}]")
