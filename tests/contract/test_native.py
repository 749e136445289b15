# SPDX-License-Identifier: BSD-2-Clause
"""A build with -Dcpu_levels=native has what this processor uses, and says so among its tests; made whole, it compiles
nothing again.

    test_native.py ASSAY MESON SOURCE CC...     ASSAY: a program with every instruction set
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LEVELS = ('avx512vnni', 'avx512', 'avx2', 'sse4', 'neon', 'scalar')
BELOW = {'avx512vnni': 'avx512'}


def built(folder):
    text = (folder / 'src/kernels/levels_gen.h').read_text(encoding='utf-8')
    return re.findall(r' X\((\w+), CPU_', text)


def commands(folder):
    """{object: the command that makes it}, of the library's."""
    rows = json.loads((folder / 'compile_commands.json').read_text(encoding='utf-8'))
    return {row['output']: row['command'] for row in rows if row['output'].startswith('src/')}


def main():
    assay, meson, source, *cc = sys.argv[1:]
    sample = Path(source) / 'examples/sample'

    def runs(level):
        return not subprocess.run([assay, '-q', '-m', 'psnr', '--cpu', level, sample / 'ref.y4m', sample / 'dis.y4m'],
                                  stderr=subprocess.DEVNULL, check=False, timeout=600).returncode
    here = [level for level in LEVELS if runs(level)]

    def run(*args):
        done = subprocess.run([meson, *map(str, args)], capture_output=True, text=True, check=False, timeout=1200,
                              env={**os.environ, 'CC': ' '.join(cc)})
        assert not done.returncode, done.stdout + done.stderr
        return done.stdout

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / 'build'
        run('setup', '-Dcore_only=true', '-Dcuda=disabled', '-Dvulkan=disabled', '-Dopengl=disabled', '-Dsycl=disabled',
            '-Dimages=disabled', '-Dcpu_levels=native', folder, source)
        few, few_commands = built(folder), commands(folder)
        assert set(few) == {'scalar', here[0], BELOW.get(here[0], here[0])}, (few, here)
        if set(few) < set(LEVELS):
            said = run('test', '-C', folder, '--no-rebuild', 'kernels of all instruction sets')
            assert re.search(r'^Skipped: +1', said, flags=re.M), said
        run('configure', '-Dcpu_levels=all', folder)
        run('setup', '--reconfigure', folder, source)
        whole, whole_commands = built(folder), commands(folder)
        assert set(whole) >= set(here) and whole == [x for x in LEVELS if x in whole], (whole, here)
        changed = [name for name, command in few_commands.items() if whole_commands.get(name) != command]
        assert few_commands and not changed, changed
    print(f'native: {" ".join(few)}; all: {" ".join(whole)}')


main()
