#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The SYCL build of the kernel texts: a few translation units with both schedules of GPUs, and as many with the form
for processors, of each variant.

    sycl_module.py unit-names gpu|tiles                   names of the C++ files, one per line
    sycl_module.py units  LIST INCLUDES OUTDIR CC...      the units, and sycl_table.cpp, which names their kernels
    sycl_module.py compiler CXX                           the compiler's name and version
    sycl_module.py digest OUT.h COMPILER TARGETS FILE...  a digest of what the module is made of, its compiler, and the
                                                          targets that acpp was given ("" of other compilers)
"""
import hashlib
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import cuda_module  # noqa: E402
import kernel_list  # noqa: E402

NOTICE = '/* Written by tools/sycl_module.py; do not edit. */\n'
# Of each kind: a SYCL compiler reads its headers for seconds; one unit would keep one processor busy for minutes.
UNITS = 6
SCHEDULES = {0: '_tiles', 1: '', 2: '_min'}  # of a variant's schedules: that of a CPU, those of GPUs
KINDS = {'gpu': 'sycl_unit', 'tiles': 'sycl_tiles'}
HEADS = {
    'gpu': '#include "kernels/dialect/sycl.h"\n#include "constants_gen.h"\n#include "kernels/exact.h"\n'
           '#include "kernels/sycl/launch.h"\n',
    'tiles': '#include "kernels/dialect/sycl_tiles.h"\n',
}


def unit_names(kind):
    return [f'{KINDS[kind]}_{i}.cpp' for i in range(UNITS)]


def entry(v, schedule):
    return f'assay_sycl_{v.name}{SCHEDULES[schedule]}'


def own_schedules(v):
    """Those that differ."""
    return [1] if v.schedules[1] == v.schedules[2] else [1, 2]


def variant_source(v, folder, schedule):
    """The variant's class has what sycl_start_items asks for."""
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
const sycl_kernel {name} = {{sycl_start_items<{namespace}::code>, {namespace}::code::local_words, {s.tile_w},
    {s.tile_h}, {s.threads}}};
'''


def tiles_source(v, folder):
    """The form for processors: the class has what sycl_start_tiles asks for."""
    behind = '''struct code {
    enum { TILE_COLUMNS = TILE_W, TILE_ROWS = TILE_H };
    static inline void run(const sycl_args &args, size_t row, size_t column, size_t across)
    {
        run_tile_<TILE_W, TILE_H, KERNEL_EXTREMA>(tile, args, row, column, across);
    }
    static size_t local_words() { return 0; }
};
'''
    name, namespace = entry(v, 0), f't_{v.name}'
    s = v.schedules[0]
    text = cuda_module.variant_source(v, folder, 0, namespace, 'tile', behind)
    return text + f'''extern const sycl_kernel {name};
const sycl_kernel {name} = {{sycl_start_tiles<{namespace}::code>, {namespace}::code::local_words, {s.tile_w},
    {s.tile_h}, 1}};
'''


def shares(variants, folder):
    """The texts of each unit: the longest first, each to the unit that has least."""
    cost = {}
    for v in variants:
        cost[v.text] = cost.get(v.text, 0) + len(own_schedules(v)) * (folder / v.text).stat().st_size
    units = [[] for _ in range(UNITS)]
    for text in sorted(cost, key=lambda t: (-cost[t], t)):
        min(units, key=lambda u: sum(cost[t] for t in u)).append(text)
    return units


def units(path, includes, cc):
    """{file name: C++ source}"""
    folder, variants = Path(path).parent, kernel_list.describe_all(path, cc, includes)
    sources = {}
    for kind, head in HEADS.items():
        for name, texts in zip(unit_names(kind), shares(variants, folder), strict=True):
            here = [v for v in variants if v.text in texts]
            if kind == 'gpu':
                parts = [variant_source(v, folder, s) for v in here for s in own_schedules(v)]
            else:
                parts = [tiles_source(v, folder) for v in here]
            sources[name] = NOTICE + head + ''.join(parts)
    sources['sycl_table.cpp'] = table(variants)
    return sources


def table(variants):
    """The forms of each kernel in the order of enum sycl_form."""
    out = [NOTICE, '#include "kernels/sycl/launch.h"\n\n#ifdef SYCL_WITH_TILES\n#define TILES_(name) &name\n'
           '#else\n#define TILES_(name) nullptr\n#endif\n\n']
    for v in variants:
        out += [f'extern const sycl_kernel {entry(v, s)};\n' for s in own_schedules(v)]
        out.append(f'extern const sycl_kernel {entry(v, 0)};\n')
    out.append('\nextern const sycl_kernel *const assay_sycl_kernels[][3];\n'
               'const sycl_kernel *const assay_sycl_kernels[][3] = {\n')
    out += [f'    {{&{entry(v, 1)}, &{entry(v, own_schedules(v)[-1])},\n'
            f'     TILES_({entry(v, 0)})}},\n' for v in variants]
    return ''.join(out) + '};\n'


def compiler_name(cxx):
    """acpp gives --version to its clang; only --acpp-version is about itself."""
    option = '--acpp-version' if Path(cxx).stem == 'acpp' else '--version'
    said = subprocess.run([cxx, option], check=True, stdout=subprocess.PIPE, text=True).stdout
    version = re.search(r'AdaptiveCpp version: *(\S+)', said)
    return f'AdaptiveCpp {version[1]}' if version else said.strip().splitlines()[0]


def backends(targets):
    """The enumerators of sycl::backend that a module for these targets has kernels for; [] where any may have."""
    found = []
    for target in targets.split(';'):
        name = re.match(r'(omp|cuda|hip)(?![a-z])', target)
        if not name:
            return []
        found += [] if name[1] in found else [name[1]]
    return found


def digest_source(compiler, targets, files):
    digest = hashlib.sha256(b''.join(Path(f).read_bytes() for f in files)).hexdigest()[:16]
    compiler, targets = (text.replace('\\', '/').replace('"', "'") for text in (compiler, targets))
    made_for = ''.join(f'sycl::backend::{name}, ' for name in backends(targets)).rstrip()
    return (f'{NOTICE}#define SYCL_DIGEST 0x{digest}u\n#define SYCL_TARGETS "{targets}"\n'
            f'#define SYCL_NEEDS "the SYCL runtime of {compiler}{", for " + targets if targets else ""}"\n'
            + (f'#define SYCL_BACKENDS {made_for}\n' if made_for else ''))


def main():
    command, args = sys.argv[1], sys.argv[2:]
    if command == 'unit-names':
        print('\n'.join(unit_names(args[0])))
    elif command == 'units':
        for name, source in units(args[0], args[1].split(','), args[3:]).items():
            kernel_list.write(Path(args[2]) / name, source)
    elif command == 'digest':
        kernel_list.write(args[0], digest_source(args[1], args[2], args[3:]))
    elif command == 'compiler':
        print(compiler_name(args[0]))
    else:
        raise SystemExit(__doc__)


if __name__ == '__main__':
    main()
