#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Builds what the command needs of other libraries for Windows, or by CC and AR for another system, static, from
# Debian's sources, in a folder:
#
#   tools/cross_root.sh FOLDER
#   meson setup build-windows --cross-file tools/cross/mingw.ini -Dpkg_config_path=FOLDER/lib/pkgconfig \
#       -Dc_args=-isystemFOLDER/vulkan
#
# Today that is cJSON. The sources come from Debian's mirror by apt, which checks signatures; nothing is installed.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: tools/cross_root.sh FOLDER" >&2; exit 2; }
mkdir -p "$1/apt/lists/partial" "$1/src" "$1/include/cjson" "$1/lib/pkgconfig" "$1/share/licenses"
root=$(cd "$1" && pwd)
# Headers of Vulkan are the same for every system. A folder of these alone hides no header of the compiler's.
mkdir -p "$root/vulkan"
for name in vulkan vk_video; do
    [ ! -d "/usr/include/$name" ] || cp -r "/usr/include/$name" "$root/vulkan/"
done
[ ! -e "$root/lib/pkgconfig/libcjson.pc" ] || [ ! -e "$root/share/licenses/cjson.txt" ] || exit 0
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")
echo "deb-src http://deb.debian.org/debian $release main" >"$root/apt/sources.list"
apt() {
    apt-get -qq -o Dir::Etc::sourcelist="$root/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$root/apt/lists" -o Dir::Cache="$root/apt" -o APT::Sandbox::User="$(id -un)" "$@"
}
apt update
(cd "$root/src" && apt source --download-only cjson)
rm -rf "$root/src/cjson"
mkdir "$root/src/cjson"
tar -xf "$root"/src/cjson_*.orig.tar.gz -C "$root/src/cjson" --strip-components=1
tar -xf "$root"/src/cjson_*.debian.tar.xz -C "$root/src/cjson"
while read -r name; do
    case $name in '' | '#'*) ;; *) patch -s -p1 -d "$root/src/cjson" <"$root/src/cjson/debian/patches/$name" ;; esac
done <"$root/src/cjson/debian/patches/series"
# shellcheck disable=SC2086 # with their arguments
{
    ${CC:-x86_64-w64-mingw32-gcc-posix} -O2 -DCJSON_HIDE_SYMBOLS -c "$root/src/cjson/cJSON.c" -o "$root/src/cJSON.o"
    rm -f "$root/lib/libcjson.a"
    ${AR:-x86_64-w64-mingw32-gcc-ar-posix} rcs "$root/lib/libcjson.a" "$root/src/cJSON.o"
}
cp "$root/src/cjson/cJSON.h" "$root/include/cjson/"
cp "$root/src/cjson/LICENSE" "$root/share/licenses/cjson.txt"
cat >"$root/lib/pkgconfig/libcjson.pc" <<PC
prefix=\${pcfiledir}/../..
Name: libcjson
Description: cJSON, static
Version: $(sed -n 's/^Version: \([0-9.]*\).*/\1/p' "$root"/src/cjson_*.dsc | head -1)
Libs: -L\${prefix}/lib -lcjson
Cflags: -I\${prefix}/include -DCJSON_HIDE_SYMBOLS
PC
