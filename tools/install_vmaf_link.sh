#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# install_vmaf_link.sh BINDIR: makes BINDIR/vmaf a link to assay. Another program of that name stays, and is an error.
# Run by `meson install` of a build with -Dvmaf_link=true.
set -eu
case $1 in
    /*) folder=${DESTDIR:-}$1 ;;
    *) folder=$MESON_INSTALL_DESTDIR_PREFIX/$1 ;;
esac
if [ -e "$folder/vmaf" ] || [ -L "$folder/vmaf" ]; then
    [ "$(readlink "$folder/vmaf" || true)" = assay ] && exit 0
    echo "install: $folder/vmaf is another program and stays as it is; put a link in another folder of the PATH:" \
        "ln -s $folder/assay FOLDER/vmaf" >&2
    exit 1
fi
mkdir -p "$folder"
ln -s assay "$folder/vmaf"
