#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Finds vector moves of 32 and 64 bytes that need an aligned address in objects for Windows, where the stack is aligned
to 16 bytes and gcc takes it for more: such a program ends at one, on one run in two.

    tools/check_stack_moves.py OBJDUMP FILE ...              fails where there is one
    tools/check_stack_moves.py OBJDUMP --compiled CC ...     compiles a text that has two, without the assembler's
                                                             option, and fails where one goes unseen, or is seen with it
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ALIGNED = re.compile(r'\bv(?:mov(?:aps|apd|dqa|dqa32|dqa64))\b[^\n]*\(%r[^\n]*')
OPTION = '-Wa,-muse-unaligned-vector-move'
# One that stores some lanes, as gcc writes it where a vector is passed in memory; one that stores all.
TEXT = '''void some(void) { __asm__ volatile("vmovdqa32 %zmm0, 64(%rsp){%k1}"); }
void all(void) { __asm__ volatile("vmovaps %ymm0, -96(%rbp)"); }
'''


def moves(objdump, paths):
    """(file, function, instruction) of every such move, and the number of instructions that were looked at."""
    found, seen, function = [], 0, ''
    for path in paths:
        with subprocess.Popen([objdump, '-d', '--no-show-raw-insn', str(path)], stdout=subprocess.PIPE, text=True) as p:
            for line in p.stdout:
                if line.endswith('>:\n'):
                    function = line.split('<')[1][:-3]
                seen += line.startswith('  ')
                if 'mm' in line and re.search(r'%[yz]mm', line) and ALIGNED.search(line):
                    found.append((path, function, line.split('\t', 1)[1].strip()))
        if p.returncode:
            sys.exit(f'{objdump} fails on {path}')
    return found, seen


def compiled(objdump, command):
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / 'moves.c', Path(folder) / 'moves.o'
        source.write_text(TEXT, encoding='ascii')
        for option, wanted in (([], 2), ([OPTION], 0)):
            subprocess.run([*command, '-O2', '-mavx512f', *option, '-c', str(source), '-o', str(out)], check=True)
            found, _ = moves(objdump, [out])
            if len(found) != wanted:
                sys.exit(f'built with {option}, the text has {wanted} such moves, and {found} are found')


def main():
    objdump, *rest = sys.argv[1:]
    if rest[0] == '--compiled':
        compiled(objdump, rest[1:])
        return
    found, seen = moves(objdump, rest)
    for path, function, text in found:
        print(f'{path}: {function}: {text}')
    print(f'{seen} instructions, {len(found)} aligned moves of 32 or 64 bytes')
    sys.exit(1 if found or seen < 1000 else 0)


if __name__ == '__main__':
    main()
