#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Made the files in this folder, for machines without these tools (Debian's webp, libavif-bin, libjxl-tools, ffmpeg):

    tests/cli/images/make.py

All show `picture` of test_image_files.py, 12x8: rgb.* as it is, clear.* with an alpha of 153 everywhere, deep.* with 16
bits, turned_N.* so that the stored samples are the picture and N is the orientation, moving.* with a second frame.
codes_N.* are ramps of codes of N bits. Lossy with a profile: profile.jxl (Adobe RGB), toe.jxl (a power with a line
below it), grey.jxl (sRGB's curve under D50).
"""
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from pictures import GREY, RGB, RGBA, png  # noqa: E402
from test_image_files import PROFILES, deep, iccp, nearest, picture, ramp  # noqa: E402

AVIF_TURNS = {2: ("--imir", "1"), 3: ("--irot", "2"), 4: ("--imir", "0"), 5: ("--irot", "1", "--imir", "0"),
              6: ("--irot", "3"), 7: ("--irot", "1", "--imir", "1"), 8: ("--irot", "1")}


def run(*command):
    subprocess.run([str(c) for c in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main():
    with tempfile.TemporaryDirectory() as folder:
        rgb, clear, dark, wide = (Path(folder) / name for name in ("rgb.png", "clear.png", "dark.png", "deep.png"))
        rgb.write_bytes(png(picture(), RGB))
        dark.write_bytes(png([[v // 2 for v in row] for row in picture()], RGB))
        clear.write_bytes(png([[v for x in range(12) for v in (*row[3 * x:3 * x + 3], 153)] for row in picture()],
                              RGBA))
        wide.write_bytes(png(deep(), RGB, 16))
        run("ffmpeg", "-y", "-i", rgb, "-pix_fmt", "yuvj444p", "-q:v", "2", "-bitexact", HERE / "rgb.jpg")
        for name, source in (("rgb", rgb), ("clear", clear)):
            run("cwebp", "-lossless", "-exact", source, "-o", HERE / f"{name}.webp")
            run("avifenc", "--lossless", source, HERE / f"{name}.avif")
            run("cjxl", "-d", "0", source, HERE / f"{name}.jxl")
        run("avifenc", "--lossless", "-d", "10", wide, HERE / "deep.avif")
        run("cjxl", "-d", "0", wide, HERE / "deep.jxl")
        coloured = Path(folder) / "profile.png"
        for name, rows, kind, profile in PROFILES:
            coloured.write_bytes(png(rows, kind, before=[iccp(profile)]))
            run("cjxl", "-d", "1", coloured, HERE / f"{name}.jxl")
        for depth in (11, 12, 15):
            codes = ramp(depth)
            wide.write_bytes(png([[nearest(v, (1 << depth) - 1, 65535) for v in row] for row in codes], GREY, 16))
            if depth == 12:
                wide.write_bytes(b"".join(v.to_bytes(2, "little") for row in codes for v in row))
                run("ffmpeg", "-y", "-f", "rawvideo", "-pix_fmt", "gray12le", "-s", "64x64", "-i", wide, "-vf",
                    "setparams=range=pc", "-c:v", "libaom-av1", "-aom-params", "lossless=1", "-still-picture", "1",
                    "-frames:v", "1", HERE / "codes_12.avif")
            else:
                run("cjxl", "-d", "0", f"--override_bitdepth={depth}", wide, HERE / f"codes_{depth}.jxl")
        for n, turn in AVIF_TURNS.items():
            run("avifenc", "--lossless", *turn, rgb, HERE / f"turned_{n}.avif")
            tagged = Path(folder) / "tagged.png"
            tagged.write_bytes(png(picture(), RGB))
            run("exiftool", "-overwrite_original", "-n", f"-Orientation={n}", tagged)
            run("cjxl", "-d", "0", tagged, HERE / f"turned_{n}.jxl")
        run("img2webp", "-lossless", "-d", "40", rgb, dark, "-o", HERE / "moving.webp")
        run("avifenc", rgb, dark, HERE / "moving.avif")
        run("ffmpeg", "-y", "-i", rgb, "-i", dark, "-filter_complex", "concat=n=2", "-f", "apng", HERE / "moving.png")
        run("cjxl", "-d", "0", HERE / "moving.png", HERE / "moving.jxl")


if __name__ == "__main__":
    main()
