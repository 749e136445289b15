#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes packages of Debian and Ubuntu of this tree in the folder $1, and prints their names.
# Their version is that of meson.build, the maintainer whom DEBFULLNAME and DEBEMAIL name, or else the author of the
# newest commit. DEB_BUILD_OPTIONS is what dpkg-buildpackage makes of it; without it no package of debugging symbols is
# made.
set -eu
out=$1
cd "$(dirname "$0")/.."
needed="dpkg-dev debhelper dh-python chrpath"
for package in $needed; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
        missing="${missing:-} $package"
done
if [ -n "${missing:-}" ]; then
    echo "make deb: apt-get install$missing" >&2
    exit 1
fi
version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build)
author=${DEBFULLNAME:-$(git log -1 --format=%an)}
address=${DEBEMAIL:-$(git log -1 --format=%ae)}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
DEB_BUILD_OPTIONS=${DEB_BUILD_OPTIONS:-noautodbgsym parallel=$(nproc)}
export DEB_BUILD_OPTIONS

mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d "$out/deb.XXXXXX")
trap 'rm -rf "$work"' EXIT
tree=$work/assay-$version
mkdir "$tree"
# What git knows, as it stands here.
git ls-files -z | tar --null --files-from=- --create | tar --extract --directory="$tree"
cp -r packaging/debian "$tree/debian"
sed "s/@MAINTAINER@/$author <$address>/" packaging/debian/control.in >"$tree/debian/control"
rm "$tree/debian/control.in"
{
    echo "assay ($version) unstable; urgency=medium"
    echo
    echo "  * See CHANGELOG.md."
    echo
    echo " -- $author <$address>  $(date -u -R -d "@$SOURCE_DATE_EPOCH")"
} >"$tree/debian/changelog"
(cd "$tree" && dpkg-buildpackage --no-sign --build=binary) >"$out/deb.log" 2>&1 || {
    grep -E 'FAILED|rror' "$out/deb.log" >&2 || tail -n 20 "$out/deb.log" >&2
    echo "make deb: dpkg-buildpackage failed; all that it said is in $out/deb.log" >&2
    exit 1
}
for package in "$work"/*.deb; do
    mv "$package" "$out/"
    echo "$out/$(basename "$package")"
done
