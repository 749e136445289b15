#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Everything that only a machine with an NVIDIA GPU can show, from a build folder that has the CUDA executor:
#
#     meson setup build-gpu -Dcuda=enabled -Dcubins=release && ninja -C build-gpu && tools/gpu_check.sh build-gpu
#
# The machine needs the driver. With the toolkit's compute-sanitizer and cuobjdump on PATH more is checked; what is
# missing is said, and fails the run only with --all.
set -u
cd "$(dirname "$0")/.." || exit 2
[ $# -ge 1 ] || { echo "usage: tools/gpu_check.sh BUILD [--all]" >&2; exit 2; }
build=$1
all=${2:-}
failed=0
missing=0

step()
{
    what=$1
    shift
    echo "== $what"
    "$@" || { echo "FAILED: $what"; failed=1; }
}

absent()
{
    echo "== not here: $1"
    missing=1
}

kernels=$build/tests/cuda/test_kernels_cuda
export CI=true # a test that would be skipped fails
step "every kernel against scalar C" "$kernels" cuda
step "every kernel, all cases" "$kernels" cuda --full

# Device and host must agree 20 times: a race would show as a difference sooner or later.
repeated()
{
    n=0
    while [ $n -lt 20 ]; do
        "$kernels" cuda --kernel ssim >/dev/null || return 1
        n=$((n + 1))
    done
}
step "ssim 20 times" repeated

if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck synccheck; do
        step "$tool" compute-sanitizer --tool $tool --error-exitcode 1 --print-limit 5 "$kernels" cuda
    done
    # What kernels read is checked. Copies are not: a plane goes to the host as a whole, with the bytes behind each
    # row's end that no pass writes and nobody reads.
    step initcheck compute-sanitizer --tool initcheck --check-api-memory-access no --error-exitcode 1 --print-limit 5 \
        "$kernels" cuda
else
    absent compute-sanitizer
fi

sass()
{
    cuobjdump -sass "$1" | python3 tools/check_sass.py
}
if command -v cuobjdump >/dev/null && [ -f "$build/src/kernels/cuda/kernels.fatbin" ]; then
    step "fused operations in the machine code" sass "$build/src/kernels/cuda/kernels.fatbin"
else
    absent "cuobjdump, or a build with -Dcubins=release"
fi

scores()
{
    "$build/src/cli/assay" examples/sample/ref.y4m examples/sample/dis.y4m -m all --precision max --csv - \
        --backend "$1" | grep '^[0-9]'
}
same_scores()
{
    scores cpu >"$build/scores_cpu.csv" && scores cuda >"$build/scores_cuda.csv" && [ -s "$build/scores_cpu.csv" ] &&
        cmp "$build/scores_cpu.csv" "$build/scores_cuda.csv"
}
step "scores of the sample pair" same_scores
if command -v meson >/dev/null; then
    export ASSAY_WAYS_BACKENDS=cuda ASSAY_WAYS=40
    step "scores of random pairs" meson test -C "$build" --no-rebuild --print-errorlogs 'cli ways of many pairs'
else
    absent meson
fi
step "frames in an application's device memory" "$build/tests/cuda/test_device_frames" libcuda.so.1 64

[ $failed -eq 0 ] || exit 1
[ -z "$all" ] || [ $missing -eq 0 ] || exit 1
echo "all passed"
