#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Builds the newest commit on other releases, $1 and on (or Debian 13), and runs the quick tests there, by the two
# commands of the README: with their compilers, their FFmpeg and their libraries. Needs root, debootstrap, and mirrors:
# DEB_MIRROR, UBUNTU_MIRROR. ROOTS=DIR keeps the roots of the releases in DIR, and uses those that are there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ $# -gt 0 ] || set -- trixie
. tools/release_root.sh

for suite; do
    root=$roots/$suite
    [ -e "$root/etc/os-release" ] || make_root "$suite" ||
        { tail -n 3 "$root.log"; fail "debootstrap can't make a root of $suite"; continue; }
    echo "$suite: $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' "$root/etc/os-release")"
    mount_root
    install make git ca-certificates || { tail -n 3 "$root.log"; fail "no make, or no git"; continue; }
    rm -rf "$root/src/assay"
    mkdir -p "$root/src"
    git clone -q . "$root/src/assay"
    inside make -C /src/assay score >"$root.score.log" 2>&1 || fail "make score: $(tail -n 5 "$root.score.log")"
    ! grep -A5 'warning:' "$root.score.log" || fail "the compiler warns"
    inside make -C /src/assay test >"$root.test.log" 2>&1 ||
        fail "make test: $(grep -E '^ *[0-9]+/[0-9]+ .* (FAIL|TIMEOUT)' "$root.test.log")"
    echo "    $(grep -E '^[0-9]+ passed, ' "$root.test.log" || echo "no tests were run")"
    umount_roots
done
exit "$failed"
