#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""butteraugli of `assay image` against golden/butteraugli of the shared data folder: an evaluation in double, and the
figures of libjxl's own code, scalar and AVX2.

    butteraugli.py ASSAY [--backend NAME] [--only TEXT]

Every figure v (the score, the norm of libjxl's tool, plain norms 2 and 3) is within 5e-5 max(1, v) of double on natural
pictures, 1e-4 max(1, v) on made ones, and within twice that of libjxl's. Identical pictures have exactly 0. Figures off
by twice the bound have to be noticed.

A side is a file, or 'made:KIND:...', and steps behind it; golden/butteraugli/pairs.py says what they are, and this test
makes them again from the samples of PNG files. Skipped where the folder is absent."""
import argparse
import functools
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

import golden

NATURAL, MADE = 5e-5, 1e-4
KEYS = {"max": "butteraugli", "pnorm": "butteraugli_3norm", "norm2": "butteraugli_norm2", "norm3": "butteraugli_norm3"}
OPTIONS = {"asymmetry": "hf_asymmetry", "xmul": "xmul", "target": "intensity_target"}
CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}


def filtered(kind, row, above, step):
    """A row of a PNG file without its filter."""
    if kind == 1:
        for i in range(step, len(row)):
            row[i] = (row[i] + row[i - step]) & 255
    elif kind == 2:
        row = bytearray((a + b) & 255 for a, b in zip(row, above))
    elif kind == 3:
        for i in range(len(row)):
            row[i] = (row[i] + ((row[i - step] if i >= step else 0) + above[i]) // 2) & 255
    elif kind == 4:
        for i in range(len(row)):
            a, b, c = (row[i - step] if i >= step else 0), above[i], (above[i - step] if i >= step else 0)
            p, q, r = abs(b - c), abs(a - c), abs(a + b - 2 * c)
            row[i] = (row[i] + (a if p <= q and p <= r else b if q <= r else c)) & 255
    return row


@functools.lru_cache(maxsize=4)
def read_png(path):
    """(rows of samples, channels, the largest code) of a PNG file that is not interlaced and has no palette."""
    data, at, packed = pathlib.Path(path).read_bytes(), 8, b""
    while at < len(data):
        size, = struct.unpack(">I", data[at:at + 4])
        name, body = data[at + 4:at + 8], data[at + 8:at + 8 + size]
        if name == b"IHDR":
            w, h, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            assert depth in (8, 16) and colour in CHANNELS and not interlaced, path
        elif name == b"IDAT":
            packed += body
        at += size + 12
    n, size = CHANNELS[colour], depth // 8
    raw, rows, above = zlib.decompress(packed), [], bytearray(w * n * size)
    for y in range(h):
        start = y * (len(above) + 1)
        above = filtered(raw[start], bytearray(raw[start + 1:start + 1 + len(above)]), above, n * size)
        rows.append(list(above) if size == 1 else list(struct.unpack(">%dH" % (w * n), bytes(above))))
    return rows, n, (1 << depth) - 1


def write_png(path, rows, n, peak):
    size, colour = (2 if peak > 255 else 1), {v: k for k, v in CHANNELS.items()}[n]
    packed = b"".join(b"\0" + struct.pack(">%d%s" % (len(r), "BH"[size - 1]), *r) for r in rows)
    chunks = (b"IHDR", struct.pack(">IIBBBBB", len(rows[0]) // n, len(rows), 8 * size, colour, 0, 0, 0)), \
        (b"IDAT", zlib.compress(packed, 1)), (b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks))


def numbers(seed):
    """The generator of pairs.py: 16 bits at a time."""
    while True:
        seed = (seed * 1664525 + 1013904223) & 0xffffffff
        yield seed >> 16


def made(kind, w, h, *r):
    """A picture of 8 bits by its description."""
    def pixel(x, y):
        if kind == "flat":
            return r
        if kind == "checker":
            return ((x // r[0] + y // r[0] + r[1]) % 2 * 255,) * 3
        if kind == "ramp":
            across = x * 255 // max(1, w - 1)
            return min(across + r[0], 255), y * 255 // max(1, h - 1), 255 - across
        if kind == "impulse":
            return (r[1] if (x, y) == (r[2], r[3]) else r[0],) * 3
        if kind == "bars":
            return (200, 40, 60) if (x // 3 + r[0]) % 2 else (40, 160, 60)
        assert kind == "noise"
        return next(source) % 256, next(source) % 256, next(source) % 256
    source = numbers(r[0])
    return [[v for x in range(w) for v in pixel(x, y)] for y in range(h)], 3, 255


def blurred(rows, n):
    """(left + 2 centre + right + 2) >> 2 along rows, then columns; borders repeated."""
    def along(lines):
        first, last = lines[0], lines[-1]
        return [[(a + 2 * b + c + 2) >> 2 for a, b, c in zip(*three)]
                for three in zip([first] + lines[:-1], lines, lines[1:] + [last])]
    columns = [[row[x * n + c] for row in rows for c in range(n)] for x in range(len(rows[0]) // n)]
    columns = along(columns)
    return along([[column[y * n + c] for column in columns for c in range(n)] for y in range(len(rows))])


def step(rows, n, peak, name, *r):
    if name == "crop":
        return [row[r[0] * n:(r[0] + r[2]) * n] for row in rows[r[1]:r[1] + r[3]]], n
    if name == "noise":
        source = numbers(r[1])
        return [[min(max(v + next(source) % (2 * r[0] + 1) - r[0], 0), peak) for v in row] for row in rows], n
    if name == "grey":
        return [row[1::n] for row in rows], 1
    if name == "quant":
        return [[v if n == 4 and i % 4 == 3 else min(max((v + r[0] // 2) // r[0] * r[0], 0), peak)
                 for i, v in enumerate(row)] for row in rows], n
    assert name == "blur3"
    return blurred(rows, n), n


def side(text, data, to):
    """The file of a side: one of the data folder, or `to`, which is written."""
    first, *steps = text.split("|")
    if not steps and not first.startswith("made:"):
        return data / first
    if first.startswith("made:"):
        _, kind, *r = first.split(":")
        rows, n, peak = made(kind, *map(int, r))
    else:
        rows, n, peak = read_png(str(data / first))
    for one in steps:
        name, *r = one.split(":")
        rows, n = step(rows, n, peak, name, *map(int, r))
    write_png(to, rows, n, peak)
    return to


def options_of(case):
    """`light` times light is `light` times intensity_target."""
    given = dict(case["options"])
    light = given.pop("light", 1)
    if light != 1:
        given["target"] = given.get("target", 80.0) * light
    return ":".join(["butteraugli=norms=true"] + ["%s=%r" % (OPTIONS[k], v) for k, v in given.items()])


def compare(program, case, ref, dis, backend, worst):
    done = subprocess.run([program, "image", ref, dis, "-m", options_of(case), "-q", "--backend", backend, "--json",
                           "-", "--precision", "max", "--assume", "srgb", "--allow-alpha"],
                          capture_output=True, text=True)
    if done.returncode not in (0, 1):
        return [done.stderr.strip()]
    got, wrong = json.loads(done.stdout)["pairs"][0]["metrics"], []
    bound = MADE if case["ref"].startswith("made:") or "synth" in case["ref"] else NATURAL
    for name, key in KEYS.items():
        for who, times in (("oracle", 1), ("libjxl_scalar", 2), ("libjxl_avx2", 2)):
            want, most = case[who][name], times * bound * max(1.0, case[who][name])
            off = abs(got[key] - want) / max(1.0, want)
            kind = "%s, %s" % (who, "natural" if bound == NATURAL else "made")
            worst[kind] = max(worst.get(kind, (0, "")), (off, "%s %s" % (case["name"], key)))
            if not abs(got[key] - want) <= most:
                wrong.append("%s is %r, and %s has %r: %.2e off" % (key, got[key], who, want, off))
            if abs(got[key] + 2.001 * most - want) <= most:
                wrong.append("%s: twice the bound would not be noticed" % key)
        if case["name"] == "identical" and got[key] != 0.0:
            wrong.append("identical pictures differ")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--only", default="", help="part of a case's name")
    options = parser.parse_args()
    shared = golden.shared_folder()
    index = shared / "golden" / "butteraugli" / "figures.json"
    if not index.exists():
        return golden.SKIP
    compared, wrong, worst = 0, [], {}
    with tempfile.TemporaryDirectory() as folder:
        for case in json.loads(index.read_text())["cases"]:
            files = [shared / "data" / case[name].split("|")[0] for name in ("ref", "dis")]
            if options.only not in case["name"] or not all(f.exists() or "made:" in f.name for f in files):
                continue
            pair = [side(case[name], shared / "data", pathlib.Path(folder) / (name + ".png"))
                    for name in ("ref", "dis")]
            wrong += ["%s: %s" % (case["name"], w) for w in compare(options.program, case, *pair, options.backend,
                                                                    worst)]
            compared += 1
    for kind in sorted(worst):
        print("%-24s at most %.2e (%s)" % (kind, *worst[kind]))
    print("%d pairs compared" % compared)
    print("\n".join(wrong[:40]))
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
