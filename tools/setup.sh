#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks that what assay needs is installed, and installs what is missing on Debian and Ubuntu.
#
#   tools/setup.sh          what building and scoring need, and what makes them better
#   tools/setup.sh --tests  and what only the tests need
#   tools/setup.sh --ci     and the second compiler and sanitizers; never asks, never stops for what is only wanted
#   tools/setup.sh --windows  what builds for Windows and runs that here, alone
#   tools/setup.sh --list   prints the packages and what each is for, changes nothing
#   tools/setup.sh --state  prints which of them are installed, changes nothing
#
# When nothing is missing this takes a moment and touches no network. Without root or sudo it prints the line to run.
# Exit status: 0 everything required is there, 1 something required is missing.
set -eu

# package, r(equired) w(anted) t(ests) c(i) m(ingw), what it is for
packages() {
    cat <<'LIST'
gcc r the C compiler (12 or later; clang 14 or later works too)
libc6-dev r headers of the C library
binutils r nm and objdump: the build looks into its own objects
meson r the build system (1.0 or later)
ninja-build r runs the build
pkg-config r finds libraries
python3 r generates kernel tables at build time
libcjson-dev r reads JSON: merging, models
libcmocka-dev r the unit tests
valgrind t sees reads beyond pictures that programs lend to libvmaf.so.3
libavformat-dev w reads containers (mkv, mp4, webm, ...); without it: Y4M and raw only
libavcodec-dev w decodes video and images
libavutil-dev w part of FFmpeg's libraries
glslc w GPU: compiles kernels to SPIR-V
spirv-tools w GPU: checks the SPIR-V
spirv-cross w GPU: makes the OpenGL text of the kernels
libvulkan-dev w GPU: Vulkan headers and loader
libegl-dev w GPU: opens OpenGL without a window
libegl1 w GPU: opens OpenGL without a window
libgl-dev w GPU: OpenGL headers
mesa-vulkan-drivers w GPU: Vulkan drivers, among them one that runs on the CPU
libgl1-mesa-dri w GPU: OpenGL drivers, among them one that runs on the CPU
libpng-dev w reads and writes PNG images: assay image, heatmaps
libdeflate0 w reads PNG images in less time
librsvg2-2 w draws plots as PNG
libjpeg-dev w reads JPEG images
libwebp-dev w reads WebP images; small pictures in HTML reports
libavif-dev w reads AVIF images
libjxl-dev w reads JPEG XL images
libtiff-dev w reads TIFF images
libopenexr-dev w reads OpenEXR images
vulkan-validationlayers t checks every Vulkan call
gcc-aarch64-linux-gnu t builds for 64-bit ARM
libc6-dev-arm64-cross t C library for 64-bit ARM
qemu-user-static t runs 64-bit ARM programs here
ffmpeg t makes test files
g++ t the public header is tried from C++
locales t source of a locale with a decimal comma
python3-numpy t the Python package
python3-pandas t the Python package: its tables
mypy c types of the Python package
python3-matplotlib c plots of the Python package
clang c second compiler, sanitizers and fuzzers
chromium c opens HTML reports
debhelper c packages of Debian: make deb
dh-python c packages of Debian: make deb
chrpath c packages of Debian: make deb
lintian c looks at the packages
debootstrap c roots in which packages are tried
python3-skimage c a measure beside the Python package's
slurmctld c a cluster for `assay batch --engine slurm`
slurmd c a cluster for `assay batch --engine slurm`
munge c a cluster for `assay batch --engine slurm`
python3-distributed c a cluster for assay.distributed
cmake c finds the installed libraries as a program of CMake does
gcc-mingw-w64-x86-64-posix m builds for Windows
wine m runs programs of Windows
wine64 m runs programs of Windows
xvfb m a display, without which wine has no Vulkan
LIST
}

mode=build
for arg in "$@"; do
    case $arg in
        --tests) mode=tests ;;
        --ci) mode=ci ;;
        --windows) mode=windows ;;
        --state)
            # shellcheck disable=SC2046
            dpkg-query -W -f='${db:Status-Status} ${Package} ${Version}\n' $(packages | cut -d' ' -f1) 2>/dev/null \
                | sed -n 's/^installed //p' || true
            exit 0 ;;
        --list)
            packages | while read -r name kind what; do
                case $kind in
                    r) kind=required ;; w) kind=wanted ;; t) kind='tests only' ;; c) kind='tests only (CI)' ;;
                    m) kind='for Windows' ;;
                esac
                printf '%-24s %-16s %s\n' "$name" "$kind" "$what"
            done
            exit 0 ;;
        *) echo "setup: unknown argument '$arg' (--tests, --ci, --windows, --list or --state)" >&2; exit 2 ;;
    esac
done

case $mode in
    build) kinds=rw ;; tests) kinds=rwt ;; ci) kinds=rwtc ;; windows) kinds=m ;;
esac

# Elsewhere than on Debian and Ubuntu only the programs can be looked for.
if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
    missing=
    for tool in meson ninja pkg-config python3; do
        command -v "$tool" >/dev/null 2>&1 || missing="$missing $tool"
    done
    command -v "${CC:-cc}" >/dev/null 2>&1 || missing="$missing ${CC:-a-C-compiler}"
    for library in libcjson cmocka; do
        pkg-config --exists "$library" 2>/dev/null || missing="$missing $library"
    done
    if [ -n "$missing" ]; then
        echo "setup: this is not Debian or Ubuntu; please install:$missing" >&2
        exit 1
    fi
    exit 0
fi

# A user who brings a compiler does not need ours.
has() {
    case $1 in
        gcc) [ -n "${CC:-}" ] && command -v "$CC" >/dev/null 2>&1 && return 0 ;;
        pkg-config) command -v pkg-config >/dev/null 2>&1 && return 0 ;;
        meson|clang|ffmpeg|g++) command -v "$1" >/dev/null 2>&1 && return 0 ;;
        ninja-build) command -v ninja >/dev/null 2>&1 && return 0 ;;
    esac
    case $installed in
        *" $1 "*) return 0 ;;
    esac
    return 1
}

names=$(packages | while read -r name kind what; do case $kinds in *$kind*) echo "$name" ;; esac; done)
# shellcheck disable=SC2086
installed=" $(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $names 2>/dev/null \
    | sed -n 's/^installed //p' | sort -u | tr '\n' ' ') "

missing_required=
missing_other=
while read -r name kind what; do
    case $kinds in *"$kind"*) ;; *) continue ;; esac
    has "$name" && continue
    if [ "$kind" = r ]; then
        missing_required="$missing_required $name"
    else
        missing_other="$missing_other $name"
    fi
done <<LIST
$(packages)
LIST

[ -n "$missing_required$missing_other" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        as_root=sudo
    else
        if [ -n "$missing_required" ]; then
            echo "setup: these packages are needed and this user can't install them. Please run:" >&2
            echo "    apt-get update && apt-get install --no-install-recommends$missing_required$missing_other" >&2
            exit 1
        fi
        # Once per set of packages is enough: a build without them works, it can do less.
        echo "setup: not installed (assay works, with less):$missing_other" >&2
        echo "    to add them, as root: apt-get install --no-install-recommends$missing_other" >&2
        exit 0
    fi
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# One apt-get. While another program holds apt's locks, as the updater of a fresh machine does, it waits for up to
# lock_wait seconds in all. apt-get's own option waits for dpkg's lock only, not for that of the package lists.
lock_wait=300
apt() {
    while :; do
        DEBIAN_FRONTEND=noninteractive LC_ALL=C $as_root apt-get -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=5 "$@" \
            >"$log" 2>&1 && return 0
        grep -Eq 'Could not get lock|Unable to (acquire|lock)' "$log" || return 1
        [ "$lock_wait" -gt 0 ] || return 1
        if [ "$lock_wait" -eq 300 ]; then
            holder=$(sed -n 's/.*held by process \([0-9]* ([^)]*)\).*/ (process \1/p' "$log" | head -1)
            echo "setup: another program${holder:+$holder)} holds apt's lock; waiting for it, up to 5 minutes" >&2
        fi
        sleep 5
        lock_wait=$((lock_wait - 10)) # 5 of them in apt-get
    done
}

complain() {
    echo "setup: $1" >&2
    grep -E '^(E|Err|W):' "$log" | sort -u | head -5 | sed 's/^/    /' >&2 || true
}

echo "setup: installing$missing_required$missing_other" >&2
apt -qq update || complain "apt-get update failed (is there a network?); trying with the package lists that are here"

# In one go first; then one by one, so that a package that this release lacks does not stop the others.
# shellcheck disable=SC2086
if apt install -y --no-install-recommends $missing_required $missing_other; then
    exit 0
fi
status=0
for name in $missing_required; do
    apt install -y --no-install-recommends "$name" && continue
    complain "could not install $name, which is required"
    status=1
done
for name in $missing_other; do
    apt install -y --no-install-recommends "$name" && continue
    complain "could not install $name (assay works without it, with less)"
done
exit $status
