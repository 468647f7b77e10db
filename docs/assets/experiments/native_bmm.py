"""Read in PyTorch's wheels whether eager `torch.bmm` may run a Triton kernel, and what happens if Triton fails.

python -m pip download --no-deps --only-binary=:all: --platform macosx_14_0_arm64 --python-version 3.13 torch==2.15.0
python native_bmm.py torch-*.whl

The wheels for macOS are the smallest; their Python files are those of the release.
"""

import pathlib
import sys
import zipfile

FOLDER = "torch/_native/"
FILES = {
    "override of bmm": "ops/bmm_outer_product/triton_impl.py",
    "register": "triton_utils.py",
    "switch": "common_utils.py",
}


def text_of(wheel, name):
    """Return the text of a file of the wheel, or nothing if it has none of that name."""
    try:
        return wheel.read(FOLDER + name).decode()
    except KeyError:
        return ""


def main():
    """Print one line of facts for each wheel."""
    for path in sys.argv[1:]:
        with zipfile.ZipFile(path) as wheel:
            override, register, switch = (text_of(wheel, name) for name in FILES.values())
        release = pathlib.Path(path).name.split("-")[1]
        routed = "shape[2] == 1" in override and '"bmm"' in override
        facts = {
            "bmm of outer products goes to Triton": routed,
            "only if Triton's driver starts": routed and "try_initialize_runtime" in register,
            "TORCH_DISABLE_NATIVE_JIT is read": "TORCH_DISABLE_NATIVE_JIT" in switch,
        }
        print(release, "; ".join(f"{fact}: {'yes' if holds else 'no'}" for fact, holds in facts.items()))


if __name__ == "__main__":
    main()
