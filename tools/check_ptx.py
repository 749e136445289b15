#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The numerics contract in PTX: no fused operation, one stated rounding for each float operation, no flushing, no
approximation; every kernel is there and fits a block's static shared memory.

    check_ptx.py PTX LIST [--some]          --some: not all of the kernels are there
    check_ptx.py --sycl LIST PTX...     of acpp's CUDA flow: no double either; several files have the kernels
    check_ptx.py --expect TEXT PTX      for tests: this complaint must come
    check_ptx.py --self-test            what each of the above finds
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
               'cvt.rzi.s32.f64', 'cvt.rzi.s64.f64', 'cvt.rn.f32.u64', 'cvt.rn.f64.u64', 'cvt.rn.f64.u32',
               'cvt.rn.f32.u8', 'cvt.rn.f32.u16', 'cvt.rn.f32.s16', 'cvt.rn.f32.u32', 'cvt.rz.f32.u32'}


def complaint(opcode):
    """What is wrong with an instruction, or None."""
    parts = opcode.split('.')
    if parts[0] in ('fma', 'mad') and any(p in ('f16', 'f16x2', 'f32', 'f64', 'bf16') for p in parts):
        return 'fused'
    if parts[0] == 'mma' and parts[-4:] == ['s32', 'u8', 'u8', 's32'] and 'satfinite' not in parts:
        return None # sums of integer products, exact
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


def check_sycl(texts, wanted):
    """Kernels of the names wanted, with those of the smaller schedule or without, and what they call."""
    found, kernels = [], set()
    for text in texts:
        found += [line for line in check(text)[0] if 'stands between kernels' not in line]
        found += [f'line {n}: a double: {line.strip()}' for n, line in enumerate(text.splitlines(), 1)
                  if re.match(r'\s*[^/\s][^/]*\.f64\b', line)]
        kernels |= {name.removesuffix('_min') for name in re.findall(r'\.entry \w*?\d+k_(\w+?)4codeE', text)}
    found += [f'no kernel {name}' for name in sorted(wanted - kernels)]
    return found + [f'a kernel that the list lacks: {name}' for name in sorted(kernels - wanted)], kernels


SYCL_SAMPLE = """
.visible .entry _Z13__acpp_kernelIN7hipsycl4glue20complete_kernel_nameIN8k_sse_u84codeEEEEvv(
	mul.rn.f32 	%f2, %f1, 0f40200000;
	fma.rn.f32 	%f3, %f1, %f1, %f2;
.visible .entry _Z13__acpp_kernelIN7hipsycl4glue20complete_kernel_nameIN12k_sse_u8_min4codeEEEEvv(
.weak .func _ZN8k_sse_u84code3runERK9sycl_args(
@%p1	add.f32 	%f4, %f2, %f3;
	add.rn.f64 	%fd1, %fd2, %fd3;
	cvt.sat.f32.f32 	%f5, %f4;
	sqrt.approx.f32 	%f6, %f5;
"""


def self_test():
    right = '\n'.join(line for line in SYCL_SAMPLE.splitlines() if not re.search(r'fma|add|sat|approx', line))
    assert check_sycl([right], {'sse_u8'}) == ([], {'sse_u8'})
    found = '\n'.join(check_sycl([right, SYCL_SAMPLE], {'sse_u8', 'sse_u16'})[0])
    for complaint in ('fused: fma.rn.f32', 'no stated rounding: add.f32', 'a double: add.rn.f64', 'saturating: cvt.sat',
                      'flushing or saturating: sqrt.approx', 'no kernel sse_u16'):
        assert complaint in found, f'{complaint}: {found}'
    assert 'that the list lacks: sse_u8' in '\n'.join(check_sycl([right], set())[0])
    assert any('stands between kernels' in line for line in check(SYCL_SAMPLE)[0])


def main():
    args = sys.argv[1:]
    if args[0] == '--self-test':
        return self_test()
    if args[0] == '--expect':
        found, _ = check(Path(args[2]).read_text(encoding='utf-8'))
        sys.exit(0 if any(args[1] in line for line in found) else f'no complaint holds {args[1]!r}: {found}')
    sycl = args[0] == '--sycl'
    names = {v.name for v in kernel_list.read_list(args[1])}
    if sycl:
        found, kernels = check_sycl([Path(p).read_text(encoding='utf-8') for p in args[2:]], names)
    else:
        found, kernels = check(Path(args[0]).read_text(encoding='utf-8'))
        wanted = {'assay_k_' + name for name in names}
        found += [f'no kernel {name}' for name in sorted(wanted - set(kernels)) if '--some' not in args]
        found += [f'a kernel that the list lacks: {name}' for name in sorted(set(kernels) - wanted)]
    print('\n'.join(found[:20]) if found else f'{len(kernels)} kernels')
    sys.exit(1 if found or not kernels else 0)


if __name__ == '__main__':
    main()
