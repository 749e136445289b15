# SPDX-License-Identifier: BSD-2-Clause
"""Reading and changing a SPIR-V module: what the build and its checks need."""
import struct
from itertools import chain
from pathlib import Path

MAGIC = 0x07230203

(OP_SOURCE_CONTINUED, OP_SOURCE, OP_SOURCE_EXTENSION, OP_NAME_, OP_MEMBER_NAME, OP_STRING, OP_LINE, OP_NO_LINE,
 OP_MODULE_PROCESSED) = 2, 3, 4, 5, 6, 7, 8, 317, 330
DEBUG = {OP_SOURCE_CONTINUED, OP_SOURCE, OP_SOURCE_EXTENSION, OP_NAME_, OP_MEMBER_NAME, OP_STRING, OP_LINE, OP_NO_LINE,
         OP_MODULE_PROCESSED}
OP_EXTENSION, OP_EXT_INST_IMPORT, OP_EXT_INST = 10, 11, 12
OP_MEMORY_MODEL, OP_ENTRY_POINT, OP_EXECUTION_MODE = 14, 15, 16
OP_CAPABILITY, OP_EXECUTION_MODE_ID = 17, 331
OP_TYPE_BOOL, OP_TYPE_INT, OP_TYPE_FLOAT, OP_TYPE_VECTOR, OP_TYPE_MATRIX, OP_TYPE_ARRAY, OP_TYPE_STRUCT = \
    20, 21, 22, 23, 24, 28, 30
OP_TYPE_POINTER, OP_CONSTANT, OP_VARIABLE, OP_DECORATE, OP_SELECT = 32, 43, 59, 71, 169
ANNOTATIONS = {OP_DECORATE, 72, 73, 74, 75, 332, 5632, 5633}
BEFORE_TYPES = DEBUG | ANNOTATIONS | {OP_CAPABILITY, OP_EXTENSION, OP_EXT_INST_IMPORT, OP_MEMORY_MODEL, OP_ENTRY_POINT,
                                      OP_EXECUTION_MODE, OP_EXECUTION_MODE_ID}
# Every instruction that adds, multiplies or divides floats: FNegate FAdd FSub FMul FDiv FRem FMod, scalars and vectors
# by matrices, OuterProduct, Dot.
FLOAT_ARITHMETIC = {127, 129, 131, 133, 136, 140, 141, 142, 143, 144, 145, 146, 147, 148}
FLOAT_COMPARES = range(180, 192)  # OpFOrdEqual to OpFUnordGreaterThanEqual
DECORATION_NO_CONTRACTION = 42
STORAGE_WORKGROUP = 4


class Module:
    def __init__(self, header, instructions):
        self.header = header                # 5 words
        self.instructions = instructions    # lists of words

    @classmethod
    def read(cls, path):
        data = Path(path).read_bytes()
        if len(data) < 20 or len(data) % 4:
            raise SystemExit(f'{path}: not SPIR-V: {len(data)} bytes')
        words = list(struct.unpack(f'<{len(data) // 4}I', data))
        if words[0] != MAGIC:
            raise SystemExit(f'{path}: not SPIR-V: first word {words[0]:#x}')
        instructions, at, end = [], 5, len(words)
        while at < end:
            length = words[at] >> 16
            if length == 0 or at + length > end:
                raise SystemExit(f'{path}: instruction at word {at} has a length of {length} words')
            instructions.append(words[at:at + length])
            at += length
        return cls(words[:5], instructions)

    def words(self):
        return self.header + list(chain.from_iterable(self.instructions))

    def bytes(self):
        words = self.words()
        return struct.pack(f'<{len(words)}I', *words)

    def write(self, path):
        Path(path).write_bytes(self.bytes())

    def of(self, *opcodes):
        return [i for i in self.instructions if i[0] & 0xffff in opcodes]

    def float_arithmetic(self):
        """Result ids of all float arithmetic."""
        return [i[2] for i in self.instructions if i[0] & 0xffff in FLOAT_ARITHMETIC]

    def no_contraction(self):
        return {i[1] for i in self.of(OP_DECORATE) if i[2] == DECORATION_NO_CONTRACTION}

    def undecorated(self):
        have = self.no_contraction()
        return [i for i in self.float_arithmetic() if i not in have]

    def float_selects(self):
        """Result ids of selects between floats by a compare of floats."""
        floats = {i[1] for i in self.of(OP_TYPE_FLOAT)}
        compares = {i[2] for i in self.of(*FLOAT_COMPARES)}
        return [i[2] for i in self.of(OP_SELECT) if i[1] in floats and i[3] in compares]

    def decorate_no_contraction(self):
        """A module in which every float operation has the decoration: annotations end where the types begin."""
        at = next(n for n, i in enumerate(self.instructions) if i[0] & 0xffff not in BEFORE_TYPES)
        added = [[3 << 16 | OP_DECORATE, i, DECORATION_NO_CONTRACTION] for i in self.undecorated()]
        module = Module(self.header, self.instructions[:at] + added + self.instructions[at:])
        assert not module.undecorated()
        return module

    def stripped(self):
        """Without names and lines."""
        return Module(self.header, [i for i in self.instructions if i[0] & 0xffff not in DEBUG])

    def constants(self):
        """id -> value of 32-bit scalar constants."""
        return {i[2]: i[3] for i in self.of(OP_CONSTANT) if len(i) == 4}

    def float_constants(self):
        """Bits of all 32-bit float constants."""
        floats = {i[1] for i in self.of(OP_TYPE_FLOAT) if i[2] == 32}
        return [i[3] for i in self.of(OP_CONSTANT) if i[1] in floats]

    def shared_bytes(self):
        """Bytes of all variables in workgroup memory, each laid out tightly."""
        types = {i[1]: i for i in self.of(OP_TYPE_BOOL, OP_TYPE_INT, OP_TYPE_FLOAT, OP_TYPE_VECTOR, OP_TYPE_MATRIX,
                                          OP_TYPE_ARRAY, OP_TYPE_STRUCT, OP_TYPE_POINTER)}
        constants = self.constants()

        def size(t):
            i = types[t]
            op = i[0] & 0xffff
            if op == OP_TYPE_BOOL:
                return 4
            if op in (OP_TYPE_INT, OP_TYPE_FLOAT):
                return i[2] // 8
            if op in (OP_TYPE_VECTOR, OP_TYPE_MATRIX):
                return size(i[2]) * i[3]
            if op == OP_TYPE_ARRAY:
                return size(i[2]) * constants[i[3]]
            return sum(size(m) for m in i[2:])

        return sum(size(types[v[1]][3]) for v in self.of(OP_VARIABLE) if v[3] == STORAGE_WORKGROUP)
