# SPDX-License-Identifier: BSD-2-Clause
"""The list of kernels (src/kernels/kernels.txt), one Variant per family and sample type, and their interfaces."""
import functools
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

SAMPLES = ['u8', 'u16', 'u32', 'i32', 'f32']


@dataclass
class Schedule:
    tile_w: int
    tile_h: int
    threads: int


# Places in Variant.schedules. The first three are columns of kernels.txt; the others are the gpu column where the line
# has no word such as cuda=64x8/128.
CPU, GPU, GPU_MIN, CUDA, OPENGL = range(5)
OWN = {'cuda': CUDA, 'opengl': OPENGL}


@dataclass
class Variant:
    family: str
    text: str
    sample: str
    schedules: list          # by CPU to OPENGL
    defines: list            # NAME=VALUE
    kernel: str = ''         # what KERNEL names the text
    planes: list = field(default_factory=list)   # (slot, direction, type, name)
    params: list = field(default_factory=list)   # (slot, slots, C type, name)
    sums: int = 0            # of 32-bit values
    wide: int = 0            # of 64-bit values, behind them
    # named sums: (first, count or 0 for one, plain|halves|split, words each, scale, name)
    totals: list = field(default_factory=list)
    sum_max: int = 0
    histogram: int = 0
    row_sums: int = 0
    words: int = 0           # 1: a 64-bit word of each item of the grid
    extrema: int = 0
    rows: dict = field(default_factory=dict)     # plane name: (reads or writes, [layers, factor, before, after])
    encodes: str = ''        # the plane of an encode, where C computes a tile for several
    # name of a plane written: layers of the grid's size; 1 where not stated
    layers: dict = field(default_factory=dict)

    @property
    def param_slots(self):
        return sum(p[1] for p in self.params)

    @property
    def name(self):
        return f'{self.family}_{self.sample}'


def parse_schedule(word):
    m = re.fullmatch(r'(\d+)x(\d+)(?:/(\d+))?', word)
    if not m:
        raise SystemExit(f'kernels.txt: bad schedule {word!r}')
    return Schedule(int(m[1]), int(m[2]), int(m[3] or 0))


def read_list(path):
    """All variants, in the order of the file: the order is the order of the generated enum."""
    variants = []
    for line in Path(path).read_text().splitlines():
        words = line.split('#')[0].split()
        if not words:
            continue
        family, text, samples = words[:3]
        own = dict(w.split('=', 1) for w in words[6:] if w.split('=', 1)[0] in OWN)
        schedules = [parse_schedule(w) for w in words[3:6] + [own.get(name, words[4]) for name in OWN]]
        defines = [w for w in words[6:] if w.split('=', 1)[0] not in OWN]
        for sample in samples.split(','):
            if sample not in SAMPLES:
                raise SystemExit(f'kernels.txt: {family}: unknown sample type {sample!r}')
            variants.append(Variant(family, text, sample, schedules, defines))
    return variants


def sources_of(text, folder, stays):
    """The sources of a text and of all that it includes, but for the headers that `stays` names by a function of name
    and source."""
    files, sources = [text], []
    for file in files:  # which grows
        source = (folder / file).read_text(encoding='utf-8')
        if file != text and stays(file, source):
            continue
        sources.append(source)
        includes = re.findall(r'^\s*#\s*include\s+"kernels/([^"]+)"', source, flags=re.M)
        files += [name for name in includes if name not in files]
    return sources


def macros_in(sources):
    return list(dict.fromkeys(re.findall(r'^\s*#\s*define\s+(\w+)', '\n'.join(sources), flags=re.M)))


def own_names(text, folder):
    """(macros, functions and structures) of a text, as lists: the next variant in one preprocessor run defines them
    again. Headers with a guard are read once, and define the same for all variants."""
    sources = sources_of(text, folder, lambda _, source: '\n#ifndef ASSAY_' in source)
    names = re.findall(r'^(?:FN \w+|struct) (\w+)', '\n'.join(sources), flags=re.M)
    return macros_in(sources), list(dict.fromkeys(names))


def macros_of(text, folder, stay=()):
    """Names that a text and what it includes define, without those of the headers `stay`."""
    return macros_in(sources_of(text, folder, lambda name, _: name in stay))


def include_variant(v, defines, macros, heads=()):
    """C preprocessor lines: the headers and the variant's text under the defines, (name, value) each, which are
    undefined behind it, with the macros."""
    own = [('SAMPLE', v.sample), (f'SAMPLE_IS_{v.sample.upper()}', 1)] + [tuple(d.split('=', 1)) for d in v.defines]
    defines = own + defines
    out = [f'\n#define {name} {value}' for name, value in defines]
    out += [f'\n#include "kernels/{file}"' for file in (*heads, v.text)]
    out += [f'\n#undef {name}' for name in dict.fromkeys([name for name, _ in defines] + macros)]
    return ''.join(out) + '\n'


def preprocess(cc, includes, source):
    """`source` through the C preprocessor `cc` (a list)."""
    command = cc + ['-E', '-P', '-x', 'c', '-'] + [f'-I{i}' for i in includes]
    done = subprocess.run(command, input=source, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def integer(expression):
    """The value of an integer constant expression."""
    if not re.fullmatch(r'(0x[0-9a-f]+|\d+|<<|[-+*() ])+', expression, flags=re.I):
        raise SystemExit(f'not an integer expression: {expression}')
    return int(eval(expression))


def describe_all(path, cc, includes):
    """All variants with the interfaces that their texts declare, from one run of the preprocessor."""
    variants, folder = read_list(path), Path(path).parent
    macros = {text: own_names(text, folder)[0] for text in dict.fromkeys(v.text for v in variants)}
    source = '#include "kernels/dialect/describe.h"\n'
    source += ''.join(f'\n@variant {v.name}' + include_variant(v, [], macros[v.text]) for v in variants)
    parts = re.split(r'@variant \w+\n', preprocess(cc, includes, source))[1:]
    for v, out in zip(variants, parts, strict=True):
        describe(v, out[:out.index('@begin')])
    return variants


def describe(variant, out):
    """Fills in the interface from what dialect/describe.h makes of the text's head."""
    variant.kernel = re.search(r'@kernel (\w+)', out)[1]
    for kind, body in re.findall(r'@(\w+)\s+([^@]*?)\s*@end', out):
        words = body.split()
        if kind in ('in', 'out'):
            variant.planes.append((int(words[0]), kind, words[1], words[2]))
        elif kind == 'param':
            variant.params.append((int(words[0]), int(words[1]), words[2], words[3]))
        elif kind in ('reads', 'writes'):
            if words[0] in variant.rows:
                raise SystemExit(f'{variant.text}: the rows of {words[0]} are stated twice')
            variant.rows[words[0]] = (kind, [integer(w) for w in words[1:]] if kind == 'reads'
                                      else [integer(words[1]), 1, 0, 0])
            if kind == 'writes':
                variant.layers[words[0]] = integer(words[1])
        elif kind == 'total':
            first, count, what, width, scale, name = (w.strip() for w in body.split(','))
            variant.totals.append((integer(first), integer(count), what, integer(width), scale, name))
        elif kind == 'encodes':
            variant.encodes = words[0]
        elif kind == 'layers':
            variant.layers[words[0]] = integer(words[1])
        elif kind in ('sums', 'sum_max', 'wide', 'histogram', 'row_sums', 'words', 'extrema'):
            setattr(variant, kind, integer(body))
        elif kind != 'tile':
            raise SystemExit(f'{variant.text}: @{kind} is nothing that describe.h states')
    variant.planes.sort()
    variant.params.sort()
    variant.totals.sort()
    if [p[0] for p in variant.planes] != list(range(len(variant.planes))):
        raise SystemExit(f'{variant.text}: plane slots are not 0, 1, 2, ...')
    directions = [p[1] for p in variant.planes]
    if directions != sorted(directions):
        raise SystemExit(f'{variant.text}: planes read come before planes written')
    for name, (kind, numbers) in variant.rows.items():
        if {'reads': 'in', 'writes': 'out'}[kind] not in [p[1] for p in variant.planes if p[3] == name]:
            raise SystemExit(f'{variant.text}: {kind.upper()} names {name}, which is no such plane')
        if len(numbers) != 4 or not all(0 <= n < 256 for n in numbers) or numbers[0] < 1:
            raise SystemExit(f'{variant.text}: the rows of {name}: four numbers of at most 255, '
                             'layers at least 1')
    for name, layers in variant.layers.items():
        if ('out', name) not in [(p[1], p[3]) for p in variant.planes] or not 0 < layers < 256:
            raise SystemExit(f'{variant.text}: layers of {name}, which is no plane written, '
                             'or a count outside 1 to 255')
    if variant.encodes and (variant.encodes not in [p[3] for p in variant.planes[1:]] or 'out' in directions
                            or variant.extrema):
        raise SystemExit(f'{variant.text}: ENCODES names a plane behind the first one, in a kernel without planes '
                         'written and without extrema')
    if [p[0] for p in variant.params] != [sum(q[1] for q in variant.params[:i]) for i in range(len(variant.params))]:
        raise SystemExit(f'{variant.text}: parameter slots are not 0, 1, 2, ...')
    totals = variant.sums + variant.wide + variant.histogram + variant.row_sums + variant.words
    buffers = len(variant.planes) + bool(totals) + bool(variant.extrema)
    if buffers > 4:
        raise SystemExit(f'{variant.text}: {buffers} storage buffers; 4 is the most that every GPU has')
    if bool(variant.histogram) + bool(variant.row_sums) + variant.words > 1:
        raise SystemExit(f'{variant.text}: a kernel has a histogram, row sums or words, one of them')


def check_literals(path):
    """A float literal other than 0, 0.5, 1 and 2 belongs into constants.txt; 1048576.0f is the limb of the sums."""
    text = re.sub(r'/\*.*?\*/', '', Path(path).read_text(), flags=re.S)
    for literal in re.findall(r'(?<![\w.])(\d+\.\d*(?:e[-+]?\d+)?f?|\d+e[-+]?\d+f?)', text, flags=re.I):
        if literal not in ('0.0f', '0.5f', '1.0f', '2.0f', '1048576.0f'):
            raise SystemExit(f'{path}: float literal {literal}: name it in constants.txt')


DIALECT = Path(__file__).parent.parent / 'src' / 'kernels' / 'dialect'


@functools.cache
def dialect_locals():
    """Names that words of the dialect declare in what they expand to. Where an argument of the word has such a name,
    the word's own variable is meant, on the targets that have it."""
    found = set()
    for header in DIALECT.glob('*.h'):
        text = re.sub(r'/\*.*?\*/', '', header.read_text(encoding='utf-8'), flags=re.S)
        for macro in re.findall(r'^[ \t]*#[ \t]*define[ \t](?:.*\\\n)*.*', text, flags=re.M):
            found.update(re.findall(r'\b[a-z]\w*[ \t]+\*?([A-Za-z]\w*_)[ \t]*(?:=[^=]|;|\[)', macro))
    return found


def check_locals(path):
    """No local of a text has a name that a word of the dialect declares."""
    text = re.sub(r'/\*.*?\*/', '', Path(path).read_text(encoding='utf-8'), flags=re.S)
    declared = re.findall(r'\b[a-z]\w*[ \t]+([A-Za-z]\w*_)[ \t]*(?:=[^=]|;|\[)|\bFOR\w*\((\w+_),', text)
    for name in sorted({a or b for a, b in declared} & dialect_locals()):
        raise SystemExit(f'{path}: a local is called {name}, as one that a word of the dialect declares: choose a name '
                         'without _ at its end')


def write(path, text):
    """Leaves a file that says the same already alone, so that what depends on it is not built again."""
    path = Path(path)
    if not path.exists() or path.read_text(encoding='utf-8') != text:
        path.write_text(text, encoding='utf-8')
