"""Print which parts of PyTorch's CUDA error message are in libc10_cuda.so: python torch_error_strings.py LIBRARY...

Each library is that of an unpacked wheel; its version is read from torch/version.py beside it.
"""

import pathlib
import re
import sys

PHRASES = [
    "asynchronously reported",
    "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
    "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertio",
    "tracking was not enabled by user",
    "CUDA_LOG_FILE=stderr",
    "The CUDA driver logged these messages, which may provide useful",
    "cuLogsRegisterCallback",
    "PYTORCH_USE_CUDA_DSA",
]
for name in sys.argv[1:]:
    library = pathlib.Path(name)
    version = re.search(r"__version__ = '(.*)'", (library.parent.parent / "version.py").read_text()).group(1)
    data = library.read_bytes()
    print(f"torch {version}, {library.name}, {len(data):,} bytes")
    for phrase in PHRASES:
        print(f"   {'yes' if phrase.encode() in data else 'no ':3}  {phrase}")
