# SPDX-License-Identifier: BSD-2-Clause
"""CFLAGS that fuse, reassociate or round in another way stop the configuration, and those of distributions do not.

    test_flags.py MESON SOURCE CC...
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

REFUSED = ('-ffast-math', '-Ofast', '-funsafe-math-optimizations', '-fassociative-math', '-fsingle-precision-constant',
           '-ffp-contract=fast', '-ffp-contract=on')
OF_CLANG = ('-fno-honor-nans', '-fno-honor-infinities')
TAKEN = '-O2 -g -fno-plt -fstack-protector-strong -D_FORTIFY_SOURCE=2 -ffp-contract=off -fno-trapping-math'


def main():
    meson, source, *cc = sys.argv[1:]

    def setup(flags, *more, folder):
        options = (f'-D{name}=disabled' for name in ('cuda', 'vulkan', 'opengl', 'sycl', 'images'))
        return subprocess.run([meson, 'setup', '-Dcore_only=true', *options, *more, folder, source],
                              capture_output=True, text=True, check=False, timeout=600,
                              env={**os.environ, 'CC': ' '.join(cc), 'CFLAGS': flags})

    with tempfile.TemporaryDirectory() as name:
        version = subprocess.run([*cc, '--version'], capture_output=True, text=True, check=True, timeout=60).stdout
        refused = REFUSED + (OF_CLANG if 'clang' in version else ())
        for i, flag in enumerate(refused):
            done = setup(f'-O2 {flag}', folder=Path(name) / str(i))
            assert done.returncode == 1 and f'not with {flag} in CFLAGS' in done.stdout, (flag, done.stdout)
        done = setup('', '-Dc_args=-ffp-contract=fast', folder=Path(name) / 'option')
        assert done.returncode == 1 and 'not with -ffp-contract=fast in CFLAGS' in done.stdout, done.stdout
        done = setup(TAKEN, folder=Path(name) / 'taken')
        assert not done.returncode, done.stdout + done.stderr
    print(f'{len(refused) + 1} refused')


main()
