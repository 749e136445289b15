#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Instructions of libvmaf's command and of assay for a frame on 64-bit ARM, counted by QEMU's user mode: what can be
# said of their speed without such a processor. Both programs are built for ARM, with symbols.
#   bench/arm_counts.sh VMAF ASSAY REF.y4m DIS.y4m [METRIC...]
# METRIC is assay's name; without one: those that both have. Files need four frames or more. Of a frame: the count of
# four frames less that of one, by three. QEMU_LD_PREFIX is the folder of ARM's libraries where the programs want them.
set -eu
[ $# -ge 4 ] || { sed -n 3,7p "$0"; exit 2; }
vmaf=$1 assay=$2 ref=$3 dis=$4
shift 4
[ $# -gt 0 ] || set -- psnr motion vif adm vmaf float_psnr float_ssim float_ms_ssim float_adm float_vif float_motion \
    cambi psnr_hvs speed_chroma speed_temporal ciede2000
command -v qemu-aarch64 >/dev/null || { echo "$0: no qemu-aarch64 (package qemu-user)" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-cc} -O2 -shared -fPIC -o "$work/count.so" "$(dirname "$0")/arm_counts.c"

counted() { # frames, command...
    frames=$1
    shift
    COUNT_OUT=$work/counts qemu-aarch64 -plugin "$work/count.so" "$@" >/dev/null 2>"$work/log" || {
        cat "$work/log" >&2
        exit 1
    }
    sed -n 's/^total //p' "$work/counts"
}
each() { # the command in $@ takes its number of frames in place of FRAMES
    for frames in 1 4; do
        counted $frames $(printf '%s\n' "$@" | sed "s/^FRAMES$/$frames/")
    done | { read -r one; read -r four; echo $(((four - one) / 3)); }
}

printf '%-16s %15s %15s %7s\n' metric libvmaf assay ratio
for metric in "$@"; do
    case $metric in
        vmaf) what="--model version=vmaf_v0.6.1" ;;
        ciede2000) what="--no_prediction --feature ciede" ;;
        *) what="--no_prediction --feature $metric" ;;
    esac
    theirs=$(each "$vmaf" -q --threads 0 -r "$ref" -d "$dis" -o /dev/null --frame_cnt FRAMES $what)
    ours=$(each "$assay" -q -t 1 -m "$metric" --frames FRAMES "$ref" "$dis")
    printf '%-16s %15s %15s %7s\n' "$metric" "$theirs" "$ours" "$(awk "BEGIN { printf \"%.2f\", $theirs / $ours }")"
done
