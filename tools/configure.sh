#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Configures a release build in the folder $1 unless that is done, and again when the installed packages or the prefix
# $3 differ from last time. For `make`; with meson itself you don't need it.
# $2: all, with the kernels of every instruction set, or any: a new folder gets those that this processor uses, and one
# that is there keeps what it has.
set -eu
build=$1
levels=$2
prefix=${3:-}
here=$(dirname "$0")

# In CI nothing is left out because a tool is missing or a processor is another one: the tests of it would not be there,
# and nobody would miss them. A compiler for SYCL is no package, so that stays as it is found, beside CUDA, Vulkan and
# OpenGL.
options=
if [ "${CI:-}" = true ]; then
    levels=all
    options='-Dcuda=enabled -Dvulkan=enabled -Dopengl=enabled -Dlibav=enabled -Dpng=enabled -Dimages=enabled'
fi
state="$("$here"/setup.sh --state)"
has_levels() {
    [ "$levels" = any ] || ! grep -qs cpu_levels=all "$build/src/kernels/levels_gen.h"
}
# LIBAV_HEADERS: folders with headers of other versions of FFmpeg's libraries, which tools/libav_headers.sh fetches.
# What it fetches of images lies beside them.
if [ -n "${LIBAV_HEADERS:-}" ]; then
    images=$(find "$(dirname "${LIBAV_HEADERS%%,*}")" -maxdepth 1 -name 'images-*' | sort | paste -sd,)
    options="$options -Dlibav_headers=$LIBAV_HEADERS -Dimage_headers=$images"
    state="$state
$LIBAV_HEADERS $images"
fi
again=
[ -f "$build/build.ninja" ] && again=--reconfigure
if [ -n "$again" ] && [ -f "$build/.packages" ] && [ "$(cat "$build/.packages")" = "$state" ] && has_levels; then
    if [ -n "$prefix" ] && ! grep -qxF "$prefix" "$build/.prefix" 2>/dev/null; then
        meson configure "$build" -Dprefix="$prefix"
        printf '%s\n' "$prefix" >"$build/.prefix"
    fi
    exit 0
fi

if [ "$levels" = all ]; then
    options="$options -Dcpu_levels=all"
elif [ -z "$again" ]; then
    options="$options -Dcpu_levels=native"
fi
mkdir -p "$build"
log=$build/configure.log
# shellcheck disable=SC2086
if ! meson setup $again --buildtype=release $options ${prefix:+-Dprefix="$prefix"} "$build" "$here/.." \
    >"$log" 2>&1; then
    grep -E 'ERROR|error:' "$log" >&2 || tail -n 5 "$log" >&2
    echo "configure: meson failed; all that it said is in $log" >&2
    exit 1
fi
# What this build can do, in meson's own words.
sed -n '/^ *Features/,/^$/p' "$log"
printf '%s' "$state" >"$build/.packages"
[ -z "$prefix" ] || printf '%s\n' "$prefix" >"$build/.prefix"
