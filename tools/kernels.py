#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes what the host needs of the kernel texts.

    kernels.py names   LIST                         variant names, one per line
    kernels.py unit-names metrics|primitives|dot LIST  names of the C files, one per line
    kernels.py units   LIST OUTDIR                  the C files
    kernels.py some    LIST OUT HEADER NAME...      a C file of these variants alone, for the tests of the tests, and
                                                    their names as KERNELS_SOME(X)
    kernels.py table   LIST OUTDIR INCLUDES CC...   kernels_gen.h, kernels_gen.c, passes_gen.h and kernels_digest.h
    kernels.py constants CONSTANTS OUT [NAME...]    the float constants as a header, for all targets; those named are
                                                    made one ULP too large, for the tests of the tests
"""
import hashlib
import re
import struct
import sys
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import kernel_list  # noqa: E402
import kernel_names  # noqa: E402

NOTICE = '/* Written by tools/kernels.py; do not edit. */\n'


PRIMITIVE_UNITS = 3  # short texts: more units would read the dialect more often, fewer would keep fewer processors busy


def is_primitive(text):
    return text.startswith('selftest/')


def unit_names(variants, primitives):
    """{text: its C file}, in two parts: kernels of metrics, with all variants of a text in a unit, and
    those of the self-test."""
    texts = [t for t in dict.fromkeys(v.text for v in variants) if is_primitive(t) == primitives]
    if primitives:
        return {text: f'k_primitives_{i % PRIMITIVE_UNITS}.c' for i, text in enumerate(texts)}
    return {text: 'k_' + text.removesuffix('.k') + '.c' for text in texts}


def dot_units(variants, folder):
    """C files with a text that uses dot_add_i16: levels that differ in this word alone build no others."""
    def uses(text, read):
        read.add(text)
        source = (folder / text).read_text(encoding='utf-8')
        parts = re.findall(r'^\s*#\s*include "kernels/([^"]+)"', source, flags=re.M)
        return 'dot_add_i16(' in source or any(uses(part, read) for part in parts if part not in read)
    names = {**unit_names(variants, False), **unit_names(variants, True)}
    return {name for text, name in names.items() if uses(text, set())}


def variant_in_unit(v, macros, names):
    s = v.schedules[kernel_list.CPU]
    defines = [('TILE_W', s.tile_w), ('TILE_H', s.tile_h), ('KERNEL_SYMBOL', f'KERNEL_AT_LEVEL({v.name})')]
    return kernel_list.include_variant(v, defines + [(name, f'{name}_{v.name}') for name in names], macros)


UNIT_HEAD = NOTICE + '#include "kernels/dialect/level.h"\n#include "kernels/dialect/c.h"\n'


def some(path, names):
    """The C source of the variants of these names."""
    variants = {v.name: v for v in kernel_list.read_list(path)}
    wanted = [variants[name] for name in names]
    return UNIT_HEAD + ''.join(variant_in_unit(v, *kernel_list.own_names(v.text, Path(path).parent)) for v in wanted)


def units(path):
    """{file name: C source}: a translation unit holds many variants, so that the dialect is read once."""
    folder, variants, sources = Path(path).parent, kernel_list.read_list(path), {}
    for text, name in {**unit_names(variants, False), **unit_names(variants, True)}.items():
        kernel_list.check_literals(folder / text)
        kernel_list.check_locals(folder / text)
        own = kernel_list.own_names(text, folder)
        sources[name] = (sources.get(name, UNIT_HEAD) +
                         ''.join(variant_in_unit(v, *own) for v in variants if v.text == text))
    return sources


def families(variants):
    return list(dict.fromkeys(v.family for v in variants))


def table_header(variants, folder):
    out = [NOTICE, '#ifndef ASSAY_KERNELS_GEN_H\n#define ASSAY_KERNELS_GEN_H\n\n', '#include "kernels/kernel.h"\n\n']
    out.append('enum kernel_family {\n')
    out += [f'    KERNEL_{f.upper()},\n' for f in families(variants)]
    out.append('    KERNEL_FAMILIES\n};\n\n')
    out.append(f'enum {{ KERNEL_VARIANTS = {len(variants)} }};\n\n')
    for word, chosen in (('VARIANT', variants), ('OF_METRICS', [v for v in variants if not is_primitive(v.text)]),
                         ('PRIMITIVE', [v for v in variants if is_primitive(v.text)])):
        out.append(f'#define KERNEL_EACH_{word}(X) \\\n')
        out += [f'    X({v.name}) \\\n' for v in chosen]
        out.append('\n')
    names, dots = {**unit_names(variants, False), **unit_names(variants, True)}, dot_units(variants, folder)
    out.append('#define KERNEL_EACH_BY_DOT(X, OTHER, X_PRIMITIVE, OTHER_PRIMITIVE) \\\n')
    out += [f'    {"X" if names[v.text] in dots else "OTHER"}{"_PRIMITIVE" * is_primitive(v.text)}({v.name}) \\\n'
            for v in variants]
    out.append('\n')
    out.append('\n/* Variants in one order everywhere. */\n')
    out.append('extern const struct kernel_info assay_kernel_info[KERNEL_VARIANTS];\n\n')
    out.append('/* The variant of a family for a sample type, or -1. */\n')
    out.append('extern const int16_t assay_kernel_variant[KERNEL_FAMILIES][SAMPLE_TYPES];\n\n#endif\n')
    return ''.join(out)


def info(v):
    types = ', '.join(f'SAMPLE_{p[2].upper()}' for p in v.planes)
    n_in = sum(p[1] == 'in' for p in v.planes)
    layers = ', '.join(str(v.layers.get(p[3], 1) if p[1] == 'out' else 0) for p in v.planes)
    encodes = next((p[0] for p in v.planes if p[3] == v.encodes), 0)
    own = [v.schedules[i] for i in (kernel_list.CPU, kernel_list.CUDA)]
    schedules = ', '.join(f'{{{s.tile_w}, {s.tile_h}, {s.threads}}}' for s in own)
    rows = ', '.join('{' + ', '.join(map(str, v.rows[p[3]][1] if p[3] in v.rows else [0])) + '}' for p in v.planes)
    return (f'    {{.name = "{v.name}", .family = "{v.family}", .sample = SAMPLE_{v.sample.upper()},\n'
            f'     .planes_in = {n_in}, .planes_out = {len(v.planes) - n_in}, .params = {v.param_slots},\n'
            f'     .sums = {v.sums + v.wide}, .row_sums = {v.row_sums}, .words = {v.words}, .extrema = {v.extrema}, '
            f'.histogram = {v.histogram},\n'
            f'     .plane = {{{types}}}, .layers = {{{layers}}}, .rows = {{{rows}}}, '
            f'.encode_plane = {encodes},\n'
            f'     .schedule = {{{schedules}}}}},\n')


def table_source(variants):
    out = [NOTICE, '#include "kernels_gen.h"\n\n', 'const struct kernel_info assay_kernel_info[KERNEL_VARIANTS] = {\n']
    out += [info(v) for v in variants]
    out.append('};\n\nconst int16_t assay_kernel_variant[KERNEL_FAMILIES][SAMPLE_TYPES] = {\n')
    index = {v.name: i for i, v in enumerate(variants)}
    for f in families(variants):
        row = ', '.join(str(index.get(f'{f}_{s}', -1)) for s in kernel_list.SAMPLES)
        out.append(f'    {{{row}}}, /* {f} */\n')
    out.append('};\n')
    return ''.join(out)


def digest_header(folder):
    """A digest of all that kernels are made of: modules that were built from other texts are refused."""
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.rglob('*') if p.suffix in ('.k', '.h', '.txt', '.glsl')):
        digest.update(f'{path.relative_to(folder)}\0'.encode() + path.read_bytes() + b'\0')
    return f'{NOTICE}#define KERNEL_DIGEST 0x{digest.hexdigest()[:16]}u\n'


def float32(text):
    """The float nearest to a decimal, a fraction or a hex float, rounded once."""
    if 'x' in text.lower() and 'p' in text.lower():
        exact = Fraction(float.fromhex(text))
    else:
        exact = Fraction(text)
    if exact == 0:
        return 0.0
    sign, exact = (-1, -exact) if exact < 0 else (1, exact)
    e = 0
    while exact >= 2 ** (e + 1):
        e += 1
    while exact < Fraction(2) ** e:
        e -= 1
    scaled = exact / Fraction(2) ** (e - 23)
    n, rest = divmod(scaled.numerator, scaled.denominator)
    double = 2 * rest - scaled.denominator
    n += 1 if double > 0 or (double == 0 and n % 2) else 0
    value = sign * float(n) * 2.0 ** (e - 23)
    assert struct.unpack('<f', struct.pack('<f', value))[0] == value
    return value


def constant_values(path):
    """{name: value as it is written}."""
    lines = (line.split('#')[0].split() for line in Path(path).read_text().splitlines())
    return {words[0]: words[1] for words in lines if words}


def constants(path, wrong):
    """NAME VALUE per line. Floats come out as the 9 digits that identify them in every reader, double rounding
    included: 9 digits lie within 5e-10 of the float, its rounding interval ends at 3e-8 or more."""
    out = [NOTICE]
    for name, value in constant_values(path).items():
        if value.lower().startswith('0x') and 'p' not in value.lower():
            out.append(f'#define {name} {int(value, 16):#010x}u\n')
            continue
        f = float32(value)
        if name in wrong:
            wrong.remove(name)
            f = struct.unpack('<f', struct.pack('<I', struct.unpack('<I', struct.pack('<f', f))[0] + 1))[0]
        text = '%.9g' % f
        if '.' not in text and 'e' not in text:
            text += '.0'
        assert struct.pack('<f', float(text)) == struct.pack('<f', f)
        out.append(f'#define {name} {text}f\n')
    if wrong:
        raise SystemExit(f'{path}: no constant named {wrong}')
    return ''.join(out)


def main():
    command, args = sys.argv[1], sys.argv[2:]
    if command == 'names':
        print('\n'.join(v.name for v in kernel_list.read_list(args[0])))
    elif command == 'unit-names':
        variants = kernel_list.read_list(args[1])
        if args[0] == 'dot':
            names = sorted(dot_units(variants, Path(args[1]).parent))
        else:
            names = dict.fromkeys(unit_names(variants, {'metrics': False, 'primitives': True}[args[0]]).values())
        print('\n'.join(names))
    elif command == 'units':
        for name, source in units(args[0]).items():
            kernel_list.write(Path(args[1]) / name, source)
    elif command == 'some':
        kernel_list.write(Path(args[1]), some(args[0], args[3:]))
        each = ' '.join(f'X({name})' for name in args[3:])
        kernel_list.write(Path(args[2]), f'{NOTICE}#define KERNELS_SOME(X) {each}\n')
    elif command == 'table':
        folder, constant = Path(args[0]).parent, constant_values(Path(args[0]).parent / 'constants.txt')
        variants = kernel_list.describe_all(args[0], args[3:], args[2].split(','))
        kernel_list.write(Path(args[1]) / 'kernels_gen.h', table_header(variants, folder))
        kernel_list.write(Path(args[1]) / 'kernels_gen.c', table_source(variants))
        kernel_list.write(Path(args[1]) / 'passes_gen.h', kernel_names.passes_header(variants, constant))
        kernel_list.write(Path(args[1]) / 'kernels_digest.h', digest_header(folder))
    elif command == 'constants':
        kernel_list.write(Path(args[1]), constants(args[0], args[2:]))
    else:
        raise SystemExit(__doc__)


main()
