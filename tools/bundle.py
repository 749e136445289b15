#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes a folder with the command and all libraries, packed, which runs wherever it is unpacked.

bundle.py BUILD OUT    of the build folder BUILD, as it is, into the folder OUT; prints the archive's path

The archive's name states the lowest glibc that it runs on, as the wheel's does, and it holds what the wheel holds but
for Python's files. Equal files make equal bytes.
"""
import gzip
import io
import pathlib
import re
import tarfile
import tempfile

import python_wheel as wheel

PAGES = ("docs/assay.1", "README.md", "LICENSE", "NOTICE")


def members(build, root):
    """{name in the archive: path}, and what follows the version in the archive's name."""
    files, tag = wheel.contents(build, root)
    found = {}
    for name, path in files.items():
        if re.match(r"assay/(bin|lib)", name):
            found[name.removeprefix("assay/")] = path
        elif "/licenses/" in name and path.name not in PAGES:
            found[f"licenses/{name.rpartition('/')[2]}"] = path
    for name in PAGES:
        found[name if "/" not in name else "share/man/man1/assay.1"] = wheel.ROOT / name
    version = re.fullmatch(r"manylinux_(\d+)_(\d+)_(\w+)", tag)
    return found, f"linux-glibc{version[1]}.{version[2]}-{version[3]}"


def make(build, out):
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="assay-bundle-") as folder:
        files, platform = members(build.resolve(), pathlib.Path(folder))
        name = f"assay-{wheel.version_of()}-{platform}"
        path = out / f"{name}.tar.gz"
        with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed, \
                tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for member, source in sorted(files.items()):
                content = source.read_bytes()
                entry = tarfile.TarInfo(f"{name}/{member}")
                entry.size, entry.mode = len(content), 0o755 if member.startswith("bin/") else 0o644
                archive.addfile(entry, io.BytesIO(content))
    return path


if __name__ == "__main__":
    wheel.main(__doc__, make)
