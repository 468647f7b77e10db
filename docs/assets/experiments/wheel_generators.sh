#!/usr/bin/env bash
# Which program built each torch wheel, and from which commit?
#
# Usage: wheel_generators.sh WHEEL_OR_DIST_INFO...
set -u
for item in "$@"; do
  if [ -d "$item" ]; then
    echo "$(basename "$item"): $(grep Generator "$item/WHEEL"); $(grep -E '^(__version__|git_version)' "$item/../torch/version.py" | tr '\n' ' ')"
  else
    echo "$(basename "$item"): $(unzip -p "$item" '*.dist-info/WHEEL' | grep Generator); $(unzip -p "$item" torch/version.py | grep -E '^(__version__|git_version)' | tr '\n' ' ')"
  fi
done
