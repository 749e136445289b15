#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fetches the headers of FFmpeg's libraries from packages of other releases of Debian and Ubuntu, into folders of $1
# named by the number of libavformat, for -Dlibav_headers. Prints the folders, with commas between. Of Debian's suites
# the headers and libraries of images go to images-SUITE, for -Dimage_headers.
#
#   libav_headers.sh OUT [SUITE ...]    unless stated bookworm (FFmpeg 5), noble (6), trixie (7), resolute (8), sid (9)
#
# apt gets the packages and checks their signatures; its own lists and what is installed stay as they are. DEB_MIRROR
# and UBUNTU_MIRROR are where they come from. A suite that can't be had is named, and the exit code is 1.
set -eu
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- bookworm noble trixie resolute sid
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
debian=${DEB_MIRROR:-http://deb.debian.org/debian}
ubuntu=${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu}
debian_keys=/usr/share/keyrings/debian-archive-keyring.gpg
ubuntu_keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg

# get SUITE KEYS SOURCE PACKAGE ...: unpacks packages into $work/SUITE/tree. Mirrors that were frozen have lists that
# are older than they allow.
get() {
    root=$work/$1
    mkdir -p "$root/lists/partial" "$root/cache/archives/partial" "$root/tree" "$root/packages"
    : >"$root/status"
    echo "deb [signed-by=$2] $3" >"$root/sources.list"
    shift 3
    wanted=$*
    set -- -qq -o Dir::Etc::sourcelist="$root/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$root/lists" -o Dir::State::status="$root/status" -o Dir::Cache="$root/cache" \
        -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root
    # shellcheck disable=SC2086
    (cd "$root/packages" && apt-get "$@" update && apt-get "$@" download $wanted) >"$root/log" 2>&1 || return 1
    for package in "$root/packages"/*.deb; do
        dpkg-deb -x "$package" "$root/tree"
    done
}

# images SUITE SOURCE: what modules for libavif, libjxl and OpenEXR are built with. The libraries are what the packages
# of headers ask for.
images() {
    get "$1-images" "$debian_keys" "$2" libavif-dev libjxl-dev libopenexr-dev libimath-dev || return 1
    # shellcheck disable=SC2046
    get "$1-runtime" "$debian_keys" "$2" $(for package in "$work/$1-images/packages"/*.deb; do
        dpkg-deb -f "$package" Depends; done | grep -oE '\b(libavif[0-9]+|libjxl[0-9.]+|libopenexr-[0-9-]+)\b' |
        sort -u) || return 1
    rm -rf "${out:?}/images-$1"
    mkdir -p "$out/images-$1/include" "$out/images-$1/lib"
    for name in avif jxl OpenEXR Imath; do
        find "$work/$1-images/tree/usr/include" -type d -name "$name" -exec cp -r {} "$out/images-$1/include/" \;
    done
    # By the names that programs ask for.
    find "$work/$1-runtime/tree/usr/lib" -type l \
        \( -name 'libavif.so.*' -o -name 'libjxl.so.*' -o -name 'libOpenEXRCore-*.so.*' \) \
        -exec cp -L {} "$out/images-$1/lib/" \;
}

status=0
for suite; do
    keys=$debian_keys
    case $suite in
        jammy | noble | questing | resolute)
            source="$ubuntu $suite main universe"
            keys=$ubuntu_keys
            # Debian has the keys of Ubuntu's packages, too. They stay in $1 for tools/check_releases.sh.
            if [ ! -e "$keys" ] && [ ! -e "$out/ubuntu.gpg" ]; then
                get keys "$debian_keys" "$debian trixie main" ubuntu-keyring &&
                    cp "$work/keys/tree$keys" "$out/ubuntu.gpg" || true
            fi
            [ -e "$keys" ] || keys=$out/ubuntu.gpg ;;
        *) source="$debian $suite main" ;;
    esac
    if ! get "$suite" "$keys" "$source" libavformat-dev libavcodec-dev libavutil-dev; then
        echo "libav_headers: $suite can't be had: $(grep -m1 '^E:' "$root/log" || tail -n 1 "$root/log")" >&2
        status=1
        continue
    fi
    found=$(find "$root/tree/usr/include" -type d -name libavformat | head -1)
    number=$(cat "$found"/version*.h | sed -n 's/^#define LIBAVFORMAT_VERSION_MAJOR  *\([0-9]*\).*/\1/p' | head -1)
    case $suite in
        bookworm | trixie | sid) images "$suite" "$source" || {
            echo "libav_headers: images of $suite can't be had: $(grep -m1 '^E:' "$root/log")" >&2
            status=1
        } ;;
    esac
    rm -rf "${out:?}/$number"
    mkdir "$out/$number"
    cp -r "$found" "$found/../libavcodec" "$found/../libavutil" "$out/$number/"
done
find "$out" -mindepth 1 -maxdepth 1 -type d -name '[0-9]*' | sort | paste -sd,
exit "$status"
