#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Installs the build folder $1 under the folder $2 and uses what is there as a program outside this tree would: the
# command, the manual page, pkg-config, each header alone, and the examples in C and C++.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$1
mkdir -p "$2"
root=$(cd "$2" && pwd)
here=$PWD

rm -rf "${root:?}"/*
DESTDIR=$root meson install -C "$build" --no-rebuild --quiet
pc=$(find "$root" -name assay.pc)
[ -n "$pc" ] || { echo "check_install: no assay.pc was installed"; exit 1; }
export PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_PATH=$(dirname "$pc")
library=$(dirname "$(dirname "$pc")")
export LD_LIBRARY_PATH=$library
program=$(find "$root" -type f -path '*/bin/assay')
version=$("$program" --version)

[ "assay $(pkg-config --modversion assay)" = "$version" ] ||
    { echo "check_install: pkg-config and $version differ"; exit 1; }
[ -n "$(find "$root" -name 'assay.1*')" ] || { echo "check_install: no manual page was installed"; exit 1; }
# Only the public names leave the libraries, and no name leaves both.
leaked=$(nm -D --defined-only "$library/libassay.so" | awk '$2 != "A" && $3 !~ /^assay_/ {print $3}')
[ -z "$leaked" ] || { echo "check_install: the library exports $leaked"; exit 1; }
leaked=$(nm -D --defined-only "$library/libassay-run.so" | awk '$2 != "A" && $3 !~ /^assay_(re|run_)/ {print $3}')
[ -z "$leaked" ] || { echo "check_install: libassay-run exports $leaked"; exit 1; }
# The command finds the modules without help, and each shows its one symbol.
for module in "$library"/libassay-*.so.0; do
    case $module in
        *-run.so*) continue ;;
        *-image-*) symbol=assay_image_decoder ;;
        *-libav*) symbol=assay_libav_reader ;;
        *) symbol=assay_module_2 ;;
    esac
    [ ! -e "$module" ] || [ "$(nm -D --defined-only "$module" | awk '{print $3}')" = "$symbol" ] \
        || { echo "check_install: $module exports something else than $symbol"; exit 1; }
done
if env -u LD_LIBRARY_PATH "$program" --list-devices | grep 'has no libassay'; then
    echo "check_install: the command does not find its modules"
    exit 1
fi
if [ -e "$library/libassay-image-jpeg.so.0" ]; then
    env -u LD_LIBRARY_PATH "$program" image -q "$here/tests/cli/images/rgb.jpg" "$here/tests/cli/images/rgb.jpg" ||
        { echo "check_install: the command does not find its decoders of images"; exit 1; }
fi

out=$root/outside
mkdir -p "$out"
cd "$out"
read -ra flags <<<"$(pkg-config --cflags --libs assay)"
strict=(-Wall -Wextra -pedantic -Werror)
for header in assay floats gpu run; do
    echo "#include <assay/$header.h>" >header.c
    cp header.c header.cpp
    [ "$header" != gpu ] ||
        echo 'assay_gpu_image f() { assay_gpu_image i = {}; i.vulkan.image = 1; return i; }' >>header.cpp
    "${CC:-cc}" -std=c11 "${strict[@]}" -fsyntax-only header.c "${flags[@]}"
    for standard in c++11 c++20; do
        "${CXX:-c++}" -std="$standard" "${strict[@]}" -fsyntax-only header.cpp "${flags[@]}"
    done
done
for example in score_buffers score_callback; do
    "${CC:-cc}" -std=c11 "${strict[@]}" "$here/examples/$example.c" "${flags[@]}" -pthread -o "$example"
done
if [ -n "$(find "$root" -name libassay.a)" ]; then
    read -ra static <<<"$(pkg-config --static --cflags --libs assay)"
    "${CC:-cc}" -std=c11 "${strict[@]}" "$here/examples/score_buffers.c" "${static[@]/#-lassay/-l:libassay.a}" -o static
    ! ldd static | grep -q libassay || { echo "check_install: not linked with libassay.a"; exit 1; }
    ./static | cmp - "$here/examples/score_buffers.txt"
fi
read -ra run_flags <<<"$(pkg-config --cflags --libs assay-run)"
"${CC:-cc}" -std=c11 "${strict[@]}" "$here/examples/score_files.c" "${run_flags[@]}" -o score_files
"${CXX:-c++}" -std=c++11 "${strict[@]}" "$here/examples/score_version.cpp" "${flags[@]}" -o score_version

# CMake finds the same libraries, and only a version that fits.
cmake=
if command -v cmake >/dev/null; then
    cmake=', CMake'
    mkdir -p find
    cat >find/CMakeLists.txt <<TEXT
cmake_minimum_required(VERSION 3.13)
project(find C)
find_package(assay \${WANTED} REQUIRED)
add_executable(files $here/examples/score_files.c)
target_link_libraries(files assay::run)
TEXT
    folder=-Dassay_DIR=$library/cmake/assay
    find_assay() { cmake -S find -B "find/$1" "$folder" -DWANTED="$1" >"find/$1.log" 2>&1; }
    number=${version#assay }
    find_assay "${number%.*}" && cmake --build "find/${number%.*}" >find/build.log ||
        { tail -n 20 find/*.log; echo "check_install: CMake does not find assay ${number%.*}"; exit 1; }
    for other in 99.0 "${number%%.*}.99"; do
        ! find_assay "$other" || { echo "check_install: CMake takes $number for $other"; exit 1; }
    done
    "find/${number%.*}/files" "$here/examples/sample"/{ref,dis,dis}.y4m 2>/dev/null |
        cmp - "$here/examples/score_files.txt"
elif [ "${CI:-}" = true ]; then
    echo "check_install: CI has no cmake"
    exit 1
fi

sample=$here/examples/sample
./score_buffers | cmp - "$here/examples/score_buffers.txt"
./score_callback "$sample/ref.y4m" "$sample/dis.y4m" | cmp - "$here/examples/score_callback.txt"
./score_files "$sample"/{ref,dis,dis}.y4m 2>score_files.notes | cmp - "$here/examples/score_files.txt"
[ "$(./score_version | head -n 1)" = "$version" ]
"$program" -q -m psnr --fail-under psnr_y=30 "$sample/ref.y4m" "$sample/dis.y4m"
echo "    $version: command, manual page, pkg-config$cmake, 4 headers, 3 examples in C, 1 in C++"
