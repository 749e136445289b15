# SPDX-License-Identifier: BSD-2-Clause
"""Bare H.264 of pictures and fields whose samples are stored as they are, so that the right ones are known."""
import random
import re

from command import y4m

SIDE = 2 # of a picture, in macroblocks


class Syntax:
    def __init__(self):
        self.bits = ""

    def put(self, value, count=1):
        self.bits += format(int(value), f"0{count}b") if count else ""

    def count(self, *values):
        for value in values:
            self.put(value + 1, 2 * (value + 1).bit_length() - 1)

    def filled(self, ends=""):
        whole = self.bits + ends
        whole += "0" * (-len(whole) % 8)
        return int(whole, 2).to_bytes(len(whole) // 8, "big")


def unit(kind, data):
    return bytes([0, 0, 0, 1, kind]) + re.sub(rb"\0\0(?=[\0-\3])", b"\0\0\3", data)


def parameters(rate):
    """Of a sequence in which a picture may be two fields, and of its pictures."""
    sequence = Syntax()
    sequence.put(77 << 16 | 40, 24) # the profile and the level
    sequence.count(0, 4, 0, 4, 2) # 8 bits of a picture's number, and of its order; 2 references
    sequence.put(0)
    sequence.count(SIDE - 1, SIDE // 2 - 1)
    sequence.put(0b00101, 5) # fields and not macroblocks of both, no cropping, more about the display
    sequence.put(0, 4)
    sequence.put(1)
    sequence.put(1, 32)
    sequence.put(2 * rate, 32)
    sequence.put(0b10000, 5)
    pictures = Syntax()
    pictures.count(0, 0)
    pictures.put(0, 2)
    pictures.count(0, 0, 0)
    pictures.put(0, 3)
    pictures.count(0, 0, 0)
    pictures.put(0b100, 3)
    return unit(0x67, sequence.filled("1")) + unit(0x68, pictures.filled("1"))


def coded(planes, rows, number, field=None, group=0, shown=None):
    """A picture, or its field: 0 is the top one. `number` counts in a group, which needs no other one; so does `shown`,
    where pictures are shown in another order."""
    bits, first = Syntax(), not number and not field
    bits.count(0, 7, 0)
    bits.put(number, 8)
    bits.put(0 if field is None else 2 | field, 1 if field is None else 2)
    if first:
        bits.count(group % 2)
    bits.put(2 * (number if shown is None else shown) + (field or 0), 8)
    bits.put(0, 2 if first else 1)
    bits.count(0, 1) # as the quantizer of the parameters, no deblocking
    data = b""
    for at in range(SIDE * rows):
        bits.count(25)
        data, bits = data + bits.filled(), Syntax()
        for plane, size in zip(planes, (16, 8, 8)):
            for y in range(size):
                begin = (at // SIDE * size + y) * SIDE * size + at % SIDE * size
                data += plane[begin:begin + size]
    return unit(0x65 if first else 0x61, data + b"\x80")


def video(count, fields, rate=25, keys=100, shown=lambda n: n):
    """A bare stream, of which fields(n) says whether picture n is two fields, and shown(n) as which one it is
    shown, and Y4M of the same pictures."""
    dice, stream, plain = random.Random(1), parameters(rate), {}
    for n in range(count):
        planes = [bytes(dice.randrange(16, 236) for _ in range((SIDE * size) ** 2)) for size in (16, 8, 8)]
        plain[shown(n)] = b"FRAME\n" + b"".join(planes)
        if not fields(n):
            stream += unit(9, b"\xf0") + coded(planes, SIDE, n % keys, None, n // keys, shown(n) % keys)
            continue
        for field in (0, 1):
            lines = [[p[y * SIDE * size:][:SIDE * size] for y in range(field, SIDE * size, 2)]
                     for p, size in zip(planes, (16, 8, 8))]
            stream += unit(9, b"\xf0") + coded([b"".join(p) for p in lines], SIDE // 2, n % keys, field, n // keys)
    return stream, y4m(16 * SIDE, 16 * SIDE, 0, rate=f"{rate}:1") + b"".join(plain[n] for n in range(count))
