"""Convert a small model with torchao's recipes and the filter of the page on FP8, and print what was converted.

python fp8_filter.py      # needs torch and torchao, no GPU: the model is converted, not run
"""

import torch
import torchao
from torch import nn
from torchao.float8 import Float8LinearConfig, convert_to_float8_training

HEADS = {"head", "lm_head", "output"}
"""Last parts of the names that stay in bfloat16."""


def to_convert(module: nn.Module, name: str) -> bool:
    """Return whether a Linear is to be converted: no head, and both sizes are multiples of 16."""
    sizes = (module.in_features, module.out_features)
    return name.rsplit(".", 1)[-1] not in HEADS and all(size % 16 == 0 for size in sizes)


def make_model() -> nn.Module:
    """Return a model with heads at two depths, and a layer of 10 outputs."""
    body = nn.ModuleDict({"up": nn.Linear(64, 128), "odd": nn.Linear(128, 10), "head": nn.Linear(128, 64)})
    return nn.ModuleDict({"body": body, "lm_head": nn.Linear(64, 1024), "output": nn.Linear(64, 64)})


print(f"torch {torch.__version__}, torchao {torchao.__version__}")
for recipe in ("rowwise", "tensorwise"):
    model = make_model()
    convert_to_float8_training(model, config=Float8LinearConfig.from_recipe_name(recipe), module_filter_fn=to_convert)
    layers = {name: type(part).__name__ for name, part in model.named_modules() if isinstance(part, nn.Linear)}
    print(recipe, layers)
