#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Tries the archive of `make bundle`, $1, on other releases, each with its own FFmpeg and libraries of images: those
# that $2 and on name, or bookworm noble trixie resolute sid. A bundle that reads containers everywhere was built with
# -Dlibav_headers (tools/libav_headers.sh). Needs root, debootstrap, and mirrors: DEB_MIRROR, UBUNTU_MIRROR.
# ROOTS=DIR keeps the roots of the releases in DIR, and uses those that are there.
#
# On each release: containers are refused with the numbers of the libraries that are looked for, while these are not
# there; then the tests of containers and damage run with the release's own ffmpeg, and on Debian those of images. Each
# kind of image is read, or refused with the name of the library that it needs; a line says which.
set -euo pipefail
bundle=$(realpath "$1")
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ $# -gt 0 ] || set -- bookworm noble trixie resolute sid
. tools/release_root.sh

# images NAME: each kind of image against itself: a line that says it is read, or the library that is not there.
images() {
    local kind said
    for kind in rgb.jpg rgb.webp rgb.avif rgb.jxl; do
        if said=$(inside /opt/assay/bin/assay image -q -m psnr "/src/tests/cli/images/$kind" \
            "/src/tests/cli/images/$kind" --json /image.json 2>&1); then
            inside cat /image.json | python3 -c 'import json, sys; json.load(sys.stdin)' || fail "$kind: no report"
            echo "    $kind: read"
        elif [[ $said == *"library can't be loaded: "*.so.* && $said != *"loaded: libassay"* ]]; then
            echo "    $kind: $(sed -n "s/.*can't be loaded: \([^:]*\): .*/refused, \1 is not there/p" <<<"$said")"
        else
            fail "$kind: $said"
        fi
    done
}

for suite; do
    root=$roots/$suite
    [ -e "$root/etc/os-release" ] || make_root "$suite" ||
        { tail -n 3 "$root.log"; fail "debootstrap can't make a root of $suite"; continue; }
    echo "$suite: $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' "$root/etc/os-release")"
    rm -rf "$root/opt/assay" "$root/src"
    mkdir -p "$root/opt/assay" "$root/src/tests"
    tar -xf "$bundle" -C "$root/opt/assay" --strip-components=1
    cp -r tests/cli "$root/src/tests/"
    cp -r examples "$root/src/"
    # Without /proc the loader does not know where a program is, and finds nothing beside it.
    mount_root
    printf 'no container that anything knows' >"$root/src/none.mkv"
    if [ ! -e "$root/usr/bin/ffmpeg" ]; then
        if said=$(inside /opt/assay/bin/assay /src/none.mkv /src/none.mkv 2>&1) ||
            [[ $said != *"install FFmpeg "* ]]; then
            fail "without FFmpeg it says: $said"
        fi
        echo "    without FFmpeg: ${said##*not there: }"
        install ffmpeg python3 || { tail -n 3 "$root.log"; fail "no ffmpeg"; continue; }
    fi
    echo "    $(inside ffmpeg -version | head -1 | cut -d' ' -f1-3)"
    for package in libavif16 libavif15 libjxl0.11 libjxl0.7 libtiff6 libjpeg62-turbo libwebp7 libwebpdemux2 \
        libopenexr-3-1-30 libopenexr-3-4-33; do
        install "$package" || true
    done
    tests=(libav damage bitrate moments)
    # Ubuntu's libjpeg has another number, which no module asks for.
    [ ! -e "$root/etc/debian_version" ] || grep -q Ubuntu "$root/etc/os-release" || tests+=(image_files)
    for test in "${tests[@]}"; do
        if inside env ASSAY=/opt/assay/bin/assay ASSAY_LIBAV=1 ASSAY_PNG=1 ASSAY_SANITIZED=0 \
            ASSAY_IMAGES="jpg webp avif jxl tiff exr" \
            python3 "/src/tests/cli/test_$test.py" >"$root.$test.log" 2>&1; then
            echo "    cli $test: $(grep -E '^Ran [0-9]+ tests?' "$root.$test.log" | cut -d' ' -f1-3)"
        else
            fail "cli $test: $(grep -E '^(FAIL|ERROR):' "$root.$test.log" | sort -u | head -20 | paste -sd' ')"
        fi
    done
    images
    umount_roots
done
exit "$failed"
