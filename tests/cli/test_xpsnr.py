# SPDX-License-Identifier: BSD-2-Clause
"""xpsnr: the frame rate, parts, every n-th frame, the log in ffmpeg's shape. Figures: tests/golden/xpsnr.py."""
import json

from command import DIS, REF, USAGE, Case, frame, main, y4m
from pictures import GREY, png


class Xpsnr(Case):
    def report(self, *args):
        self.passes("-q", "--json", "out.json", "--force", "--reproducible", *args)
        return json.loads((self.dir / "out.json").read_text())

    def scores(self, *args):
        return {f["frameNum"]: f["metrics"] for f in self.report(*args)["frames"]}

    def test_a_part_is_as_of_the_whole(self):
        for fps in ("24", "60"):
            metric = ("-m", f"xpsnr=fps={fps}")
            whole = self.report(*metric, "--xpsnr-log", "whole.log", REF, DIS)
            for name, part in (("a", ("--frames", "3")), ("b", ("--first", "3"))):
                self.passes("-q", *metric, *part, "--shard", f"{name}.json", "--force", REF, DIS)
            self.passes("merge", "-q", "b.json", "a.json", "--json", "merged.json", "--xpsnr-log", "merged.log",
                        "--force", "--reproducible")
            self.assertEqual(json.loads((self.dir / "merged.json").read_text()), whole)
            self.assertEqual((self.dir / "merged.log").read_text(), (self.dir / "whole.log").read_text())
            frames = {f["frameNum"]: f["metrics"] for f in whole["frames"]}
            for n, values in self.scores(*metric, "--every", "3", REF, DIS).items():
                self.assertEqual(values, frames[n])

    def test_the_log_is_for_xpsnr(self):
        self.refuses(USAGE, ["--xpsnr-log needs the metric xpsnr"], "-q", "-m", "psnr", "--xpsnr-log", "x.log", REF,
                     DIS)
        self.refuses(USAGE, ["--xpsnr-log writes one encode", "{name}"], "-q", "-m", "xpsnr", "--xpsnr-log", "x.log",
                     REF, DIS, REF)

    def test_the_rate_is_stated_or_refused(self):
        for side in ("a", "b"):
            self.write(f"{side}.yuv", frame(64, 48, noise=3 * (side == "b")))
        raw = ("-q", "-w", "64", "-h", "48", "-p", "yuv420p", "a.yuv", "b.yuv")
        self.refuses(USAGE, ["xpsnr needs the frame rate", "fps=25"], "-m", "xpsnr", *raw)
        self.passes("-m", "xpsnr=fps=25", *raw)
        self.assertNotIn("xpsnr_y", self.scores("-m", "all", *raw)[0])

    def test_images_need_no_rate(self):
        """A picture alone is a first frame, whose figures are those of every rate."""
        for name, noise in (("a", 0), ("b", 5)):
            rows = [[(x * y + noise * (x % 3)) % 256 for x in range(64)] for y in range(48)]
            self.write(f"{name}.png", png(rows, GREY, 8))
        said = []
        for metric in ("xpsnr", "xpsnr=fps=25", "xpsnr=fps=60"):
            self.passes("image", "-q", "-m", metric, "--precision", "max", "--json", "r.json", "--force", "a.png",
                        "b.png")
            said.append([json.loads(self.read("r.json"))["pairs"][0]["metrics"][f"xpsnr{key}_y"]
                         for key in ("", "_wsse")])
        self.assertEqual(said[0], said[1])
        self.assertEqual(said[0], said[2])

    def test_equal_pictures_are_infinite(self):
        report = self.report("-m", "xpsnr", REF, REF)
        self.assertEqual(set(report["aggregate_metrics"].values()), {None})
        self.assertEqual(report["frames"][0]["metrics"]["xpsnr_wsse_y"], 0)

    def test_what_is_refused(self):
        for says, name, data in (("at least 2025 pixels", "small", y4m(44, 46, frames=1)),
                                 ("8 to 14 bits", "deep", y4m(64, 48, frames=1, depth=16, chroma="444")),
                                 ("even sides", "odd", y4m(2049, 1153, frames=1, chroma="mono"))):
            path = self.write(f"{name}.y4m", data)
            self.refuses(USAGE, ["xpsnr", says], "-q", "-m", "xpsnr", path, path)


if __name__ == "__main__":
    main()
