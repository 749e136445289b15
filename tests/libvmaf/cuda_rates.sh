#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Exactness and rates of pictures in CUDA memory, on a machine with a GPU.
#
#   tests/libvmaf/cuda_rates.sh pack BUILD ARCHIVE.tar.gz [REFERENCE]   what a machine without a compiler needs
#   tests/libvmaf/cuda_rates.sh run FOLDER                              there, in the unpacked folder
#
# REFERENCE is libvmaf's own libvmaf.so.3, built with CUDA, whose rate is measured beside ours.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
case $1 in
pack)
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    mkdir "$folder/ours" "$folder/theirs"
    cp -L "$2/src/libvmaf/libvmaf.so.3" "$2/src/kernels/modules/libassay-cuda.so.0" "$folder/ours/"
    ldd "$folder/ours/libvmaf.so.3" | sed -n 's/.*=> \(.*libcjson[^ ]*\) .*/\1/p' | xargs -r cp -L -t "$folder/ours"
    cp "$2/tests/libvmaf/cuda_pictures" "$0" "$here/../../examples/sample/"{ref,dis}.y4m "$folder/"
    [ -z "${4:-}" ] || cp -L "$4" "$folder/theirs/libvmaf.so.3"
    tar -C "$folder" -czf "$3" .
    ls -l "$3"
    ;;
run)
    cd "$2"
    export LD_LIBRARY_PATH=$PWD/ours # where libvmaf.so.3 finds libassay-cuda.so.0
    ./cuda_pictures "$PWD/ours/libvmaf.so.3" exact ref.y4m dis.y4m
    for size in "1920x1080 2000" "3840x2160 600"; do
        for side in ours theirs; do
            # shellcheck disable=SC2086
            [ ! -e "$side/libvmaf.so.3" ] || ./cuda_pictures "$PWD/$side/libvmaf.so.3" rate $size
        done
    done
    ;;
*)
    exit 2
    ;;
esac
