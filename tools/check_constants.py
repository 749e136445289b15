#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The bits of every constant of constants.txt, as each target really got them, against exact arithmetic.

    check_constants.py source-c    CONSTANTS OUT    a program that prints NAME 0xBITS as its compiler sees them
    check_constants.py source-cuda CONSTANTS OUT    a kernel that stores them, in order
    check_constants.py check-c     CONSTANTS PROGRAM...
    check_constants.py check-ptx   CONSTANTS PTX

The expected bits are computed here from the fraction that the table means, not from the header that the targets read.
With --off-by-one the bits of the first constant are expected one higher, and a check passes if it notices just that.
"""
import re
import struct
import subprocess
import sys
from fractions import Fraction
from pathlib import Path


def nearest_bits(exact):
    """The bits of the float nearest to a fraction, ties to even, by comparing neighbours exactly."""
    def value(bits):
        return Fraction(struct.unpack('<f', struct.pack('<I', bits))[0])
    sign, exact = (0x80000000, -exact) if exact < 0 else (0, exact)
    low, high = 0, 0x7f7fffff
    while low < high:  # the largest float that is not above
        middle = (low + high + 1) // 2
        low, high = (middle, high) if value(middle) <= exact else (low, middle - 1)
    below, above = exact - value(low), value(low + 1) - exact
    return sign | (low + 1 if above < below or (above == below and low & 1) else low)


def exact_value(text):
    mantissa = re.fullmatch(r'(-?)0x([0-9a-f]+)(?:\.([0-9a-f]*))?p([-+]?\d+)', text, flags=re.I)
    if not mantissa:
        return Fraction(text)
    sign, whole, part, power = mantissa.groups()
    digits = Fraction(int(whole + (part or ''), 16), 16 ** len(part or ''))
    return (-1 if sign else 1) * digits * Fraction(2) ** int(power)


def read(path):
    """(name, bits, is it a float?) of every line."""
    rows = []
    for line in Path(path).read_text(encoding='utf-8').splitlines():
        words = line.split('#')[0].split()
        if words and re.fullmatch(r'0x[0-9a-f]+', words[1], flags=re.I):
            rows.append((words[0], int(words[1], 16), False))
        elif words:
            rows.append((words[0], nearest_bits(exact_value(words[1])), True))
    return rows


def source_c(rows):
    lines = ['#include <stdio.h>\n#include <stdint.h>\n#include <string.h>\n#include "constants_gen.h"\n\n',
             'static const struct { const char *name; int is_float; float f; uint32_t u; } table[] = {\n']
    lines += [f'    {{"{n}", 1, {n}, 0}},\n' if is_float else f'    {{"{n}", 0, 0.0f, {n}}},\n' for n, _,
              is_float in rows]
    lines += ['};\n\nint main(void)\n{\n    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {\n',
              '        uint32_t bits = table[i].u;\n        if (table[i].is_float)\n',
              '            memcpy(&bits, &table[i].f, sizeof bits);\n',
              '        printf("%s 0x%08x\\n", table[i].name, (unsigned)bits);\n    }\n    return 0;\n}\n']
    return ''.join(lines)


def source_cuda(rows):
    lines = ['#include "constants_gen.h"\n\n'
             'extern "C" __global__ void constants(volatile unsigned *bits, volatile float *f)\n{\n']
    lines += [f'    f[{i}] = {n};\n' if is_float else f'    bits[{i}] = {n};\n' for i,
              (n, _, is_float) in enumerate(rows)]
    return ''.join(lines) + '}\n'


def from_program(program, rows):
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    pairs = [line.split() for line in done.stdout.splitlines()]
    if [p[0] for p in pairs] != [r[0] for r in rows]:
        raise SystemExit('the program knows other constants')
    return [int(p[1], 16) for p in pairs]


def from_ptx(path, _rows):
    """The stored values in order: a float as 0fXXXXXXXX or an integer, directly or through a register."""
    registers, bits = {}, []

    def value(word):
        if word in registers:
            return registers[word]
        return int(word[2:], 16) if word[:2] in ('0f', '0F') else int(word, 0) & 0xffffffff
    for line in Path(path).read_text(encoding='utf-8').splitlines():
        move = re.match(r'\s*mov\.(?:[fbus]32)\s+(%\w+),\s*(0f[0-9A-F]{8}|-?\d+|0x[0-9a-f]+);', line, flags=re.I)
        store = re.match(r'\s*st\.volatile\.global\.\w+\s+\[[^]]*\],\s*([^;]+);', line)
        if move:
            registers[move[1]] = value(move[2])
        elif store:
            bits.append(value(store[1]))
    return bits


def main():
    off_by_one = '--off-by-one' in sys.argv
    command, constants, *rest = [a for a in sys.argv[1:] if a != '--off-by-one']
    rows = read(constants)
    if command in ('source-c', 'source-cuda'):
        text = source_c(rows) if command == 'source-c' else source_cuda(rows)
        Path(rest[0]).write_text('/* Written by tools/check_constants.py; do not edit. */\n' + text, encoding='utf-8')
        return
    seen = {'check-c': from_program, 'check-ptx': lambda words, r: from_ptx(words[0], r)}[command](rest, rows)
    if len(seen) != len(rows) or not rows:
        sys.exit(f'{len(rows)} constants expected, {len(seen)} found')
    rows[0] = (rows[0][0], rows[0][1] + off_by_one, rows[0][2])
    wrong = [(n, bits, got) for (n, bits, _), got in zip(rows, seen) if bits != got]
    for name, bits, got in wrong:
        print(f'{name}: {got:#010x}, should be {bits:#010x}')
    print(f'{len(rows)} constants')
    sys.exit(0 if len(wrong) == off_by_one else 1)


if __name__ == '__main__':
    main()
