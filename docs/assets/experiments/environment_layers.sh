#!/bin/bash
# What is in a PyTorch environment, and how large is it as an image layer with gzip and with zstd?
#
#   bash environment_layers.sh ENVIRONMENT SCRATCH_FOLDER [REPETITIONS]
#
# ENVIRONMENT is a virtual environment with torch. Packs it with GNU tar, then compresses with gzip 6 and zstd 3 and 9,
# and unpacks each REPETITIONS times (default 3) to /dev/null. BuildKit compresses with Go libraries of its own, so its
# sizes differ by a little and its times by more: this shows the ratio, not BuildKit's speed.
set -eu
environment=$1 scratch=$2 repetitions=${3:-3}
site=$(echo "$environment"/lib/python3*/site-packages)
mib() { echo "$1" | awk '{printf "%9.1f MiB", $1 / 1048576}'; }
size() { mib "$(du -sb --apparent-size "$@" | awk '{sum += $1} END {print sum}')"; }

grep -E '^PRETTY_NAME' /etc/os-release
echo "$(nproc) cores; $(gzip --version | head -1); $(zstd --version | grep -o 'v[0-9.]*' | head -1 | sed 's/^/zstd /'); $(tar --version | head -1)"
sed -n "s/^__version__ = '\(.*\)'/torch \1/p" "$site/torch/version.py"
for name in "" nvidia torch torch/lib torch/include torch/bin triton; do
  printf '%-28s%s\n' "${name:-site-packages}" "$(size "$site/$name")"
done
printf '%-28s%s\n' "__pycache__" "$(size $(find "$site" -name __pycache__ -type d))"
printf '%-28s%s\n' "static libraries (*.a)" "$(find "$site" -name '*.a' -printf '%s\n' | awk '{s += $1} END {printf "%9.1f MiB in %d files", s / 1048576, NR}')"
printf '%-28s%s\n' "headers (include folders)" "$(size $(find "$site" -name include -type d -prune))"

tar --sort=name --owner=0 --group=0 --mtime=@0 -C "$environment" -cf "$scratch/layer.tar" .
plain=$(stat -c %s "$scratch/layer.tar")
printf '\n%-10s%s\n' layer.tar "$(mib "$plain")"
for tool in "gzip -6" "zstd -3" "zstd -9"; do
  start=$(date +%s.%N)
  $tool -q -c <"$scratch/layer.tar" >"$scratch/layer.packed"
  packing=$(echo "$start $(date +%s.%N)" | awk '{print $2 - $1}')
  times=
  for _ in $(seq "$repetitions"); do
    start=$(date +%s.%N)
    ${tool% *} -d -q -c <"$scratch/layer.packed" >/dev/null
    times="$times $(echo "$start $(date +%s.%N)" | awk '{print $2 - $1}')"
  done
  packed=$(stat -c %s "$scratch/layer.packed")
  echo "$tool" "$(mib "$packed")" "$packed $plain" "$packing" | awk '{printf "%-10s%9.1f MiB, %.1f %% of the tar; packed in %.0f s;", $1 " " $2, $3, 100 * $5 / $6, $7}'
  tr ' ' '\n' <<<"$times" | sort -n | sed '/^$/d' | awk -v n="$repetitions" \
    '{v[NR] = $1} END {printf " unpacked in %.1f s (median of %d, %.1f to %.1f)\n", v[int((NR + 1) / 2)], n, v[1], v[NR]}'
done
rm -f "$scratch"/layer.*
