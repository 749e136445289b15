#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The exact tests on 64-bit ARM: cross-built static (kernels, graph and CPU executor only), run by qemu-user.
#
#   run_aarch64.sh [SOURCE [TEST_LEVELS]]
#
# TEST_LEVELS is the native build of that program: its results must have the same digest.
# Without the cross compiler or qemu it is skipped (77), and with CI=true that is a failure.
set -eu
source=$(cd "${1:-$(dirname "$0")/../..}" && pwd)

for tool in aarch64-linux-gnu-gcc qemu-aarch64-static meson ninja; do
    if ! command -v "$tool" >/dev/null 2>&1; then
        echo "run_aarch64: $tool is not installed; tools/setup.sh --tests gets it" >&2
        [ "${CI:-}" = true ] && exit 1
        exit 77
    fi
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
meson setup "$work/build" "$source" --cross-file "$source/tools/cross/aarch64.ini" --buildtype=release -Db_ndebug=true \
    -Dcore_only=true -Dlibav=disabled -Dvulkan=disabled -Dopengl=disabled -Dcuda=disabled >"$work/setup.log" 2>&1 \
    || { tail -n 20 "$work/setup.log" >&2; exit 1; }
ninja -C "$work/build" >"$work/build.log" 2>&1 || { grep -A8 'FAILED\|error:' "$work/build.log" >&2; exit 1; }
if grep -A4 'warning:' "$work/build.log" >&2; then
    echo "run_aarch64: the compiler warns" >&2
    exit 1
fi
# test_kernel_checks starts itself again, which an emulator of a process can't do.
for program in test_oracle_selftest test_primitives; do
    echo "== $program"
    qemu-aarch64-static "$work/build/tests/exact/$program"
done
echo "== test_levels"
qemu-aarch64-static "$work/build/tests/exact/test_levels" | tee "$work/arm.txt"
if [ $# -ge 2 ]; then
    "$2" >"$work/native.txt"
    here=$(grep '^digest' "$work/native.txt")
    arm=$(grep '^digest' "$work/arm.txt")
    if [ "$here" != "$arm" ]; then
        echo "run_aarch64: the results differ: here $here, on ARM $arm" >&2
        exit 1
    fi
    echo "the same bits as here"
fi
