#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The plugin of VapourSynth by a real VapourSynth: every property is the command's score, bit for bit, in whatever
order and by however many threads frames are asked for; maps; and what is refused.

check_vapoursynth.py PLUGIN ROOT    with the scores of $ASSAY. Exit code 77: there is no VapourSynth for this Python.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

try:
    import vapoursynth as vs
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

PLUGIN, ROOT = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
SAMPLE = ROOT / "examples/sample"
core = vs.core
core.std.LoadPlugin(str(PLUGIN))


def clip(path, **properties):
    """The pictures of a Y4M of 4:2:0 with 8 bits."""
    data = path.read_bytes()
    end = data.index(b"\n")
    width, height = (int(word[1:]) for word in data[:end].decode().split()[1:3])
    sizes = [(height, width)] + 2 * [((height + 1) // 2, (width + 1) // 2)]
    at, pictures = end + 1, []
    while at < len(data):
        at = data.index(b"\n", at) + 1
        planes = []
        for rows, columns in sizes:
            planes.append([data[at + row * columns:at + (row + 1) * columns] for row in range(rows)])
            at += rows * columns
        pictures.append(planes)

    def fill(n, f):
        out = f.copy()
        for number, rows in enumerate(pictures[n]):
            plane = memoryview(out[number])
            for y, row in enumerate(rows):
                for x, value in enumerate(row):
                    plane[y, x] = value
        for name, value in properties.items():
            out.props[name] = value
        return out

    blank = core.std.BlankClip(width=width, height=height, format=vs.YUV420P8, length=len(pictures), fpsnum=30,
                               fpsden=1)
    return blank.std.ModifyFrame(blank, fill)


class Scores(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ref, cls.dis = clip(SAMPLE / "ref.y4m"), clip(SAMPLE / "dis.y4m")

    def report(self, metrics):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "report.json")
            subprocess.run([os.environ["ASSAY"], "-q", "--precision", "max", "--json", path, "-m", metrics,
                            SAMPLE / "ref.y4m", SAMPLE / "dis.y4m"], check=True)
            return [frame["metrics"] for frame in json.loads(path.read_text(encoding="utf-8"))["frames"]]

    def same(self, properties, expected):
        for key, value in expected.items():
            self.assertEqual(properties[key], value, key)

    def test_any_order(self):
        expected = self.report("vmaf,psnr,motion,float_motion,float_ms_ssim,xpsnr")
        scored = core.assay.Score(self.ref, self.dis, metrics=["vmaf,psnr", "motion", "float_motion", "float_ms_ssim",
                                                               "xpsnr"])
        order = list(range(len(expected)))
        random.Random(5).shuffle(order)
        for n in order + order[::-1][:3]:
            self.same(scored.get_frame(n).props, expected[n])
        self.assertEqual(bytes(scored.get_frame(3)[0]), bytes(self.dis.get_frame(3)[0]))

    def test_in_parallel(self):
        expected = self.report("vmaf")
        core.num_threads = 4
        scored = core.assay.Score(self.ref, self.dis, metrics="vmaf", threads=2)
        waiting = [scored.get_frame_async(n) for n in range(len(expected))]
        for n, frame in enumerate(waiting):
            self.same(frame.result().props, expected[n])

    def test_the_usual_metrics(self):
        properties = core.assay.Score(self.ref, self.dis).get_frame(0).props
        for key in ("vmaf", "psnr_y", "float_ms_ssim"):
            self.assertIn(key, properties)

    def test_maps(self):
        shown = core.assay.Map(self.ref, self.dis, metrics="float_ssim", map="float_ssim").get_frame(2)
        self.assertEqual((shown.format.id, shown.width, shown.height), (vs.GRAYS, 342, 188))
        found = [value for row in memoryview(shown[0]).tolist() for value in row]
        ssim = self.report("float_ssim")[2]["float_ssim"]
        self.assertAlmostEqual(1 - sum(found) / len(found), ssim, places=4)
        equal = core.assay.Map(self.ref, self.ref, metrics="diff").get_frame(7)
        self.assertEqual(max(map(max, memoryview(equal[0]).tolist())), 0)

    def test_colours(self):
        """The properties of a frame are what its format says, and those that change are refused."""
        limited, full = (clip(SAMPLE / "ref.y4m", _Range=value) for value in (0, 1))
        self.fails("range", lambda: core.assay.Score(limited, full, metrics="psnr"))
        left, centre = (clip(SAMPLE / "ref.y4m", _ChromaLocation=value) for value in (0, 1))
        for before, behind in ((limited, full), (left, centre)):
            changing = core.std.Splice([before[:2], behind[2:]])
            scored = core.assay.Score(changing, changing, metrics="psnr")
            self.assertEqual(scored.get_frame(1).props["psnr_y"], 60)
            self.fails("frame 2: its range", lambda scored=scored: scored.get_frame(2))

    def fails(self, line, function):
        with self.assertRaises(vs.Error) as caught:
            function()
        self.assertIn(line, str(caught.exception))

    def test_refused(self):
        score = core.assay.Score
        self.fails("the lengths differ: ref has 8 frames, dis 5", lambda: score(self.ref, self.dis[:5]))
        self.fails("integers of 8 to 16 bits", lambda: score(self.ref, self.dis.resize.Point(format=vs.YUV420PS)))
        self.fails("nothing", lambda: score(self.ref, self.dis, metrics="nothing"))
        self.fails("no map 'x'; there are diff", lambda: core.assay.Map(self.ref, self.dis, metrics="diff", map="x"))
        self.fails("none of the metrics has a map", lambda: core.assay.Map(self.ref, self.dis, metrics="psnr"))
        self.fails("backend", lambda: score(self.ref, self.dis, metrics="psnr", backend="abacus"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
