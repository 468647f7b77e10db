#!/usr/bin/env bash
# What tracing a CUDA graph as a whole and node by node costs under Nsight Systems, and which options this nsys has.
#
#     ./nsys_graphs.sh       # needs torch, a CUDA device and nsys; graph_replay.py lies beside this file
#
# Every step may fail: what it says then is the result.
set -u
here=$(cd "$(dirname "$0")" && pwd)
nsys=$(command -v nsys || find /opt/nvidia /usr/local/cuda -name nsys -type f 2>/dev/null | head -1)
[ -n "$nsys" ] || { echo "no nsys"; exit 0; }
echo "== $("$nsys" --version 2>&1 | tail -1)"
"$nsys" profile --help 2>/dev/null | grep -A14 -E '^\s+--(pytorch|cuda-graph-trace|python-functions-trace|capture-range-end)=' | cut -c1-160 | head -80
find / -xdev -name '*QdstrmImporter*' -not -path '/proc/*' 2>/dev/null | head -3 | sed 's/^/importer: /'
folder=$(mktemp -d)
run() { # a title and options of nsys
    local title=$1; shift
    timeout 14 "$nsys" profile --sample=none --cpuctxsw=none --force-overwrite=true "$@" --output="$folder/$title" \
        python3 "$here/graph_replay.py" "$*" 2>&1 | grep -E 'kernels|rror|arning|nrecogni' | cut -c1-200
    find "$folder" -name "$title.*" -printf '  %f %s bytes\n'
}
run graph --trace=cuda --cuda-graph-trace=graph
run node --trace=cuda --cuda-graph-trace=node
echo
echo "== nsys profile --trace=cuda --pytorch=autograd-nvtx, and the importer"
timeout 14 "$nsys" profile --sample=none --cpuctxsw=none --trace=cuda --pytorch=autograd-nvtx --output="$folder/a" \
    python3 "$here/graph_replay.py" autograd 2>&1 | cut -c1-200
ls -l "$folder"
importer=$(find /opt/nvidia -name QdstrmImporter 2>/dev/null | head -1)
if [ -n "$importer" ]; then
    timeout 6 "$importer" --version 2>&1 | head -5
    timeout 8 "$importer" -i "$folder/a.qdstrm" 2>&1 | head -8
    ls -l "$folder"
    ldd "$importer" | grep "not found"
fi
rm -rf "$folder"
