#!/usr/bin/env bash
# Which libraries can an installed torch not be imported without, and where does the loader look for a missing one?
#
# A copy of site-packages is made of links, and is the only one that Python sees (-S). From it single files of NVIDIA's
# wheels are left out, and torch is imported. "No cache" means that ld.so does without /etc/ld.so.cache, so that a
# toolkit on the machine cannot help out. Nothing is changed outside of a temporary folder.
#
# Usage: torch_missing_library.sh      with the Python of a CUDA build of torch on PATH; no GPU is needed
set -u
site=$(python -c 'import os, torch; print(os.path.dirname(os.path.dirname(torch.__file__)))')
python=$(python -c 'import sys; print(sys.executable)')
loader=/lib64/ld-linux-x86-64.so.2
copy=$(mktemp -d) && trap 'rm -rf "$copy"' EXIT
for entry in "$site"/*; do
  case $(basename "$entry") in torch | nvidia) ;; *) ln -s "$entry" "$copy/" ;; esac
done
cp -rs "$site/torch" "$site/nvidia" "$copy/"
try="import torch; print('import ok;', *[l.split()[-1] for l in open('/proc/self/maps') if 'libcupti' in l][:1])"
import() { PYTHONPATH=$copy timeout 60 "$@" -S -c "$try" 2>&1 | tail -1 | sed "s#$copy#COPY#; s#$site#SITE#" | cut -c1-160; }
searched() { # the loader's own account of its search for libcupti
  PYTHONPATH=$copy LD_DEBUG=libs timeout 60 "$python" -S -c 'import torch' 2>&1 | grep -A9 'find library=libcupti' |
    sed "s#$copy#COPY#g; s#^ *[0-9]*:##" | cut -c1-230 | head -10
}

python -c 'import torch; print("torch", torch.__version__)'
echo "whole: $(import "$python")"
echo "the loader, whole:" && searched
rm -f "$copy"/nvidia/*/lib/libcupti.so*
echo "without libcupti, with the cache: $(import "$python")"
echo "the loader, without libcupti:" && searched
echo "without libcupti, no cache: $(import $loader --inhibit-cache "$python")"
good=$(dirname "$(find "$site/nvidia" -name 'libcupti.so.*' -print -quit)")
echo "without libcupti, no cache, LD_LIBRARY_PATH to a good one: $(LD_LIBRARY_PATH=$good import $loader --inhibit-cache "$python")"
for name in libnvperf_host libcudart libcublas libcudnn libcudnn_graph libcufft libcurand libcusparse libcusparseLt libcusolver \
  libcufile libnccl libnvshmem_host libnvrtc libnvJitLink; do
  rm -rf "$copy/nvidia" && cp -rs "$site/nvidia" "$copy/"
  rm -f "$copy"/nvidia/*/lib/$name.so*
  printf 'without %-16s no cache: %s\n' "$name," "$(import $loader --inhibit-cache "$python")"
done
exit 0
