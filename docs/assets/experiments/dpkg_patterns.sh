#!/bin/bash
# Which of NVIDIA's packages in a CUDA image does a pattern of dpkg-query list, and which does it miss?
#
#   bash dpkg_patterns.sh PACKAGE_LIST     a list as in results/image_packages.txt: KiB, name, version
#
# Builds a dpkg database with these packages in a temporary folder and asks it. Needs dpkg; the system's database is not used.
set -eu
list=$1 work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/info" "$work/updates"
touch "$work/available"
tail -n +2 "$list" | while IFS=$'\t' read -r size name version; do
  printf 'Package: %s\nStatus: install ok installed\nInstalled-Size: %s\nMaintainer: x <x@example.org>\nArchitecture: all\nVersion: %s\nDescription: x\n\n' \
    "$name" "$size" "$version"
done >"$work/status"
query() { dpkg-query --admindir="$work" -W -f='${db:Status-Abbrev}${Package}\n' "$@" 2>/dev/null | sed -n 's/^ii //p' | sort -u; }

dpkg-query --version | head -1
echo "packages of NVIDIA in the list: $(query | wc -l)"
for patterns in "*-13-0 libnccl* libcudnn9*" "cuda-* *-13-0 libnccl* libcudnn9* nsight-*"; do
  read -ra pattern <<<"$patterns"
  printf "\n'%s': %s listed, missed:\n" "$patterns" "$(query "${pattern[@]}" | wc -l)"
  comm -23 <(query) <(query "${pattern[@]}") | sed 's/^/  /'
done
