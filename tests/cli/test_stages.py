# SPDX-License-Identifier: BSD-2-Clause
"""--dump-stage: intermediate planes as .npy and .pfm, read back here; --heatmap of a video; heatmaps_path of cambi."""
import ast
import hashlib
import json
import os
import pathlib
import struct

import command
from command import DIS, INTERNAL, REF, USAGE, Case, frame, main, sizes, y4m

DIGESTS = pathlib.Path(__file__).resolve().parent / "vmaf" / "heatmaps.json"  # of libvmaf's files of the sample pair


def read_npy(data):
    """(shape, values) of a two-dimensional .npy file."""
    assert data[:8] == b"\x93NUMPY\x01\x00"
    length = struct.unpack("<H", data[8:10])[0]
    assert (10 + length) % 64 == 0
    head = ast.literal_eval(data[10:10 + length].decode("ascii"))
    assert head["fortran_order"] is False
    code = {"|u1": "B", "<u2": "H", "<u4": "I", "<i4": "i", "<f4": "f"}[head["descr"]]
    (height, width), body = head["shape"], data[10 + length:]
    values = struct.unpack(f"<{width * height}{code}", body)
    return (width, height), values


def read_pfm(data):
    kind, size, scale, body = data.split(b"\n", 3)
    assert kind == b"Pf" and float(scale) == -1
    width, height = map(int, size.split())
    rows = [struct.unpack(f"<{width}f", body[4 * width * y:4 * width * (y + 1)]) for y in range(height)]
    return (width, height), tuple(v for row in reversed(rows) for v in row)


class Stages(Case):
    def bytes_of(self, name):
        return (self.dir / name).read_bytes()

    def test_values_and_the_derived_name(self):
        """The differences of luma are what they are by hand."""
        ref, dis = self.pair(width=37, height=21, frames=2)
        self.passes("-q", "-m", "diff", "--dump-stage", "diff_u8.0:1", ref, dis)
        size, got = read_npy(self.bytes_of("diff_u8.0-1.npy"))
        w, h = sizes(37, 21, "420")[0]
        a, b = frame(37, 21, seed=1), frame(37, 21, seed=1, noise=3)
        self.assertEqual(size, (w, h))
        self.assertEqual(got, tuple(abs(p - q) for p, q in zip(a[:w * h], b[:w * h])))
        self.assertTrue(any(got))

    def test_pfm_holds_the_same_as_npy(self):
        self.passes("-q", "-m", "float_ms_ssim", "--frames", 1, "--dump-stage", "halve_u8.0:0=a.pfm", "--dump-stage",
                    "halve_u8.0:0=b.npy", REF, DIS)
        pfm, npy = read_pfm(self.bytes_of("a.pfm")), read_npy(self.bytes_of("b.npy"))
        self.assertEqual(pfm, npy)
        self.assertEqual(pfm[0], (176, 99))

    def test_same_bytes_at_every_level_and_by_number(self):
        graph = self.passes("-q", "-m", "float_ms_ssim", "--frames", 1, "--dump-graph", REF, DIS).out
        number = next(line.split()[1].rstrip(":") for line in graph.splitlines() if "halve_f32.3 " in line)
        self.passes("-q", "-m", "float_ms_ssim", "--frames", 3, "--dump-stage", "halve_f32.3:2=a.npy", REF, DIS)
        self.passes("-q", "-m", "float_ms_ssim", "--frames", 3, "--dump-stage", f"{number}:2=b.npy", "--cpu", "scalar",
                    REF, DIS)
        self.assertEqual(self.bytes_of("a.npy"), self.bytes_of("b.npy"))
        if os.environ.get("ASSAY_VULKAN"):
            result = self.run_assay("-q", "-m", "float_ms_ssim", "--frames", 3, "--dump-stage", "halve_f32.3:2=c.npy",
                                    "--backend",
                                    "vulkan", REF, DIS)
            if result.code == 0 or os.environ.get("CI"):
                self.assertEqual(self.bytes_of("a.npy"), self.bytes_of("c.npy"), result)

    def test_a_pass_with_several_planes(self):
        """One file per plane, with its number."""
        graph = self.passes("-q", "-m", "all", "--frames", 1, "--dump-graph", REF, DIS).out
        name = next((line.split()[2] for line in graph.splitlines() if " writes " in line and
                     ", plane" in line.split(" writes ")[1]), None)
        self.assertIsNotNone(name, "no pass of any metric writes two planes any more: this test needs another way")
        self.passes("-q", "-m", "all", "--frames", 1, "--dump-stage", f"{name}:0", "--dump-stage", f"{name}:0=x.npy",
                    REF, DIS)
        for i in (0, 1):
            self.assertEqual(self.bytes_of(f"{name}-0-{i}.npy"), self.bytes_of(f"x-{i}.npy"))

    def test_scores_do_not_move(self):
        self.passes("-q", "-m", "all", "--reproducible", "--json", "a.json", "--frames", 2, REF, DIS)
        self.passes("-q", "-m", "all", "--reproducible", "--json", "b.json", "--frames", 2, "--dump-stage",
                    "diff_u8.0:1", REF, DIS)
        self.assertEqual(self.read("a.json"), self.read("b.json"))

    def test_refusals(self):
        for text in ("", "halve", "halve:", ":3", "halve:x", "halve:1=", "halve:-1", "halve:1.5", "a" * 70 + ":1",
                     "halve:99999999999999999999999"):
            self.refuses(USAGE, "--dump-stage", "-m", "diff", "--dump-stage", text, REF, DIS)
        self.refuses(USAGE, ["nope", "diff_u8.0", "diff_join_i32"], "-m", "diff", "--dump-stage", "nope:0", REF, DIS)
        self.refuses(USAGE, ["diff_count", "those that do: diff_u8.0"], "-m", "diff", "--dump-stage",
                     "diff_count_i32:0", REF, DIS)
        own = self.write("own.npy", y4m())
        self.refuses(USAGE, "overwritten", "-m", "diff", "--dump-stage", "diff_u8.0:0=own.npy", own, own)
        self.refuses(USAGE, "none", "-m", "psnr", "--dump-stage", "sse_u8:0", REF, DIS)
        self.refuses(USAGE, "PFM", "-m", "diff", "--dump-stage", "diff_u8.0:0=a.pfm", REF, DIS)
        self.refuses(USAGE, "ending", "-m", "diff", "--dump-stage", "diff_u8.0:0=a.txt", REF, DIS)
        self.refuses(USAGE, "frame 99", "-q", "-m", "diff", "--dump-stage", "diff_u8.0:99", REF, DIS)
        self.refuses(USAGE, "frame 1", "-q", "-m", "diff", "--every", 2, "--dump-stage", "diff_u8.0:1", REF, DIS)
        self.refuses(INTERNAL, "/dev/null/a.npy", "-q", "-m", "diff", "--dump-stage", "diff_u8.0:0=/dev/null/a.npy",
                     REF, DIS)


@command.unittest.skipUnless(os.environ.get("ASSAY_PNG"), "this build has no libpng")
class Heatmaps(Case):
    def test_a_picture_per_frame(self):
        ref, dis = self.pair(width=37, height=21, frames=3)
        self.passes("-q", "-m", "diff", "--heatmap", "maps", ref, dis)
        self.assertEqual(sorted(p.name for p in (self.dir / "maps").iterdir()), [f"{i:06}.diff.png" for i in range(3)])
        self.assertTrue((self.dir / "maps" / "000000.diff.png").read_bytes().startswith(b"\x89PNG"))

    def test_errors_of_ssimulacra2(self):
        ref, dis = self.pair(width=64, height=48, frames=2)
        self.passes("-q", "-m", "ssimulacra2=map=true", "--heatmap", "maps", ref, dis)
        self.assertEqual(sorted(p.name for p in (self.dir / "maps").iterdir()),
                         [f"{i:06}.ssimulacra2.png" for i in range(2)])

    def test_refusals(self):
        ref, dis = self.pair(width=37, height=21, frames=1)
        self.refuses(USAGE, "no metric", "-q", "-m", "psnr", "--heatmap", "maps", ref, dis)
        self.assertFalse((self.dir / "maps").exists())
        self.write("file", b"")
        self.refuses(INTERNAL, "not a folder", "-q", "-m", "diff", "--heatmap", "file", ref, dis)
        self.refuses(INTERNAL, "no/such", "-q", "-m", "diff", "--heatmap", "no/such", ref, dis)


class PlaneFiles(Case):
    """heatmaps_path: libvmaf's files of contrasts."""
    def files(self, folder):
        return {p.name: p.read_bytes() for p in (self.dir / folder).iterdir()}

    def test_libvmafs_bytes(self):
        for wanted, digests in json.loads(DIGESTS.read_text(encoding="utf-8")).items():
            feature, *more = wanted.split()
            for args in (["vmaf", "-q", "-n", "--feature", feature, "-r", REF, "-d", DIS, *more],
                         ["-q", "-m", feature, "--force", REF, DIS, *["--every" if m == "--subsample" else m
                                                                      for m in more]]):
                self.passes(*args)
                got = {name: hashlib.sha256(data).hexdigest() for name, data in self.files("maps/of/dis").items()}
                self.assertEqual({name: got.get(name) for name in digests}, digests, args)

    def test_parts_threads_and_levels(self):
        """A frame stands where its number says, so the last part's files hold the frames of its own part."""
        self.passes("-q", "-m", "cambi=heatmaps_path=a", REF, DIS)
        self.passes("-q", "-m", "cambi=heatmaps_path=b", "--cpu", "scalar", "--threads", 2, REF, DIS)
        self.passes("-q", "-m", "cambi=heatmaps_path=c", "--first", 3, REF, DIS)
        a, b, c = map(self.files, "abc")
        self.assertEqual(len(a), 5)
        self.assertEqual(a, b)
        for name, data in a.items():
            size = len(data) // 8
            self.assertEqual(c[name], bytes(3 * size) + data[3 * size:])

    def test_scores_do_not_move(self):
        reports = [json.loads(self.passes("-q", "-m", metric, "--json", "-", "--reproducible", REF, DIS).out)["frames"]
                   for metric in ("cambi", "cambi=heatmaps_path=a", "cambi=full_ref:heatmaps_path=b")]
        self.assertEqual(reports[0], reports[1])
        self.assertEqual([f["metrics"]["cambi"] for f in reports[0]], [f["metrics"]["cambi"] for f in reports[2]])

    def test_what_is_refused(self):
        one = self.pair(width=240, height=230, frames=1)
        for args in (["parity", "-m", "cambi=heatmaps_path=a", "--backends", "cpu,cpu:scalar", REF, DIS],
                     ["image", "-m", "cambi=heatmaps_path=a", *one]):
            self.refuses(USAGE, "heatmaps_path", *args)
        self.passes("-q", "-m", "cambi=heatmaps_path=a", REF, DIS)
        self.refuses(USAGE, "--force overwrites it", "-q", "-m", "cambi=heatmaps_path=a", REF, DIS)
        self.write("file", b"")
        self.refuses(INTERNAL, "file/b", "-q", "-m", "cambi=heatmaps_path=file/b", REF, DIS)


if __name__ == "__main__":
    main()
