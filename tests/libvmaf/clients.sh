#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Builds programs that use libvmaf, from unmodified sources, against assay's headers and libvmaf.pc, and compares what
# they score with `assay vmaf`, byte for byte.
#
#   tests/libvmaf/clients.sh BUILD WORK [CLIENT...]
#
# BUILD is a build folder of assay, WORK a folder for sources and programs, which are kept. Clients:
#
#   ffmpeg=VERSION   ffmpeg of Debian's source packages: 7:5.1.9-0+deb12u1 (without one: the versions below), and the
#                    command lines with which ab-av1 and Av1an start ffmpeg
#   aom=VERSION      aomenc of libaom with --tune=vmaf; the model's file is one of $LIBVMAF_SOURCE
#   vmaf             libvmaf's own command; its sources lie in $LIBVMAF_SOURCE, and a build of its library in
#                    $LIBVMAF_REFERENCE, with which the answers of tests/libvmaf/answers.txt are compared, too
#
# It needs the network, apt-get, a compiler and cmake. Sources that are in WORK/src already are used as they are.
set -eu -o pipefail
command -v apt-get cmake > /dev/null || exit 77

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
mkdir -p "$2/src" "$2/out"
work=$(cd "$2" && pwd)
shift 2
[ $# -gt 0 ] || set -- ffmpeg=7:5.1.9-0+deb12u1 ffmpeg=7:7.1.5-0+deb13u1 ffmpeg=7:9.0.2-4 aom=3.14.1-1 vmaf
jobs=${JOBS:-$(nproc)}
sample=$here/../../examples/sample
assay=$build/src/cli/assay
stage=$work/stage
failures=0

say() { printf '%s\n' "$*"; }

# Installs the library as a package would, and finds it there as a build would.
install_assay() {
    meson introspect "$build" --installed | python3 -c 'import json, sys
for path in json.load(sys.stdin):
    name = path.removeprefix(sys.argv[1] + "/")
    if name != path and not name.startswith("meson-"):
        print(name)' "$build" | xargs ninja -C "$build" > /dev/null
    rm -rf "$stage"
    DESTDIR=$stage meson install -C "$build" --no-rebuild --quiet > /dev/null
    pc=$(find "$stage" -name libvmaf.pc)
    library=$(dirname "$(find "$stage" -name libvmaf.so.3)")
    export PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$stage
    [ "$(pkg-config --modversion libvmaf)" = 3.2.0 ]
}

# fetch NAME=VERSION: the source of a package, unpacked into WORK/src/NAME-VERSION. Prints the folder.
fetch() {
    local name=${1%%=*} version=${1#*=} upstream folder
    upstream=${version#*:}
    upstream=${upstream%-*}
    folder=$work/src/$name-$upstream
    if [ ! -d "$folder" ]; then
        mkdir -p "$work/lists/partial"
        for suite in bookworm trixie sid; do
            say "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
                "http://deb.debian.org/debian $suite main"
        done > "$work/sources.list"
        local apt=(apt-get -qq -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null
                   -o "Dir::State::lists=$work/lists")
        "${apt[@]}" update >&2
        (cd "$work/src" && "${apt[@]}" source --download-only "$1" >&2) ||
            [ -n "$(ls "$work/src/${name}_$upstream".orig.*)" ]
        rm -rf "$folder.part"
        mkdir "$folder.part"
        tar xf "$(ls "$work/src/${name}_$upstream".orig.tar.*z | head -1)" -C "$folder.part"
        if [ -d "$folder.part/$name-$upstream" ]; then # some archives have a folder around all
            mv "$folder.part/$name-$upstream" "$folder"
            rmdir "$folder.part"
        else
            mv "$folder.part" "$folder"
        fi
    fi
    say "$folder"
}

# check WHAT COMMAND...: counts a comparison that fails.
check() {
    local what=$1
    shift
    if "$@"; then
        say "  same: $what"
    else
        say "  DIFFERENT: $what"
        failures=$((failures + 1))
    fi
}

# A report without what differs between any two runs: version, rate, and the block of assay's own.
plain() {
    sed -E -e 's/"version": "[^"]*"/VERSION/; s/VMAF version="[^"]*"/VERSION/' \
        -e 's/"fps": [0-9.]+/RATE/; s/fps="[0-9.]+"/RATE/' "$1" |
        python3 -c 'import re, sys
text = sys.stdin.read()
text = re.sub(r"(?s),\n  \"assay\": \{.*\n  \}\n\}\n$", "\n}\n", text)
sys.stdout.write(re.sub(r"(?ms)^  <assay .*?</assay>\n", "", text))'
}
same_report() { cmp <(plain "$1") <(plain "$2"); }

# ---- ffmpeg ----------------------------------------------------------------------------------------------------------

build_ffmpeg() {
    local assembler=--disable-x86asm
    [ ! -x "$1/ffmpeg" ] || return 0
    command -v nasm > /dev/null && assembler=--enable-x86asm
    (cd "$1" && ./configure --disable-everything --disable-autodetect --enable-pthreads --disable-doc --disable-debug \
        $assembler --disable-network --disable-ffplay --disable-ffprobe --enable-libvmaf \
        --enable-filter=libvmaf,scale,format,null,setpts,settb,setsar,select --enable-demuxer=yuv4mpegpipe,rawvideo \
        --enable-decoder=rawvideo --enable-encoder=wrapped_avframe,rawvideo --enable-muxer=null,yuv4mpegpipe \
        --enable-protocol=file,pipe,fd --extra-ldflags=-Wl,-z,now > configure.log 2>&1 &&
        make -j"$jobs" ffmpeg > make.log 2>&1)
}

# filter NAME FORM FILTER-OPTIONS ASSAY-OPTIONS...: the filter's log against the command's report.
filter() {
    local name=$1 form=$2 options=$3
    shift 3
    "$ffmpeg" -v error -i "$dis" -i "$ref" -lavfi \
        "[0:v][1:v]libvmaf=log_path=$work/out/theirs.$form:log_fmt=$form:$options" -f null - < /dev/null
    "$assay" vmaf -q -r "$ref" -d "$dis" "--$form" -o "$work/out/ours.$form" "$@"
    check "$name ($form)" same_report "$work/out/theirs.$form" "$work/out/ours.$form"
}

# same_as_libvmaf NAME GRAPH: the filter's log with both libraries. The graph ends with the filter and its options.
same_as_libvmaf() {
    [ -n "${LIBVMAF_REFERENCE:-}" ] || return 0
    for side in "$library" "$(dirname "$LIBVMAF_REFERENCE")"; do
        LD_LIBRARY_PATH=$side "$ffmpeg" -v error -i "$dis" -i "$ref" -lavfi \
            "$2:log_path=$work/out/both.csv:log_fmt=csv" -f null - < /dev/null
        [ "$side" != "$library" ] || mv "$work/out/both.csv" "$work/out/ours.csv"
    done
    check "$1 (csv)" cmp "$work/out/both.csv" "$work/out/ours.csv"
}

# ---- programs that start ffmpeg --------------------------------------------------------------------------------------

# told FILE NAME COMMAND...: the line with the score that a command prints, and the log that it writes to $work/out/log.
told() {
    local file=$1
    shift
    rm -f "$work/out/log"
    if "$@" > "$work/out/said" 2>&1; then
        grep -o 'VMAF score: .*' "$work/out/said" > "$file" || : > "$file"
        [ ! -e "$work/out/log" ] || plain "$work/out/log" >> "$file"
    else
        : > "$file"
    fi
}

# beside NAME COMMAND...: a command with both libraries. Without libvmaf's own it only has to give a score.
beside() {
    local name=$1
    shift
    told "$work/out/ours" "$@"
    check "$name gives a score" [ -s "$work/out/ours" ]
    [ -n "${LIBVMAF_REFERENCE:-}" ] || return 0
    LD_LIBRARY_PATH=$(dirname "$LIBVMAF_REFERENCE") told "$work/out/theirs" "$@"
    check "$name, beside libvmaf" cmp "$work/out/ours" "$work/out/theirs"
}

# ab-av1 0.11.7: src/vmaf.rs has the command, src/command/args/vmaf.rs the filters. It scales small pictures up.
ab_av1() { # SCALE VMAF-OPTIONS
    "$ffmpeg" -r 25 -i "$dis" -r 25 -i "$ref" -filter_complex "[0:v]format=yuv420p10le,$1\
setpts=PTS-STARTPTS,settb=AVTB[dis];[1:v]format=yuv420p10le,$1setpts=PTS-STARTPTS,settb=AVTB[ref];\
[dis][ref]libvmaf=shortest=true:ts_sync_mode=nearest:$2" -an -sn -dn -f null - < /dev/null
}

# Av1an 0.5.2: av1an-core/src/metrics/vmaf.rs. The reference comes through a pipe, from another ffmpeg.
av1an() { # FILTER-OPTIONS [FILTERS-OF-THE-REFERENCE]
    "$ffmpeg" -i "$ref" -strict -1 -f yuv4mpegpipe - 2> /dev/null | "$ffmpeg" -loglevel error -hide_banner -nostdin -y \
        -thread_queue_size 1024 -r 60 -i "$dis" -r 60 -i - -filter_complex "[0:v]scale=1920x1080:flags=bicubic:\
force_original_aspect_ratio=decrease,setpts=PTS-STARTPTS,setsar=1[distorted];[1:v]${2:-}scale=1920x1080:flags=bicubic:\
force_original_aspect_ratio=decrease,setpts=PTS-STARTPTS,setsar=1[ref];[distorted][ref]libvmaf=log_fmt='json':\
eof_action=endall:log_path=$work/out/log$1" -f null -
}

programs_that_start_ffmpeg() {
    local scale=scale=1920:-1:flags=bicubic,
    check "Av1an looks for the option of ffmpeg's build" grep -q -e --enable-libvmaf <<< "$("$ffmpeg" -h 2>&1)"
    beside "ab-av1 as it is" ab_av1 "$scale" n_threads=2
    beside "ab-av1 --vmaf-scale none --vmaf n_subsample=4" ab_av1 "" n_subsample=4:n_threads=2
    beside "ab-av1 with a model of version 1" ab_av1 "$scale" model=version=vmaf_v1.0.16_3d0h:n_threads=2
    beside "ab-av1 with the model for 4K" ab_av1 "" n_threads=2:model=version=vmaf_4k_v0.6.1
    beside "Av1an as it is" av1an :n_threads=2
    beside "Av1an, probing every second frame without motion" av1an \
        ":model='version=vmaf_v0.6.1\\:motion.motion_force_zero=true':n_threads=2" \
        'select=not(mod(n\,2)),setpts=0.5000*PTS,'
    beside "Av1an, no gain from enhancement, for 4K" av1an ":model='version=vmaf_4k_v0.6.1neg':n_threads=2"
    # SSIMULACRA 2 in ab-av1, by an option that it hands on: libvmaf has not got it.
    ASSAY_COLOUR=bt709,limited told "$work/out/ours" ab_av1 "" \
        "feature=name=ssimulacra2:log_path=$work/out/log:log_fmt=csv:n_threads=2"
    check "ab-av1 --vmaf feature=name=ssimulacra2" grep -qE '^Frame,.*ssimulacra2' "$work/out/ours"
}

client_ffmpeg() {
    local source said deep=$work/out/deep
    source=$(fetch "$1")
    build_ffmpeg "$source"
    ffmpeg=$source/ffmpeg ref=$sample/ref.y4m dis=$sample/dis.y4m
    say "$("$ffmpeg" -version | head -1)"
    check "needs libvmaf.so.3" grep -q 'NEEDED.*libvmaf.so.3' <(readelf -d "$ffmpeg")
    for form in json xml csv sub; do
        filter "default model" "$form" n_threads=0 -m version=vmaf_v0.6.1
    done
    filter "threads" csv n_threads=3 -m version=vmaf_v0.6.1
    filter "every third frame" csv n_subsample=3 -m version=vmaf_v0.6.1 --subsample 3
    filter "two models" csv 'model=version=vmaf_v0.6.1neg\\:name=neg|version=vmaf_4k_v0.6.1\\:name=uhd' \
        -m version=vmaf_v0.6.1neg:name=neg -m version=vmaf_4k_v0.6.1:name=uhd
    filter "options of a model's feature" csv \
        'model=version=vmaf_v0.6.1\\:vif.vif_enhn_gain_limit=1.2\\:adm.adm_enhn_gain_limit=1.0' \
        -m version=vmaf_v0.6.1:vif.vif_enhn_gain_limit=1.2:adm.adm_enhn_gain_limit=1.0
    filter "features" csv 'feature=name=psnr|name=float_ssim|name=float_ms_ssim|name=cambi' \
        -m version=vmaf_v0.6.1 --feature psnr --feature float_ssim --feature float_ms_ssim --feature cambi
    filter "version 1" csv 'model=version=vmaf_v1.0.16_3d0h' -m version=vmaf_v1.0.16_3d0h
    ASSAY_COLOUR=bt709,limited filter "SSIMULACRA 2, which libvmaf has not got" csv \
        'feature=name=ssimulacra2\\:chroma=center' -m version=vmaf_v0.6.1 \
        --feature ssimulacra2=chroma=center:matrix=bt709:range=limited:transfer=bt1886:primaries=bt709
    "$ffmpeg" -v error -y -i "$ref" -pix_fmt yuv420p10 -strict -1 "$deep.ref.y4m"
    "$ffmpeg" -v error -y -i "$dis" -pix_fmt yuv420p10 -strict -1 "$deep.dis.y4m"
    ref=$deep.ref.y4m dis=$deep.dis.y4m
    case $1 in
    *:5.1*) same_as_libvmaf "10 bits: this filter copies the left half of each row" libvmaf=feature=name=psnr ;;
    *) filter "10 bits" csv feature=name=psnr -m version=vmaf_v0.6.1 --feature psnr ;;
    esac
    ref=$sample/ref.y4m dis=$sample/dis.y4m
    [[ $1 = *:5.1* ]] || programs_that_start_ffmpeg
    said=$("$ffmpeg" -i "$dis" -i "$ref" -lavfi libvmaf -f null - 2>&1 < /dev/null)
    check "the line with the score" grep -q 'VMAF score: 88.771458' <<< "$said"
    said=$("$ffmpeg" -i "$dis" -i "$ref" -lavfi libvmaf=feature=name=blorf -f null - 2>&1 < /dev/null || true)
    check "an unknown feature ends it before the first frame" grep -q 'no feature is called "blorf"' <<< "$said"
    said=$(ASSAY_BACKEND=abacus "$ffmpeg" -i "$dis" -i "$ref" -lavfi libvmaf -f null - 2>&1 < /dev/null || true)
    check "a device that can't run gives no score" \
        [ "$(grep -c 'VMAF score: [0-9]' <<< "$said")/$(grep -c "no backend 'abacus'" <<< "$said")" = 0/1 ]
}

# ---- libaom ----------------------------------------------------------------------------------------------------------

client_aom() {
    local source model=${LIBVMAF_SOURCE:-}/model/vmaf_v0.6.1.json
    if [ -z "${LIBVMAF_SOURCE:-}" ]; then
        say "aom: left out, it wants a model's file, and LIBVMAF_SOURCE names no sources of libvmaf 3.2"
        return
    fi
    source=$(fetch "$1")
    if [ ! -x "$source-build/aomenc" ]; then
        mkdir -p "$source-build"
        (cd "$source-build" && cmake "$source" -DCMAKE_BUILD_TYPE=Release -DCONFIG_TUNE_VMAF=1 -DENABLE_DOCS=0 \
            -DENABLE_TESTS=0 -DENABLE_EXAMPLES=1 -DENABLE_TOOLS=0 -DCONFIG_AV1_DECODER=0 > configure.log 2>&1 &&
            make -j"$jobs" aomenc > make.log 2>&1)
    fi
    say "aomenc of libaom $(basename "$source")"
    for tune in vmaf vmaf_neg vmaf_without_preprocessing vmaf_with_preprocessing; do
        encode_with() { # LIBRARY-FOLDER FILE
            LD_LIBRARY_PATH=$1 "$source-build/aomenc" "$sample/ref.y4m" -o "$2" --ivf --limit=8 --cpu-used=6 \
                --threads=1 --end-usage=q --cq-level=40 --lag-in-frames=8 --tune=$tune --vmaf-model-path="$model" \
                > "$work/out/aom.log" 2>&1
        }
        if ! encode_with "$library" "$work/out/ours.ivf"; then
            check "--tune=$tune runs" false
            continue
        fi
        check "--tune=$tune runs" [ -s "$work/out/ours.ivf" ]
        if [ -n "${LIBVMAF_REFERENCE:-}" ] && encode_with "$(dirname "$LIBVMAF_REFERENCE")" "$work/out/theirs.ivf"; then
            check "--tune=$tune, the encode made with libvmaf" cmp "$work/out/ours.ivf" "$work/out/theirs.ivf"
        fi
    done
}

# ---- libvmaf's own command -------------------------------------------------------------------------------------------

client_vmaf() {
    local tools=${LIBVMAF_SOURCE:-}/libvmaf/tools
    if [ -z "${LIBVMAF_SOURCE:-}" ]; then
        say "vmaf: left out, LIBVMAF_SOURCE names no sources of libvmaf 3.2"
        return
    fi
    mkdir -p "$work/command"
    : > "$work/command/config.h"
    # shellcheck disable=SC2046
    cc -O2 -D_GNU_SOURCE -DHAVE_STRSEP -DVMAF_BUILT_IN_MODELS=1 -DVMAF_FLOAT_FEATURES=1 -I"$work/command" \
        $(pkg-config --cflags libvmaf) -I"$tools" -I"$tools/../src" "$tools"/*.c $(pkg-config --libs libvmaf) -lm \
        -o "$work/command/vmaf"
    say "libvmaf's command vmaf"
    one() { # NAME ARGS...
        local name=$1
        shift
        for form in json xml csv sub; do
            "$work/command/vmaf" -q -r "$sample/ref.y4m" -d "$sample/dis.y4m" "--$form" -o "$work/out/theirs.$form" "$@"
            "$assay" vmaf -q -r "$sample/ref.y4m" -d "$sample/dis.y4m" "--$form" -o "$work/out/ours.$form" "$@"
            check "$name ($form)" same_report "$work/out/theirs.$form" "$work/out/ours.$form"
        done
    }
    one "default"
    one "collection, features, threads" -m version=vmaf_b_v0.6.3:name=b -m version=vmaf_v0.6.1 --threads 3 \
        --feature psnr=enable_apsnr=true:enable_mse=true --feature ciede --feature float_motion --feature psnr_hvs
    one "version 1, every second frame" -m version=vmaf_v1.0.16_3d0h --subsample 2
    one "AOM's preset" --aom_ctc v6.0
    if [ -n "${LIBVMAF_REFERENCE:-}" ]; then
        cc -O2 -D_GNU_SOURCE -I"$here/../../include" "$here/probe.c" -o "$work/command/probe" -ldl
        check "every answer of both libraries" python3 "$here/test_answers.py" "$work/command/probe" \
            "$library/libvmaf.so.3" "$sample/ref.y4m" "$sample/dis.y4m" "$LIBVMAF_REFERENCE"
    fi
}

install_assay
export LD_LIBRARY_PATH=$library
for client in "$@"; do
    case $client in
    ffmpeg=*) client_ffmpeg "$client" ;;
    aom=*) client_aom "$client" ;;
    vmaf) client_vmaf ;;
    *) say "unknown client: $client" >&2 && exit 2 ;;
    esac
done
say "$failures comparisons differ"
[ "$failures" = 0 ]
