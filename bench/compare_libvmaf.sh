#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# CPU time of assay and of libvmaf's `vmaf` on the same two files, one core, in turn; the least
# of ROUNDS runs (5) counts.
#   bench/compare_libvmaf.sh VMAF ASSAY REF.y4m DIS.y4m
# Reading the files and starting the program are part of both times. CORE picks the core
# (default: the last allowed one).
set -euo pipefail
export LC_ALL=C
if [ $# -ne 4 ]; then
    sed -n '3,5s/^# *//p' "$0" >&2
    exit 2
fi
vmaf=$1 assay=$2 ref=$3 dis=$4
rounds=${ROUNDS:-5}
core=${CORE:-$(taskset -cp $$ | sed 's/.*[:, -]//')}
frames=$("$assay" "$ref" "$dis" -q -m psnr --json - | grep -c '"frameNum"')
TIMEFORMAT='%U %S'

# User and system milliseconds per frame of one run.
cost() {
    local t
    t=$({ time taskset -c "$core" "$@" >/dev/null 2>/dev/null; } 2>&1) || { echo "failed: $*" >&2; exit 1; }
    awk -v n="$frames" '{ printf "%.4f\n", ($1 + $2) * 1000 / n }' <<<"$t"
}

least() { printf '%s\n%s\n' "$1" "$2" | sort -g | head -n 1; }

# row NAME LIBVMAF-FEATURES ASSAY-METRICS: features and metrics are separated by commas, "-" is none. Words after them
# are further arguments for libvmaf's command.
row() {
    local theirs= ours= i feature arguments=("${@:4}")
    if [ "$2" != - ]; then
        [ $# -gt 3 ] || arguments+=(-n)
        for feature in ${2//,/ }; do arguments+=(--feature "$feature"); done
    fi
    for ((i = 0; i < rounds; i++)); do
        if [ "$2" != - ]; then
            feature=$(cost "$vmaf" -r "$ref" -d "$dis" -q --threads 0 "${arguments[@]}" --json -o /dev/null)
            theirs=$(least "${theirs:-$feature}" "$feature")
        fi
        if [ "$3" != - ]; then
            feature=$(cost "$assay" "$ref" "$dis" -q --threads 1 -m "$3" --json /dev/null)
            ours=$(least "${ours:-$feature}" "$feature")
        fi
    done
    awk -v name="$1" -v t="$theirs" -v o="$ours" 'BEGIN {
        printf "%-28s %10s %10s %8s\n", name, t == "" ? "-" : sprintf("%.2f", t), o == "" ? "-" : sprintf("%.2f", o),
            t == "" || o == "" ? "-" : sprintf("%.1f", t / o) }'
}

echo "CPU milliseconds per frame, $frames frames, core $core, the least of $rounds runs"
printf '%-28s %10s %10s %8s\n' metric libvmaf assay ratio
row 'reading only' null -
row psnr psnr psnr
row float_psnr float_psnr float_psnr
row ssim - ssim # libvmaf's own is in its source, but its command has no name for it
row float_ssim float_ssim float_ssim
row float_ms_ssim float_ms_ssim float_ms_ssim
row float_adm float_adm float_adm
row motion motion motion
row adm adm adm
row vif vif vif
row float_vif float_vif float_vif
row float_motion float_motion float_motion
row psnr_hvs psnr_hvs psnr_hvs
row cambi cambi cambi
row speed_chroma speed_chroma speed_chroma
row speed_temporal speed_temporal speed_temporal
row ciede2000 ciede ciede2000
row 'vmaf_v0.6.1' '' vmaf --model version=vmaf_v0.6.1
row 'vmaf_v1.0.16_3d0h' '' vmaf=model=vmaf_v1.0.16_3d0h --model version=vmaf_v1.0.16_3d0h
row 'all but ssim and float_adm' psnr,float_psnr,float_ssim,float_ms_ssim psnr,float_psnr,float_ssim,float_ms_ssim
