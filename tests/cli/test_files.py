# SPDX-License-Identifier: BSD-2-Clause
"""Files that the command writes: what they may replace, and that nothing is lost when they can't be written."""
import itertools
import json
import os
import subprocess
import time
import unittest

import pictures
from command import DIS, INPUT, INTERNAL, PROGRAM, REF, USAGE, Case, main

FORMS = ("json", "xml", "csv", "sub", "shard")
# Files of a user, among them some that look a little like a report.
PRECIOUS = {
    "video": b"\x1aE\xdf\xa3" + bytes(range(256)) * 40,
    "text": b"notes\n",
    "json": b'{\n  "version": "3.0.0",\n  "fps": 12.00,\n  "frames": [\n  ]\n}\n',
    "csv": b"frame,what\n0,nice\n",
    "xml": b'<VMAF version="3.0.0">\n</VMAF>\n',
    "png": b"\x89PNG\r\n\x1a\n" + bytes(100),
    "pfm": b"Pf\n2 1\n-1.0\n" + bytes(8),
    "newline": b"\n",
}


class Replaced(Case):
    def left(self):
        """What is in the folder, but for the inputs."""
        return sorted(f.name for f in self.dir.iterdir())

    def test_a_file_that_is_no_report_stays(self):
        for name, data in PRECIOUS.items():
            for form in FORMS:
                with self.subTest(file=name, form=form):
                    self.write("precious", data)
                    self.refuses(USAGE, ["precious", "--force"], "-m", "psnr", f"--{form}", "precious", REF, DIS)
                    self.assertEqual((self.dir / "precious").read_bytes(), data)
        self.assertEqual(self.left(), ["precious"])

    def test_a_report_of_another_form_stays(self):
        forms = FORMS[:4] # a part is JSON, too
        for form in forms:
            self.passes("-q", "-m", "psnr", f"--{form}", form, REF, DIS)
        before = {form: (self.dir / form).read_bytes() for form in forms}
        for form, other in itertools.permutations(forms, 2):
            with self.subTest(file=other, form=form):
                self.refuses(USAGE, [other, f"as {form.upper()}", "--force"], "-m", "psnr", f"--{form}", other, REF,
                             DIS)
        for form in forms: # but one of its own form does not
            self.assertEqual((self.dir / form).read_bytes(), before[form])
            self.passes("-q", "-m", "psnr", f"--{form}", form, REF, DIS)

    def test_force(self):
        for form in FORMS:
            self.write("precious", PRECIOUS["video"])
            self.passes("-q", "-m", "psnr", f"--{form}", "precious", "--force", REF, DIS)
            self.assertIn("psnr_y", self.read("precious"))

    def test_inputs_are_never_overwritten(self):
        ref, dis = self.pair(frames=2)
        before = (self.dir / ref).read_bytes(), (self.dir / dis).read_bytes()
        for form in FORMS:
            for name in (ref, dis):
                self.refuses(USAGE, "one of the inputs", "-m", "psnr", f"--{form}", name, "--force", ref, dis)
        self.assertEqual(before, ((self.dir / ref).read_bytes(), (self.dir / dis).read_bytes()))
        self.passes("-q", "-m", "psnr", "--shard", "part.json", ref, dis)
        self.refuses(USAGE, "one of the inputs", "merge", "part.json", "--json", "./part.json", "--force")

    def test_closed_streams_are_no_files(self):
        """The next file that is opened had the number of the stream: it was read as `-`, and written as /dev/stdout."""
        ref, dis = self.pair(frames=2)
        before = (self.dir / ref).read_bytes(), (self.dir / dis).read_bytes()
        for paths in (("-", dis), (ref, "-")):
            self.refuses(INPUT, "stdin: is closed, or a directory", "-m", "psnr", *paths,
                         preexec_fn=lambda: os.close(0))
        for path in ("-", "/dev/stdout"):
            for streams in ((1,), (0, 1)):
                result = self.run_assay("-q", "-m", "psnr", "--csv", path, ref, dis,
                                        preexec_fn=lambda closed=streams: [os.close(fd) for fd in closed])
                self.assertEqual(result.code, INTERNAL, result)
        self.passes("-q", "-m", "psnr", "--csv", "o.csv", ref, dis,
                    preexec_fn=lambda: [os.close(fd) for fd in range(3)])
        self.assertEqual(before, ((self.dir / ref).read_bytes(), (self.dir / dis).read_bytes()))

    @unittest.skipUnless(os.environ.get("ASSAY_PNG"), "the build has no libpng")
    def test_maps_are_not_written_over_inputs(self):
        self.passes("-q", "-m", "diff", "--frames", 1, "--heatmap", "h", REF, DIS)
        self.write("h/b.diff.png", (self.dir / "h" / "000000.diff.png").read_bytes())
        self.write("b.png", pictures.png(pictures.pixels(352, 198)))
        before = {f: f.read_bytes() for f in (self.dir / "h").iterdir()}
        for force in ((), ("--force",)): # the picture in the way is one of assay's, which is no reason
            self.fails(USAGE, "one of the inputs", "-m", "diff", "--heatmap", "h", *force, "h/000000.diff.png", "b.png")
            self.fails(USAGE, "one of the inputs", "image", "-q", "--heatmap", "h", *force, "h/b.diff.png", "b.png")
            self.refuses(USAGE, "holds the images", "image", "--recursive", "--heatmap", "h", *force, "b.png", ".")
        self.assertEqual({f: f.read_bytes() for f in (self.dir / "h").iterdir()}, before)
        self.passes("image", "-q", "--heatmap", ".", "b.png", "h") # one that is no folder may lie among the maps

    def test_reports_replace_reports(self):
        for old, new in [(form, form) for form in FORMS] + [("json", "shard"), ("shard", "json")]:
            name = f"{old} {new}"
            self.passes("-q", "-m", "psnr", f"--{old}", name, REF, DIS)
            self.passes("-q", "-m", "psnr=enable_mse=true", f"--{new}", name, REF, DIS)
            self.assertIn("mse_y", self.read(name))
        self.assertEqual(len(self.left()), len(FORMS) + 2)

    def test_empty_files_and_other_places(self):
        self.write("empty", b"")
        self.passes("-q", "-m", "psnr", "--json", "empty", REF, DIS)
        json.loads(self.read("empty"))
        # A link stays a link, and an old file's rights stay.
        os.symlink("real.json", self.dir / "link.json")
        self.passes("-q", "-m", "psnr", "--json", "link.json", REF, DIS)
        os.chmod(self.dir / "real.json", 0o640)
        self.passes("-q", "-m", "psnr", "--json", "link.json", REF, DIS)
        self.assertTrue((self.dir / "link.json").is_symlink())
        self.assertEqual((self.dir / "real.json").stat().st_mode & 0o777, 0o640)
        json.loads(self.read("real.json"))
        # Where a name leads to standard output, to a pipe, to a name of full length.
        with open(self.dir / "stdout.json", "wb") as out:
            self.passes("-q", "-m", "psnr", "--json", "/dev/stdout", REF, DIS, stdout=out)
        json.loads(self.read("stdout.json"))
        os.mkfifo(self.dir / "fifo")
        with subprocess.Popen(["cat", "fifo"], cwd=self.dir, stdout=subprocess.PIPE) as reader:
            self.passes("-q", "-m", "psnr", "--json", "fifo", REF, DIS)
            json.loads(reader.stdout.read())
        self.passes("-q", "-m", "psnr", "--json", "n" * 255, REF, DIS)
        json.loads(self.read("n" * 255))

    @unittest.skipIf(os.geteuid() == 0, "root may write to protected files")
    def test_protected_files(self):
        self.passes("-q", "-m", "psnr", "--json", "o.json", REF, DIS)
        os.chmod(self.dir / "o.json", 0o444)
        self.refuses(INTERNAL, "Permission denied", "-q", "-m", "psnr", "--json", "o.json", REF, DIS)

    def test_one_that_can_not_be_opened_leaves_the_others_as_they_were(self):
        self.passes("-q", "-m", "psnr", "--json", "o.json", REF, DIS)
        before = self.read("o.json")
        self.refuses(INTERNAL, "nowhere", "-q", "-m", "psnr", "--json", "o.json", "--csv", "/proc/nowhere/o.csv",
                     REF, DIS)
        self.assertEqual(self.read("o.json"), before)
        self.assertEqual(self.left(), ["o.json"])

    def test_a_run_that_breaks_off_before_the_first_frame_leaves_them_too(self):
        self.passes("-q", "-m", "psnr", "--json", "o.json", REF, DIS)
        before = self.read("o.json")
        self.run_assay("-q", "-m", "psnr", "--json", "o.json", REF, "missing.y4m")
        self.run_assay("-q", "-m", "psnr", "--json", "o.json", "--heatmap", "h", REF, DIS)
        self.assertEqual(self.read("o.json"), before)

    def test_planes(self):
        for name in ("a.npy", "a.pfm"):
            args = ("-q", "-m", "float_ms_ssim", "--dump-stage", f"halve_f32.3:0={name}", REF, DIS)
            self.passes(*args)
            first = (self.dir / name).read_bytes()
            self.passes(*args)
            self.assertEqual((self.dir / name).read_bytes(), first)
            numpys = b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }".ljust(127)
            for theirs in (b"Pf\n1 1\n-1.0\n" + bytes(4), numpys + b"\n" + bytes(4)):
                self.write(name, theirs)
                self.refuses(USAGE, ["a.", "--force"], *args)
                self.assertEqual((self.dir / name).read_bytes(), theirs)
            self.passes("--force", *args)
            self.assertEqual((self.dir / name).read_bytes(), first)

    @unittest.skipUnless(os.environ.get("ASSAY_PNG"), "the build has no libpng")
    def test_heatmaps(self):
        args = ("-q", "-m", "diff", "--frames", 1, "--heatmap", "h", REF, DIS)
        self.passes(*args)
        drawn = (self.dir / "h" / "000000.diff.png").read_bytes()
        self.passes(*args)
        self.write("h/000000.diff.png", PRECIOUS["png"])
        self.fails(USAGE, ["000000.diff.png", "--force"], *args)
        self.assertEqual((self.dir / "h" / "000000.diff.png").read_bytes(), PRECIOUS["png"])
        self.passes("--force", *args)
        self.assertEqual((self.dir / "h" / "000000.diff.png").read_bytes(), drawn)

    def test_other_commands(self):
        self.write("precious", PRECIOUS["video"])
        ref, dis = self.pair(frames=1)
        self.passes("-q", "-m", "psnr", "--shard", "part.json", ref, dis)
        for args in (("parity", ref, dis, "--backends", "cpu,cpu:scalar", "-m", "psnr"), ("merge", "part.json")):
            self.refuses(USAGE, ["precious", "--force"], *args, "--json", "precious")
            self.assertEqual((self.dir / "precious").read_bytes(), PRECIOUS["video"])
            for _ in range(2):
                self.passes(*args, "--json", "out.json")
            self.passes(*args, "--json", "out.json", "--force")

    @unittest.skipUnless(os.environ.get("ASSAY_PNG"), "the build has no libpng")
    def test_reports_of_images(self):
        self.write("a.png", pictures.png(pictures.pixels(4, 3)))
        for form in ("--json", "--csv"):
            if "--csv" not in self.passes("image", "--help").out and form == "--csv":
                continue
            self.write("precious", PRECIOUS["video"])
            self.refuses(USAGE, ["precious", "--force"], "image", "a.png", "a.png", form, "precious")
            self.refuses(USAGE, "one of the inputs", "image", "a.png", "a.png", form, "a.png", "--force")
            for _ in range(2):
                self.passes("image", "a.png", "a.png", form, "out")
            (self.dir / "out").unlink()

    def test_no_line_ends_in_blanks(self):
        for form in FORMS:
            self.passes("-q", "-m", "psnr", f"--{form}", form, REF, DIS)
            self.assertNotRegex(self.read(form), r"(?m)[ \t]$")

    def test_rate(self):
        """Left out where it is not known: with --reproducible, and where the report is written as it comes."""
        self.passes("-q", "-m", "psnr", "--json", "o.json", "--xml", "o.xml", REF, DIS)
        self.assertGreater(json.loads(self.read("o.json"))["fps"], 0)
        self.assertRegex(self.read("o.xml"), r'<fyi fps="[0-9.]+" />')
        self.passes("-q", "-m", "psnr", "--json", "o.json", "--xml", "o.xml", "--reproducible", REF, DIS)
        self.assertNotIn("fps", json.loads(self.read("o.json")))
        self.assertIn("<fyi />", self.read("o.xml"))
        self.assertNotIn("fps", json.loads(self.passes("-q", "-m", "psnr", "--json", "-", REF, DIS).out))


class Kept(Case):
    def test_a_run_that_is_killed_leaves_what_it_had_beside(self):
        ref, dis = self.pair(frames=6)
        self.passes("-q", "-m", "psnr", "--csv", "o.csv", ref, dis)
        before, whole = self.read("o.csv"), (self.dir / dis).read_bytes()
        with subprocess.Popen([PROGRAM, "-q", "-m", "psnr", "--csv", "o.csv", ref, "-"], cwd=self.dir,
                              stdin=subprocess.PIPE) as run:
            run.stdin.write(whole[:len(whole) // 2])
            run.stdin.flush()
            beside = self.dir / f"o.csv.part-{run.pid}-0"
            while not (beside.exists() and beside.read_text(encoding="ascii").count("\n") > 1):
                self.assertIsNone(run.poll())
                time.sleep(0.01)
            run.kill()
        self.assertEqual(self.read("o.csv"), before)
        self.assertEqual(before.splitlines()[:2], beside.read_text(encoding="ascii").splitlines()[:2])


if __name__ == "__main__":
    main()
