#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# As people write it: scores raw videos of one source, prints a line for each, stops at the first failure.
# raw_ladder.sh WIDTH HEIGHT SOURCE.yuv ENCODE.yuv...
set -eu
w=$1 h=$2 source=$3
shift 3
for encode in "$@"; do
    log=${encode%.yuv}.json
    vmaf -r "$source" -d "$encode" -w "$w" -h "$h" -p 420 -b 8 --threads "$(nproc)" -q -o "$log" --json
    mean=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["pooled_metrics"]["vmaf"]["mean"])' "$log")
    printf '%s %s\n' "$(basename "$encode" .yuv)" "$mean"
done
