#!/usr/bin/env bash
# Which versions does apt choose when only a metapackage is pinned, and which pin holds its parts as well?
# Builds empty packages with the names and versions of CUDA 13.0 in a temporary folder, and asks apt what it would do:
# nothing is installed, and the system's own package lists are not touched. Needs apt and dpkg-dev. Run: ./apt_pin.sh
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work"/{repo,lists/partial,cache/archives/partial,etc/preferences.d,etc/sources.list.d}
touch "$work/status"

package() { # name, version, dependencies
    mkdir -p "$work/root/DEBIAN"
    printf 'Package: %s\nVersion: %s\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: empty\n' \
        "$1" "$2" >"$work/root/DEBIAN/control"
    [ -z "${3:-}" ] || printf 'Depends: %s\n' "$3" >>"$work/root/DEBIAN/control"
    dpkg-deb -b "$work/root" "$work/repo/$1_$2.deb" >/dev/null
}
ask() { # title, packages
    printf '\n-- %s\n' "$1"
    shift
    printf '$ apt-get install %s\n' "$*"
    APT_CONFIG=$work/apt.conf apt-get install -s --no-install-recommends "$@" 2>&1 | grep -E '^(Inst|E:| .*Depends)'
}

package cuda-cupti-13-0 13.0.48-1
package cuda-cupti-13-0 13.0.85-1
package cuda-cupti-dev-13-0 13.0.48-1 'cuda-cupti-13-0 (>= 13.0.48)'
package cuda-cupti-dev-13-0 13.0.85-1 'cuda-cupti-13-0 (>= 13.0.85)'
package cuda-command-line-tools-13-0 13.0.0-1 'cuda-cupti-dev-13-0 (>= 13.0.48)'
package cuda-command-line-tools-13-0 13.0.2-1 'cuda-cupti-dev-13-0 (>= 13.0.85)'
(cd "$work/repo" && dpkg-scanpackages -m . 2>/dev/null >Packages)
echo "deb [trusted=yes] file:$work/repo ./" >"$work/etc/sources.list"
cat >"$work/apt.conf" <<CONF
Dir::Etc "$work/etc/";
Dir::State::lists "$work/lists";
Dir::State::status "$work/status";
Dir::Cache "$work/cache";
CONF
APT_CONFIG=$work/apt.conf apt-get update >/dev/null 2>&1
apt-get --version | head -1

ask "nothing pinned" cuda-command-line-tools-13-0
ask "the metapackage's version alone" cuda-command-line-tools-13-0=13.0.0-1
ask "each package with its version" cuda-command-line-tools-13-0=13.0.0-1 cuda-cupti-dev-13-0=13.0.48-1 cuda-cupti-13-0=13.0.48-1
cat >"$work/etc/preferences.d/cuda-13-0" <<'PIN'
Package: cuda-cupti-13-0 cuda-cupti-dev-13-0
Pin: version 13.0.48-1
Pin-Priority: 1001

Package: cuda-command-line-tools-13-0
Pin: version 13.0.0-1
Pin-Priority: 1001
PIN
ask "a preferences file, no version on the command line" cuda-command-line-tools-13-0
