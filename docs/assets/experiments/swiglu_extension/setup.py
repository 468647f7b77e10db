from setuptools import find_packages, setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

TARGET = "-DTORCH_TARGET_VERSION=0x020a000000000000"  # runs with PyTorch 2.10 and later

setup(
    name="swiglu",
    version="0.1",
    packages=find_packages(),
    ext_modules=[
        CUDAExtension(
            "swiglu._C",
            ["swiglu/swiglu.cu"],
            extra_compile_args={
                "cxx": ["-O3", "-DPy_LIMITED_API=0x030a0000", TARGET],
                "nvcc": ["-O3", TARGET, "-DUSE_CUDA"],  # USE_CUDA: declares the CUDA part of shim.h
            },
            py_limited_api=True,  # no libtorch_python, and a file name without a Python version
        )
    ],
    cmdclass={"build_ext": BuildExtension},
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
    install_requires=["torch>=2.10"],
)
