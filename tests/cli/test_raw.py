# SPDX-License-Identifier: BSD-2-Clause
"""Raw video beside a file with a header, and the names of raw formats."""
import json
import os
import shutil
import subprocess
import unittest

from command import DIS, INPUT, MISMATCH, REF, USAGE, Case, frame, main, sizes, y4m

LIBAV = shutil.which("ffmpeg") and os.environ.get("ASSAY_LIBAV")
SIZE = ["-w", "32", "-h", "24"]
RAW = [*SIZE, "-p", "420", "-b", "8"]


# How planar pictures become those of other formats, as FFmpeg describes them: the planar format, its chroma and depth;
# by plane of the file the samples of a group: "y", "u" or "v" and a number, or "-", which is a zero.
PACKED = {
    "nv12": ("yuv420p", "420", 8, ["y0", "u0 v0"]), "nv21": ("yuv420p", "420", 8, ["y0", "v0 u0"]),
    "nv16": ("yuv422p", "422", 8, ["y0", "u0 v0"]), "nv24": ("yuv444p", "444", 8, ["y0", "u0 v0"]),
    "nv42": ("yuv444p", "444", 8, ["y0", "v0 u0"]),
    "p010le": ("yuv420p10le", "420", 10, ["y0", "u0 v0"]), "p010": ("yuv420p10le", "420", 10, ["y0", "u0 v0"]),
    "p012le": ("yuv420p12le", "420", 12, ["y0", "u0 v0"]), "p016le": ("yuv420p16le", "420", 16, ["y0", "u0 v0"]),
    "p210le": ("yuv422p10le", "422", 10, ["y0", "u0 v0"]), "p212le": ("yuv422p12le", "422", 12, ["y0", "u0 v0"]),
    "p216le": ("yuv422p16le", "422", 16, ["y0", "u0 v0"]), "p410le": ("yuv444p10le", "444", 10, ["y0", "u0 v0"]),
    "p412le": ("yuv444p12le", "444", 12, ["y0", "u0 v0"]), "p416le": ("yuv444p16le", "444", 16, ["y0", "u0 v0"]),
    "yuyv422": ("yuv422p", "422", 8, ["y0 u0 y1 v0"]), "yvyu422": ("yuv422p", "422", 8, ["y0 v0 y1 u0"]),
    "uyvy422": ("yuv422p", "422", 8, ["u0 y0 v0 y1"]),
    "y210le": ("yuv422p10le", "422", 10, ["y0 u0 y1 v0"]), "y212le": ("yuv422p12le", "422", 12, ["y0 u0 y1 v0"]),
    "rgb24": ("gbrp", "444", 8, ["v0 y0 u0"]), "bgr24": ("gbrp", "444", 8, ["u0 y0 v0"]),
}


def pack(name, data, width, height):
    """Pictures in a packed format, from planar ones."""
    _, chroma, depth, groups = PACKED[name]
    word, shift, out = (2, 16 - depth, bytearray()) if depth > 8 else (1, 0, bytearray())
    while data:
        planes = {}
        for plane, (w, h) in zip("yuv", sizes(width, height, chroma)):
            size = w * word
            planes[plane] = [[int.from_bytes(data[y * size + x:y * size + x + word], "little") << shift
                              for x in range(0, size, word)] for y in range(h)]
            data = data[size * h:]
        for group in groups:
            names = group.split()
            step = 1 + max(int(n[1]) for n in names if n[0] == names[0][0] or n[0] == "y")
            for y in range(len(planes[names[0][0]])):
                rows = {n[0]: planes[n[0]][y] for n in names}
                for x in range(min((len(row) + (step - 1 if n == "y" else 0)) // (step if n == "y" else 1)
                                   for n, row in rows.items())):
                    for n in names:
                        at = x * (step if n[0] == "y" else 1) + int(n[1])
                        out += (rows[n[0]][at] if at < len(rows[n[0]]) else 0).to_bytes(word, "little")
    return bytes(out)


class Raw(Case):
    def frames(self, *args, **how):
        done = self.passes("-q", "-m", "psnr=enable_mse=true", "--precision", "max", "--json", "-", *args, **how)
        report = json.loads(done.out)
        return [frame["metrics"] for frame in report["frames"]], report["assay"]

    def sides(self, **how):
        """ref.y4m and dis.y4m, and what is behind their headers as ref.yuv and dis.yuv."""
        ref, dis = self.pair(**how)
        for name in (ref, dis):
            data = (self.dir / name).read_bytes()
            self.write(name.replace("y4m", "yuv"), data[data.index(b"\n") + 1:].replace(b"FRAME\n", b""))
        return ref, dis

    def test_either_side(self):
        expected, _ = self.frames(*self.sides())
        for ref in ("ref.y4m", "ref.yuv"):
            for dis in ("dis.y4m", "dis.yuv"):
                if (ref, dis) == ("ref.y4m", "dis.y4m"):
                    continue
                with self.subTest(ref=ref, dis=dis):
                    scored, block = self.frames(*RAW, ref, dis)
                    self.assertEqual(scored, expected)
                    self.assertEqual([block["reference_reader"], block["distorted_reader"]],
                                     [name[-3:].replace("yuv", "raw") for name in (ref, dis)])

    def test_from_a_pipe(self):
        expected, _ = self.frames(*self.sides())
        for name, other in (("ref.yuv", "dis.y4m"), ("ref.y4m", "dis.yuv")):
            with open(self.dir / name, "rb") as stream:
                pipe = subprocess.Popen(["cat"], stdin=stream, stdout=subprocess.PIPE)
                scored, _ = self.frames(*RAW, "-", other, stdin=pipe.stdout)
                pipe.stdout.close()
                pipe.wait()
            self.assertEqual(scored, expected)

    def test_named_forms(self):
        """What is said of a side holds whatever the side begins with."""
        self.sides()
        size = len(y4m())
        row = ["-w", "1", "-h", str(size), "-p", "400", "-b", "8"]
        _, block = self.frames(*row, "--ref-format", "raw", "--dis-format", "raw", "ref.y4m", "dis.y4m")
        self.assertEqual(block["reference_size"], f"1x{size}")
        self.refuses(INPUT, "ref.yuv", *RAW, "--ref-format", "coded", "ref.yuv", "dis.yuv")
        self.refuses(MISMATCH, "size", *row, "--dis-format=raw", "ref.y4m", "dis.y4m")

    def test_refused(self):
        self.sides()
        self.refuses(USAGE, "--ref-format raw", *RAW, "ref.y4m", "dis.y4m")
        self.refuses(USAGE, "neither", *RAW, "--ref-format", "coded", "--dis-format", "coded", "ref.y4m", "dis.yuv")
        self.refuses(USAGE, "-w, -h, -p", "--ref-format", "raw", "ref.yuv", "dis.y4m")
        self.refuses(USAGE, "all four", *SIZE, "-p", "420", "ref.yuv", "dis.y4m")
        self.refuses(USAGE, ["10 bits", "-b says 8"], *SIZE, "-p", "yuv420p10le", "-b", "8", "ref.yuv", "dis.yuv")
        self.refuses(USAGE, "auto, coded, raw", *RAW, "--ref-format", "yuv", "ref.yuv", "dis.yuv")
        for name in ("yuv420p10be", "nv13", "nv12le", "yuyv", "p010be", "p01", "yuva420p", "yuv420p11", "yuvj420p10le",
                     "yuv411p10le", "42010", "", "yuv", "rgb48", "p010lee", "yuv440p"):
            self.refuses(USAGE, f"'{name}'", *SIZE, "-p", name, "ref.yuv", "dis.yuv")

    def test_names_of_formats(self):
        for chroma, name in (("420", "yuv420p"), ("422", "yuv422p"), ("444", "yuv444p"), ("mono", "gray")):
            for depth in (8, 9, 10, 12, 14, 16):
                with self.subTest(name=name, depth=depth):
                    expected, _ = self.frames(*self.sides(chroma=chroma, depth=depth, frames=2))
                    for ending in ("le", "") if depth > 8 else ("",):
                        pixels = name + (str(depth) if depth > 8 else "") + ending
                        self.assertEqual(self.frames(*SIZE, "-p", pixels, "ref.yuv", "dis.yuv")[0], expected)
        expected, _ = self.frames(*self.sides(chroma="411", frames=2))
        self.assertEqual(self.frames(*SIZE, "-p", "yuv411p", "ref.yuv", "dis.yuv")[0], expected)

    def test_full_range_by_name(self):
        self.sides()
        _, block = self.frames(*SIZE, "-p", "yuvj420p", "ref.yuv", "dis.yuv")
        self.assertEqual(block["reference_range"], "full")
        self.write("limited.y4m", y4m(tags="XCOLORRANGE=LIMITED"))
        self.refuses(MISMATCH, "range full against limited", *SIZE, "-p", "yuvj420p", "ref.yuv", "limited.y4m")

    def test_planes_of_gbrp(self):
        """The planes are green, blue, red; each has its own error here."""
        black = bytes(32 * 24)
        self.write("a.rgb", black * 3)
        self.write("b.rgb", bytes([1]) * 768 + bytes([2]) * 768 + bytes([3]) * 768)
        scored, _ = self.frames(*SIZE, "-p", "gbrp", "a.rgb", "b.rgb")
        self.assertEqual([scored[0]["mse_" + c] for c in "gbr"], [1, 4, 9])

    def packed(self, name, width=32, height=24, frames=2):
        """ref.raw, dis.raw: planar pictures; ref.packed, dis.packed: the same in a packed format. Returns the names."""
        planar, chroma, depth, _ = PACKED[name]
        for side, noise in (("ref", 0), ("dis", 3)):
            data = b"".join(frame(width, height, chroma, depth, i, noise) for i in range(frames))
            self.write(f"{side}.raw", data)
            self.write(f"{side}.packed", pack(name, data, width, height))
        return planar, name

    def test_packed_formats(self):
        """Scores are those of the planar pictures, of odd sizes too, of a part, and from a pipe."""
        for name in PACKED:
            with self.subTest(name=name):
                planar, packed = self.packed(name, 33, 25) # even ones are compared with ffmpeg's
                expected, _ = self.frames("-w", 33, "-h", 25, "-p", planar, "ref.raw", "dis.raw")
                scored, block = self.frames("-w", 33, "-h", 25, "-p", packed, "ref.packed", "dis.packed")
                self.assertEqual(scored, expected)
                self.assertEqual(block["distorted_reader"], "raw")
                self.assertGreater(expected[0].get("mse_y", expected[0].get("mse_g")), 0)
        for name in ("nv12", "p010le", "yuyv422", "uyvy422"):
            planar, packed = self.packed(name)
            crop = ["--crop-ref", "18x14+6+4", "--crop-dis", "18x14+6+4"]
            expected, _ = self.frames(*SIZE, *crop, "-p", planar, "ref.raw", "dis.raw")
            self.assertEqual(self.frames(*SIZE, *crop, "-p", packed, "ref.packed", "dis.packed")[0], expected)
            expected, _ = self.frames(*SIZE, "--first", 1, "-p", planar, "ref.raw", "dis.raw")
            with subprocess.Popen(["cat", self.dir / "ref.packed"], stdout=subprocess.PIPE) as pipe:
                scored, _ = self.frames(*SIZE, "--first", 1, "-p", packed, "-", "dis.packed", stdin=pipe.stdout)
            self.assertEqual(scored, expected)

    def test_packed_beside_a_header(self):
        self.packed("nv12")
        ref, _ = self.pair(frames=2)
        scored, _ = self.frames(*SIZE, "-p", "nv12", ref, "ref.packed")
        self.assertEqual([s["mse_" + c] for s in scored for c in ("y", "cb", "cr")], [0] * 6)

    def test_damaged_packed_files(self):
        self.packed("p010le")
        how = [*SIZE, "-p", "p010le", "-m", "psnr", "ref.packed", "dis.packed"]
        data = bytearray((self.dir / "dis.packed").read_bytes())
        self.write("dis.packed", bytes(data[:-1]))
        self.refuses(INPUT, ["dis.packed", "not a whole number", " p010le pictures"], *how)
        data[2 * 40] |= 1
        self.write("dis.packed", bytes(data))
        self.fails(INPUT, ["dis.packed: frame 0: plane Y holds samples of more than the 10 bits", "p010le"], *how)
        data[2 * 40] &= 0xfe
        self.write("dis.packed", bytes(data[:-1]))
        with subprocess.Popen(["cat", self.dir / "dis.packed"], stdout=subprocess.PIPE) as pipe:
            self.fails(INPUT, ["frame 1", "bytes"], *SIZE, "-p", "p010le", "-m", "psnr", "ref.packed", "-",
                       stdin=pipe.stdout)
        self.refuses(USAGE, ["10 bits", "-b says 8"], *SIZE, "-p", "p010le", "-b", 8, "ref.packed", "dis.packed")

    @unittest.skipUnless(shutil.which("ffmpeg"), "there is no ffmpeg program")
    def test_packed_formats_are_those_of_ffmpeg(self):
        known = subprocess.run(["ffmpeg", "-v", "error", "-pix_fmts"], stdout=subprocess.PIPE, text=True,
                               stdin=subprocess.DEVNULL, check=True).stdout
        checked = 0
        for name, (planar, *_) in PACKED.items():
            row = [line for line in known.splitlines() if line.split()[1:2] == [name]]
            if not row or row[0][1] != "O":
                continue
            with self.subTest(name=name):
                self.packed(name)
                done = subprocess.run(["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", planar, "-s", "32x24",
                                       "-i", "dis.raw", "-pix_fmt", name, "-f", "rawvideo", "-"], cwd=self.dir,
                                      check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
                self.assertEqual(done.stdout, (self.dir / "dis.packed").read_bytes())
                checked += 1
        self.assertGreater(checked, 8)

    @unittest.skipUnless(LIBAV, "this build has no libav, or there is no ffmpeg program")
    def test_beside_coded_files(self):
        def ffmpeg(*args):
            subprocess.run(["ffmpeg", "-v", "error", "-y", *args], cwd=self.dir, check=True, stdin=subprocess.DEVNULL)
        expected, _ = self.frames(REF, DIS)
        ffmpeg("-i", REF, "-f", "rawvideo", "ref.yuv")
        for name in ("a.mkv", "a.avi", "a.mov", "a.nut"):
            ffmpeg("-i", DIS, "-c:v", "ffv1", name)
        ffmpeg("-i", DIS, "-c:v", "libx264", "-qp", "0", "-g", "1", "a.ts")
        ffmpeg("-i", DIS, "-c:v", "libx264", "-qp", "0", "a.h264")
        size = ["-w", "352", "-h", "198", "-p", "yuv420p"]
        for name in ("a.mkv", "a.avi", "a.mov", "a.nut", "a.ts"):
            with self.subTest(name=name):
                self.assertEqual(self.frames(*size, "ref.yuv", name)[0], expected)
        # A bare stream begins with small numbers, as a dark picture does.
        self.refuses(INPUT, "a.h264", *size, "ref.yuv", "a.h264")
        self.assertEqual(self.frames(*size, "--dis-format", "coded", "ref.yuv", "a.h264")[0], expected)

    def test_flat_pictures_are_raw(self):
        """Pictures of 0x47, with which packets of MPEG-TS begin."""
        data = bytes([0x47]) * len(frame(32, 24)) * 2
        self.write("a.yuv", data)
        _, block = self.frames(*RAW, "a.yuv", "a.yuv")
        self.assertEqual(block["reference_reader"], "raw")


if __name__ == "__main__":
    main()
