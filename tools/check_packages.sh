#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Tries what is in the folder $1, of `make bundle` and `make deb`, on a Debian that holds nothing else: the bundle
# scores, lintian finds no error in the packages, and they are installed, used and removed without a trace. $2: the
# release, bookworm unless stated. $3: a folder with packages of an earlier release, which are installed first: all of
# them are upgraded, and the scores stay. Needs root, debootstrap and lintian, and a mirror of Debian's packages:
# DEB_MIRROR, or debootstrap's own choice.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
here=$PWD
packages=$(cd "$1" && pwd)
release=${2:-bookworm}
earlier=${3:+$(cd "$3" && pwd)}
root=$(mktemp -d "${TMPDIR:-/tmp}/assay-deb.XXXXXX")
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$root"' EXIT
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

fail() {
    echo "check_packages: $*" >&2
    exit 1
}
inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
step() {
    echo "    $*"
}

lintian --allow-root --fail-on error --tag-display-limit 0 "$packages"/*.deb >"$packages/lintian.log" ||
    { grep '^E:' "$packages/lintian.log" || tail -n 5 "$packages/lintian.log"; fail "lintian finds errors"; }
step "lintian: no error, $(grep -c '^W:' "$packages/lintian.log" || true) warnings"

debootstrap --variant=minbase "$release" "$root" ${DEB_MIRROR:+"$DEB_MIRROR"} >"$packages/debootstrap.log" 2>&1 ||
    { tail -n 5 "$packages/debootstrap.log"; fail "debootstrap can't make a root of $release"; }
mount -t proc proc "$root/proc"
mkdir "$root/packages" "$root/examples"
cp "$packages"/*.deb "$root/packages"
cp -r examples/sample examples/score_files.c examples/score_files.txt tests/cli/images/rgb.jpg "$root/examples"
for bundle in "$packages"/assay-*-linux-glibc*.tar.gz; do
    [ -e "$bundle" ] || continue
    mkdir -p "$root/opt/bundle"
    tar -xf "$bundle" -C "$root/opt/bundle" --strip-components=1
    inside /opt/bundle/bin/assay -q -m all /examples/sample/ref.y4m /examples/sample/dis.y4m --json /bundle.json
    inside /opt/bundle/bin/assay --list-devices >"$packages/devices.txt"
    ! grep -q 'has no libassay' "$packages/devices.txt" || fail "the bundle does not find its modules of GPUs"
    step "$(basename "$bundle"): scores where nothing is installed"
done
inside apt-get -qq update
inside sh -c 'dpkg-query -W -f="\${Package}\n"' | sort >"$root/before"

# Upgraded from an earlier release.
if [ -n "$earlier" ]; then
    mkdir "$root/earlier"
    cp "$earlier"/*.deb "$root/earlier"
    inside sh -c 'apt-get -qq -y install /earlier/*.deb' >"$packages/upgrade.log" 2>&1 ||
        { tail -n 20 "$packages/upgrade.log"; fail "the earlier packages can't be installed"; }
    before=$(inside assay --version)
    inside assay -q -m psnr /examples/sample/ref.y4m /examples/sample/dis.y4m --json /earlier.json
    inside sh -c 'apt-get -qq -y install /packages/*.deb' >>"$packages/upgrade.log" 2>&1 ||
        { tail -n 20 "$packages/upgrade.log"; fail "the earlier packages can't be upgraded"; }
    after=$(inside assay --version)
    [ "$before" != "$after" ] || fail "it is still $after"
    old=$(inside sh -c 'dpkg-query -W -f="\${Package} \${Version}\n"' | grep assay | grep -v " ${after#assay }$" ||
        true)
    [ -z "$old" ] || fail "not upgraded: $old"
    inside assay -q -m psnr /examples/sample/ref.y4m /examples/sample/dis.y4m --json /later.json
    inside assay diff /earlier.json /later.json >"$packages/diff.txt" ||
        { cat "$packages/diff.txt"; fail "$after has not the scores of $before"; }
    inside sh -c 'apt-get -qq -y purge $(dpkg-query -W -f="\${Package}\n" | grep assay)' \
        >>"$packages/upgrade.log" 2>&1
    step "upgraded: $before to $after, with its scores"
fi

# The command alone, with what it recommends: videos, images, pages.
inside sh -c 'apt-get -qq -y install /packages/libassay0_*.deb /packages/libassay-run0_*.deb /packages/assay_*.deb' \
    >"$packages/install.log" 2>&1 || { tail -n 20 "$packages/install.log"; fail "the command can't be installed"; }
inside assay -q -m all /examples/sample/ref.y4m /examples/sample/dis.y4m --json /scores.json
inside assay image -q /examples/rgb.jpg /examples/rgb.jpg
inside assay report -q /scores.json --html /page.html
[ -s "$root/page.html" ] || fail "no page"
[ ! -e "$root/bundle.json" ] || inside assay diff /bundle.json /scores.json >"$packages/diff.txt" ||
    { cat "$packages/diff.txt"; fail "the bundle's scores are not the package's"; }
step "assay: scores a pair of videos and of images"

# All others, with a compiler for what is built upon them.
inside sh -c 'apt-get -qq -y install /packages/*.deb gcc libc6-dev pkg-config' >>"$packages/install.log" 2>&1 ||
    { tail -n 20 "$packages/install.log"; fail "not all packages can be installed"; }
inside sh -c 'gcc -std=c11 /examples/score_files.c $(pkg-config --cflags --libs assay-run) -o /score_files'
inside sh -c 'cd /examples/sample && /score_files ref.y4m dis.y4m dis.y4m 2>/dev/null' |
    cmp - "$here/examples/score_files.txt"
step "libassay-dev: an example has its text"
inside python3 - <<'TEXT'
import ctypes, glob, json
import assay
results = assay.score("/examples/sample/ref.y4m", "/examples/sample/dis.y4m", metrics="vmaf")
stored = json.load(open("/scores.json"))
own = [float(v) for v in results["vmaf"]]
assert [f"{v:.6f}" for v in own] == [f"{f['metrics']['vmaf']:.6f}" for f in stored["frames"]], own
vmaf = ctypes.CDLL(glob.glob("/usr/lib/*/assay/libvmaf.so.3")[0])
vmaf.vmaf_version.restype = ctypes.c_char_p
print("    python3-assay: the command's scores; libvmaf-assay:", vmaf.vmaf_version().decode())
TEXT
inside assay --list-devices | sed 's/^/    /'
! inside assay --list-devices | grep -q 'has no libassay' || fail "the modules of GPUs are not found"

# Removed: no file of ours stays.
inside sh -c 'apt-get -qq -y purge $(dpkg-query -W -f="\${Package}\n" | grep assay)' >>"$packages/install.log" 2>&1
left=$(find "$root"/{usr,etc,var/lib} -xdev -name '*assay*' ! -path '*/dpkg/*' ! -path '*/apt/*' | head -5)
[ -z "$left" ] || fail "after removing there is still $left"
step "removed: nothing is left"
