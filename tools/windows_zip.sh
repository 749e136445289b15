#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Builds the command and the library for Windows with mingw-w64 and puts them into a zip:
#
#   tools/windows_zip.sh FOLDER     makes FOLDER/assay-VERSION-windows-x86_64.zip
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: tools/windows_zip.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
to=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${WINDOWS_BUILD:-build-windows}
if [ ! -f "$build/build.ninja" ]; then
    tools/mingw_root.sh "$build.libraries"
    meson setup "$build" --cross-file tools/cross/mingw.ini --buildtype=release \
        -Dpkg_config_path="$PWD/$build.libraries/lib/pkgconfig" -Dauto_features=disabled >/dev/null
fi
ninja -C "$build" --quiet src/cli/assay.exe src/libassay-0.dll
version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build)
python3 - "$to/assay-$version-windows-x86_64" "$build" <<'PY'
import pathlib
import sys
import zipfile
to, build = sys.argv[1:]
top = pathlib.Path(to).name
files = [(f"{build}/src/cli/assay.exe", "assay.exe"), (f"{build}/src/libassay-0.dll", "libassay-0.dll"),
         (f"{build}/src/libassay.dll.a", "libassay.dll.a")]
files += [(name, name + ".txt") for name in ("LICENSE", "NOTICE")] + [("docs/windows.md", "windows.md")]
files += [(str(p), f"include/assay/{p.name}") for p in sorted(pathlib.Path("include/assay").glob("*.h"))]
with zipfile.ZipFile(to + ".zip", "w", zipfile.ZIP_DEFLATED) as out:
    for path, name in files:
        entry = zipfile.ZipInfo(f"{top}/{name}", (2000, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        out.writestr(entry, pathlib.Path(path).read_bytes())
PY
echo "$to/assay-$version-windows-x86_64.zip"
