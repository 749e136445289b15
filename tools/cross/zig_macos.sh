#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The compiler for macOS on 64-bit ARM that zig carries, with what meson asks of such a compiler:
#
#   zig_macos.sh cc|ar|ranlib ARGUMENT ...
#
# ZIG is the program zig: tools/zig.sh fetches one.
set -euo pipefail
tool=$1
shift
[ "$tool" = cc ] || exec "${ZIG:-zig}" "$tool" "$@"
arguments=()
while [ $# -gt 0 ]; do
    case $1 in # what Apple's linker says, whose options this one takes
        -Wl,--version) echo "ld: unknown option: --version" >&2; exit 1 ;;
        -Wl,-v) echo "@(#)PROGRAM:ld  PROJECT:ld64-609" >&2; exit 0 ;;
        -Wl,-force_load) arguments+=("$1,$2"); shift ;;
        *) arguments+=("$1") ;;
    esac
    shift
done
exec "${ZIG:-zig}" cc -target aarch64-macos "${arguments[@]}"
