# SPDX-License-Identifier: BSD-2-Clause
"""--pair time: the scores are those of a distorted file whose frames were picked beforehand."""
import json
import os
import shutil
import subprocess
import unittest
from fractions import Fraction

from command import GATE, INPUT, MISMATCH, USAGE, Case, frame, main, y4m

HAVE = shutil.which("ffmpeg") and os.environ.get("ASSAY_LIBAV") == "1"
METRICS = "psnr,motion,float_ssim"
WIDTH, HEIGHT = 48, 32
SAMPLES = WIDTH * HEIGHT * 3 // 2
MS = Fraction(1, 1000)


def clip(count, rate="25:1", noise=0, step=Fraction(1)):
    """A Y4M file whose picture i shows the scene at i * step."""
    head = f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F{rate} Ip A1:1 C420\n".encode()
    return head + b"".join(b"FRAME\n" + frame(WIDTH, HEIGHT, seed=int(i * step), noise=noise) for i in range(count))


def pairing(ref, dis, nominal):
    """For each reference time the number of the distorted picture on display; times count from the first ones.
    nominal: of the two sides, how long a frame is shown."""
    tolerance = max(min(nominal) / 4, MS)
    ref, dis = [t - ref[0] for t in ref], [t - dis[0] for t in dis]
    shown = []
    for t in ref:
        shown.append(max(k for k, d in enumerate(dis) if d <= t + tolerance))
    return shown, max(abs(t - dis[k]) for t, k in zip(ref, shown))


class Pairing(Case):
    def report(self, *args, **more):
        return json.loads(self.passes("-q", "-m", METRICS, "--precision", "max", "--json", "-", *args, **more).out)

    def scores(self, *args, **more):
        return [f["metrics"] for f in self.report(*args, **more)["frames"]]

    def picked(self, data, numbers, name="picked.y4m", rate=b"25:1"):
        """A file of these pictures of a Y4M file."""
        head, *pictures = data.split(b"FRAME\n")
        head = b"YUV4MPEG2 W%d H%d F%s Ip A1:1 C420\n" % (WIDTH, HEIGHT, rate)
        return self.write(name, head + b"".join(b"FRAME\n" + pictures[k] for k in numbers))

    def check(self, ref, dis, numbers, block=None, ref_y4m=None, dis_data=None, more=()):
        """Pairing by time gives the scores of the pictures `numbers` of the distorted file, paired by number."""
        expected = self.scores(ref_y4m or ref,
                               self.picked(dis_data or (self.dir / dis).read_bytes(), numbers,
                                           rate=self.rate(ref_y4m or ref)))
        found = self.report("--pair", "time", *more, ref, dis)
        self.assertEqual([f["metrics"] for f in found["frames"]], expected)
        self.assertEqual([f["distorted_frame"] for f in found["frames"]], numbers)
        shown = len(set(numbers))
        facts = {k: found["assay"][k] for k in ("pairing", "distorted_frames_shown", "distorted_frames_repeated")}
        self.assertEqual(facts, {"pairing": "time", "distorted_frames_shown": shown,
                                 "distorted_frames_repeated": len(numbers) - shown})
        for k, v in (block or {}).items():
            self.assertEqual(found["assay"][k], v, k)
        return found["assay"]

    def rate(self, name):
        head = (self.dir / name).read_bytes().split(b"\n", 1)[0]
        return [w[1:] for w in head.split() if w.startswith(b"F")][0]

    def test_equal_rates(self):
        ref, dis = self.pair(width=WIDTH, height=HEIGHT, frames=6)
        by_number = self.report(ref, dis)
        by_time = self.report("--pair", "time", ref, dis)
        self.assertEqual([f.pop("distorted_frame") for f in by_time["frames"]], [0, 1, 2, 3, 4, 5])
        self.assertEqual(by_time["frames"], by_number["frames"])
        self.assertEqual(by_number["assay"]["pairing"], "number")
        self.assertNotIn("distorted_frames_left_out", by_number["assay"])
        self.assertNotIn("distorted_frame", by_number["frames"][0])
        self.assertEqual([by_time["assay"][k] for k in ("pairing", "distorted_frames_repeated",
                                                        "distorted_frames_left_out", "largest_time_distance_ms")],
                         ["time", 0, 0, 0])
        self.assertEqual(self.report("--pair", "number", ref, dis)["frames"], by_number["frames"])

    def test_rates(self):
        """Whole and broken ratios, up and down. Some frames of 30 against 24 are the tolerance apart exactly."""
        for rate_ref, count_ref, rate_dis, count_dis in (
                ((60, 1), 24, (30, 1), 12), ((30, 1), 12, (60, 1), 24), ((25, 1), 25, (24, 1), 24),
                ((24, 1), 24, (25, 1), 25), ((60000, 1001), 30, (24000, 1001), 12), ((30, 1), 10, (25, 1), 9),
                ((24000, 1001), 12, (60000, 1001), 30), ((50, 1), 1, (25, 1), 1), ((25, 1), 1, (50, 1), 2),
                ((30, 1), 20, (24, 1), 16), ((24, 1), 16, (30, 1), 20), ((30000, 1001), 20, (24000, 1001), 16)):
            with self.subTest(ref=rate_ref, dis=rate_dis):
                times = [[Fraction(i * r[1], r[0]) for i in range(n)]
                         for r, n in ((rate_ref, count_ref), (rate_dis, count_dis))]
                numbers, apart = pairing(*times, [Fraction(r[1], r[0]) for r in (rate_ref, rate_dis)])
                ref = self.write("ref.y4m", clip(count_ref, "%d:%d" % rate_ref))
                dis = self.write("dis.y4m", clip(count_dis, "%d:%d" % rate_dis, 5))
                block = self.check(ref, dis, numbers,
                                   {"distorted_frames_left_out": count_dis - len(set(numbers))})
                self.assertAlmostEqual(block["largest_time_distance_ms"], float(apart * 1000), delta=0.00001)

    def test_lines(self):
        ref, dis = self.write("ref.y4m", clip(24, "60:1")), self.write("dis.y4m", clip(12, "30:1", 5))
        done = self.passes("-m", "psnr", "--no-progress", "--pair", "time", ref, dis)
        self.assertIn("assay: paired by time: 24 reference frames with 12 distorted ones, each shown with 2; "
                      "0 distorted ones are left out; largest distance 16.667 ms\n", done.err)
        self.assertIn("frame rate 60.000 fps (60/1) against 30.000 fps (30/1): frames are paired by time", done.err)
        done = self.passes("-m", "psnr", "--no-progress", "--pair", "time", dis, ref)
        self.assertIn("12 reference frames with 12 distorted ones; 12 distorted ones are left out; largest distance "
                      "0.000 ms\n", done.err)
        self.write("slow.y4m", clip(10, "24:1", 5))
        self.write("fast.y4m", clip(12, "30:1"))
        done = self.passes("-m", "psnr", "--no-progress", "--pair", "time", "--allow-length", "fast.y4m", "slow.y4m")
        self.assertIn("12 reference frames with 10 distorted ones, of which some are shown with up to 2;", done.err)
        self.refuses(MISMATCH, ["frame rate 60.000 fps", "(or --pair time)", "--allow-rate"], ref, dis)
        self.assertEqual(self.passes("-q", "-m", "psnr", "--pair", "time", ref, dis).err, "")

    def test_csv(self):
        ref, dis = self.write("ref.y4m", clip(4, "50:1")), self.write("dis.y4m", clip(2, "25:1", 5))
        for force in ([], ["--force"], []): # the last time over a file that assay has written
            self.passes("-q", "-m", "diff", "--pair", "time", "--csv", "a.csv", *force, ref, dis)
        lines = [line.split(",") for line in self.read("a.csv").splitlines()]
        self.assertEqual(lines[0][-2:], ["distorted_frame", "time"])
        self.assertEqual([line[-2] for line in lines[1:]], ["0", "0", "1", "1"])
        self.assertEqual({len(line) for line in lines}, {len(lines[0])})

    def test_ends(self):
        """A side that ends earlier in time."""
        ref = self.write("ref.y4m", clip(24, "60:1"))
        for count, says in ((11, "dis.y4m ends 0.367 s after its first frame, ref.y4m goes on"),
                            (13, "ref.y4m ends 0.400 s after its first frame, dis.y4m goes on")):
            dis = self.write("dis.y4m", clip(count, "30:1", 5))
            self.fails(MISMATCH, [says, "--allow-length takes the common time"], "-q", "-m", "psnr", "--pair", "time",
                       ref, dis)
            numbers = [k // 2 for k in range(min(24, 2 * count))]
            short = self.write("short.y4m", clip(len(numbers), "60:1"))
            self.check(ref, dis, numbers, {"allowed_differences": "length", "distorted_frames_left_out": 0},
                       ref_y4m=short, more=["--allow-length"])
            done = self.passes("-m", "psnr", "--no-progress", "--pair", "time", "--allow-length", ref, dis)
            self.assertIn(says + ": the time that both have is compared", done.err)
        self.assertEqual(len(self.scores("--pair", "time", "--frames", "9", ref, dis)), 9)

    def test_skipped(self):
        """Times count from the first frames that are read."""
        ref, dis = self.write("ref.y4m", clip(26, "60:1")), self.write("dis.y4m", clip(13, "30:1", 5))
        self.picked((self.dir / ref).read_bytes(), range(2, 26), "r.y4m", b"60:1")
        self.picked((self.dir / dis).read_bytes(), range(1, 13), "d.y4m", b"30:1")
        expected = self.scores("--pair", "time", "r.y4m", "d.y4m")
        self.assertEqual(self.scores("--pair", "time", "--skip-ref", "2", "--skip-dis", "1", ref, dis), expected)

    def test_pipes(self):
        ref, dis = self.write("ref.y4m", clip(24, "60:1")), self.write("dis.y4m", clip(12, "30:1", 5))
        expected = self.scores("--pair", "time", ref, dis)
        for args, name in ((["-", dis], ref), ([ref, "-"], dis)):
            with open(self.dir / name, "rb") as file, \
                    subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE) as cat:
                self.assertEqual(self.scores("--pair", "time", *args, stdin=cat.stdout), expected)

    def test_converted(self):
        """With another depth, another size, and parts of the pictures."""
        ref, dis = self.write("ref.y4m", y4m(64, 48, 12, rate="60:1", depth=10)), \
            self.write("dis.y4m", y4m(48, 32, 6, rate="30:1", noise=4))
        numbers = [k // 2 for k in range(12)]
        head, *pictures = (self.dir / dis).read_bytes().split(b"FRAME\n")
        head = head.replace(b"F30:1", b"F60:1")
        self.write("picked.y4m", head + b"".join(b"FRAME\n" + pictures[k] for k in numbers))
        for how in (["--scale", "bicubic"], ["--crop-ref", "40x24+2+2", "--crop-dis", "40x24+4+4"],
                    ["--scale", "lanczos", "--scale-ref", "--crop-dis", "40x24+4+4"]):
            with self.subTest(how=how):
                how.append("--allow-depth")
                self.assertEqual(self.scores(*how, "--pair", "time", ref, dis), self.scores(*how, ref, "picked.y4m"))

    def test_metrics_of_time(self):
        """The rate of the pairs is the reference's: xpsnr and cvvdp take it, whatever the distorted file has."""
        for rate_ref, rate_dis, numbers in (("60:1", "30:1", [0, 0, 1, 1, 2, 2, 3, 3]), ("30:1", "60:1", [0, 2, 4, 6])):
            ref = self.write("ref.y4m", y4m(64, 48, len(numbers), rate=rate_ref))
            dis = self.write("dis.y4m", y4m(64, 48, numbers[-1] + 1, rate=rate_dis, noise=4))
            head, *pictures = (self.dir / dis).read_bytes().split(b"FRAME\n")
            head = head.replace(b"F" + rate_dis.encode(), b"F" + rate_ref.encode())
            picked = self.write("picked.y4m", head + b"".join(b"FRAME\n" + pictures[k] for k in numbers))
            with self.subTest(ref=rate_ref, dis=rate_dis):
                found, expected = (json.loads(self.passes("-q", "-m", "xpsnr,cvvdp", "--allow-length", "--precision",
                                                          "max", "--json", "-", *args).out)
                                   for args in (["--pair", "time", ref, dis], [ref, picked]))
                self.assertEqual([f["metrics"] for f in found["frames"]], [f["metrics"] for f in expected["frames"]])
                self.assertEqual(found["aggregate_metrics"], expected["aggregate_metrics"])

    def test_machine_options(self):
        ref, dis = self.write("ref.y4m", clip(30, "60:1")), self.write("dis.y4m", clip(12, "24:1", 5))
        expected = self.scores("--pair", "time", ref, dis)
        for more in (["--threads", "3"], ["--in-flight", "2"], ["--in-flight", "7"], ["--cpu", "scalar"]):
            self.assertEqual(self.scores("--pair", "time", *more, ref, dis), expected)
        for _ in range(20):
            self.assertEqual(self.scores("--pair", "time", ref, dis), expected)

    def test_borders_are_looked_at(self):
        dark = bytes([16]) * (8 * WIDTH)
        ref = self.write("ref.y4m", clip(24, "60:1"))
        head, *pictures = clip(12, "30:1").split(b"FRAME\n")
        dis = self.write("dis.y4m", head + b"".join(b"FRAME\n" + dark + p[8 * WIDTH:] for p in pictures))
        done = self.passes("-m", "psnr", "--no-progress", "--pair", "time", ref, dis)
        self.assertIn("dis.y4m has top 8", done.err)

    def test_parity(self):
        """The frame that differs is compared with the picture on display at its time."""
        ref, dis = self.write("ref.y4m", clip(12, "60:1")), self.write("dis.y4m", clip(5, "24:1", 5))
        numbers, _ = pairing([Fraction(i, 60) for i in range(12)], [Fraction(i, 24) for i in range(5)],
                             (Fraction(1, 60), Fraction(1, 24)))
        self.assertEqual(numbers, [0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 4])
        picked = self.picked((self.dir / dis).read_bytes(), numbers, rate=b"60:1")

        def difference(at, *args):
            """What differs at the first pair that the second backend has another result of."""
            done = subprocess.run([os.environ["ASSAY_FLIPPED"], "parity", "-m", "diff", "--backends", "cpu,flip",
                                   "--json", "p.json", *args], cwd=self.dir, capture_output=True, text=True,
                                  check=False, env={**os.environ, "ASSAY_FLIP": "input 1 0 9 7 6",
                                                    "ASSAY_FLIP_FROM": str(at)})
            self.assertEqual(done.returncode, GATE, done)
            report = json.loads(self.read("p.json"))
            self.assertEqual(report["frame"], at)
            return report, done.stderr
        found = []
        for at in (0, 3, 4, 7, 11):
            by_number, said = difference(at, ref, picked)
            self.assertEqual(said, "")
            by_time, said = difference(at, "--pair", "time", ref, dis)
            self.assertEqual(by_time, by_number)
            self.assertRegex(said, rf"^assay: paired by time: {at + 1} reference frames with {numbers[at] + 1} distort")
            found.append(json.dumps(by_time["against_the_first"]))
        self.assertGreater(len(set(found)), 3)  # of 5: the pairs are not alike
        result = self.passes("parity", "--backends", "cpu,cpu:scalar", "--pair", "time", ref, dis)
        self.assertIn("equal in 12 frames", result.out)
        self.assertIn("paired by time: 12 reference frames with 5 distorted ones, of which some are shown with up to "
                      "3; 0 distorted ones are left out", result.err)
        how = ("parity", "--backends", "cpu,cpu:scalar", "-m", "psnr", "--pair", "time")
        self.assertEqual(self.passes(*how, "-q", ref, dis).err, "")
        self.assertIn("equal in 5 frames", self.passes(*how, "--frames", 5, ref, dis).out)
        short = self.write("short.y4m", clip(3, "24:1", 5))
        for pair, frames in (((ref, short), 8), ((self.write("less.y4m", clip(6, "60:1")), dis), 6)):
            self.refuses(MISMATCH, ["ends 0.1", "goes on", "--allow-length"], *how, *pair)
            self.assertIn(f"equal in {frames} frames", self.passes(*how, "--allow-length", *pair).out)
        self.write("plain.y4m", clip(2).replace(b" F25:1", b"", 1))
        self.refuses(USAGE, "plain.y4m has none", *how, "plain.y4m", dis)

    def test_bdrate(self):
        """Encodes of half the frame rate: their points are those of reports that were paired by time."""
        ref, video, reports = self.write("ref.y4m", clip(12, "60:1")), [], []
        for side in ("anchor", "test"):
            video.append(f"--{side}")
            reports.append(f"--{side}")
            for i in range(4):
                halved = side == "test" or i < 2
                name = self.write(f"{side}{i}.y4m", clip(6 if halved else 12, "30:1" if halved else "60:1",
                                                         14 - 3 * i - (side == "test"), Fraction(2 if halved else 1)))
                video.append(f"{name}@{100 * 3**i}")
                reports.append(f"{side}{i}.json@{100 * 3**i}")
                self.passes("-q", "-m", "psnr", "--precision", "max", "--pair", "time", "--json", f"{side}{i}.json",
                            ref, name)
        how = ("bdrate", "-m", "psnr_y", "--precision", "max", "--json")
        self.passes(*how, "expected.json", *reports)
        result = self.passes(*how, "found.json", "--no-progress", "-r", ref, "--pair", "time", *video)
        found, expected = (json.loads(self.read(f"{name}.json")) for name in ("found", "expected"))
        self.assertEqual(found["results"], expected["results"])
        self.assertEqual([p["scores"] for p in found["test"]], [p["scores"] for p in expected["test"]])
        self.assertEqual(result.err.count(".y4m: paired by time: 12 reference frames with 6 distorted ones"), 6)
        self.fails(MISMATCH, "--allow-rate", *how, "x.json", "-r", ref, *video)
        self.refuses(USAGE, "--pair is for files that are to be scored", *how, "x.json", "--pair", "time", *reports)

    def test_refused(self):
        ref, dis = self.write("ref.y4m", clip(4, "60:1")), self.write("dis.y4m", clip(2, "30:1", 5))
        for more, why in ((["--shard", "a.part"], "--shard finds frames by their numbers"),
                          (["--first", "1"], "--first finds"), (["--every", "2"], "--every finds"),
                          (["--heatmap", "maps", "--frames-worst", "1", "-m", "diff"], "--frames-worst finds"),
                          (["--hwdec", "auto", "--backend", "cuda"], "--hwdec off")):
            self.refuses(USAGE, why, "--pair", "time", *more, ref, dis)
        self.refuses(USAGE, "--pair takes number, time, not 'times'", "--pair", "times", ref, dis)
        self.refuses(GATE, "'--pair' is not for 'assay vmaf'", "vmaf", "--pair", "time", "-r", ref, "-d", dis)
        for command, more in (("parity", ("--backends", "cpu,cpu:scalar", ref, dis)),
                              ("bdrate", ("-r", ref, "--anchor", *4 * [dis], "--test", *4 * [dis]))):
            self.refuses(USAGE, "--every finds", command, "--pair", "time", "--every", 2, *more)
        self.refuses(USAGE, "--hwdec off", "bdrate", "--pair", "time", "--hwdec", "auto", "-r", ref, "--anchor",
                     *4 * [dis], "--test", *4 * [dis])
        self.write("dis.yuv", clip(2).split(b"FRAME\n")[1])
        self.fails(USAGE, "--pair time needs the times of the pictures, and dis.yuv has none", "--pair", "time",
                   "-w", WIDTH, "-h", HEIGHT, "-p", "420", "-b", "8", ref, "dis.yuv")
        data = clip(2).replace(b" F25:1", b"", 1)
        self.fails(USAGE, "plain.y4m has none", "--pair", "time", self.write("plain.y4m", data), dis)
        self.fails(INPUT, "truncated", "-q", "-m", "psnr", "--pair", "time", ref,
                   self.write("cut.y4m", clip(2, "30:1")[:-9]))
        self.fails(INPUT, "begins with", "-q", "-m", "psnr", "--pair", "time",
                   self.write("cut.y4m", clip(2, "60:1") + b"JUNK" * 2000), dis)

    # ---- files with times of their own ----

    def ffmpeg(self, *args):
        return subprocess.run(["ffmpeg", "-v", "error", "-y", *args], cwd=self.dir, check=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout

    def times(self, name):
        out = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries",
                              "frame=best_effort_timestamp_time:stream=avg_frame_rate", "-of", "json", name],
                             cwd=self.dir, check=True, stdout=subprocess.PIPE).stdout
        found = json.loads(out)
        rate = found["streams"][0]["avg_frame_rate"]  # FFmpeg 7 knows none behind setpts
        return ([Fraction(f["best_effort_timestamp_time"]) for f in found["frames"]],
                Fraction(rate if rate != "0/0" else 25))

    def as_y4m(self, name, out):
        """All pictures of a file, none twice and none left out, as data of a Y4M file, which is written."""
        raw = self.ffmpeg("-i", name, "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-")
        data = f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F25:1 Ip A1:1 C420\n".encode()
        data += b"".join(b"FRAME\n" + raw[i:i + SAMPLES] for i in range(0, len(raw), SAMPLES))
        self.write(out, data)
        return data

    @unittest.skipUnless(HAVE, "there is no ffmpeg program, or no libav")
    def test_variable_rates(self):
        """What select and setpts leave of a video, in Matroska (milliseconds) and in MP4."""
        self.write("a.y4m", clip(40, "25:1"))
        self.write("b.y4m", clip(40, "25:1", 5))
        keep = "select='not(eq(mod(n,5),2))*not(between(n,11,16))',"
        for ref_filter, dis_filter, ref_end, dis_end in (
                ("null", keep + "null", "mkv", "mkv"), ("null", keep + "null", "mp4", "mkv"),
                (keep + "null", "null", "mkv", "mp4"),
                ("null", "settb=1/1000,setpts=PTS+0.3*sin(N)*0.04/TB", "mkv", "mkv"),
                ("setpts=PTS+5/TB", "select='not(between(n,20,22))',setpts=PTS+1/TB", "mkv", "mp4"),
                ("null", "fps=24", "mkv", "mkv"), ("null", "fps=30000/1001", "mp4", "mkv"),
                ("fps=50", "null", "mkv", "mkv"), ("null", "fps=12", "mp4", "mp4")):
            with self.subTest(ref=ref_filter, dis=dis_filter, ends=(ref_end, dis_end)):
                codec = {"mkv": ["-c:v", "ffv1"], "mp4": ["-c:v", "libx264", "-qp", "0", "-bf", "2"]}
                for name, how, end in (("a", ref_filter, ref_end), ("b", dis_filter, dis_end)):
                    self.ffmpeg("-i", f"{name}.y4m", "-vf", how, "-fps_mode", "vfr", "-enc_time_base",
                                "1/90000", *codec[end], f"{name}.{end}")
                ref, dis = f"a.{ref_end}", f"b.{dis_end}"
                (times_ref, rate_ref), (times_dis, rate_dis) = self.times(ref), self.times(dis)
                numbers, apart = pairing(times_ref, times_dis, [1 / rate_ref, 1 / rate_dis])
                self.as_y4m(ref, "ref.y4m")
                found = self.report("--pair", "time", "--allow-length", ref, dis)
                numbers = numbers[:len(found["frames"])]
                self.assertGreaterEqual(len(numbers), len(times_ref) - 3)
                block = self.check(ref, dis, numbers, ref_y4m=self.picked((self.dir / "ref.y4m").read_bytes(),
                                                                          range(len(numbers)), "r.y4m"),
                                   dis_data=self.as_y4m(dis, "all.y4m"), more=["--allow-length"])
                self.assertLessEqual(block["largest_time_distance_ms"], float(apart * 1000) + 0.001)

    @unittest.skipUnless(HAVE, "there is no ffmpeg program, or no libav")
    def test_equal_rates_of_containers(self):
        """Times that containers round to milliseconds pair as numbers do."""
        for rate in ("25:1", "30000:1001", "60000:1001", "24000:1001", "120:1"):
            with self.subTest(rate=rate):
                self.write("a.y4m", clip(30, rate))
                self.write("b.y4m", clip(30, rate, 5))
                self.ffmpeg("-i", "a.y4m", "-c:v", "ffv1", "a.mkv")
                self.ffmpeg("-i", "b.y4m", "-c:v", "libx264", "-qp", "0", "-bf", "2", "b.mp4")
                expected = self.scores("a.y4m", "b.y4m")
                for ref, dis in (("a.mkv", "b.mp4"), ("a.y4m", "b.mp4"), ("a.mkv", "b.y4m")):
                    self.assertEqual(self.scores("--pair", "time", ref, dis), expected)

    @unittest.skipUnless(HAVE, "there is no ffmpeg program, or no libav")
    def test_a_last_frame_that_is_shown_longer(self):
        """The side ends when its last frame does, not a frame's time behind its begin."""
        self.write("a.y4m", clip(10))
        self.write("b.y4m", clip(6, noise=5))
        units = ("-video_track_timescale", "12800")  # 512 for a frame
        self.ffmpeg("-i", "b.y4m", "-c:v", "libx264", "-qp", "0", "-bf", "0", *units, "b.mp4")
        self.ffmpeg("-i", "b.mp4", "-c", "copy", "-bsf:v", "setts=duration=512+2048*eq(N\\,5)", *units, "long.mp4")
        numbers = [0, 1, 2, 3, 4, 5, 5, 5, 5, 5]
        self.check("a.y4m", "long.mp4", numbers, {"distorted_frames_left_out": 0},
                   dis_data=(self.dir / "b.y4m").read_bytes())
        found = self.report("--pair", "time", "long.mp4", "a.y4m")
        self.assertEqual([f["distorted_frame"] for f in found["frames"]], list(range(6)))
        self.assertEqual(found["assay"]["allowed_differences"], "")

    @unittest.skipUnless(HAVE, "there is no ffmpeg program, or no libav")
    def test_times_that_go_back(self):
        self.write("a.y4m", clip(8))
        self.ffmpeg("-i", "a.y4m", "-c:v", "ffv1", "a.mkv")
        data, times = bytearray((self.dir / "a.mkv").read_bytes()), [0, 40, 80, 120, 160, 200, 240, 280]
        at = data.index(b"\x1f\x43\xb6\x75")
        for i, time in enumerate(times):  # in the blocks of track 1
            at = data.index(b"\x81" + time.to_bytes(2, "big"), at) + 3
            if i == 5:
                data[at - 2:at] = (50).to_bytes(2, "big")
        self.write("back.mkv", bytes(data))
        for files in (("a.y4m", "back.mkv"), ("back.mkv", "a.y4m")):
            self.fails(INPUT, "back.mkv: frame 5: is shown before the frame in front of it", "-q", "-m", "psnr",
                       "--pair", "time", *files)

    @unittest.skipUnless(HAVE, "there is no ffmpeg program, or no libav")
    def test_no_rate(self):
        """Matroska of uneven times that states no rate, as recorders in browsers write: libav guesses 1000 a second."""
        self.write("a.y4m", clip(40))
        self.ffmpeg("-i", "a.y4m", "-vf", "settb=1/1000,setpts=PTS+0.3*sin(N)*0.04/TB", "-fps_mode", "vfr",
                    "-enc_time_base", "1/90000", "-c:v", "ffv1", "b.mkv")
        data = (self.dir / "b.mkv").read_bytes()
        at = data.find(b"\x23\xe3\x83\x84") # DefaultDuration, which FFmpeg 7 leaves out here
        self.write("b.mkv", data if at < 0 else data[:at] + b"\xec\x86" + data[at + 2:])
        self.assertIn("  frame_rate          0/0\n", self.passes("probe", "b.mkv").out)
        self.passes("-q", "-m", "psnr", "--fail-under", "psnr_y.min=60", "a.y4m", "b.mkv")
        self.fails(USAGE, "frame rate", "-q", "-m", "psnr", "--first", "0.5s", "b.mkv", "a.y4m")
        said = self.passes("-m", "psnr", "--pair", "time", "a.y4m", "b.mkv").err
        self.assertNotIn("1000", said)

    @unittest.skipUnless(HAVE, "there is no ffmpeg program, or no libav")
    def test_times_that_go_back_beside_others(self):
        """The times at which frames are shown count, though those at which they are decoded are in order."""
        self.write("a.y4m", clip(60))
        self.ffmpeg("-i", "a.y4m", "-c:v", "libx264", "-bf", "3", "-x264-params", "b-adapt=0", "a.mp4")
        self.ffmpeg("-i", "a.mp4", "-c", "copy", "-bsf:v", "setts=pts=PTS*(1+0.2*gt(N\\,29))", "back.mkv")
        for files in (("a.y4m", "back.mkv"), ("back.mkv", "a.y4m")):
            self.fails(INPUT, "is shown before the frame in front of it", "-q", "-m", "psnr", "--pair", "time",
                       "--allow-length", *files)

    @unittest.skipUnless(HAVE, "there is no ffmpeg program, or no libav")
    def test_times_behind_those_of_decoding(self):
        """AVI states times of decoding alone. The last pictures of a stream with B-frames come behind the last one."""
        self.write("a.y4m", clip(60))
        self.ffmpeg("-i", "a.y4m", "-c:v", "libx264", "-bf", "3", "-x264-params", "b-adapt=0", "b.avi")
        for skip in ((), ("--skip-ref=10", "--skip-dis=10"), ("--skip-ref=58", "--skip-dis=58")):
            for files in (("a.y4m", "b.avi"), ("b.avi", "a.y4m")):
                self.assertEqual(self.scores("--pair", "time", *skip, *files), self.scores(*skip, *files))

    @unittest.skipUnless(HAVE, "there is no ffmpeg program, or no libav")
    def test_no_times(self):
        """A bare stream has none, though libav makes up some for AV1 and MPEG-2."""
        self.write("a.y4m", clip(6))
        for name, options in (("a.h264", ["libx264", "-bf", "0"]), ("a.m2v", ["mpeg2video"]),
                              ("a.obu", ["libaom-av1", "-usage", "realtime", "-cpu-used", "8"])):
            self.ffmpeg("-i", "a.y4m", "-c:v", *options, name)
            self.refuses(USAGE, f"{name} has none", "-q", "-m", "psnr", "--pair", "time", "a.y4m", name)


if __name__ == "__main__":
    main()
