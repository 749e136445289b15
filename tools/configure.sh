#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Configures a release build in the folder $1 unless that is done, and again when the installed packages or the prefix
# $2 differ from last time. For `make`; with meson itself you don't need it.
set -eu
build=$1
prefix=${2:-}
here=$(dirname "$0")

state="$("$here"/setup.sh --state)"
if [ -f "$build/build.ninja" ] && [ -f "$build/.packages" ] && [ "$(cat "$build/.packages")" = "$state" ]; then
    if [ -n "$prefix" ] && ! grep -qxF "$prefix" "$build/.prefix" 2>/dev/null; then
        meson configure "$build" -Dprefix="$prefix"
        printf '%s\n' "$prefix" >"$build/.prefix"
    fi
    exit 0
fi

# In CI nothing is left out because a tool is missing: the tests of it would not be there, and nobody would miss them.
# A compiler for SYCL is no package, so that stays as it is found, beside CUDA, Vulkan and OpenGL.
all=
[ "${CI:-}" != true ] ||
    all='-Dcuda=enabled -Dvulkan=enabled -Dopengl=enabled -Dlibav=enabled -Dpng=enabled -Dimages=enabled'

again=
[ -f "$build/build.ninja" ] && again=--reconfigure
mkdir -p "$build"
log=$build/configure.log
# shellcheck disable=SC2086
if ! meson setup $again --buildtype=release $all ${prefix:+-Dprefix="$prefix"} "$build" "$here/.." >"$log" 2>&1; then
    grep -E 'ERROR|error:' "$log" >&2 || tail -n 5 "$log" >&2
    echo "configure: meson failed; all that it said is in $log" >&2
    exit 1
fi
# What this build can do, in meson's own words.
sed -n '/^ *Features/,/^$/p' "$log"
printf '%s' "$state" >"$build/.packages"
[ -z "$prefix" ] || printf '%s\n' "$prefix" >"$build/.prefix"
