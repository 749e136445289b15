#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Builds the command and the libraries for Windows with mingw-w64 and puts them into a zip:
#
#   tools/windows_zip.sh FOLDER          makes FOLDER/assay-VERSION-windows-x86_64.zip
#   tools/windows_zip.sh FOLDER URL      makes the manifests for winget, too: FOLDER/winget says that the zip is at URL
#
# LIBAV_HEADERS are folders of headers, which tools/libav_headers.sh prints: the command reads containers by the DLLs of
# these versions of FFmpeg. The modules of Vulkan and CUDA are built where what makes them is installed: glslc,
# spirv-tools and libvulkan-dev; nvcc.
set -euo pipefail
[ $# -eq 1 ] || [ $# -eq 2 ] || { echo "usage: tools/windows_zip.sh FOLDER [URL]" >&2; exit 2; }
mkdir -p "$1"
to=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${WINDOWS_BUILD:-build-windows}
if [ ! -f "$build/build.ninja" ]; then
    tools/cross_root.sh "$build.libraries"
    meson setup "$build" --cross-file tools/cross/mingw.ini --buildtype=release \
        -Dpkg_config_path="$PWD/$build.libraries/lib/pkgconfig" -Dc_args="-isystem$PWD/$build.libraries/vulkan" \
        -Dopengl=disabled -Dsycl=disabled -Dlibav=disabled -Dimages=disabled -Dpng=disabled \
        -Dlibav_headers="${LIBAV_HEADERS:-}" >/dev/null
fi
mapfile -t programs < <(tools/test_targets.py "$build" --installed | grep -E '\.(dll|exe)$')
ninja -C "$build" --quiet "${programs[@]}"
python3 tools/windows_zip.py "$build" "$to" ${2:+"$2"}
