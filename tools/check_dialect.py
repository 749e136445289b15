#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every word of the kernel dialect is on all targets and in its reference.

    check_dialect.py SOURCE_ROOT [--self-test]

Words are the macros of dialect/c.h and dialect/interface.h, and the functions that docs/dialect.md names. Names that
end in _ are no words. For C, those of pairs of 16-bit values are in dialect/c_pairs.h, conversions by type in
dialect/c_select.h. Those of 64-bit values are in dialect/c_wide.h, dialect/cuda.h, dialect/sycl.h and, for GLSL,
exact_wide.h. CUDA and SYCL share dialect/cpp.h, and with C dialect/one_item.h. GLSL shares dialect/gpu.h with them.
Those of matrices are CUDA's alone.
--self-test takes a word away from each header and from the page in turn, and must notice.
"""
import re
import sys
from pathlib import Path

# Of the C build alone, and what the build itself gives.
OWN = {'ASSAY_DIALECT_C_H', 'ASSAY_DIALECT_INTERFACE_H', 'TARGET_C'}
# What a header may take from elsewhere: the build, GLSL's prologue, exact.h.
ELSEWHERE = {header: {'TILE_W', 'TILE_H'} for header in ('glsl.h', 'cuda.h', 'sycl.h')}

def defined(text):
    names = set(re.findall(r'#\s*define\s+(\w+)', text))
    types = 'void|f32|i32|u32|mask|int|float|uint32_t|dot_sum'
    names |= set(re.findall(rf'^(?:FN\s+|LANE_FN\s+|EDGE_FN\s+|ITEM_FN\s+)?(?:{types})\s+(\w+)\(', text, re.M))
    return names

WIDE = re.compile(r'\b((?:u64x_|f64x_|bits_f64x)\w*|F64X)\(')

def check_wide(files):
    """Complaints about the words of 64-bit values."""
    on_page = set(WIDE.findall(' '.join(re.findall(r'`[^`]*`', files['dialect.md']))))
    there = {'c_wide.h': set(WIDE.findall(files['c_wide.h'] + files['one_item.h'])),
             'exact_wide.h': set(re.findall(r'^#define (\w+)\(', files['exact_wide.h'], re.M))}
    for header in ('cuda.h', 'sycl.h'):
        text = files[header] + files['cpp.h'] + files['one_item.h']
        if header == 'sycl.h': # has the words behind this line from there
            text += files['exact_wide.h'].partition('#if defined(TARGET_GLSL) || defined(TARGET_SYCL)')[2]
        there[header] = {a or b for a, b in re.findall(r'^(?:ITEM_)?FN \w+ (\w+)\(|#define (\w+)\(', text, re.M)}
    wrong = [f'{header} has no {word}' for header, words in there.items() for word in sorted(on_page - words)]
    words = {w for w in there['exact_wide.h'] if not w.endswith('_')}
    return wrong + [f'docs/dialect.md does not explain {word}' for word in sorted(words - on_page)]

def check(files):
    """Complaints about {name: text}."""
    wrong = []
    page = files['dialect.md']
    words = {w for w in defined(files['c.h'] + files['interface.h']) if not w.endswith('_')} - OWN
    words |= {'F32', 'I32', 'U32'}
    for word in sorted(words):
        if not re.search(rf'\b{word}\b', page):
            wrong.append(f'docs/dialect.md does not explain {word}')
    page, _, matrices = page.partition('### Products of matrices')
    matrices, _, rest = matrices.partition('\n### ')
    page += rest
    of_cuda = {w for cell in re.findall(r'^\|([^|]*)\|', matrices, re.M) for w in re.findall(r'`(\w+)[`(]', cell)}
    wrong += [f'dialect/cuda.h has no {word}' for word in sorted(of_cuda - defined(files['cuda.h']))]
    functions = set(re.findall(r'`([a-z]\w+)\(', page)) | set(re.findall(r'`((?:sel|to|max|min|abs|shl|shr)_\w+)`',
                                                                         page))
    functions = {f for f in functions if not f.endswith('_') and not WIDE.match(f + '(')}
    if len(functions) < 15:
        wrong.append('docs/dialect.md names too few functions: its format has changed')
    for header in ('c.h', 'cuda.h', 'glsl.h', 'sycl.h'):
        text = files[header] + files['interface.h']
        if header == 'c.h':
            text += files['c_lanes.h'] + files['c_pairs.h'] + files['c_select.h'] + files['one_item.h']
        else:
            text += files['gpu.h'] + (files['cpp.h'] + files['one_item.h'] if header != 'glsl.h' else '')
        there = defined(text) | set(re.findall(r'\b(REFLECT101|SYMMETRIC|REPLICATE|MIXED)\b', text))
        for word in sorted((words | functions) - there - ELSEWHERE.get(header, set())):
            if not re.search(rf'const int[^;]*\b{word}\b\s*=', text):
                wrong.append(f'dialect/{header} has no {word}')
    return wrong + check_wide(files)

def main():
    root = Path(sys.argv[1])
    dialect = root / 'src/kernels/dialect'
    files = {n: (dialect / n).read_text() for n in ('c.h', 'c_lanes.h', 'c_pairs.h', 'c_select.h', 'interface.h',
                                                    'cpp.h', 'one_item.h', 'cuda.h', 'glsl.h', 'gpu.h',
                                                    'sycl.h')}
    files['c_wide.h'] = (dialect / 'c_wide.h').read_text()
    files['exact_wide.h'] = (root / 'src/kernels/exact_wide.h').read_text()
    files['dialect.md'] = (root / 'docs/dialect.md').read_text()
    wrong = check(files)
    for line in wrong:
        print(line, file=sys.stderr)
    if '--self-test' in sys.argv and not wrong:
        for name, word in (('gpu.h', 'TLDX2'), ('glsl.h', 'ROW_SUM'), ('glsl.h', 'shr_i32'), ('c_lanes.h', 'min_i32'),
                           ('c_select.h', 'to_u32'),
                           ('dialect.md', 'EXTREMUM'), ('c_wide.h', 'f64x_div'), ('one_item.h', 'u64x_mul_i32'),
                           ('cuda.h', 'COUNT'), ('cuda.h', 'PIECES'), ('cuda.h', 'matrix_add_u8'),
                           ('sycl.h', 'COUNT'), ('cuda.h', 'f64x_mul'),
                           ('sycl.h', 'f64x_to_i64'), ('exact_wide.h', 'f64x_min'),
                           ('cpp.h', 'dot_add_i16'), ('gpu.h', 'TLD_RUN'), ('gpu.h', 'TILE_WITHIN'),
                           ('exact_wide.h', 'f64x_le'), ('dialect.md', 'u64x_hi')):
            broken = dict(files)
            broken[name] = re.sub(rf'\b{word}\b', 'gone', broken[name])
            if not check(broken):
                print(f'{word} was taken out of {name}, and nothing is missed', file=sys.stderr)
                wrong.append(word)
    return 1 if wrong else 0

sys.exit(main())
