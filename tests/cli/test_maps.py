# SPDX-License-Identifier: BSD-2-Clause
"""--frames-worst: which frames it draws, and what the second pass makes of files that change."""
import fcntl
import json
import os
import subprocess

import command
from command import DIS, INPUT, PASS, PROGRAM, REF, USAGE, Case, frame, main, y4m

NOISES = (3, 9, 1, 9, 0, 5, 2)  # of the frames of the pair; the first of the worst two is frame 1


def noisy(noises=NOISES, width=40, height=34):
    head = f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C420\n".encode()
    return head + b"".join(b"FRAME\n" + frame(width, height, seed=i, noise=n) for i, n in enumerate(noises))


@command.unittest.skipUnless(os.environ.get("ASSAY_PNG"), "this build has no libpng")
class WorstFrames(Case):
    def setUp(self):
        super().setUp()
        self.ref = self.write("ref.y4m", noisy([0] * len(NOISES)))
        self.dis = self.write("dis.y4m", noisy())

    def drawn(self, folder):
        return sorted(path.name for path in (self.dir / folder).iterdir())

    def scores(self, name):
        return [f["metrics"] for f in json.loads(self.read(name))["frames"]]

    def test_the_worst_by_each_score_and_the_bytes_of_their_maps(self):
        self.passes("-q", "-m", "diff,psnr", "--heatmap", "all", "--json", "all.json", self.ref, self.dis)
        scores = self.scores("all.json")
        for key, sign in (("max_diff", -1), ("psnr_y", 1), ("diff_pixels", -1)):
            order = sorted(range(len(scores)), key=lambda i, k=key, s=sign: (s * scores[i][k], i))
            for n in (1, 3, 7, 99):
                folder = f"{key}{n}"
                result = self.passes("-m", "diff,psnr", "--heatmap", folder, "--frames-worst", f"{n}:{key}",
                                     "--json", "o.json", self.ref, self.dis)
                worst = order[:n]
                self.assertIn(f"the worst frames by {key}, the worst first: {', '.join(map(str, worst))}\n", result.err)
                self.assertEqual(self.drawn(folder), [f"{i:06}.diff.png" for i in sorted(worst)])
                self.assertEqual(self.scores("o.json"), scores)
                for name in self.drawn(folder):
                    self.assertEqual((self.dir / folder / name).read_bytes(), (self.dir / "all" / name).read_bytes())

    def test_the_first_score_with_a_direction(self):
        """Neither motion's, which is no quality, nor one of a metric that only a model reads."""
        result = self.passes("-m", "float_motion,psnr,diff", "--heatmap", "a", "--frames-worst", 2, self.ref, self.dis)
        self.assertIn("by psnr_y, the worst first: 3, 1", result.err)
        result = self.run_assay("vmaf", "-r", REF, "-d", DIS, "--feature", "cambi", "--heatmap", "b", "--frames_worst",
                                1, "-o", "o.xml")
        self.assertEqual(result.code, PASS, result)
        self.assertIn("the worst frames by cambi,", result.err)
        self.assertEqual(len(self.drawn("b")), 5)

    def test_scores_of_the_second_pass_are_those_of_the_first(self):
        """Metrics that look at other frames, before and behind; every part of a file; other forms of pairs. The run
        fails where a bit differs."""
        for args in ([], ["--every", 2], ["--every", 3, "--first", 1], ["--first", 2, "--frames", 4],
                     ["--skip-ref", 1, "--skip-dis", 1], ["--frames", 5], ["--cpu", "scalar", "--threads", 2]):
            for n in (1, 2, 4):
                self.passes("-q", "-m", "vmaf,motion,motion_v2,float_motion,speed_temporal,diff", "--heatmap",
                            "a", "--frames-worst", f"{n}:psnr_y", "--feature", "psnr", *args, REF, DIS)
        deep = self.write("deep.y4m", y4m(width=40, height=34, frames=7, depth=10, noise=3))
        small = self.write("small.y4m", y4m(width=34, height=30, frames=5, noise=2))
        raw = self.write("raw.yuv", noisy()[noisy().index(b"\n") + 1:].replace(b"FRAME\n", b""))
        for args in ([self.ref, deep, "--allow-depth"], [self.ref, small, "--allow-size", "--allow-length"],
                     [self.ref, small, "--scale", "bicubic", "--allow-length"],
                     ["-w", 40, "-h", 34, "-p", "yuv420p", self.ref, raw]):
            self.passes("-q", "-m", "diff,float_motion", "--heatmap", "b", "--frames-worst", "2", *args)

    def test_refusals_before_scoring(self):
        args = ("-q", "-m", "diff,psnr,float_motion", "--heatmap", "maps", "--frames-worst")
        self.refuses(USAGE, ["no score 'psnr_x'", "did you mean 'psnr_y'?"], *args, "2:psnr_x", self.ref, self.dis)
        self.refuses(USAGE, "no value of 'motion2' is better", *args, "2:motion2", self.ref, self.dis)
        self.refuses(USAGE, "whole run", *args, 2, "--shard", "a.json", self.ref, self.dis)
        for value in ("0", "", "x", "1:", "-1", ":psnr_y", "99999999999"):
            self.refuses(USAGE, "--frames-worst", *args[:-1], f"--frames-worst={value}", self.ref, self.dis)
        self.refuses(USAGE, "--heatmap", "-q", "-m", "diff", "--frames-worst", 2, self.ref, self.dis)
        self.refuses(USAGE, "no metric", "-q", "-m", "psnr", "--heatmap", "maps", "--frames-worst", 2, self.ref,
                     self.dis)
        self.refuses(USAGE, "no score of this run has better", "-q", "-m", "float_motion", "--heatmap", "maps",
                     "--frames-worst", 2, self.ref, self.dis)
        self.refuses(USAGE, "'-' is no file", *args, 2, self.ref, "-", input="")
        os.mkfifo(self.dir / "pipe")
        self.refuses(USAGE, "'pipe' is no file", *args, 2, self.ref, "pipe")
        self.refuses(USAGE, "not for 'assay image'", "image", "--frames-worst", 2, self.ref, self.dis)
        self.assertFalse((self.dir / "maps").exists())

    def test_gates_and_files_in_the_way(self):
        args = ("-q", "-m", "diff", "--heatmap", "maps", "--frames-worst", 1, self.ref, self.dis)
        result = self.run_assay("--fail-over", "max_diff.max=2", *args)
        self.assertEqual((result.code, self.drawn("maps")), (1, ["000001.diff.png"]), result)
        self.write("maps/000001.diff.png", b"mine")
        self.fails(USAGE, "--force overwrites it", *args)
        self.passes("--force", *args)

    def change_meanwhile(self, change, says):
        """The report goes to a pipe that nobody reads, which stops the first pass while the file changes."""
        frames = 400
        self.write("ref.y4m", noisy([0] * frames))
        self.write("dis.y4m", noisy([9] + [1] * (frames - 1)))
        args = [PROGRAM, "-q", "-m", "diff=per_plane=true,psnr", "--threads", "1", "--heatmap", "maps",
                "--frames-worst", "1", "--json", "-", self.ref, self.dis]
        with subprocess.Popen(args, cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0) as run:
            fcntl.fcntl(run.stdout, getattr(fcntl, "F_SETPIPE_SZ", 1031), 4096)
            begin = run.stdout.read(200)  # frame 0 was scored
            change()
            rest, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, INPUT, err)
        self.assertIn(says, err.decode())
        report = json.loads(begin + rest)
        self.assertEqual((len(report["frames"]), report["assay"]["incomplete"]), (frames, False))

    def test_a_file_that_changes(self):
        def change():
            with open(self.dir / self.dis, "r+b") as file:
                file.seek(100)
                file.write(bytes(500))
        self.change_meanwhile(change, "changed while it was read: frame 0 has other scores in the second pass")


if __name__ == "__main__":
    main()
