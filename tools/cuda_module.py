#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The CUDA build of the kernel texts: all variants in one translation unit.

    cuda_module.py source  LIST INCLUDES OUT OUT_80 CC...          the .cu file; that of texts with defined(MATRICES)
    cuda_module.py lower   PTX OUT VERSION                  the PTX with an older ISA version, for older drivers
    cuda_module.py embed   OUT.c NEEDS PTX PTX_80 [FATBIN]  the C file of the module that holds them

`lower` changes the .version line only. What it writes goes through ptxas afterwards, which refuses what the older
version does not have.
"""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import kernel_list  # noqa: E402
import module_source  # noqa: E402

NOTICE = '/* Written by tools/cuda_module.py; do not edit. */\n'


def variant_source(v, folder, schedule=kernel_list.CUDA, namespace='', symbol='', behind=''):
    """The variant's text in a namespace of its own, in C++; `behind` follows it there."""
    s = v.schedules[schedule]
    defines = [('SAMPLE', v.sample), (f'SAMPLE_IS_{v.sample.upper()}', 1), ('TILE_W', s.tile_w), ('TILE_H', s.tile_h),
               ('NT', s.threads), ('KERNEL_SYMBOL', symbol or 'assay_k_' + v.name), ('KERNEL_SUMS', v.sums),
               ('KERNEL_SUM_MAX', v.sum_max),
               ('KERNEL_WIDE', v.wide), ('KERNEL_HISTOGRAM', v.histogram), ('KERNEL_ROW_SUMS', v.row_sums),
               ('KERNEL_WORDS', v.words), ('KERNEL_EXTREMA', v.extrema)] + [tuple(d.split('=', 1)) for d in v.defines]
    out = [f'\nnamespace {namespace or "k_" + v.name} {{\n']
    out += [f'#define {name} {value}\n' for name, value in defines]
    out.append(f'#include "kernels/{v.text}"\n{behind}')
    # exact.h and shared.h stay, they are in front of all texts.
    undefine = dict.fromkeys([name for name, _ in defines] +
                             kernel_list.macros_of(v.text, folder, ('exact.h', 'shared.h')))
    out += [f'#undef {name}\n' for name in undefine]
    return ''.join(out) + '}\n'


def sources(path, includes, cc):
    folder = Path(path).parent
    variants = kernel_list.describe_all(path, cc, includes)
    other = [v for v in variants if 'defined(MATRICES)' in (folder / v.text).read_text(encoding='utf-8')]
    head = NOTICE + '#include "kernels/dialect/cuda.h"\n#include "constants_gen.h"\n#include "kernels/exact.h"\n'
    return [head + ''.join(variant_source(v, folder) for v in these) for these in (variants, other)]


def lower(ptx, version):
    text, count = re.subn(r'^\.version \d+\.\d+$', f'.version {version}', ptx, count=1, flags=re.M)
    if not count:
        raise SystemExit('cuda_module: no .version line in the PTX')
    # Comments, and the hint which bytes of a load are used, which PTX before 8.3 does not know.
    return re.sub(r'^\s*(//.*|\.pragma "used_bytes_mask.*)\n', '', text, flags=re.M)


def needs(release, codes):
    """Which drivers take what is embedded. PTX: what driver.h asks for, since its ISA is older than that. Finished code
    runs on every driver of the major release that made it and of later ones."""
    ptx = 'PTX: a driver for CUDA 12.0 (525) or later'
    if not codes:
        return ptx + '; no finished code in this build'
    names = ' '.join(re.sub(r'sm_(\d+)(\d)', r'\1.\2', c) for c in codes)
    return f'{ptx}; finished code for compute capability {names}: a driver for CUDA {release.split(".")[0]}.0 or later'


def embed(path, text, ptx, ptx_80, fatbin):
    _, release, *codes = text.split(',')
    texts = [Path(f).read_bytes() + b'\0' for f in (ptx, ptx_80)]
    code = Path(fatbin).read_bytes() if fatbin else b''
    start = sum(map(len, texts))
    start += -start % 16  # of the fat binary, aligned
    content = (f'{{CODE, CODE + {len(texts[0])}, CODE + {start if fatbin else 0}, {len(code)},\n'
               f'    "{needs(release, codes)}"}}')
    module_source.write(path, '#include "kernels/cuda/module.h"\n', 'struct cuda_images', content,
                        b''.join(texts).ljust(start, b'\0') + code)


def main():
    command, args = sys.argv[1], sys.argv[2:]
    if command == 'source':
        for path, text in zip(args[2:4], sources(args[0], args[1].split(','), args[4:])):
            kernel_list.write(path, text)
    elif command == 'lower':
        Path(args[1]).write_text(lower(Path(args[0]).read_text(encoding='utf-8'), args[2]), encoding='utf-8')
    elif command == 'embed':
        embed(*args[:4], args[4] if len(args) > 4 else '')
    else:
        raise SystemExit(__doc__)


if __name__ == '__main__':
    main()
