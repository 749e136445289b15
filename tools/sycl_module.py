#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The SYCL build of the kernel texts: a few translation units, each variant with both schedules of GPUs.

    sycl_module.py unit-names                             names of the C++ files, one per line
    sycl_module.py units  LIST INCLUDES OUTDIR CC...      the units, and sycl_table.cpp, which names their kernels
    sycl_module.py digest OUT.h COMPILER FILE...          a digest of what the module is made of, and its compiler
"""
import hashlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import cuda_module  # noqa: E402
import kernel_list  # noqa: E402

NOTICE = '/* Written by tools/sycl_module.py; do not edit. */\n'
UNITS = 6  # a SYCL compiler reads its headers for seconds; one unit would keep one processor busy for minutes
SCHEDULES = {1: '', 2: '_min'}


def unit_names():
    return [f'sycl_unit_{i}.cpp' for i in range(UNITS)]


def entry(v, schedule):
    return f'assay_sycl_{v.name}{SCHEDULES[schedule]}'


def same_schedules(v):
    return v.schedules[1] == v.schedules[2]


def variant_source(v, folder, schedule):
    """The variant's class has what sycl_start asks for."""
    behind = '''struct code {
    enum { TILE_COLUMNS = TILE_W, TILE_ROWS = TILE_H, ITEMS = NT };
    static inline void run(const sycl_args &args, const item_ *item, uint64_t *memory)
    {
        body<false>(args, item, memory_{memory, 0});
    }
    static size_t local_words() { return body<true>(sycl_args(), nullptr, memory_{nullptr, 0}); }
};
'''
    name, namespace = entry(v, schedule), f'k_{v.name}{SCHEDULES[schedule]}'
    s = v.schedules[schedule]
    text = cuda_module.variant_source(v, folder, schedule, namespace, 'body', behind)
    return text + f'''extern const sycl_kernel {name};
const sycl_kernel {name} = {{sycl_start<{namespace}::code>, {namespace}::code::local_words, {s.tile_w}, {s.tile_h},
    {s.threads}}};
'''


def shares(variants, folder):
    """The texts of each unit: the longest first, each to the unit that has least."""
    cost = {}
    for v in variants:
        cost[v.text] = cost.get(v.text, 0) + (1 if same_schedules(v) else 2) * (folder / v.text).stat().st_size
    units = [[] for _ in range(UNITS)]
    for text in sorted(cost, key=lambda t: (-cost[t], t)):
        min(units, key=lambda u: sum(cost[t] for t in u)).append(text)
    return units


def units(path, includes, cc):
    """{file name: C++ source}"""
    folder, variants = Path(path).parent, kernel_list.describe_all(path, cc, includes)
    head = NOTICE + '#include "kernels/dialect/sycl.h"\n#include "constants_gen.h"\n#include "kernels/exact.h"\n' \
        '#include "kernels/sycl/launch.h"\n'
    sources = {}
    for name, texts in zip(unit_names(), shares(variants, folder), strict=True):
        sources[name] = head + ''.join(variant_source(v, folder, s) for v in variants if v.text in texts
                                       for s in SCHEDULES if s == 1 or not same_schedules(v))
    table = [NOTICE, '#include "kernels/sycl/launch.h"\n\n']
    table += [f'extern const sycl_kernel {entry(v, s)};\n' for v in variants for s in SCHEDULES
              if s == 1 or not same_schedules(v)]
    table.append('\nextern const sycl_kernel *const assay_sycl_kernels[][2];\n'
                 'const sycl_kernel *const assay_sycl_kernels[][2] = {\n')
    table += [f'    {{&{entry(v, 1)}, &{entry(v, 1 if same_schedules(v) else 2)}}},\n' for v in variants]
    sources['sycl_table.cpp'] = ''.join(table) + '};\n'
    return sources


def main():
    command, args = sys.argv[1], sys.argv[2:]
    if command == 'unit-names':
        print('\n'.join(unit_names()))
    elif command == 'units':
        for name, source in units(args[0], args[1].split(','), args[3:]).items():
            kernel_list.write(Path(args[2]) / name, source)
    elif command == 'digest':
        digest = hashlib.sha256(b''.join(Path(f).read_bytes() for f in args[2:])).hexdigest()[:16]
        compiler = args[1].replace('\\', '/').replace('"', "'")
        kernel_list.write(args[0], f'{NOTICE}#define SYCL_DIGEST 0x{digest}u\n'
                          f'#define SYCL_NEEDS "the SYCL runtime of {compiler}"\n')
    else:
        raise SystemExit(__doc__)


if __name__ == '__main__':
    main()
