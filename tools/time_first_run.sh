#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# How long the first run takes: clones HEAD into an empty folder, runs `make score` and then `make test` there,
# without a compiler's cache and with an empty cache of Mesa's compiled shaders, and prints the seconds of both and the
# processor seconds that they took. The packages have to be there (tools/setup.sh --tests). $1: a folder for the clone,
# which must not exist; without it a temporary one, removed at the end.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -gt 0 ]; then
    clone=$1
    [ ! -e "$clone" ] || { echo "time_first_run: $clone is there already" >&2; exit 2; }
else
    temporary=$(mktemp -d)
    trap 'rm -rf "$temporary"' EXIT
    clone=$temporary/assay
fi
git clone --quiet "$here" "$clone"
cd "$clone"
export CCACHE_DISABLE=1
# Mesa's own folder holds the shaders of earlier runs, and a first run has none.
export MESA_SHADER_CACHE_DIR="$PWD/build-shaders" # of a name that git ignores
[ -n "${ASSAY_SHARED:-}" ] || [ ! -d "$here/../shared" ] || export ASSAY_SHARED="$here/../shared"

# timed TARGET: its output goes to TARGET.log; the line says what it took.
timed() {
    status=0
    bash -c 'TIMEFORMAT="%R %U %S"; time make "$1" >"$1.log" 2>&1' timed "$1" 2>"$1.time" || status=$?
    awk -v what="make $1" -v jobs="$(nproc)" 'END {printf "%-12s %6.1f s on %d processors, %6.1f processor seconds\n",
        what, $1, jobs, $2 + $3}' "$1.time"
    [ "$status" -eq 0 ] || { tail -n 20 "$1.log" >&2; exit "$status"; }
}
timed score
timed test
