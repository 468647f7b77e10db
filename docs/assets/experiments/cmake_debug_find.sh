#!/usr/bin/env bash
# Print what --debug-find-var says on a first run, and on a second one whose answer is in the cache.
#
# Usage: cmake_debug_find.sh CMAKE...     the programs to compare, such as /usr/bin/cmake
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir -p a/lib64 && : >a/lib64/libcupti.so
cat >CMakeLists.txt <<'L'
cmake_minimum_required(VERSION 3.22)
project(demo NONE)
find_library(CUPTI_LIBRARY_PATH libcupti.so PATHS ${TOOLKIT} ${TOOLKIT}/lib64 NO_DEFAULT_PATH)
message(STATUS "CUPTI_LIBRARY_PATH: ${CUPTI_LIBRARY_PATH}")
L
said() { # said TITLE COMMAND...: what it prints about the variable, the folder replaced
  printf '== %s\n' "$1"; shift
  "$@" 2>&1 | sed "s#$work#WORK#g" | grep -vE '^-- (Configuring|Generating|Build files)|^$|^Running with'
}
for cmake; do
  "$cmake" --version | head -1
  rm -rf build
  said "no such toolkit" "$cmake" -S . -B build --debug-find-var=CUPTI_LIBRARY_PATH -DTOOLKIT="$work/none"
  rm -rf build
  said "it is there, first run" "$cmake" -S . -B build --debug-find-var=CUPTI_LIBRARY_PATH -DTOOLKIT="$work/a"
  said "second run, the answer in the cache" "$cmake" -S . -B build --debug-find-var=CUPTI_LIBRARY_PATH
  rm a/lib64/libcupti.so
  said "third run, the file deleted" "$cmake" -S . -B build --debug-find-var=CUPTI_LIBRARY_PATH
  : >a/lib64/libcupti.so
  grep -c find-v1 build/CMakeFiles/CMakeConfigureLog.yaml 2>/dev/null | sed 's/^/find-v1 in the configure log: /'
done
