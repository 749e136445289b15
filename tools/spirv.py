#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Builds the GPU texts of one kernel: GLSL to SPIR-V, every float operation decorated NoContraction, checked, and GLSL
4.30 for OpenGL made from the decorated module.

Two variants of the same text: `min` uses no optional feature and fits the smallest device (16 KiB of shared memory, 128
invocations), `full` has the larger schedule and 32-bit subgroup sums.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import kernel_list  # noqa: E402
import spirv_module  # noqa: E402

NOTICE = '/* Written by tools/spirv.py; do not edit. */\n'
SHARED_LIMIT = {'min': 16384, 'full': 49152}
THREADS_LIMIT = {'min': 128, 'full': 1024}


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        raise SystemExit(f'{" ".join(map(str, command))}\n{done.stdout}{done.stderr}')
    return done.stdout


def glsl(args, v, kind, schedule):
    """The kernel's text as GLSL: our header through the C preprocessor, GLSL's own prologue in front."""
    defines = [f'SAMPLE={v.sample}', f'SAMPLE_IS_{v.sample.upper()}=1', f'TILE_W={schedule.tile_w}',
               f'TILE_H={schedule.tile_h}', f'NT={schedule.threads}', f'KERNEL_PLANES_N={len(v.planes)}',
               f'KERNEL_SUMS={v.sums}', f'KERNEL_SUM_MAX={v.sum_max}', f'KERNEL_HISTOGRAM={v.histogram}',
               f'KERNEL_ROW_SUMS={v.row_sums}', f'KERNEL_EXTREMA={v.extrema}'] + v.defines + args.define
    if kind == 'full':
        defines.append('SUBGROUPS=1')
    command = args.cc + ['-E', '-P', '-x', 'c', '-'] + [f'-I{i}' for i in args.include.split(',')]
    command += [f'-D{d}' for d in defines]
    source = ''.join(f'#include "{h}"\n' for h in ('constants_gen.h', 'kernels/dialect/glsl.h', 'kernels/exact.h',
                                                   f'kernels/{v.text}'))
    body = run(command, input=source)
    version, rest = args.prologue.read_text().split('\n', 1)
    return version + '\n' + ('#define SUBGROUPS 1\n' if kind == 'full' else '') + rest + body


def dependencies(args, v):
    command = args.cc + ['-M', '-x', 'c', '-'] + [f'-I{i}' for i in args.include.split(',')]
    source = ''.join(f'#include "{h}"\n' for h in ('constants_gen.h', 'kernels/exact.h', 'kernels/dialect/describe.h',
                                                   f'kernels/{v.text}'))
    names = run(command + [f'-DSAMPLE={v.sample}'], input=source).replace('\\\n', ' ').split(':', 1)[1].split()
    return [n for n in names if n != '-']


def compile_variant(args, v, kind, schedule, folder):
    """The decorated module's words."""
    source = folder / f'{kind}.comp'
    raw, decorated = folder / f'{kind}.raw.spv', folder / f'{kind}.spv'
    source.write_text(glsl(args, v, kind, schedule))
    run([args.glslang, '-V', '--target-env', 'vulkan1.1', '-o', raw, source])
    module = spirv_module.Module.read(raw).decorate_no_contraction()
    module.write(decorated)
    run([args.val, '--target-env', 'vulkan1.1', decorated])
    shared = module.shared_bytes()
    if shared > SHARED_LIMIT[kind]:
        raise SystemExit(f'{v.name} ({kind}): {shared} bytes of shared memory, at most {SHARED_LIMIT[kind]}')
    if schedule.threads > THREADS_LIMIT[kind]:
        raise SystemExit(f'{v.name} ({kind}): {schedule.threads} invocations, at most {THREADS_LIMIT[kind]}')
    return module, decorated


def opengl(args, v, module, decorated):
    """GLSL 4.30 of the min variant. NoContraction must have become `precise` on each float operation."""
    text = run([args.cross, decorated, '--version', '430', '--no-es', '--glsl-emit-push-constant-as-ubo'])
    # Older GLSL leaves open whether barrier() orders shared memory.
    text = text.replace('barrier();', 'memoryBarrierShared(); barrier();')
    floats = len(module.float_arithmetic())
    if bool(floats) != bool(re.search(r'\bprecise\b', text)):
        raise SystemExit(f'{v.name}: {floats} float operations, but `precise` is missing in the OpenGL text')
    if re.search(r'\b(int64_t|uint64_t|float64_t|double|u?int8_t|u?int16_t|subgroup\w+)\b', text):
        raise SystemExit(f'{v.name}: the OpenGL text uses an optional feature')
    return text


def c_words(name, words):
    out = [f'static const uint32_t {name}[] = {{\n']
    for i in range(0, len(words), 10):
        out.append('    ' + ' '.join(f'{w:#x},' for w in words[i:i + 10]) + '\n')
    return ''.join(out) + '};\n'


def c_text(name, text):
    """As bytes: C11 promises string literals of 4095 characters only."""
    data = text.encode('ascii')
    out = [f'static const char {name}[] = {{\n']
    for i in range(0, len(data), 24):
        out.append('    ' + ','.join(map(str, data[i:i + 24])) + ',\n')
    return ''.join(out) + '    0};\n'


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument('--list', required=True, type=Path)
    p.add_argument('--kernel', required=True)
    p.add_argument('--include', required=True, help='folders, separated by commas')
    p.add_argument('--prologue', required=True, type=Path)
    p.add_argument('--glslang', required=True)
    p.add_argument('--val', required=True)
    p.add_argument('--cross', default='', help='spirv-cross; without it there is no OpenGL text')
    p.add_argument('--define', action='append', default=[], help='NAME=VALUE for the texts: tests build kernels that are wrong')
    p.add_argument('--out', required=True, type=Path, help='the C file; the .spv files lie beside it')
    p.add_argument('--depfile', required=True, type=Path)
    p.add_argument('cc', nargs='+')
    args = p.parse_args()

    v = next(v for v in kernel_list.read_list(args.list) if v.name == args.kernel)
    kernel_list.describe(v, args.cc, args.include.split(','))
    out = [NOTICE, '#include "kernels/shaders/shaders.h"\n\n']
    with tempfile.TemporaryDirectory() as temporary:
        for kind, schedule in (('min', v.schedules[2]), ('full', v.schedules[1])):
            module, decorated = compile_variant(args, v, kind, schedule, Path(temporary))
            (args.out.parent / f'{v.name}.{kind}.spv').write_bytes(decorated.read_bytes())
            text = opengl(args, v, module, decorated) if kind == 'min' and args.cross else ''
            out.append(c_words(f'{kind}_words', module.stripped().words()))
            if text:
                out.append(c_text(f'{kind}_glsl', text))
            out.append(f'const struct shader assay_shader_{kind}_{v.name} = {{\n'
                       f'    .spirv = {kind}_words, .spirv_bytes = sizeof {kind}_words, '
                       f'.glsl = {kind + "_glsl" if text else 0},\n'
                       f'    .tile_w = {schedule.tile_w}, .tile_h = {schedule.tile_h}, .threads = {schedule.threads}, '
                       f'.shared_bytes = {module.shared_bytes()}}};\n\n')
    args.out.write_text(''.join(out))
    args.depfile.write_text(f'{args.out}: {" ".join(dependencies(args, v))}\n')


main()
