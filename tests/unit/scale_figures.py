# SPDX-License-Identifier: BSD-2-Clause
"""Writes scale_figures.h: digests of pictures that the ffmpeg program's scale filter makes of pictures that the test
makes, too. With --check FILE, compares them with the file's instead; exit 77 without ffmpeg."""
import shutil
import struct
import subprocess
import sys

# Filter, format, sizes before and behind, places of chroma before and behind (horizontal, vertical; -513: centred).
CENTRED = (-513, -513)
CASES = [
    ("bicubic", "yuv420p", (128, 72), (192, 108), CENTRED, CENTRED),
    ("bicubic", "yuv420p", (61, 37), (60, 90), CENTRED, CENTRED),
    ("bicubic", "yuv422p10le", (96, 54), (64, 36), CENTRED, CENTRED),
    ("bicubic", "yuv444p12le", (45, 30), (119, 31), CENTRED, CENTRED),
    ("bicubic", "gray16le", (50, 41), (75, 60), CENTRED, CENTRED),
    ("bicubic", "yuv420p14le", (33, 80), (47, 21), CENTRED, CENTRED),
    ("bicubic", "yuv411p", (90, 33), (133, 55), CENTRED, CENTRED),
    ("bicubic", "yuv420p9le", (5, 4), (31, 33), CENTRED, CENTRED),
    ("bicubic", "gray", (1, 1), (7, 5), CENTRED, CENTRED),
    ("bicubic", "gray", (150, 140), (9, 5), CENTRED, CENTRED),
    ("bicubic", "yuv420p", (64, 48), (96, 72), (0, -513), (0, -513)),
    ("bicubic", "yuv420p", (64, 48), (96, 72), (0, 0), (0, -513)),
    ("bicubic", "yuv422p", (64, 48), (40, 50), (0, -513), CENTRED),
    ("bicubic", "yuv420p", (64, 48), (64, 50), CENTRED, (0, 256)),
    ("lanczos", "yuv420p", (128, 72), (192, 108), CENTRED, CENTRED),
    ("lanczos", "yuv444p16le", (40, 61), (55, 33), CENTRED, CENTRED),
    ("lanczos", "yuv420p10le", (61, 37), (50, 90), CENTRED, CENTRED),
    ("lanczos", "gray12le", (96, 90), (33, 20), CENTRED, CENTRED),
    ("lanczos", "yuv420p", (48, 32), (72, 50), (0, 0), (0, 0)),
    ("bilinear", "yuv420p", (128, 72), (192, 108), CENTRED, CENTRED),
    ("bilinear", "yuv422p12le", (61, 37), (30, 90), CENTRED, CENTRED),
    ("bilinear", "gray16le", (60, 37), (30, 90), CENTRED, CENTRED),
    ("spline", "yuv420p", (128, 72), (192, 108), CENTRED, CENTRED),
    ("spline", "yuv422p10le", (96, 54), (64, 36), CENTRED, CENTRED),
    ("spline", "gray16le", (50, 41), (75, 60), CENTRED, CENTRED),
]
LAYOUTS = {"gray": ("400", 0, 0), "yuv420p": ("420", 1, 1), "yuv422p": ("422", 1, 0), "yuv444p": ("444", 0, 0),
           "yuv411p": ("411", 2, 0)}
PLACES = {(-513, -513): "CENTER", (0, -513): "LEFT", (0, 0): "TOP_LEFT", (0, 256): "BOTTOM_LEFT"}


def format_of(name):
    """(layout, shift across, shift down, bits)"""
    base = next(b for b in sorted(LAYOUTS, key=len, reverse=True) if name.startswith(b))
    digits = name[len(base):].removesuffix("le")
    return (*LAYOUTS[base], int(digits) if digits else 8)


def samples(count, bits):
    """Noise, of which a quarter is black or white."""
    state, peak, out = 1, (1 << bits) - 1, []
    for _ in range(count):
        state = (state * 1103515245 + 12345) & 0x7fffffff
        v = state >> 8 & peak
        out.append((v & 1) * peak if state >> 29 == 0 else v)
    return struct.pack(f"<{count}{'B' if bits == 8 else 'H'}", *out)


def digest(data):
    h = 14695981039346656037
    for byte in data:
        h = ((h ^ byte) * 1099511628211) & 0xffffffffffffffff
    return h


def scaled(case):
    name, form, (sw, sh), (dw, dh), before, behind = case
    layout, sx, sy, bits = format_of(form)
    count = sw * sh + (0 if layout == "400" else 2 * -(-sw // (1 << sx)) * -(-sh // (1 << sy)))
    option = f"scale={dw}:{dh}:flags={name}+accurate_rnd+bitexact"
    for side, place in (("in", before), ("out", behind)):
        option += f":{side}_h_chr_pos={place[0]}:{side}_v_chr_pos={place[1]}"
    return subprocess.run(["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", form, "-s", f"{sw}x{sh}", "-i", "-",
                           "-vf", option, "-f", "rawvideo", "-pix_fmt", form, "-"], input=samples(count, bits),
                          capture_output=True, check=True).stdout


def header():
    lines = ["/* SPDX-License-Identifier: BSD-2-Clause */\n", "/* Written by scale_figures.py with ffmpeg 5.1.9. */\n",
             "static const struct figure figures[] = {\n"]
    for case in CASES:
        name, form, (sw, sh), (dw, dh), before, behind = case
        layout, _, _, bits = format_of(form)
        lines.append(f"    {{SCALE_{name.upper()}, ASSAY_LAYOUT_{layout}, {bits}, {sw}, {sh}, {dw}, {dh}, "
                     f"ASSAY_CHROMA_{PLACES[before]},\n     ASSAY_CHROMA_{PLACES[behind]}, 0x{digest(scaled(case)):016x}u}},\n")
    return "".join(lines) + "};\n"


def main():
    if not shutil.which("ffmpeg"):
        print("there is no ffmpeg program")
        return 77
    if len(sys.argv) < 3:
        sys.stdout.write(header())
        return 0
    with open(sys.argv[2], encoding="utf-8") as f:
        same = f.read() == header()
    print("the figures are ffmpeg's" if same else "ffmpeg makes other pictures")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
