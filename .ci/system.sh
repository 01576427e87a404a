#!/usr/bin/env bash
# Installs the system packages that are missing for "venv", "build" or "test"; asks apt only when something is.
set -euo pipefail
part=$1
python=$(bash "$(dirname "${BASH_SOURCE[0]}")/find-python.sh")
version=$("$python" -c 'import sysconfig; print(sysconfig.get_python_version())')

missing=()
need() { # package, then the command that succeeds where it is there
    local package=$1
    shift
    "$@" >/dev/null 2>&1 || missing+=("$package")
}
pkg() { pkg-config --exists "$1"; }

if [[ $part == venv ]]; then
    need "python$version-venv" "$python" -c 'import ensurepip, venv'
else
    need gcc command -v cc
    need g++ command -v c++
    need pkg-config command -v pkg-config
    need "python$version-dev" "$python" -c \
        'import os, sysconfig; os.stat(os.path.join(sysconfig.get_path("include"), "Python.h"))'
    need libcurl4-openssl-dev pkg libcurl
    need libxml2-dev pkg libxml-2.0
    need libutf8proc-dev pkg libutf8proc
    need libsimdjson-dev pkg simdjson
    if [[ $part == test ]]; then
        need libcmocka-dev pkg cmocka
        need binutils command -v nm
    fi
fi
((${#missing[@]})) || exit 0

if ! command -v apt-get >/dev/null; then
    echo "Missing, by Debian's package names: ${missing[*]}" >&2
    echo "Fedora:  dnf install gcc gcc-c++ pkgconf-pkg-config python3-devel libcurl-devel libxml2-devel utf8proc-devel simdjson-devel libcmocka-devel" >&2
    echo "macOS:   xcode-select --install; brew install pkg-config curl libxml2 utf8proc simdjson cmocka" >&2
    exit 1
fi
apt=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
if ((EUID)); then
    command -v sudo >/dev/null || { echo "Run as root: apt-get install ${missing[*]}" >&2; exit 1; }
    apt=(sudo "${apt[@]}")
fi
echo "installing system packages: ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    exit 1
fi
