# SPDX-License-Identifier: BSD-2-Clause
"""Names for host code from the heads of kernel texts: passes_gen.h. src/graph/pass.h says how they are used.

Families of one text whose heads agree share a struct under the name that KERNEL states; others have their own names.
"""

NOTICE = '/* Written by tools/kernel_names.py; do not edit. */\n'


def shared_names(families, signature):
    """{family: name}: families of one text with the same signature share a name."""
    groups = {}
    for v in families:
        groups.setdefault((v.text, signature(v)), []).append(v)
    names, taken = {}, {}
    for key, group in groups.items():
        name = group[0].kernel if len(group) > 1 else group[0].family
        if taken.setdefault(name, key) != key:
            raise SystemExit(f'{group[0].text}: two groups of families would be called {name}')
        names.update({v.family: name for v in group})
    return names


def interface(v):
    """What a request says: the planes read and the parameters."""
    return tuple(p[3] for p in v.planes if p[1] == 'in'), tuple(v.params)


def results(v):
    """What comes back of a pass."""
    return tuple(v.totals), v.histogram, v.row_sums, v.words, v.extrema


def field(slots, ctype, name):
    return f'{ctype} {name};' if slots == 1 else f'const {ctype} (*{name})[{slots}];'


def pass_struct(v, name, bits):
    reads = [p[3] for p in v.planes if p[1] == 'in']
    lines = [f'/* {v.text} */\n', f'struct {name}_pass {{\n', f'    graph_plane {", ".join(reads)};\n']
    lines += [f'    {field(*p[1:])}\n' for p in v.params]
    lines += ['    uint32_t grid_w, grid_h; /* 0: the size of the first plane */\n', '} PASS_BY_NAME;\n',
              f'enum {{ {name}_PASS_FIELDS = {len(reads) + len(v.params)} }};\n']
    if bits is not None:
        lines.append(f'enum {{ {name.upper()}_SCALE = {bits} }}; /* the first limb of a sum counts 2^-{bits} */\n')
    lines.append('\n')
    return ''.join(lines)


def written_struct(v):
    """The planes written, by name, where there are several."""
    names = [p[3] for p in v.planes if p[1] == 'out']
    return f'struct {v.family}_written {{\n    graph_plane {", ".join(names)};\n}};\n\n' if len(names) > 1 else ''


def set_params(v, name):
    """A function: the parameters in their slots."""
    if not v.params:
        return ''
    lines = [f'static inline void {name}_params(struct {name}_pass p, union kernel_param *param)\n{{\n']
    for slot, slots, ctype, param in v.params:
        member = {'float': 'f', 'int32_t': 'i'}[ctype]
        if slots == 1:
            lines.append(f'    param[{slot}].{member} = p.{param};\n')
        else:
            lines += [f'    for (unsigned i = 0; i < {slots}; i++)\n',
                      f'        param[{slot} + i].{member} = (*p.{param})[i];\n']
    return ''.join(lines) + '}\n\n'


def request(v, name):
    """Two functions: the parameters in their slots, and the pass as the graph takes it."""
    reads = ', '.join(f'p.{p[3]}' for p in v.planes if p[1] == 'in')
    lines = [set_params(v, name)]
    lines += [f'static inline struct graph_pass_request {name}_request(enum kernel_family family, ',
              f'struct {name}_pass p)\n{{\n    struct graph_pass_request r = {{.family = family, .in = {{{reads}}},\n',
              '                                   .grid_w = p.grid_w, .grid_h = p.grid_h};\n']
    if v.params:
        lines.append(f'    {name}_params(p, r.param);\n')
    lines.append('    return r;\n}\n\n')
    return ''.join(lines)


def array(n):
    return f'[{n}]' if n else ''


def result_fields(v):
    """The 64-bit totals of a pass in their order: (words, declaration)."""
    declared = []
    for first, count, what, width, _, name in v.totals:
        if first != sum(words for words, _ in declared):
            raise SystemExit(f'{v.text}: {name} begins at sum {first}: sums are named in order, without a gap')
        ctype = 'struct kernel_halves' if what == 'halves' else 'int64_t'
        limbs = f'[{width}]' if what == 'split' else ''
        declared.append((max(count, 1) * width, f'{ctype} {name}{array(count)}{limbs};'))
    if sum(words for words, _ in declared) != v.sums + v.wide:
        raise SystemExit(f'{v.text}: not all of the {v.sums + v.wide} sums have a name '
                         '(SUM, SUMS, SUM_LIMBS, ... in the head)')
    if v.histogram:
        declared.append((v.histogram, f'int64_t bins[{v.histogram}];'))
    return declared


def scale_bits(families, constants):
    """The n of the scale 2^n of the limb sums, which the families share; None where a parameter gives it."""
    bits = None
    for v in families:
        for scale in {constants.get(t[4], t[4]) for t in v.totals} - {'0'} - {p[3] for p in v.params}:
            value = float.fromhex(scale) if 'x' in scale else float(scale.rstrip('f'))
            if bits not in (None, int(value).bit_length() - 1) or value != 2.0 ** (int(value).bit_length() - 1):
                raise SystemExit(f'{v.text}: the scale {scale} is no power of two, or not the one of other sums')
            bits = int(value).bit_length() - 1
    return bits


def result_structs(v, name):
    """Where the results of a pass are in those of a frame, and what they are."""
    fields = result_fields(v)
    at = ['totals'] * bool(fields or v.row_sums or v.words) + ['extrema'] * bool(v.extrema)
    lines = [f'struct {name}_at {{\n    uint32_t {", ".join(at)};\n}};\n\n']
    if fields:
        lines += [f'struct {name}_totals {{\n'] + [f'    {declaration}\n' for _, declaration in fields]
        lines += ['};\n\n',
                  f'static inline struct {name}_totals {name}_totals(struct {name}_at at, const int64_t *frame)\n{{\n',
                  f'    struct {name}_totals t;\n    memcpy(&t, frame + at.totals, sizeof t);\n    return t;\n}}\n\n']
    if v.row_sums:
        lines += [f'/* Of row y of the grid: sum k is [y][k]. */\n',
                  f'static inline const int64_t (*{name}_rows(struct {name}_at at, const int64_t *frame))'
                  f'[{v.row_sums}]\n{{\n',
                  f'    return (const int64_t (*)[{v.row_sums}])(frame + at.totals + {v.sums + v.wide});\n}}\n\n']
    if v.words:
        lines += ['/* Of item x, y of the grid: the word is [y * its width + x]. */\n',
                  f'static inline const int64_t *{name}_words(struct {name}_at at, const int64_t *frame)\n{{\n',
                  f'    return frame + at.totals + {v.sums + v.wide};\n}}\n\n']
    if v.extrema:
        several = array(v.extrema if v.extrema > 1 else 0)
        lines += [f'struct {name}_extrema {{\n    struct kernel_extremum extremum{several};\n}};\n\n',
                  f'static inline struct {name}_extrema {name}_extrema(struct {name}_at at, const uint32_t *frame)\n',
                  f'{{\n    struct {name}_extrema x;\n',
                  '    memcpy(&x, frame + 2 * (size_t)at.extrema, sizeof x);\n    return x;\n}\n\n']
    return ''.join(lines)


def add_function(v, name, result):
    names = [p[3] for p in v.planes if p[1] == 'out']
    out = [f'struct {result}_at *at'] if result else []
    if len(names) == 1:
        out.append(f'graph_plane *{names[0]}')
    elif names:
        out.append(f'struct {v.family}_written *written')
    to = 'planes' if len(names) > 1 else names[0] if names else 'NULL'
    arguments = ', '.join(['struct graph *g', f'struct {name}_pass p'] + out + ['struct assay_error *e'])
    lines = [f'static inline int {v.family}_add({arguments})\n{{\n',
             f'    const struct graph_pass_request r = {name}_request(KERNEL_{v.family.upper()}, p);\n',
             '    graph_pass pass;\n']
    if len(names) > 1:
        lines.append(f'    graph_plane planes[{len(names)}];\n')
    lines.append(f'    const int rc = graph_add(g, &r, &pass, {to}, e);\n')
    done = []
    if len(names) > 1:
        values = ', '.join(f'planes[{i}]' for i in range(len(names)))
        done.append(f'*written = (struct {v.family}_written){{{values}}};\n')
    if result:
        at = ['.totals = g->pass[pass].totals'] * bool(v.sums + v.wide + v.histogram + v.row_sums + v.words)
        at += ['.extrema = g->pass[pass].extrema'] * bool(v.extrema)
        done.append(f'*at = (struct {result}_at){{{", ".join(at)}}};\n')
    if not done:
        lines[-1] = f'    return graph_add(g, &r, &pass, {to}, e);\n'
    else:
        lines.append('    if (!rc)' + (' {\n' if len(done) > 1 else '\n'))
        lines += ['        ' + d for d in done] + ['    }\n'] * (len(done) > 1) + ['    return rc;\n']
    lines.append('}\n\n')
    return ''.join(lines)


def passes_header(variants, constants):
    """The header. Of the self-test's families it has the parameters alone, because they run as trials. A family is
    described by its first variant, because the heads of its variants differ in SAMPLE alone. `constants` are the named
    floats of the texts, as text."""
    described = list({v.family: v for v in reversed(variants)}.values())[::-1]
    families = [v for v in described if not v.text.startswith('selftest/')]
    for v in variants:
        first = next((f for f in described if f.family == v.family), v)
        if interface(v) != interface(first) or results(v) != results(first):
            raise SystemExit(f'{v.text}: {v.name} has another head than {first.name}')
    requests = shared_names(families, interface)
    answers = shared_names([v for v in families if any(results(v))], results)
    out = [NOTICE, '#ifndef ASSAY_PASSES_GEN_H\n#define ASSAY_PASSES_GEN_H\n\n',
           '#include <string.h>\n\n#include "graph/pass.h"\n\n']
    seen = set()
    for v in families:
        name, answer = requests[v.family], answers.get(v.family)
        if (name, 'pass') not in seen:
            bits = scale_bits([f for f in families if requests[f.family] == name], constants)
            out += [pass_struct(v, name, bits), request(v, name)]
        if answer and (answer, 'at') not in seen:
            out.append(result_structs(v, answer))
        seen |= {(name, 'pass'), (answer, 'at')}
        out += [written_struct(v), add_function(v, name, answer)]
    for v in described:
        if v.text.startswith('selftest/') and v.params:
            out += [pass_struct(v, v.family, None), set_params(v, v.family)]
    out.append('#endif\n')
    return ''.join(out)
