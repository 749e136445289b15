#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Fails if an object or archive could give other bits on another machine: looks at the instructions themselves.

    tools/check_contract.py [--objdump OBJDUMP] [--nm NM] FILE...

Refused are fused multiply-adds (one rounding where the text says two), approximate reciprocals (their bits are the
processor maker's choice), and on x86 what the x87 unit computes (80-bit results); its control word, by which glibc
rounds the numbers that it reads and prints, may be stored and set. Calls of libm are refused too, by
tools/check_no_libm.py. An archive without a single instruction is refused as well: then nothing was looked at.
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check_no_libm  # noqa: E402

REFUSED = {
    'x86': [
        ('fused multiply-add', r'vfn?m(?:add|sub)\w*|v4fn?m\w+|vdpbf16ps|vfc?m(?:add|ul)c\w+'),
        ('approximate reciprocal', r'v?rcp(?:p|s)\w|v?rsqrt(?:p|s)\w|vrcp(?:14|28)\w+|vrsqrt(?:14|28)\w+|vexp2\w+'),
        ('x87 instruction', r'f(?!xsave|xrstor|emms|ldcw$|nstcw$)[a-z]\w*'),
    ],
    'aarch64': [
        ('fused multiply-add',
         r'fn?m(?:add|sub)|fml[as]l?[bt2]?|fn?m(?:ad|sb|la|ls)|fcmla|bf(?:dot|mmla|mlal[bt]|ml[as])'),
        ('approximate reciprocal', r'frecp[esx]|frsqrt[es]|ur(?:ecpe|sqrte)'),
    ],
}
PREFIXES = {'lock', 'rep', 'repz', 'repnz', 'data16', 'addr32', 'bnd', 'notrack', 'cs', 'ds', 'es', '{vex}', '{evex}',
            'xacquire', 'xrelease', 'rex.W'}


def refused_of(machine):
    rules = REFUSED['aarch64' if 'aarch64' in machine else 'x86']
    return [(name, re.compile(pattern + r'\Z')) for name, pattern in rules]


def mnemonic(words):
    while words and words[0] in PREFIXES:
        words = words[1:]
    return words[0] if words else ''


def scan(objdump, path):
    """Yields (function, name of the rule, instruction), at last (None, None, number of instructions)."""
    command = [objdump, '-d', '--no-show-raw-insn', path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as dump:
        rules, function, count, verdicts = [], '?', 0, {}
        for line in dump.stdout:
            if 'file format' in line:
                rules, verdicts = refused_of(line.split('file format')[1]), {}
            elif line.endswith('>:\n'):
                function = line.split('<')[1][:-3]
            elif ':\t' in line:
                text = line.split(':\t', 1)[1].strip()
                word = mnemonic(text.split())
                count += 1
                if word not in verdicts:
                    verdicts[word] = next((name for name, pattern in rules if pattern.match(word)), None)
                if verdicts[word]:
                    yield function, verdicts[word], text
        if dump.wait():
            raise SystemExit(f"check_contract: {objdump} can't read {path}")
        yield None, None, count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--objdump', default='objdump')
    parser.add_argument('--nm', default='nm')
    parser.add_argument('--expect', help='a rule that must be broken: proves that the check sees it')
    parser.add_argument('files', nargs='+', metavar='FILE')
    args = parser.parse_args()
    found = []
    for path in args.files:
        for function, rule, text in scan(args.objdump, path):
            if function is None and text == 0:
                found.append(('empty', f'{path}: not one instruction'))
            elif function is not None:
                found.append((rule, f'{path}: {function}: {rule}: {text}'))
        found += [('libm', f'{member} calls libm: {symbol}') for member,
                  symbol in check_no_libm.undefined(args.nm, path)
                  if check_no_libm.LIBM.match(symbol)]
    for _, line in found[:20]:
        print(line)
    if args.expect:
        rules = {rule for rule, _ in found}
        sys.exit(0 if rules == {args.expect} else f'expected {args.expect!r} and nothing else, found {sorted(rules)}')
    if len(found) > 20:
        print(f'... {len(found)} in all')
    sys.exit(1 if found else 0)


if __name__ == '__main__':
    main()
