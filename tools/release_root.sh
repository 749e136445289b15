# SPDX-License-Identifier: BSD-2-Clause
# Roots of other releases, for check_releases.sh and check_sources.sh, which say what ROOTS and the mirrors are. `root`
# is the one that is worked in; `failed` becomes 1 where a check fails.
# shellcheck shell=bash disable=SC2034,SC2054,SC2154
roots=${ROOTS:-}
kept=$roots
[ -n "$roots" ] || roots=$(mktemp -d "${TMPDIR:-/tmp}/assay-releases.XXXXXX")
mkdir -p "$roots"
roots=$(cd "$roots" && pwd)
failed=0

# Without /proc the loader does not know where a program is, and finds nothing beside it.
mount_root() {
    mount -t proc proc "$root/proc" 2>/dev/null || true
    mount -t devpts devpts "$root/dev/pts" 2>/dev/null || true
    mount -t tmpfs shm "$root/dev/shm" 2>/dev/null || true
}
umount_roots() {
    umount "$roots"/*/dev/shm "$roots"/*/dev/pts "$roots"/*/proc 2>/dev/null || true
}
finish() {
    umount_roots
    [ -n "$kept" ] || rm -rf "$roots"
}
trap finish EXIT

inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        PYTHONDONTWRITEBYTECODE=1 "$@"
}
install() {
    inside apt-get -qq -y --no-install-recommends install "$@" >>"$root.log" 2>&1
}
fail() {
    echo "    FAILED: $*"
    failed=1
}

# make_root SUITE: a root of the release, with nothing but what every system has.
make_root() {
    local source=${DEB_MIRROR:-http://deb.debian.org/debian} options=(--variant=minbase) script=()
    case $1 in
        jammy | noble | questing | resolute)
            source=${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu}
            options+=(--components=main,universe)
            options+=("--keyring=${UBUNTU_KEYS:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}")
            script=(/usr/share/debootstrap/scripts/gutsy) ;;
    esac
    debootstrap "${options[@]}" "$1" "$root" "$source" "${script[@]}" >"$root.log" 2>&1 || return 1
    # Mirrors that were frozen have lists that are older than they allow.
    echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/99assay"
    inside apt-get -qq update >>"$root.log" 2>&1
}
