#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Looks into every SPIR-V module of the build for what would break the contract of equal bits, or
need an optional feature.

    check_spirv.py CONSTANTS_HEADER FOLDER               of NAME.min.spv, NAME.full.spv and NAME.wide.spv
    check_spirv.py --self-test CONSTANTS_HEADER FOLDER   each check must notice a module that was spoilt for it
"""
import copy
import re
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import spirv_module as sm  # noqa: E402

SHADER, SUBGROUP, SUBGROUP_ARITHMETIC = 1, 61, 63
CAPABILITIES = {'min': {SHADER}, 'wide': {SHADER}, 'full': {SHADER, SUBGROUP, SUBGROUP_ARITHMETIC}}
INTEGERS = {38, 39, 41, 42, 73, 75}  # UMin, SMin, UMax, SMax, FindILsb, FindUMsb of GLSL.std.450
SUBGROUP_OPERATIONS = range(333, 367)
SUBGROUP_ALLOWED = {333, 349}  # OpGroupNonUniformElect, OpGroupNonUniformIAdd
LITERALS = (0.0, 0.5, 1.0, 2.0, 1048576.0)  # that a kernel text may write out, tools/kernel_list.py


def bits(value):
    return struct.unpack('<I', struct.pack('<f', value))[0]


def allowed_constants(header):
    """Bits of the constants table and of the literals, either sign."""
    text = Path(header).read_text()
    floats = [float(m) for m in re.findall(r'^#define \w+ (-?[0-9.][-+0-9.e]*)f$', text, flags=re.M)]
    if len(floats) != len(re.findall(r'^#define \w+ [^ ]*f$', text, flags=re.M)):
        raise SystemExit(f'{header}: a float constant that this script does not read')
    return {bits(f) ^ sign for f in list(LITERALS) + floats for sign in (0, 0x80000000)}


def findings(module, kind, allowed):
    for i in module.undecorated():
        yield f'float operation %{i} is not NoContraction'
    for i in module.float_selects():
        yield f'%{i} selects between floats by a compare of floats: a driver may make a max of it'
    for i in module.of(sm.OP_EXT_INST):
        if i[4] not in INTEGERS:
            yield f'instruction {i[4]} of an extended instruction set'
    for i in module.of(sm.OP_CAPABILITY):
        if i[1] not in CAPABILITIES[kind]:
            yield f'capability {i[1]}'
    for i in module.of(sm.OP_TYPE_INT, sm.OP_TYPE_FLOAT):
        if i[2] != 32:
            yield f'a type of {i[2]} bits'
    for i in module.of(*SUBGROUP_OPERATIONS):
        if kind != 'full' or i[0] & 0xffff not in SUBGROUP_ALLOWED:
            yield f'subgroup operation {i[0] & 0xffff}'
    for b in module.float_constants():
        if b not in allowed:
            yield f'float constant {b:#010x} ({struct.unpack("<f", struct.pack("<I", b))[0]!r}) is not in the table'


def kind_of(path):
    return Path(path).suffixes[-2][1:]


def self_test(paths, allowed):
    """Spoils the first module that can be spoilt in each way, and expects a finding that was not there before."""
    def undecorate(m):
        m.instructions.remove(next(i for i in m.of(sm.OP_DECORATE) if i[2] == sm.DECORATION_NO_CONTRACTION))

    def nudge(m):
        floats = {i[1] for i in m.of(sm.OP_TYPE_FLOAT)}
        next(i for i in m.of(sm.OP_CONSTANT) if i[1] in floats and i[3] & 0x7fffffff)[3] ^= 1

    def need_int64(m):
        m.instructions.insert(0, [2 << 16 | sm.OP_CAPABILITY, 11])

    def widen(m):
        m.of(sm.OP_TYPE_INT)[0][2] = 64

    def call(name, number):
        def spoil(m):
            at = next(n for n, i in enumerate(m.instructions) if i[0] & 0xffff in sm.FLOAT_ARITHMETIC)
            old = m.instructions[at]
            m.instructions[at] = [7 << 16 | sm.OP_EXT_INST, old[1], old[2], 1, number, old[3], old[3]]
        spoil.__name__ = f'call of {name}'
        return spoil

    def select(m):
        at = next(n for n, i in enumerate(m.instructions) if i[0] & 0xffff in sm.FLOAT_ARITHMETIC)
        old = m.instructions[at]
        compare = m.of(*sm.FLOAT_COMPARES)[0]
        m.instructions[at] = [6 << 16 | sm.OP_SELECT, old[1], old[2], compare[2], old[3], old[3]]

    calls = [call(*c) for c in {'Fma': 50, 'FMin': 37, 'FMax': 40, 'NMin': 79, 'NMax': 80}.items()]
    for spoil in [select, undecorate, nudge, need_int64, widen] + calls:
        for path in paths:
            m = copy.deepcopy(sm.Module.read(path))
            try:
                spoil(m)
            except (StopIteration, IndexError):
                continue
            if not list(findings(m, kind_of(path), allowed)):
                raise SystemExit(f'{path}: {spoil.__name__} was not noticed')
            break
        else:
            raise SystemExit(f'no module to try {spoil.__name__} on')
    print('every spoilt module was noticed')


def main():
    args = sys.argv[1:]
    testing = args[:1] == ['--self-test']
    if len(args) != testing + 2:
        raise SystemExit(__doc__)
    header, paths = args[testing], sorted(Path(args[testing + 1]).glob('*.spv'))
    if not paths:
        raise SystemExit(f'{args[testing + 1]}: no modules')
    allowed = allowed_constants(header)
    if testing:
        return self_test(paths, allowed)
    # A module that is another one again has been looked at, by rules that are no laxer: those of `min` and `wide` are
    # equal, and `full` is allowed more.
    bad, operations, seen = 0, 0, set()
    for path in sorted(paths, key=lambda p: kind_of(p) == 'full'):
        data = path.read_bytes()
        if data in seen:
            continue
        seen.add(data)
        module = sm.Module.read(path)
        operations += len(module.float_arithmetic())
        for finding in findings(module, kind_of(path), allowed):
            print(f'{path}: {finding}')
            bad += 1
    print(f'{len(seen)} different modules of {len(paths)}, {operations} float operations, {bad} findings')
    return bad != 0


sys.exit(main())
