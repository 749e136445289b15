# SPDX-License-Identifier: BSD-2-Clause
"""A kept program that OpenGL's driver refuses, in a file that is whole, is compiled anew: the bits are the same, and
the file is replaced.

    test_refused.py ASSAY REF DIS
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def digest(data):
    """FNV-1a of 64 bits, as in host/digest.h."""
    h = 0xcbf29ce484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001b3 & 2**64 - 1
    return h


def score(assay, ref, dis, folder):
    command = [assay, "--backend", "opengl", "-q", "-m", "psnr", "--csv", "-", ref, dis]
    done = subprocess.run(command, capture_output=True, env={**os.environ, "XDG_CACHE_HOME": str(folder)})
    if done.returncode == 4 and not any(Path(folder).iterdir()):
        print(done.stderr.decode())
        sys.exit(77)  # there is no device
    assert done.returncode == 0, done.stderr
    return done.stdout


def spoil(path):
    """Changes each byte of the program but its format; the file's own digest says that it is whole."""
    lines = path.read_bytes().split(b"\n", 6)
    body = lines[6][:4] + bytes(b ^ 0x55 for b in lines[6][4:])
    path.write_bytes(b"\n".join(lines[:5] + [b"%d, %016x" % (len(body), digest(body)), body]))


def main():
    with tempfile.TemporaryDirectory() as folder:
        scores = score(*sys.argv[1:], folder)
        kept = {path: path.read_bytes() for path in Path(folder, "assay").glob("kernel-*")}
        own = [path for path, data in kept.items() if b"\nsse_u8," in data[:640]]
        assert len(own) == 1, kept.keys()
        assert score(*sys.argv[1:], folder) == scores
        assert own[0].read_bytes() == kept[own[0]]
        spoil(own[0])
        spoilt = own[0].read_bytes()
        assert score(*sys.argv[1:], folder) == scores
        assert own[0].read_bytes() != spoilt, "the program that was refused is still there"



main()
