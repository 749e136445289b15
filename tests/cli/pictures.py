# SPDX-License-Identifier: BSD-2-Clause
"""PNG files, written and read, and boxes of AVIF, with nothing but the standard library."""
import random
import struct
import zlib

MAGIC = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4} # by colour type
GREY, RGB, PALETTE, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def pixels(width, height, kind=RGB, depth=8, seed=0):
    """Rows of samples: slopes with some noise in them."""
    dice, n, top = random.Random(seed), CHANNELS[kind], (1 << depth) - 1
    return [[min(top, max(0, (x * 7 * top // 255 + y * 5 + c * 31) % (top + 1) + dice.randint(-2, 2)))
             for x in range(width) for c in range(n)] for y in range(height)]


def png(rows, kind=RGB, depth=8, before=(), interlaced=False):
    """`before`: chunks between the header and the samples. Rows of samples, all the channels of a pixel together."""
    n = CHANNELS[kind]
    width, height = len(rows[0]) // n, len(rows)

    def packed(row):
        if depth == 16:
            return b"\0" + struct.pack(f">{len(row)}H", *row)
        if depth == 8:
            return b"\0" + bytes(row)
        bits = "".join(format(v, f"0{depth}b") for v in row)
        bits += "0" * (-len(bits) % 8)
        return b"\0" + bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))

    if interlaced:
        data = b""
        for x0, y0, dx, dy in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
                               (0, 1, 1, 2)):
            for row in rows[y0::dy]:
                part = [v for x in range(x0, width, dx) for v in row[x * n:x * n + n]]
                data += packed(part) if part else b""
    else:
        data = b"".join(packed(row) for row in rows)
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, int(interlaced))
    return MAGIC + chunk(b"IHDR", head) + b"".join(before) + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


def read_png(data):
    """(width, height, rows, chunks) of an 8-bit RGB file."""
    assert data.startswith(MAGIC)
    at, chunks = len(MAGIC), {}
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
        chunks[kind] = chunks.get(kind, b"") + body
        at += 12 + size
    width, height, depth, kind, *_ = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, kind) == (8, RGB)
    raw, rows, stride = zlib.decompress(chunks[b"IDAT"]), [], 3 * width
    before = [0] * stride
    for y in range(height):
        how, line = raw[y * (stride + 1)], list(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            left, up, corner = (line[i - 3] if i >= 3 else 0), before[i], (before[i - 3] if i >= 3 else 0)
            guess = left + up - corner
            nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            line[i] = (line[i] + [0, left, up, (left + up) // 2, nearest][how]) & 255
        rows.append([tuple(line[i:i + 3]) for i in range(0, stride, 3)])
        before = line
    return width, height, rows, chunks


def box(kind, *parts):
    body = b"".join(parts)
    return struct.pack(">I4s", 8 + len(body), kind) + body


def boxes(data, at=0):
    """The bodies of boxes that follow each other, by their kinds."""
    found = {}
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        found[kind] = data[at + 8:at + size]
        at += size
    return found


def with_gain_map(avif):
    """An AVIF of one picture whose only item has the properties ispe, pixi, av1C and colr, with a gain map (ISO
    21496-1), which has the same samples: the brand; an item that is derived of both; a group that prefers it."""
    top = boxes(avif)
    meta = boxes(top[b"meta"], 4)
    av1, (base, derived, gain) = top[b"mdat"], (1, 2, 3)
    # versions; one channel in the colours of the base; headrooms 0 and 1; minimum 0, maximum 1, gamma 1, offsets 0
    how = bytes(5) + b"\x40" + struct.pack(">14I", 0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1)
    ftyp = box(b"ftyp", top[b"ftyp"], b"tmap")

    def place(at):
        return b"".join(struct.pack(">3H2I", item, 0, 1, start, size) for item, start, size in
                        ((base, at, len(av1)), (derived, at + len(av1), len(how)), (gain, at, len(av1))))

    def head(at):
        entry = [box(b"infe", struct.pack(">BxxBHH4s", 2, item == gain, item, 0, kind), b"\0")
                 for item, kind in ((base, b"av01"), (derived, b"tmap"), (gain, b"av01"))]
        of = b"".join(struct.pack(f">HB{len(own)}B", item, len(own), *own) for item, own in
                      ((base, (1, 2, 0x83, 4)), (derived, (1, 2, 4)), (gain, (1, 2, 0x83, 4))))
        return ftyp + box(
            b"meta", bytes(4), box(b"hdlr", meta[b"hdlr"]), box(b"pitm", bytes(4), struct.pack(">H", base)),
            box(b"iloc", bytes(4), b"\x44\0", struct.pack(">H", 3), place(at)),
            box(b"iinf", bytes(4), struct.pack(">H", 3), *entry),
            box(b"iref", bytes(4), box(b"dimg", struct.pack(">4H", derived, 2, base, gain))),
            box(b"iprp", box(b"ipco", boxes(meta[b"iprp"])[b"ipco"]), box(b"ipma", bytes(4), struct.pack(">I", 3), of)),
            box(b"grpl", box(b"altr", bytes(4), struct.pack(">4I", 4, 2, derived, base))))
    return head(len(head(0)) + 8) + box(b"mdat", av1, how)
