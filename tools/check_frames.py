#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Fails if a function takes 32 KiB or more of its caller's stack: a program may call with little of its own left.
Kernels hold a tile there, in threads whose stacks are made for them, and are left out.

    tools/check_frames.py [--expect] OBJDUMP FILE...

What a function takes off the stack pointer at a time is read off the instructions: of x86 `sub $N,%rsp`, or, where
pages are touched one by one, `lea -N(%rsp),%r11`; of 64-bit ARM `sub sp, sp, #N`. --expect: one has to be found.
"""
import re
import subprocess
import sys

MOST = 32 * 1024
KERNEL = re.compile(r'(inner_)?assay_k_')
TAKES = re.compile(r"""sub\s+\$0x([0-9a-f]+),%[re]sp | lea\s+-0x([0-9a-f]+)\(%rsp\),%r11 |
                       sub\s+(?:sp|x\d+),\s*sp,\s*\#0x([0-9a-f]+)(?:,\s*lsl\s*\#(\d+))?""", re.X)


def frames(objdump, path):
    """Yields each function and the most bytes that it takes at a time."""
    with subprocess.Popen([objdump, '-d', '--no-show-raw-insn', path], stdout=subprocess.PIPE, text=True) as dump:
        function, most = '?', 0
        for line in dump.stdout:
            if line.endswith('>:\n'):
                yield function, most
                function, most = line.split('<')[1][:-3], 0
            elif taken := TAKES.search(line):
                size = int(next(digits for digits in taken.groups()[:3] if digits), 16) << int(taken[4] or 0)
                most = max(most, size if size < 1 << 40 else 0) # `sub` of a negative number gives back
        yield function, most
        if dump.wait():
            raise SystemExit(f"check_frames: {objdump} can't read {path}")


def main():
    expect = sys.argv[1] == '--expect'
    objdump, *files = sys.argv[1 + expect:]
    found = [(path, *frame) for path in files for frame in frames(objdump, path)]
    large = [frame for frame in found if frame[2] >= MOST and not KERNEL.match(frame[1])]
    for path, function, size in large:
        print(f'{path}: {function} takes {size} bytes of the stack')
    some = sum(size > 0 for _, _, size in found)
    print(f'{some} functions with a frame')
    return not large if expect else bool(large) or not some


if __name__ == '__main__':
    sys.exit(main())
