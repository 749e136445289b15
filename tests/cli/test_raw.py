# SPDX-License-Identifier: BSD-2-Clause
"""Raw video beside a file with a header, and the names of raw formats."""
import json
import os
import shutil
import subprocess
import unittest

from command import DIS, INPUT, MISMATCH, REF, USAGE, Case, frame, main, y4m

LIBAV = shutil.which("ffmpeg") and os.environ.get("ASSAY_LIBAV")
SIZE = ["-w", "32", "-h", "24"]
RAW = [*SIZE, "-p", "420", "-b", "8"]


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
        for name in ("yuv420p10be", "nv12", "yuva420p", "yuv420p11", "yuvj420p10le", "yuv411p10le", "42010", "", "yuv",
                     "rgb24", "p010le", "yuv440p"):
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
