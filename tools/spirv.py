#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Builds the GPU texts of all kernels: GLSL to SPIR-V, every float operation decorated NoContraction, checked, and
GLSL 4.30 for OpenGL made from the decorated modules.

Builds of the same text: `min` uses no optional feature and fits the smallest device (16 KiB of shared memory, 128
invocations), `full` has the larger schedule and 32-bit subgroup sums, `wide` the larger schedule without
these: OpenGL's `full`.

What is made of a text stays in the folder --work, so that only the texts that changed are built again.
"""
import argparse
import functools
import hashlib
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import kernel_list  # noqa: E402
import module_source  # noqa: E402
import spirv_module  # noqa: E402

SHARED_LIMIT = {'min': 16384, 'full': 49152, 'wide': 49152}
THREADS_LIMIT = {'min': 128, 'full': 1024, 'wide': 1024}
KINDS = {'min': kernel_list.GPU_MIN, 'full': kernel_list.GPU, 'wide': kernel_list.OPENGL}  # the schedule
EACH = 24  # texts or kernels that a process has
HEADS = ('dialect/glsl.h', 'exact.h')
SETS = {'spirv': ('min', 'full'), 'glsl': ('min', 'wide')}  # in the order of enum shader_kind


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        raise SystemExit(f'{" ".join(map(str, command))}\n{done.stdout}{done.stderr}')
    return done.stdout


# What is left to the driver: bodies of more characters in all, loads from planes, which have branches, and the
# self-test's kernels, whose rate is nothing to anyone.
UNROLL_MOST = 40000
PLANE_LOAD = re.compile(r'\b\w+_ld[bg]?(_layer)?\(')
UNROLLED = re.compile(r'UNROLLED\s+for\s*\(int (\w+) = 0;\s*\1 < \(([-+*/() 0-9]+)\);\s*\1\+\+\)\s*')


def statement_end(text, at):
    """Where the statement that begins at `at` ends: a block, a loop to unroll, or all up to a semicolon."""
    loop = UNROLLED.match(text, at)
    if loop:
        return statement_end(text, loop.end())
    depth = 0
    for found in re.compile(r'[(){};]').finditer(text, at):
        depth += {'(': 1, '{': 1, ')': -1, '}': -1, ';': 0}[found[0]]
        if depth == 0 and found[0] in '};':
            return found.end()
    raise SystemExit(f'no end of a statement: {text[at:at + 80]}')


def unroll(text, most):
    """The text with the bodies of the dialect's FOR as often as they run, each with its index as a constant."""
    out, at = [], 0
    for loop in iter(lambda: UNROLLED.search(text, at), None):
        end = statement_end(text, loop.end())
        body = unroll(text[loop.end():end], most)
        if re.search(r'\b(break|continue)\b', body):
            raise SystemExit(f"FOR can't be left: {body[:80]}")
        times = eval(loop[2].replace('/', '//'), {'__builtins__': {}})  # digits and operators alone
        out.append(text[at:loop.start()])
        if times * len(body) <= most and not PLANE_LOAD.search(body):
            out += [f'{{ const int {loop[1]} = {i}; {body} }}\n' for i in range(times)]
        else:
            out.append(f'[[unroll]] for (int {loop[1]} = 0; {loop[1]} < {times}; {loop[1]}++) {body}')
        at = end
    if 'UNROLLED' in text[at:]:
        raise SystemExit(f'FOR counts to no constant: {text[text.index("UNROLLED", at):][:80]}')
    return ''.join(out) + text[at:]


FUNCTION = re.compile(r'(^ ?\w+ (?!main\b)(\w+)\([^;{}]*\)\s*\{(?: [^\n]*\}|\n.*?^\})\n)', flags=re.M | re.S)


def called(text):
    """The text without the functions of headers that it calls nowhere: glslc takes longer to read them than the kernel.
    What is not seen as a function stays."""
    parts = FUNCTION.split(text)
    functions = list(zip(parts[1::3], parts[2::3]))
    words = {}  # of all functions of a name
    for function, name in functions:
        words.setdefault(name, set()).update(words_of(function))
    kept, new = set(), set(re.findall(r'\w+', ' '.join(parts[::3])))
    while new:
        kept |= new
        new = set().union(*(words[name] for name in new & words.keys())) - kept
    return ''.join(rest + (function if name in kept else '')
                   for rest, (function, name) in zip(parts[::3], functions + [('', None)]))


@functools.cache
def words_of(function):
    if function.count('{') != function.count('}'):
        raise SystemExit(f'no end of a function: {function[:80]}')
    return frozenset(re.findall(r'\w+', function))


def section(args, v, kind):
    """The kernel's text and the headers in front of it, for the C preprocessor."""
    schedule = v.schedules[KINDS[kind]]
    if schedule.threads > THREADS_LIMIT[kind]:
        raise SystemExit(f'{v.name} ({kind}): {schedule.threads} invocations, at most {THREADS_LIMIT[kind]}')
    defines = [('TILE_W', schedule.tile_w), ('TILE_H', schedule.tile_h), ('NT', schedule.threads),
               ('KERNEL_PLANES_N', len(v.planes)), ('KERNEL_SUMS', v.sums), ('KERNEL_SUM_MAX', v.sum_max),
               ('KERNEL_WIDE', v.wide), ('KERNEL_HISTOGRAM', v.histogram), ('KERNEL_ROW_SUMS', v.row_sums),
               ('KERNEL_WORDS', v.words), ('KERNEL_EXTREMA', v.extrema)]
    if v.name == args.wrong_kernel:
        defines.append(tuple(args.wrong_define.split('=', 1)))
    if kind == 'full':
        defines.append(('SUBGROUPS', 1))
    if kind != 'wide':  # of texts with LDB_FOUR OpenGL's compiler makes slower code
        defines.append(('FOURS', 1))
    # The headers' guards are among the macros: each text reads the headers anew, under its own defines.
    macros = [name for file in (*HEADS, v.text) for name in kernel_list.macros_of(file, args.list.parent)]
    return kernel_list.include_variant(v, defines, macros, HEADS)


def glsl(args, wanted):
    """The texts as GLSL, of (variant, kind) each: our headers through one run of the C preprocessor, GLSL's own
    prologue in front."""
    source = '#include "constants_gen.h"\n' + ''.join('\n@text\n' + section(args, *w) for w in wanted)
    bodies = kernel_list.preprocess(args.cc, args.include.split(','), source).split('@text\n')[1:]
    version, rest = args.prologue.read_text().split('\n', 1)
    # A text without sums is the same with subgroups and without.
    return [version + '\n' + ('#define SUBGROUPS 1\n' if 'subgroup' in body else '') +
            unroll(called(rest + body), 0 if v.text.startswith('selftest/') else UNROLL_MOST)
            for (v, _), body in zip(wanted, bodies, strict=True)]


def compile_spirv(args, texts):
    """Compiles these texts, one process for many: it reads what is built into the language once."""
    groups = [texts[i:i + EACH] for i in range(0, len(texts), EACH)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda group: run([args.glslc, '--target-env=vulkan1.1', '-c', *group], cwd=args.work), groups))


def decorate(args, raw, decorated):
    """Writes the decorated module, checked, and returns it."""
    module = spirv_module.Module.read(raw).decorate_no_contraction()
    module.write(decorated)
    # Without names, as drivers get it: spirv-val takes twice as long to tell apart those of unrolled loops.
    module.stripped().write(raw)
    run([args.val, '--target-env', 'vulkan1.1', raw])
    raw.unlink()
    return module


def opengl(args, v, module, decorated):
    """GLSL 4.30 of a variant without subgroups. NoContraction must have become `precise` on each float operation."""
    text = run([args.cross, decorated, '--version', '430', '--no-es', '--glsl-emit-push-constant-as-ubo'])
    # Older GLSL leaves open whether barrier() orders shared memory.
    text = text.replace('barrier();', 'memoryBarrierShared(); barrier();')
    floats = len(module.float_arithmetic())
    if bool(floats) != bool(re.search(r'\bprecise\b', text)):
        raise SystemExit(f'{v.name}: {floats} float operations, but `precise` is missing in the OpenGL text')
    if re.search(r'\b(int64_t|uint64_t|float64_t|double|u?int8_t|u?int16_t|subgroup\w+)\b', text):
        raise SystemExit(f'{v.name}: the OpenGL text uses an optional feature')
    return text


class Part:
    """A kernel's text of one kind, and the files of what is made of it."""

    def __init__(self, args, v, kind):
        self.v, self.kind, self.schedule = v, kind, v.schedules[KINDS[kind]]
        self.known = args.known and v.name != args.wrong_kernel
        folder = args.known if self.known else args.work
        self.named = {end: folder / f'{v.name}.{kind}.{end}' for end in ('comp', 'comp.spv', 'spv', 'glsl', 'key')}
        self.key = None  # all that is made of it is there

    def take(self, tools, text):
        key = hashlib.sha256((tools + text).encode()).hexdigest()
        if not self.named['key'].exists() or self.named['key'].read_text() != key:
            self.key = key
            self.named['key'].unlink(missing_ok=True)
            self.named['comp'].write_text(text)


def finish(args, parts, made):
    """The entries of a kernel's parts: the schedule, the bytes of SPIR-V and of the OpenGL text of each. `made` has the
    parts whose texts were compiled, by key: a third of all texts are those of another kind."""
    modules, texts, facts, entries = {}, {}, {}, []
    for part in parts:
        v, kind, named, key = part.v, part.kind, part.named, part.key
        if key:
            if key not in modules:
                modules[key] = decorate(args, named['comp.spv'], named['spv'])
            else:
                shutil.copyfile(made[key].named['spv'], named['spv'])
            if kind in SETS['glsl'] and args.cross and key not in texts:
                texts[key] = opengl(args, v, modules[key], named['spv'])
            named['glsl'].write_text(texts[key] if kind in SETS['glsl'] and args.cross else '', encoding='ascii')
            named['key'].write_text(key)
        data = named['spv'].read_bytes()
        if data not in facts:
            module = modules.get(key) or spirv_module.Module.read(named['spv'])
            facts[data] = module.shared_bytes(), module.stripped().bytes()
        shared, spirv = facts[data]
        if shared > SHARED_LIMIT[kind]:
            raise SystemExit(f'{v.name} ({kind}): {shared} bytes of shared memory, at most {SHARED_LIMIT[kind]}')
        entries.append((kind, {'schedule': part.schedule, 'shared': shared, 'spirv': spirv,
                               'glsl': named['glsl'].read_bytes()}))
    return entries


def shader_set(entries, what):
    """(C initialiser of struct shader_set, the code of all shaders as one block). The same code stands there once."""
    code, rows, place = bytearray(), [], {}
    for name, kind in zip(('MIN', 'FULL'), SETS[what]):
        rows.append(f'        [SHADER_{name}] = {{\n')
        for e in (e for k, e in entries if k == kind):
            data = e[what]
            at = f'CODE + {place.setdefault(data, len(code))}' if data else '0'
            rows.append(f'            {{{at}, {len(data)}, {e["schedule"].tile_w}, {e["schedule"].tile_h}, '
                        f'{e["schedule"].threads}, {e["shared"]}}},\n')
            if data and place[data] < len(code):
                continue
            code += data + bytes(-len(data) % 4 or (4 if what == 'glsl' and data else 0))  # a text ends with a NUL
        rows.append('        },\n')
    return '{{\n' + ''.join(rows) + '    }}', bytes(code)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument('--list', required=True, type=Path)
    p.add_argument('--include', required=True, help='folders, separated by commas')
    p.add_argument('--prologue', required=True, type=Path)
    p.add_argument('--glslc', required=True)
    p.add_argument('--val', required=True)
    p.add_argument('--cross', default='', help='spirv-cross; without it there is no OpenGL text')
    p.add_argument('--wrong-kernel', default='', help='tests build one kernel that is wrong')
    p.add_argument('--wrong-define', default='', help='NAME=VALUE, what is wrong in it')
    p.add_argument('--work', required=True, type=Path, help='where NAME.min.spv and NAME.full.spv of all kernels stay')
    p.add_argument('--known', type=Path,
                   help='such a folder of a run that is up to date: the other kernels come from there')
    p.add_argument('--vulkan', required=True, type=Path, help='the C file of the Vulkan module')
    p.add_argument('--opengl', type=Path, help='the C file of the OpenGL module')
    p.add_argument('cc', nargs='+')
    args = p.parse_args()

    args.work.mkdir(parents=True, exist_ok=True)
    here = Path(__file__)
    tools = ''.join(f.read_text() for f in (here, here.with_name('spirv_module.py')))
    tools += ''.join(f'{t} {os.stat(t).st_mtime_ns}' for t in (args.glslc, args.val, args.cross) if t)
    variants = kernel_list.describe_all(args.list, args.cc, args.include.split(','))
    for path in args.work.iterdir():  # of kernels that were taken out of the list
        if path.name.split('.')[0] not in {v.name for v in variants}:
            path.unlink()
    kinds = [kind for kind in KINDS if kind != 'wide' or args.cross]

    def texts_of(some):
        """Some kernels' parts, each kernel's with those that have to be compiled, by key."""
        kernels = [[Part(args, v, kind) for kind in kinds] for v in some]
        wanted = [part for parts in kernels for part in parts if not part.known]
        for part, text in zip(wanted, glsl(args, [(part.v, part.kind) for part in wanted]) if wanted else []):
            part.take(tools, text)
        return [(parts, {part.key: part for part in reversed(parts) if part.key}) for parts in kernels]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        groups = pool.map(texts_of, [variants[i:i + EACH] for i in range(0, len(variants), EACH)])
        kernels = [kernel for group in groups for kernel in group]
        compile_spirv(args, [part.named['comp'].name for _, made in kernels for part in made.values()])
        entries = [e for kernel in pool.map(lambda kernel: finish(args, *kernel), kernels) for e in kernel]
    for path, what in ((args.vulkan, 'spirv'), (args.opengl, 'glsl')):
        if path:
            content, code = shader_set(entries, what)
            module_source.write(path, '#include "kernels/shaders/shaders.h"\n', 'struct shader_set', content, code)


main()
