#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes assay-VERSION.tar.gz of the newest commit in the folder $2, and beside it what it is made of and stands on as
# the build folder $1 found it (SPDX). The same commit, build folder and gzip give the same bytes.
set -eu
build=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
name=assay-$(git show HEAD:meson.build | sed -n "s/^  version: '\(.*\)',$/\1/p")
git archive --format=tar --prefix="$name/" HEAD | gzip --no-name --best >"$out/$name.tar.gz"
python3 tools/sbom.py "$build" >"$out/$name.spdx.json"
printf '%s\n' "$out/$name.tar.gz" "$out/$name.spdx.json"
