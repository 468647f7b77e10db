#!/bin/bash
# What an installation leaves behind, beside what was asked for: the cache of pip, that of uv, byte code, apt's files.
#
#   bash install_caches.sh EMPTY_FOLDER OTHER_FILESYSTEM
#
# A cache mount keeps the cache out of the layer; so the first number of a pair is the layer with a cache mount (or with
# --no-cache), the sum is the layer without one. Sizes are those of tar archives, as layers are: a file with two hard
# links counts once. Needs pip, uv, a package index and, for apt, root on Debian or Ubuntu. Removes what it installs.
set -u
unset PIP_NO_CACHE_DIR PIP_FIND_LINKS; export PIP_CONFIG_FILE=/dev/null PIP_DISABLE_PIP_VERSION_CHECK=1
work=$(realpath "$1") other=$(mktemp -d -p "$2") packages=(numpy==2.2.6 pillow==12.0.0 networkx==3.5)
cd "$work" || exit 1
trap 'rm -rf "$other"' EXIT

mib() { # the size of a layer that holds these folders, unpacked and compressed
    printf '%8.1f MiB, %6.1f MiB as gzip' "$(tar -cf - "$@" | wc -c | awk '{print $1 / 2^20}')" \
        "$(tar -cf - "$@" | gzip -6 | wc -c | awk '{print $1 / 2^20}')"
}
say() { printf '%-58s%s\n' "$1" "$2"; }
new() { python3 -m venv --without-pip "$1"; }

python3 --version; python3 -m pip --version | cut -d' ' -f1,2; uv --version; echo "packages: ${packages[*]}"

# An index may forbid pip to keep what it sends. This one, on loopback, allows it in the words that PyPI uses for files.
python3 -m pip download -q -d wheels "${packages[@]}" || exit 1
python3 -c '
import functools, http.server as s
class Index(s.SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Cache-Control", "max-age=365000000, immutable, public")
        super().end_headers()
server = s.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Index, directory="wheels"))
print(server.server_port, flush=True)
server.serve_forever()' >port 2>http.log &
trap 'kill %1; rm -rf "$other"' EXIT
until [ -s port ]; do sleep 0.1; done
port=$(cat port)
index=(--no-index --find-links "http://127.0.0.1:$port/" --trusted-host "127.0.0.1:$port") # pip keeps nothing of a plain http host

new a && python3 -m pip --python a/bin/python install -q --cache-dir "$work/pip" "${index[@]}" "${packages[@]}"
say "pip: environment" "$(mib a)"
say "pip: environment and its cache in one layer" "$(mib a pip)"
new b && python3 -m pip --python b/bin/python install --cache-dir "$work/pip" "${index[@]}" "${packages[@]}" >pip.log
say "pip, second build: wheels from the cache, downloads" "$(grep -c 'Using cached' pip.log), $(grep -c 'Downloading' pip.log)"
new c && python3 -m pip --python c/bin/python install -q --no-cache-dir --no-compile "${packages[@]}"
say "pip --no-cache-dir --no-compile: environment" "$(mib c)"

new d && uv pip install -q --python d/bin/python --cache-dir "$work/uv" "${packages[@]}"
say "uv: environment" "$(mib d)"
say "uv: environment and its cache in one layer" "$(mib d uv)"
new e && uv pip install -q --python e/bin/python --cache-dir "$work/uv" --link-mode copy --compile-bytecode "${packages[@]}"
say "uv --compile-bytecode: environment" "$(mib e)"
uv pip install -q --python e/bin/python --cache-dir "$other/uv" --no-deps "${packages[@]}" # only fills the other cache
new f && uv pip install --python f/bin/python --cache-dir "$other/uv" --no-deps --reinstall "${packages[@]}" 2>uv.log
say "uv, cache on another file system" "$(grep -m1 -io 'warning: [^;]*' uv.log || echo 'no warning')"

[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || exit 0
export DEBIAN_FRONTEND=noninteractive
lists=$work/lists && mkdir -p "$lists/partial"
apt-get -qq -o Dir::State::lists="$lists" update
say "apt: lists after apt-get update" "$(mib lists)"
for tool in apt-get apt; do
    for keep in "" true; do
        archives=$work/archives-$tool-$keep && mkdir -p "$archives/partial"
        options=(-o "Dir::Cache::archives=$archives" -o "Dir::State::lists=$lists")
        echo "${keep:+Binary::$tool::APT::Keep-Downloaded-Packages \"$keep\";}" >apt.conf
        APT_CONFIG=$work/apt.conf $tool -qq "${options[@]}" install -y --no-install-recommends hello >apt.log 2>&1
        say "$tool${keep:+, Keep-Downloaded-Packages \"true\"}: .deb files left" "$(find "$archives" -name '*.deb' | wc -l)"
        apt-get -qq purge -y hello >>apt.log 2>&1
    done
done
