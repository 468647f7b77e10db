#!/usr/bin/env bash
# What do the CUPTI packages of PyPI and Debian hold? One paragraph a package: sizes, headers, sonames, links.
# Run: ./cupti_copies.sh NAME==VERSION ... [PACKAGE.deb ...]      It downloads wheels into a temporary folder.
# Needs pip, unzip, readelf and, for .deb files, dpkg-deb. The wheels are those for Linux on x86_64.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pip=${PIP:-python3 -m pip}

tell() { # title, folder of the unpacked package, bytes of the package as downloaded
    local title=$1 root=$2 packed=$3 library
    printf '\n== %s\n' "$title"
    printf 'downloaded %s bytes, unpacked %s bytes\n' "$packed" \
        "$(find "$root" -type f -printf '%s\n' | awk '{sum += $1} END {print sum}')"
    printf 'headers: %s; cupti.h: %s\n' "$(find "$root" -name '*.h' | wc -l)" \
        "$(find "$root" -name cupti.h -printf '%P\n' | head -1 | grep . || echo none)"
    printf 'libcupti.so without a version: %s\n' "$(find "$root" -name libcupti.so -printf '%P -> %l\n' | grep . || echo none)"
    find "$root" \( -name '*.so*' -o -name '*.a' \) -printf '%10s %P %l\n' | sort -k 2
    library=$(find "$root" -type f -name 'libcupti.so.*' | head -1)
    [ -n "$library" ] || return 0
    readelf -d "$library" | sed -nE 's/.*\((SONAME|NEEDED|RPATH|RUNPATH)\).*\[(.*)\]/\1 \2/p' | sort | paste -sd ';'
    sha256sum "$library" | cut -c 1-64 | sed 's/^/sha256 of libcupti: /'
}

for item in "$@"; do
    rm -rf "$work/packed" "$work/open" && mkdir "$work/packed" "$work/open"
    if [[ $item == *.deb ]]; then
        dpkg-deb -x "$item" "$work/open" && tell "$(basename "$item")" "$work/open" "$(stat -c %s "$item")"
        continue
    fi
    # shellcheck disable=SC2086 # PIP may hold a command with arguments
    $pip download -q --no-deps --only-binary=:all: --platform manylinux2014_x86_64 --platform manylinux_2_25_x86_64 \
        -d "$work/packed" "$item" 2>"$work/error" || { sed "s/^/$item: /" "$work/error"; continue; }
    wheel=$(find "$work/packed" -name '*.whl' | head -1)
    unzip -q "$wheel" -d "$work/open" && tell "$(basename "$wheel")" "$work/open" "$(stat -c %s "$wheel")"
done
