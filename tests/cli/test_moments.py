# SPDX-License-Identifier: BSD-2-Clause
"""Times in the place of numbers of frames: the reports have the bytes of a run with the numbers."""
import json
import os
import re
import shutil
import subprocess
import unittest

from command import USAGE, Case, main, y4m

LIBAV = shutil.which("ffmpeg") and os.environ.get("ASSAY_LIBAV")
QUICK = ["-q", "-m", "psnr", "--reproducible"]


class Moments(Case):
    def report(self, *args):
        return self.passes(*QUICK, "--json", "-", *args).out

    def same(self, times, numbers, *files):
        self.assertEqual(self.report(*times, *files), self.report(*numbers, *files), times)

    def file(self, name, rate, frames):
        return self.write(name, y4m(frames=frames, rate=rate))

    def test_rates(self):
        """A border that is exactly a frame is that frame; one billionth of a second later it is the next one."""
        for rate, cases in (
                ("25:1", (("1s", 25), ("0.96s", 24), ("0.960000001s", 25), ("0.959999999s", 24), ("0:01", 25),
                          ("0:00:01", 25), ("00:00:00.5", 13), ("0s", 0))),
                ("24000:1001", (("1.001s", 24), ("1s", 24), ("1.001000001s", 25), ("0.041708333s", 1),
                                ("0.041708334s", 2))),
                ("60:1", (("0.5s", 30), ("0.483333333s", 29), ("0.483333334s", 30), ("0:00.5", 30)))):
            name = self.file("a.y4m", rate, 34)
            for time, number in cases:
                with self.subTest(rate=rate, time=time):
                    self.same(["--first", time], ["--first", number], name, name)
        self.same(["-n", "0.2s", "--skip-ref", "0.04s", "--skip-dis=0.1s"],
                  ["-n", 12, "--skip-ref", 3, "--skip-dis", 6], name, name)

    def test_numbers_in_the_files(self):
        """Where the start of a file is left out, tables and pages have its own numbers beside those of the pairs."""
        ref, dis = self.write("ref.y4m", y4m(frames=6)), self.write("dis.y4m", y4m(frames=6, noise=3))
        for skips, said, own in (((2, 2), "frame 0 is number 2 of both files", "{0} ({1})"),
                                 ((0, 2), "frame 0 is number 0 of the reference and 2 of the encode", "{0} ({0}, {1})"),
                                 ((0, 0), None, "{0}")):
            how = ["-m", "psnr", "--allow-length", "--skip-ref", skips[0], "--skip-dis", skips[1]]
            out = self.passes(*how, "--html", "p.html", "--json", "p.json", ref, dis).out
            page, frames = self.read("p.html"), json.loads(self.read("p.json"))["frames"]
            worst = min(frames, key=lambda f: f["metrics"]["psnr_y"])["frameNum"]
            cell = own.format(worst, worst + 2)
            self.assertRegex(out, rf"(?m)^psnr_y .* {re.escape(cell)} ")
            self.assertIn(f'data-value="{worst}">{cell}</td>', page)
            self.assertEqual(said is not None and f"{said}\n" in out and said in page, said is not None)
            self.assertEqual("frame 0 is" in out, said is not None)
            ladder = self.passes(*how, ref, dis, self.write("e.y4m", (self.dir / dis).read_bytes())).out
            self.assertRegex(ladder, rf"(?m)^e.y4m .* {re.escape(cell)} ")
        out = self.passes("-m", "psnr", "--skip-ref", 1, "--skip-dis", 1, "-n", 1, ref, dis).out
        self.assertIn("  frame 0 (1)\n", out)

    def test_equal_pictures(self):
        """VMAF below 100 of equal pictures is explained, where another score shows that they are equal."""
        ref, dis = self.write("ref.y4m", y4m(frames=3)), self.write("dis.y4m", y4m(frames=3, noise=1))
        said = "all frames look equal to the reference's, and vmaf is down to "
        self.assertIn(said, self.passes("-m", "vmaf,diff", ref, ref).err)
        self.assertIn(f"assay: copy.y4m: {said}", self.passes(
            "-m", "vmaf,float_ssim", ref, dis, self.write("copy.y4m", (self.dir / ref).read_bytes())).err)
        for args in (("vmaf,diff", ref, dis), ("vmaf", ref, ref), ("diff", ref, ref)):
            self.assertNotIn(said, self.passes("-m", *args).err)

    def test_a_time_alone(self):
        """A time where an input was expected gets the options that take one."""
        name = self.file("a.y4m", "25:1", 3)
        for args in ((name, name, "2s"), (name, "2s"), ("0:01:30", name)):
            self.refuses(USAGE, "is no file: --frames", *args)
        for option in ("-t", "--every", "--thumbnails", "--in-flight"): # -t of ffmpeg is a time
            self.refuses(USAGE, ["not '2s'", "--first, --frames, --skip-ref, --skip-dis"], name, name, option, "2s")
        self.assertNotIn("--first", self.fails(USAGE, "not '2x'", name, name, "-t", "2x").err)
        self.write("2s", (self.dir / name).read_bytes())
        self.passes("-q", "-m", "psnr", name, "2s")

    def test_each_file_by_its_own_rate(self):
        ref, dis = self.file("ref.y4m", "25:1", 40), self.file("dis.y4m", "50:1", 40)
        allowed = ["--allow-rate", "--allow-length"]
        self.same([*allowed, "--skip-ref", "0.2s", "--skip-dis", "0.2s", "-n", "0.4s"],
                  [*allowed, "--skip-ref", 5, "--skip-dis", 10, "-n", 10], ref, dis)
        # Encodes of one reference that need two numbers
        other = self.file("other.y4m", "25:1", 40)
        self.refuses(USAGE, ["--skip-dis 0.2s", "other.y4m"], *QUICK, *allowed, "--skip-dis", "0.2s", ref, dis, other)
        self.same(["--skip-dis", "0.2s", "--allow-length"], ["--skip-dis", 5, "--allow-length"], ref, other, ref)

    def test_minutes_and_hours(self):
        name = self.file("a.y4m", "1:10", 12)
        for time, number in (("1:30", 9), ("0:01:30", 9), ("90s", 9), ("90.000s", 9), ("0:01:40.1", 11)):
            self.same(["--first", time], ["--first", number], name, name)

    def test_bad_forms(self):
        name = self.file("a.y4m", "25:1", 3)
        for text in ("1.5", "s", "1,5s", "1.s", ".5s", "1.0000000001s", "1:60", "1:2", "1:30s", "0:60:00", "0:0:0:01",
                     "1:", ":30", "+1s", " 1s", "1s ", "1m", "1e3s", "1234567s", "0x1s", "1S", ""):
            self.refuses(USAGE, ["12.5s", f"'{text}'"], *QUICK, f"--first={text}", name, name)
        for option in ("-n", "--frame_cnt", "--skip-ref", "--frame-skip-dist"):
            self.refuses(USAGE, "12.5s", *QUICK, option, "1:60", name, name)
        self.refuses(USAGE, "no frames", *QUICK, "--frames", "0s", name, name)
        self.refuses(USAGE, "--pair time", *QUICK, "--pair", "time", "--first", "1s", name, name)
        self.refuses(USAGE, "number of frames", "bdrate", "--skip-ref", "1s", "-r", name, "--anchor", name, "--test",
                     name)

    def test_unknown_rates(self):
        name = self.file("a.y4m", "0:0", 3)
        self.refuses(USAGE, ["not known", "a.y4m"], *QUICK, "--first", "0.04s", name, name)
        self.write("a.yuv", bytes(32 * 24 * 3 // 2 * 4))
        self.refuses(USAGE, "not known", *QUICK, "-w", 32, "-h", 24, "-p", "yuv420p", "-n", "1s", "a.yuv", "a.yuv")
        self.refuses(USAGE, "standard input", *QUICK, "--first", "1s", "-", name)
        self.refuses(USAGE, "standard input", *QUICK, "--skip-dis", "1s", name, "-")

    def test_libvmafs_options(self):
        name = self.file("a.y4m", "25:1", 10)
        def scores(*args):
            self.passes("vmaf", "-r", name, "-d", name, "-n", "--feature", "psnr", "--csv", "-o", "o.csv", *args)
            return self.read("o.csv")
        self.assertEqual(scores("--frame_cnt", "0.2s", "--frame_skip_ref", "0.04s", "--frame_skip_dist", "0.04s"),
                         scores("--frame_cnt", 5, "--frame_skip_ref", 1, "--frame_skip_dist", 1))
        self.assertEqual(len(scores("--frame_cnt", 0).splitlines()), 11)
        self.fails(255, "no frames", "vmaf", "-r", name, "-d", name, "--frame_cnt", "0s")

    def test_lists(self):
        self.file("ref.y4m", "25:1", 10)
        self.write("jobs.csv", b"reference,distorted,metric,reproducible,threads,first,frames,json\n"
                   b"ref.y4m,ref.y4m,psnr,yes,1,0.12s,0:00.2,time.json\nref.y4m,ref.y4m,psnr,yes,1,3,5,number.json\n"
                   b"ref.y4m,ref.y4m,psnr,yes,1,0:00:00.12,0.2s,clock.json\n")
        self.passes("batch", "jobs.csv")
        for name in ("time.json", "clock.json"):
            self.assertEqual(self.read(name), self.read("number.json"))

    def ffmpeg(self, *args):
        subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, args)], cwd=self.dir, check=True,
                       stdin=subprocess.DEVNULL)

    @unittest.skipUnless(LIBAV, "this build has no libav, or there is no ffmpeg program")
    def test_containers(self):
        """Times in milliseconds (Matroska) make no other rate of 60000/1001."""
        for rate, time, number in (("25", "1s", 25), ("24000/1001", "1.001s", 24), ("60000/1001", "1.001s", 60),
                                   ("30000/1001", "0:01.001", 30)):
            for name in ("a.mkv", "a.mp4", "a.ts"):
                with self.subTest(rate=rate, name=name):
                    self.ffmpeg("-f", "lavfi", "-i", f"testsrc2=size=64x48:rate={rate}", "-frames:v", "70", "-c:v",
                                "libx264", "-preset", "veryfast", "-bf", "2", name)
                    self.same(["--first", time], ["--first", number], name, name)

    @unittest.skipUnless(LIBAV, "this build has no libav, or there is no ffmpeg program")
    def test_uneven(self):
        for picked in ("select='not(mod(floor(n/7),2))'", "select='gt(n,5)+not(mod(n,3))'"):
            for name in ("a.mkv", "a.mp4"):
                with self.subTest(name=name, picked=picked):
                    self.ffmpeg("-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25", "-vf", picked + ",setpts=PTS",
                                "-fps_mode", "passthrough", "-frames:v", "60", "-c:v", "libx264", name)
                    self.refuses(USAGE, "variable frame rate", *QUICK, "--first", "1s", name, name)

    @unittest.skipUnless(LIBAV, "this build has no libav, or there is no ffmpeg program")
    def test_pictures_beside_their_times(self):
        """The rates that the container states are even; pictures are up to half a picture early or late, or more."""
        self.ffmpeg("-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25", "-frames:v", "40", "-c:v", "libx264", "-bf",
                    "0", "even.mkv")
        for moved in ("+15", "-15", "+25", "-25"):
            with self.subTest(moved=moved):
                times = f"setts=ts=TS{moved}*between(N\\,10\\,20)"
                self.ffmpeg("-i", "even.mkv", "-c", "copy", "-bsf:v", times, "a.mkv")
                if moved[1:] == "15":
                    self.same(["--first", "1s"], ["--first", 25], "a.mkv", "a.mkv")
                else:
                    self.refuses(USAGE, "variable frame rate", *QUICK, "--first", "1s", "a.mkv", "a.mkv")


if __name__ == "__main__":
    main()
