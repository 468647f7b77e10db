"""Load an extension that holds machine code for another GPU only, and print what PyTorch says."""
import torch
import swiglu as package

print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}, compute capability {torch.cuda.get_device_capability()}")
x = torch.ones(8, device="cuda")
try:
    print(package.swiglu(x, x))
except Exception as problem:
    print(f"{type(problem).__module__}.{type(problem).__name__}: {problem}")
