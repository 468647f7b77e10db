#!/usr/bin/env bash
# What `ldd` over torch/lib prints when one library of the CUDA wheels is away and no toolkit is there. As root.
#
# Usage: missing_by_loader.sh PYTHON      hides /usr/local/cuda in a mount namespace; moves one file at a time and back
set -u
[ "${2:-}" = inside ] || exec unshare -m bash "$0" "$1" inside
for folder in /usr/local/cuda*/; do mount -t tmpfs none "$(readlink -f "$folder")" 2>/dev/null; done
site=$(dirname "$("$1" -c 'import torch; print(torch.__path__[0])')")
"$1" -c 'import torch; print("torch", torch.__version__)'
missing() { for library in "$site"/torch/lib/lib*.so; do ldd "$library" 2>/dev/null; done | grep 'not found' | sed 's/^[ \t]*//' | sort -u | paste -sd';'; }
echo "nothing removed: $(missing)"
for file in "$site"/nvidia/*/lib/lib*.so.*; do
    name=$(basename "$file")
    case $name in
    libcusolver.so.*|libcublas.so.*|libcudnn.so.*|libcudnn_engines_precompiled.so.*|libcudnn_graph.so.*|libnvrtc.so.*|libnvrtc-builtins*|libnccl.so.*|libcupti.so.*|libnvperf_host*|libcusparseLt.so.*|libnvJitLink.so.*|libcudart.so.*) ;;
    *) continue ;;
    esac
    mv "$file" "$file.away"
    echo "$name: $(missing)"
    mv "$file.away" "$file"
done
