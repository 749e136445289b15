#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the tests of a build folder and closes with one line, "N passed, N failed, N skipped".
#
#   tools/run_tests.sh BUILD [quick|ci|full|nightly] [more arguments of `meson test`]
#
# A test belongs to the quick tier unless its suite says otherwise; each tier contains the ones before it. What the
# tests start is built first.
set -u
build=$1
tier=${2:-quick}
shift
[ $# -eq 0 ] || shift
here=$(dirname "$0")

case $tier in
    quick) leave='--no-suite ci --no-suite full --no-suite nightly' ;;
    ci) leave='--no-suite full --no-suite nightly' ;;
    full) leave='--no-suite nightly' ;;
    nightly) leave= ;;
    *) echo "run_tests: no tier '$tier' (quick, ci, full or nightly)" >&2; exit 2 ;;
esac

# shellcheck disable=SC2046,SC2086
ninja -C "$build" --quiet $(python3 "$here/test_targets.py" "$build" $leave) || exit 1

log=$build/meson-logs/testlog.json
rm -f "$log"
# shellcheck disable=SC2086
meson test -C "$build" --no-rebuild --print-errorlogs $leave "$@"
status=$?
if [ "$tier" = nightly ]; then
    # Tests that take hours are meson's benchmarks, so that nobody runs them by accident.
    meson test -C "$build" --no-rebuild --print-errorlogs --benchmark --suite nightly "$@" || status=1
fi
python3 "$here/ci_skips.py" "$log" || status=1
exit $status
