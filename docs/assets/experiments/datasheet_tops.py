#!/usr/bin/env python3
# ruff: noqa: E501
# An experiment, kept as it ran.
"""Print what PyTorch's table of data sheets holds for four GPUs, and what datasheet_tops makes of it. No GPU is needed."""

import torch
from torch._inductor.analysis.device_info import _device_mapping, datasheet_tops

print("torch", torch.__version__)
for name in ("NVIDIA A100", "NVIDIA L4", "NVIDIA H100", "NVIDIA B200"):
    info = _device_mapping[name]
    print(f"{name}: {info.dram_gb} GB, {info.dram_bw_gbs} GB/s, sparsity factor {info.tops_sparsity_factor}")
    for dtype, tf32 in (
        (torch.float64, False),
        (torch.float32, False),
        (torch.float32, True),
        (torch.bfloat16, False),
        (torch.int8, False),
    ):
        key = "torch.tf32" if tf32 else dtype
        print(
            f"   {key!s:15} in the table {info.tops[key]:7}   datasheet_tops {datasheet_tops(dtype, is_tf32=tf32, device_name=name):7}"
        )
