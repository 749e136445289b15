#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The command on the shared library's public functions says what the command says that is installed.

    test_public.py INSTALLED PUBLIC SAMPLES
"""
import subprocess
import sys


def main():
    installed, public, samples = sys.argv[1:]
    pair = [f'{samples}/ref.y4m', f'{samples}/dis.y4m']
    subprocess.run([public, '-q', *pair], check=True)
    for args in (['-m', 'all', '--json', '-', '--reproducible', *pair], ['image', '-m', 'all', pair[0], pair[0]],
                 ['--list-metrics'], ['parity', '--backends', 'cpu,cpu:scalar', *pair],
                 ['--list-devices', '--backend', 'cpu'], ['-m', 'diff', '--dump-stage', 'x:1', *pair],
                 ['batch', '--jobs', 'x']):
        said = [subprocess.run([program, *args], capture_output=True, check=False) for program in (installed, public)]
        if (said[0].returncode, said[0].stdout, said[0].stderr) != (said[1].returncode, said[1].stdout, said[1].stderr):
            sys.exit(f'{args}: the two commands differ:\n{said[0]}\n{said[1]}')
    said = subprocess.run([public, 'doctor'], capture_output=True, text=True, check=False)
    if said.returncode != 6 or ' here, with ' not in said.stderr:
        sys.exit(f'doctor is not what this program stands in for: {said}')


if __name__ == '__main__':
    main()
