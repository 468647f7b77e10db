#!/bin/bash
# Build the Dockerfiles of the page on multi-stage builds with BuildKit, on stand-ins for the base images, and weigh each layer.
#
#   bash image_build.sh EMPTY_FOLDER PAGE.md 2>&1 | tee image_build.txt
#
# For machines that reach Debian's packages and PyPI but no registry of images. Needs root, debootstrap, pip, 60 GB of
# disk, and a Docker daemon with BuildKit (28.5.2 here) in $DOCKER_HOST, started with --bridge=none: hence --network=host.
# Stand-ins: Debian 13 for Ubuntu 24.04; for nvidia/cuda:13.0.3-devel Debian 13 with build-essential, and the toolkit of
# the same version from PyPI's wheels in /usr/local/cuda; for the image of uv its wheel. $CERTIFICATES: a bundle of
# certificates that the machine needs, copied into both. Both Dockerfiles are taken from the page as they stand, less
# the line `# syntax=`, which asks a registry for a frontend: the daemon's own is used.
set -euo pipefail
mkdir -p "$1"
folder=$(cd "$1" && pwd)
page=$(realpath "$2")
cd "$folder"
suite=trixie torch=${TORCH:-2.14.1} cuda=13.0.3 ubuntu=24.04 uv=0.13.9
path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

stand_in() { # FOLDER IMAGE [CHANGE...]: make an image of a root file system
    local root=$1 image=$2 changes=()
    shift 2
    for change in "$@"; do changes+=(--change "$change"); done
    tar -C "$root" --numeric-owner -cf - . | docker import "${changes[@]}" - "$image" >/dev/null
    echo "stand-in $image: $(docker image inspect --format '{{.Size}}' "$image" | awk '{printf "%.0f MiB", $1 / 1048576}')"
}

missing() { ! docker image inspect "$1" >/dev/null 2>&1; } # IMAGE: stand-ins of an earlier run are taken

bare() { # FOLDER [PACKAGES]: a minimal Debian, with the apt hooks that images of Debian and Ubuntu have
    debootstrap --variant=minbase ${2:+--include="$2"} "$suite" "$1" >>debootstrap.log # from the mirror that debootstrap takes by itself
    rm -rf "$1"/var/cache/apt/archives/*.deb "$1"/var/lib/apt/lists/*
    printf '%s\n' 'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true"; };' \
        'Dir::Cache::pkgcache "";' 'Dir::Cache::srcpkgcache "";' >"$1/etc/apt/apt.conf.d/docker-clean"
    if [ -n "${CERTIFICATES:-}" ]; then install -D "$CERTIFICATES" "$1/etc/ssl/certs/ca-certificates.crt"; fi
}

toolkit() { # FOLDER: CUDA's toolkit from wheels, in the layout of /usr/local/cuda
    python3 -m pip install --quiet --no-compile --target wheels "cuda-toolkit[all]==$cuda" 2>>pip.log
    mkdir -p "$1/usr/local"
    mv wheels/nvidia/cu13 "$1/usr/local/cuda"
    ln -s lib "$1/usr/local/cuda/lib64"
    for library in "$1"/usr/local/cuda/lib/lib*.so.*; do # the linker asks for names without a version
        ln -sf "$(basename "$library")" "${library%%.so.*}.so"
    done
}

project() { # a package with one CUDA source, as the page describes it
    mkdir -p app/csrc app/src/app
    cat >app/pyproject.toml <<END
[project]
name = "app"
version = "1"
requires-python = ">=3.11"
dependencies = ["numpy", "torch==$torch"]

[build-system]
requires = ["setuptools", "torch==$torch"]
build-backend = "setuptools.build_meta"
END
    cat >app/setup.py <<'END'
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(packages=["app"], package_dir={"": "src"}, ext_modules=[CUDAExtension("app.twice", ["csrc/twice.cu"])], cmdclass={"build_ext": BuildExtension})
END
    cat >app/csrc/twice.cu <<'END'
#include <torch/extension.h>
__global__ void twice(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
torch::Tensor run(torch::Tensor x) {
  twice<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), x.numel());
  return x;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
END
    : >app/src/app/__init__.py
    cat >app/src/app/__main__.py <<'END'
import getpass, sys

import torch

import app.twice

print("torch", torch.__version__, "CUDA", torch.version.cuda, "Python", sys.version.split()[0], "user", getpass.getuser(), app.twice.run)
END
    uv lock --quiet --project app --no-python-downloads
}

dockerfiles() { # the page's Dockerfiles that build from the devel image: first.Dockerfile, then second.Dockerfile
    awk '/^```dockerfile/ {inside = 1; text = ""; next}
         /^```/ && inside {inside = 0; if (text ~ /-devel-/) print text > (++n == 1 ? "first" : "second") ".Dockerfile"}
         inside && !/^# syntax=/ {text = text $0 "\n"}' "$page"
}

build() { # TITLE DOCKERFILE TARGET [OPTION...]: build, and say how long it took and which steps ran
    local title=$1 file=$2 target=$3 begin=$SECONDS status=0
    shift 3
    docker buildx build --network=host --progress=plain --file "$file" ${target:+--target "$target"} --tag "app:${target:-short}" "$@" app >build.log 2>&1 || status=$?
    cp build.log "$title.log"
    echo "== $title: status $status, $((SECONDS - begin)) s; $(grep -c ' CACHED$' build.log || true) steps from the cache"
    if [ "$status" -ne 0 ]; then grep -E 'ERROR|rror:' build.log | tail -5; fi
}

weigh() { # IMAGE: its layers, in MiB
    docker history --no-trunc --human=false --format '{{.Size}}|{{.CreatedBy}}' "$1" |
        awk -F'|' '$1 > 0 {printf "  %8.1f MiB  %.110s\n", $1 / 1048576, $2}'
    echo "  $(docker image inspect --format '{{.Size}}' "$1" | awk '{printf "%8.1f", $1 / 1048576}') MiB in all; as zstd -3: $(docker save "$1" | zstd -3 -q | wc -c | awk '{printf "%.1f", $1 / 1048576}') MiB"
}

echo "$(date +%F), Docker $(docker version --format '{{.Server.Version}}'), torch $torch, CUDA $cuda from wheels, Debian $suite"
if missing "ubuntu:$ubuntu"; then
    bare ubuntu
    stand_in ubuntu "ubuntu:$ubuntu" 'CMD ["/bin/bash"]'
fi
if missing "nvidia/cuda:$cuda-devel-ubuntu$ubuntu"; then
    bare devel build-essential,ca-certificates
    toolkit devel
    stand_in devel "nvidia/cuda:$cuda-devel-ubuntu$ubuntu" "ENV PATH=/usr/local/cuda/bin:$path ${CERTIFICATES:+SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt}"
fi
if missing "ghcr.io/astral-sh/uv:$uv"; then
    python3 -m pip install --quiet --target uv-wheel "uv==$uv" 2>>pip.log
    mkdir uv-image && cp uv-wheel/bin/uv uv-image/uv
    stand_in uv-image "ghcr.io/astral-sh/uv:$uv"
fi
export PATH=$folder/uv-wheel/bin:$PATH
project
dockerfiles

export INDEX_TOKEN=not-a-real-token

build "the short Dockerfile" first.Dockerfile ""
weigh app:short
docker run --rm --network=none app:short
for target in production jit; do
    build "four images, $target" second.Dockerfile "$target" --secret id=index_token,env=INDEX_TOKEN
    weigh "app:$target"
done
docker run --rm --network=none app:production
docker run --rm --network=none app:jit gcc --version | head -1
compiled='import torch; print("torch.compile on the CPU:", torch.compile(lambda x: x.sin() + 1)(torch.ones(4)))'
for target in production jit; do
    echo "== $target: torch.compile on the CPU, which asks for a C++ compiler"
    { docker run --rm --network=none "app:$target" python -c "$compiled" 2>&1 || true; } | grep -E 'Error|torch.compile' | tail -1
done
step='import torch; m = torch.nn.Linear(8, 8); o = torch.optim.AdamW(m.parameters()); m(torch.ones(2, 8)).sum().backward(); o.step(); print("ok")'
infer='import torch; print("ok", torch.nn.Linear(8, 8)(torch.ones(2, 8)).shape)'
read_only() { # TITLE CODE [OPTION...]
    echo "== production, read-only root: $1"
    { docker run --rm --network=none --read-only "${@:3}" app:production python -c "$2" 2>&1 || true; } | tail -1
}
read_only "inference, eager" "$infer"
read_only "a training step, eager" "$step"
read_only "the same with --tmpfs /tmp" "$step" --tmpfs /tmp
build "four images, profile" second.Dockerfile profile
echo "# the page's way to go on" >>app/src/app/__main__.py
build "a .py file changed" second.Dockerfile production
build "another revision" second.Dockerfile production --build-arg REVISION=2
echo "// changed" >>app/csrc/twice.cu
build "a .cu file changed in a comment" second.Dockerfile production
echo "the token in the history of the image: $(docker history --no-trunc app:production | grep -c "$INDEX_TOKEN" || true) lines"
