"""What a cast from float32 to float8_e4m3fn gives past the largest value, on the CPU.

python e4m3fn_cast.py
"""

import torch

print(torch.__version__)
for value in (448.0, 464.0, 465.0, 500.0, float("inf"), -500.0, float("nan")):
    one = torch.tensor(value).to(torch.float8_e4m3fn).float().item()
    many = torch.full((64,), value).to(torch.float8_e4m3fn).float()[0].item()
    print(f"{value:>6}: alone {one}, in a tensor of 64 {many}")
