#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The numerics contract in PTX: no fused operation, one stated rounding for each float operation, no flushing, no
approximation; every kernel is there and fits a block's static shared memory.

    check_ptx.py PTX LIST
    check_ptx.py --expect TEXT PTX      for tests: this complaint must come
"""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import kernel_list  # noqa: E402

SHARED_BYTES = 48 * 1024
ROUNDED = {'add', 'sub', 'mul', 'div', 'sqrt'}
# Exact, or rounded to an integer in one way only.
EXACT = {'mov', 'ld', 'ldu', 'st', 'selp', 'setp', 'set', 'slct', 'neg', 'abs', 'min', 'max', 'shfl', 'copysign',
         'testp'}
CONVERSIONS = {'cvt.rn.f32.s32', 'cvt.rzi.s32.f32', 'cvt.rn.f64.s32', 'cvt.f64.f32', 'cvt.rn.f32.f64', 'cvt.rn.f64.s64',
               'cvt.rzi.s32.f64', 'cvt.rzi.s64.f64', 'cvt.rn.f32.u64', 'cvt.rn.f64.u64', 'cvt.rn.f64.u32'}


def complaint(opcode):
    """What is wrong with an instruction, or None."""
    parts = opcode.split('.')
    if parts[0] in ('fma', 'mad') and any(p in ('f16', 'f16x2', 'f32', 'f64', 'bf16') for p in parts):
        return 'fused'
    if parts[0] in ('fma', 'mma', 'wmma', 'tex', 'suld'): # dp2a and dp4a are sums of integer products, exact
        return 'not an instruction that the contract knows'
    if not any(re.fullmatch(r'b?f(16|32|64)(x2)?|tf32', p) for p in parts):
        return None
    if 'approx' in parts or 'full' in parts or 'ftz' in parts or 'sat' in parts:
        return 'approximate, flushing or saturating'
    if parts[0] == 'cvt':
        return None if opcode in CONVERSIONS else 'a conversion that the contract does not know'
    if parts[0] in ROUNDED:
        return None if 'rn' in parts else 'no stated rounding'
    return None if parts[0] in EXACT else 'not an instruction that the contract knows'


def check(text):
    found, kernel, shared = [], '?', {}
    for number, line in enumerate(text.splitlines(), 1):
        if shared and re.match(r'\.(global|const|shared|func|extern|weak|visible \.(?!entry))', line):
            found.append(f'line {number}: stands between kernels, which are loaded one by one: {line[:60]}')
        entry = re.match(r'\.visible \.entry (\w+)\(', line)
        array = re.match(r'\s*\.shared .*?\.b(\d+) \w+(?:\[(\d+)\])?;', line)
        opcode = re.match(r'\s*(?:@!?%p\d+\s+)?([a-z]\w*(?:\.\w+)+)\s', line)
        if entry:
            kernel = entry[1]
            shared[kernel] = 0
        elif array and kernel in shared:
            shared[kernel] += int(array[1]) // 8 * int(array[2] or 1)
        elif opcode and complaint(opcode[1]):
            found.append(f'{kernel}, line {number}: {complaint(opcode[1])}: {opcode[1]}')
    found += [f'{k}: {n} bytes of shared memory, more than {SHARED_BYTES}' for k,
              n in shared.items() if n > SHARED_BYTES]
    return found, shared


def main():
    args = sys.argv[1:]
    if args[0] == '--expect':
        found, _ = check(Path(args[2]).read_text(encoding='utf-8'))
        sys.exit(0 if any(args[1] in line for line in found) else f'no complaint holds {args[1]!r}: {found}')
    found, kernels = check(Path(args[0]).read_text(encoding='utf-8'))
    wanted = {'assay_k_' + v.name for v in kernel_list.read_list(args[1])}
    found += [f'no kernel {name}' for name in sorted(wanted - set(kernels))]
    found += [f'a kernel that the list lacks: {name}' for name in sorted(set(kernels) - wanted)]
    print('\n'.join(found[:20]) if found else f'{len(kernels)} kernels')
    sys.exit(1 if found or not kernels else 0)


if __name__ == '__main__':
    main()
