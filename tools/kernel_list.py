# SPDX-License-Identifier: BSD-2-Clause
"""The list of kernels (src/kernels/kernels.txt), one Variant per family and sample type, and their interfaces."""
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


@dataclass
class Variant:
    family: str
    text: str
    sample: str
    schedules: list          # cpu, gpu, gpu_min
    defines: list            # NAME=VALUE
    kernel: str = ''         # what KERNEL names the text
    planes: list = field(default_factory=list)   # (slot, direction, type, name)
    params: list = field(default_factory=list)   # (slot, slots, C type, name)
    sums: int = 0
    totals: list = field(default_factory=list)   # named sums: (first, count or 0 for one, plain|halves|split, words each, scale, name)
    sum_max: int = 0
    histogram: int = 0
    row_sums: int = 0
    extrema: int = 0
    rows: dict = field(default_factory=dict)     # plane name: (reads or writes, [layers, factor, before, after])
    layers: dict = field(default_factory=dict)   # name of a plane written: layers of the grid's size; 1 where not stated

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
        schedules = [parse_schedule(w) for w in words[3:6]]
        for sample in samples.split(','):
            if sample not in SAMPLES:
                raise SystemExit(f'kernels.txt: {family}: unknown sample type {sample!r}')
            variants.append(Variant(family, text, sample, schedules, words[6:]))
    return variants


def preprocess(cc, includes, header, text, defines):
    """`text` with `header` in front of it, through the C preprocessor `cc` (a list)."""
    source = f'#include "{header}"\n#include "{text}"\n'
    command = cc + ['-E', '-P', '-x', 'c', '-'] + [f'-I{i}' for i in includes] + [f'-D{d}' for d in defines]
    done = subprocess.run(command, input=source, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def integer(expression):
    """The value of an integer constant expression."""
    if not re.fullmatch(r'(0x[0-9a-f]+|\d+|<<|[-+*() ])+', expression, flags=re.I):
        raise SystemExit(f'not an integer expression: {expression}')
    return int(eval(expression))


def describe(variant, cc, includes):
    """Fills in the interface that the text declares."""
    out = preprocess(cc, includes, 'kernels/dialect/describe.h', f'kernels/{variant.text}',
                     [f'SAMPLE={variant.sample}'] + variant.defines)
    out = out[:out.index('@begin')]
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
            variant.rows[words[0]] = (kind, [integer(w) for w in words[1:]] if kind == 'reads' else [integer(words[1]), 1, 0, 0])
            if kind == 'writes':
                variant.layers[words[0]] = integer(words[1])
        elif kind == 'total':
            first, count, what, width, scale, name = (w.strip() for w in body.split(','))
            variant.totals.append((integer(first), integer(count), what, integer(width), scale, name))
        elif kind == 'layers':
            variant.layers[words[0]] = integer(words[1])
        elif kind in ('sums', 'sum_max', 'histogram', 'row_sums', 'extrema'):
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
        if len(numbers) != 4 or not all(0 <= n < 256 for n in numbers) or numbers[0] < 1 or numbers[1] < 1:
            raise SystemExit(f'{variant.text}: the rows of {name}: four numbers of at most 255, layers and factor at least 1')
    for name, layers in variant.layers.items():
        if ('out', name) not in [(p[1], p[3]) for p in variant.planes] or not 0 < layers < 256:
            raise SystemExit(f'{variant.text}: layers of {name}, which is no plane written, or a count outside 1 to 255')
    if [p[0] for p in variant.params] != [sum(q[1] for q in variant.params[:i]) for i in range(len(variant.params))]:
        raise SystemExit(f'{variant.text}: parameter slots are not 0, 1, 2, ...')
    buffers = len(variant.planes) + bool(variant.sums + variant.histogram + variant.row_sums) + bool(variant.extrema)
    if buffers > 4:
        raise SystemExit(f'{variant.text}: {buffers} storage buffers; 4 is the most that every GPU has')
    if variant.histogram and variant.row_sums:
        raise SystemExit(f'{variant.text}: a kernel has a histogram or row sums, not both')
    return variant


def check_literals(path):
    """A float literal other than 0, 0.5, 1 and 2 belongs into constants.txt; 1048576.0f is the limb of the sums."""
    text = re.sub(r'/\*.*?\*/', '', Path(path).read_text(), flags=re.S)
    for literal in re.findall(r'(?<![\w.])(\d+\.\d*(?:e[-+]?\d+)?f?|\d+e[-+]?\d+f?)', text, flags=re.I):
        if literal not in ('0.0f', '0.5f', '1.0f', '2.0f', '1048576.0f'):
            raise SystemExit(f'{path}: float literal {literal}: name it in constants.txt')
