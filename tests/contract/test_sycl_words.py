#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What SYCL code for GPUs is made of has no type of 64-bit floats, no fused operation and no function of a device's
math library: GPUs lack the first, and the others differ between devices. Its form for processors is the C dialect,
which tools/check_contract.py reads as machine code.

    test_sycl_words.py SOURCE_ROOT
"""
import re
import sys
from pathlib import Path

FORBIDDEN = re.compile(r'\b(double\d*|float64_t|fma[fl]?|mad|__builtin_fma\w*|(native|half_precision)::\w+)\b'
                       r'|(?<![\w.])\d+\.\d*(?:e[-+]?\d+)?(?![\w.])')
# Of SYCL's functions and types; the device's group algorithms and math are not among them.
ALLOWED = {'nd_item', 'bit_cast', 'clz', 'group_barrier', 'atomic_ref', 'memory_scope', 'memory_order', 'access'}
NOT_SYCL = re.compile(r'(c|c_\w+|cuda|cuda_\w+|glsl|describe|level)\.h$')


def code(text):
    return re.sub(r'/\*.*?\*/|"[^"\n]*"', ' ', text, flags=re.S)


def complaints(name, text):
    text = code(text)
    found = [f'{name}: {m[0]}' for m in FORBIDDEN.finditer(text)]
    return found + [f'{name}: sycl::{w}' for w in re.findall(r'\bsycl::(\w+)', text) if w not in ALLOWED]


def main():
    kernels = Path(sys.argv[1]) / 'src/kernels'
    texts = [p for p in kernels.rglob('*') if p.suffix == '.k']
    texts += [p for p in (*kernels.glob('*.h'), *(kernels / 'dialect').glob('*.h'))
              if not NOT_SYCL.match(p.name) and p.name not in ('kernel.h', 'module.h')]
    wrong = [c for p in texts for c in complaints(p.name, p.read_text(encoding='utf-8'))]
    header = (kernels / 'dialect/sycl.h').read_text(encoding='utf-8')
    for sabotage in ('double d;', 'v = 1.5 * v;', 'v = sycl::sqrt(v);', 'v = sycl::reduce_over_group(g, v, plus);',
                     'v = __builtin_fmaf(a, b, c);', 'v = sycl::native::exp(v);'):
        if not complaints('sycl.h', header + sabotage):
            wrong.append(f'"{sabotage}" was not noticed')
    if len(texts) < 60 or kernels / 'dialect/sycl.h' not in texts:
        wrong.append(f'only {len(texts)} texts were found')
    print('\n'.join(wrong) or f'{len(texts)} texts')
    return bool(wrong)


sys.exit(main())
