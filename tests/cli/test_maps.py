# SPDX-License-Identifier: BSD-2-Clause
"""Maps: their planes against the scores they belong to; --frames-worst: which frames it draws, and what the second pass
makes of files that change."""
import ast
import fcntl
import json
import math
import os
import random
import re
import struct
import subprocess

import command
from command import DIS, INPUT, PASS, PROGRAM, REF, USAGE, Case, frame, main, y4m

NOISES = (3, 9, 1, 9, 0, 5, 2)  # of the frames of the pair; the first of the worst two is frame 1


def noisy(noises=NOISES, width=40, height=34):
    """Each 16th picture is the same, but for its noise."""
    head = f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C420\n".encode()
    return head + b"".join(b"FRAME\n" + frame(width, height, seed=i % 16, noise=n) for i, n in enumerate(noises))


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

    def test_numbers_beside_the_pictures(self):
        """Those of the last pass of the map, as --dump-stage writes them; nobody else's file is overwritten."""
        both = ("-q", "-m", "diff", "--heatmap", "m", "--heatmap-values", self.ref, self.dis)
        self.passes(*both, "--frames", "2", "--dump-stage", "diff_join_i32:1=stage.npy")
        self.assertEqual(self.drawn("m"), [f"00000{n}.diff.{form}" for n in (0, 1) for form in ("npy", "png")])
        self.assertEqual((self.dir / "m/000001.diff.npy").read_bytes(), (self.dir / "stage.npy").read_bytes())
        self.passes(*both, "--frames-worst", "1")
        self.assertIn("000001.diff.npy", self.drawn("m"))
        (self.dir / "m/000000.diff.npy").write_bytes(b"somebody's")
        self.refuses(USAGE, "000000.diff.npy", *both)
        self.passes(*both, "--force")
        self.refuses(USAGE, "--heatmap-values writes the numbers of --heatmap, which is missing", "-m", "diff",
                     "--heatmap-values", self.ref, self.dis)

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
        self.assertEqual(len(self.drawn("b")), 8)  # of cambi, and of the features of the model

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
            rest, err = run.communicate(timeout=600)
        self.assertEqual(run.returncode, INPUT, err)
        self.assertIn(says, err.decode())
        report = json.loads(begin + rest)
        self.assertEqual((len(report["frames"]), report["assay"]["incomplete"]), (frames, False))

    def test_a_file_that_changes(self):
        def change():
            time = os.stat(self.dir / self.dis).st_mtime_ns
            with open(self.dir / self.dis, "r+b") as file:
                file.seek(100)
                file.write(bytes(500))
            os.utime(self.dir / self.dis, ns=(time, time)) # by which the first pass would see it
        self.change_meanwhile(change, "changed while it was read: frame 0 has other scores in the second pass")


class Plane:
    """A plane that --dump-stage wrote."""

    def __init__(self, path):
        data = path.read_bytes()
        length = struct.unpack("<H", data[8:10])[0]
        head = ast.literal_eval(data[10:10 + length].decode("ascii"))
        self.h, self.w = head["shape"]
        self.v = struct.unpack(f"<{self.w * self.h}{({'<f4': 'f', '<u4': 'I'}[head['descr']])}", data[10 + length:])

    def at(self, x, y):
        return self.v[min(max(y, 0), self.h - 1) * self.w + min(max(x, 0), self.w - 1)]

    def mean(self):
        return math.fsum(self.v) / len(self.v)

    def own(self, smaller, offset=0):
        """What the pass has added to the map of half the size."""
        if smaller is None:
            return self.v
        return [v - smaller.at(((i % self.w + offset) >> 1) - offset, ((i // self.w + offset) >> 1) - offset)
                for i, v in enumerate(self.v)]


# Each metric with its maps: names of files, and the pass of the last one or more.
MAPS = {
    "float_ssim": {"float_ssim": "ssim_map_f32"},
    "ssim": {"ssim": "ssim_int_map_u32"},
    "float_ms_ssim": {"float_ms_ssim": "ssim_map_f32.4"},
    "vif": {"integer_vif": "vif_map_f32.3"},
    "float_vif": {"vif": "vif_map_f32.3"},
    "adm": {"integer_adm": "adm_map_f32.3", "integer_aim": "adm_map_f32.7"},
    "float_adm": {"adm": "adm_map_f32.3", "aim": "adm_map_f32.7"},
    "psnr_hvs": {"psnr_hvs_y": "psnr_hvs_map_u32.0", "psnr_hvs_cb": "psnr_hvs_map_u32.1",
                 "psnr_hvs_cr": "psnr_hvs_map_u32.2"},
}


@command.unittest.skipUnless(os.environ.get("ASSAY_PNG"), "this build has no libpng")
class Maps(Case):
    def score(self, metric, stages, ref=REF, dis=DIS, *more):
        """The scores of frame 0, and the planes that passes made of it."""
        args = [arg for i, name in enumerate(stages) for arg in ("--dump-stage", f"{name}:0={i}.npy")]
        result = self.passes("-q", "--force", "-m", metric, "--frames", 1, "--heatmap", "maps", "--precision", "max",
                             "--json", "o.json", *args, ref, dis, *more)
        self.assertEqual(result.err, "")
        scores = json.loads(self.read("o.json"))["frames"][0]["metrics"]
        return scores, [Plane(self.dir / f"{i}.npy") for i in range(len(stages))]

    def test_float_ssim_is_one_less_the_mean(self):
        """The sums differ by the 2^-40 that a window's limbs cut off."""
        deep = self.write("ref.y4m", y4m(depth=10)), self.write("dis.y4m", y4m(depth=10, noise=30))
        for options, pair in (("", (REF, DIS)), ("=scale=2", (REF, DIS)), ("", deep)):
            scores, (plane,) = self.score("float_ssim" + options, ["ssim_map_f32"], *pair)
            self.assertLess(scores["float_ssim"], 0.99)
            self.assertAlmostEqual(1 - plane.mean(), scores["float_ssim"], delta=1e-11)

    def test_flip_is_the_mean(self):
        """The sums differ by the 2^-40 that limbs cut off."""
        scores, (plane,) = self.score("flip=pools=true", ["flip_map_f32"])
        self.assertTrue(abs(scores["flip"] - plane.mean()) < 1e-11)
        self.assertEqual((scores["flip_min"], scores["flip_max"]), (min(plane.v), max(plane.v)))
        below, half = 0.0, 0.5 * math.fsum(plane.v)
        for v in sorted(plane.v):
            below += v
            if below > half:
                break
        self.assertEqual(scores["flip_weighted_median"], v)

    def test_butteraugli_is_the_largest_and_its_norms(self):
        """The sums of powers of a float are off by its roundings."""
        scores, (plane,) = self.score("butteraugli=norms=true:qnorm=5", ["butteraugli_join_f32"])
        self.assertEqual(scores["butteraugli"], max(plane.v))

        def norm(q):
            return (math.fsum(v ** q for v in plane.v) / len(plane.v)) ** (1 / q)

        for key, v in {"norm3": norm(3), "norm5": norm(5), "3norm": (norm(3) + norm(6) + norm(12)) / 3}.items():
            self.assertAlmostEqual(scores["butteraugli_" + key] / v, 1, delta=1e-6)

    def test_ssim_is_one_less_the_weighted_mean(self):
        deep = self.write("ref.y4m", y4m(depth=16)), self.write("dis.y4m", y4m(depth=16, noise=999))
        taps = (2, 9, 28, 55, 68, 55, 28, 9, 2)

        def weights(n):
            return [sum(tap for k, tap in enumerate(taps) if 0 <= i + k - 4 < n) for i in range(n)]

        for pair in ((REF, DIS), deep):
            scores, (plane,) = self.score("ssim", ["ssim_int_map_u32"], *pair)
            w = [a * b for b in weights(plane.h) for a in weights(plane.w)]
            mean = math.fsum(v * k for v, k in zip(plane.v, w)) / sum(w)
            self.assertLess(scores["ssim"], 0.99)
            self.assertAlmostEqual(1 - mean, scores["ssim"], delta=1e-7)

    def test_float_ms_ssim_scale_by_scale(self):
        """What a pass adds is the scale's exponent times what its means lack to 1."""
        weight = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
        scores, planes = self.score("float_ms_ssim=enable_lcs=true", [f"ssim_map_f32.{i}" for i in range(5)])
        smaller = None
        for scale, plane in zip(range(4, -1, -1), planes):
            own = plane.own(smaller, 5)
            lacks = math.fsum(own) / len(own) / weight[scale]
            wanted = [1 - scores[f"float_ms_ssim_{k}_scale{scale}"] for k in ("csl" if scale == 4 else "cs")]
            self.assertGreater(sum(wanted), 1e-4)
            self.assertAlmostEqual(lacks, sum(wanted), delta=1e-6)
            smaller = plane

    def test_vif_scale_by_scale(self):
        """What a pass adds is the denominator less the numerator. vif rounds each logarithm to 1/2048."""
        for metric, prefix, within in (("float_vif", "vif", 1e-5), ("vif", "integer_vif", 1e-3),
                                       ("float_vif=vif_kernelscale=0.5", "vif", 1e-5)):
            tail = "_ks_0.5" if "0.5" in metric else ""
            joint = ":" if "=" in metric else "="
            scores, planes = self.score(f"{metric}{joint}debug=true", [f"vif_map_f32.{i}" for i in range(4)])
            smaller = None
            for scale, plane in zip(range(3, -1, -1), planes):
                num, den = (scores[f"{prefix}_{part}_scale{scale}{tail}"] for part in ("num", "den"))
                lost = math.fsum(plane.own(smaller))
                self.assertGreater(den - num, 0.02 * den)
                self.assertLess(abs(lost - (den - num)), within * den, (metric, scale))
                smaller = plane

    def test_adm_by_its_definition(self):
        """The layers that the maps are made of give the score, and the maps are their differences."""
        for metric, prefix, within in (("float_adm", "", 1e-6), ("adm", "integer_", 1e-4)):
            stages = [f"{name}.{i}" for name in ("adm_values_f32", "adm_map_f32") for i in range(4)]
            scores, planes = self.score(metric, stages + [f"adm_map_f32.{i}" for i in range(4, 8)])
            values, lost, added = planes[:4], planes[4:8][::-1], planes[8:][::-1]
            sums = [0, 0, 0]
            for scale, of in enumerate(values):
                w, h = of.w, of.h // 9
                left, top = int(w * 0.1 - 0.5), int(h * 0.1 - 0.5)
                noise = ((w - 2 * left) * (h - 2 * top) * 0.03125)**(1 / 3)
                for k in range(9):
                    layer = of.v[k * w * h:(k + 1) * w * h]
                    cubes = math.fsum(v**3 for i, v in enumerate(layer)
                                      if left <= i % w < w - left and top <= i // w < h - top)
                    sums[k // 3] += cubes**(1 / 3) + (noise if k < 6 else 0)
                smaller = (lost[scale + 1], added[scale + 1]) if scale < 3 else (None, None)
                for plane, less, first in ((lost[scale], smaller[0], 0), (added[scale], smaller[1], 6)):
                    for i, own in enumerate(plane.own(less)):
                        parts = [of.v[(first + b) * w * h + i] for b in range(3)]
                        if first == 0:
                            parts = [v - of.v[(3 + b) * w * h + i] for b, v in enumerate(parts)]
                        self.assertAlmostEqual(own, sum(parts), delta=1e-5)
            self.assertAlmostEqual(sums[1] / sums[0], scores[prefix + "adm2"], delta=within)
            self.assertAlmostEqual(sums[2] / sums[0], scores[prefix + "aim"], delta=within)

    def test_psnr_hvs_is_the_mean_square(self):
        deep = self.write("ref.y4m", y4m(depth=10)), self.write("dis.y4m", y4m(depth=10, noise=30))
        full = self.write("ref16.y4m", y4m(depth=16)), self.write("dis16.y4m", y4m(depth=16, noise=999))
        for pair in ((REF, DIS), deep, full):
            scores, planes = self.score("psnr_hvs", [f"psnr_hvs_map_u32.{i}" for i in range(3)], *pair)
            for key, plane in zip(("y", "cb", "cr"), planes):
                square = math.fsum(v * v for v in plane.v) / len(plane.v) / 255**2
                self.assertAlmostEqual(-10 * math.log10(square), scores["psnr_hvs_" + key], delta=1e-5)

    def spoilt(self, at, size=16):
        """A pair of 230x204 whose distorted side is spoilt in a square."""
        dice, (w, h) = random.Random(5), (230, 204)
        luma = [(x * 3 + y * 5 + dice.randint(0, 40)) % 180 + 30 for y in range(h) for x in range(w)]
        other = luma[:]
        for y in range(at[1], at[1] + size):
            for x in range(at[0], at[0] + size):
                other[y * w + x] = 230 - luma[y * w + x] // 2
        chroma = bytes([128]) * (2 * 115 * 102)
        head = f"YUV4MPEG2 W{w} H{h} F25:1 Ip A1:1 C420\nFRAME\n".encode()
        return self.write("a.y4m", head + bytes(luma) + chroma), self.write("b.y4m", head + bytes(other) + chroma)

    def test_a_spot_is_seen_where_it_is(self):
        """In the middle and in a corner, where float_adm's score does not look."""
        for at in ((170, 40), (0, 0), (214, 188)):
            pair = self.spoilt(at)
            for metric, maps in MAPS.items():
                _, planes = self.score(metric, list(maps.values()), *pair)
                plane = planes[0]
                highest = max(range(len(plane.v)), key=plane.v.__getitem__)
                # Windows of SSIM begin 5 samples inside the picture; blocks and coefficients take several samples.
                step, margin = (7, 0) if metric == "psnr_hvs" else (2, 0) if "adm" in metric else (1, 0)
                margin = 5 if metric in ("float_ssim", "float_ms_ssim") else margin
                x, y = (n * step + margin for n in (highest % plane.w, highest // plane.w))
                self.assertTrue(at[0] - 16 <= x < at[0] + 32 and at[1] - 16 <= y < at[1] + 32, (metric, at, x, y))
                far = [v for i, v in enumerate(plane.v)
                       if abs(i % plane.w * step - at[0]) > 120 or abs(i // plane.w * step - at[1]) > 120]
                self.assertTrue(far and max(map(abs, far)) < 1e-3 * plane.v[highest], (metric, at))

    def test_equal_pictures_have_maps_of_zeros(self):
        flat = self.write("flat.y4m", b"YUV4MPEG2 W180 H178 F25:1 Ip A1:1 C420\nFRAME\n"
                          + bytes([77]) * 180 * 178 + bytes([99]) * 2 * 90 * 89)
        for side in (flat, REF):
            for metric, maps in MAPS.items():
                _, planes = self.score(metric, list(maps.values()), side, side)
                self.assertTrue(not any(any(plane.v) for plane in planes), (metric, side))

    def test_files_scales_and_bytes(self):
        """Each map is a file, whose text states the fixed scale; the bytes are the same at every level; the scores are
        those of a run without maps."""
        full = {"float_ssim": 0.5, "ssim": 0.5, "float_ms_ssim": 0.25, "integer_vif": 10, "vif": 10, "integer_adm": 5,
                "integer_aim": 1, "adm": 5, "aim": 1, "psnr_hvs_y": 16, "psnr_hvs_cb": 16, "psnr_hvs_cr": 16}
        for metric, maps in MAPS.items():
            for folder, more in (("a", []), ("b", ["--cpu", "scalar", "--threads", 2, "--tile", "32x16"])):
                self.passes("-q", "--force", "-m", metric, "--frames", 2, "--heatmap", folder, "--precision", "max",
                            "--json", folder + ".json", REF, DIS, *more)
            self.passes("-q", "-m", metric, "--frames", 2, "--force", "--precision", "max", "--json", "c.json", REF,
                        DIS)
            frames = [json.loads(self.read(f"{name}.json"))["frames"] for name in "abc"]
            self.assertEqual(frames[0], frames[1])
            self.assertEqual(frames[0], frames[2])
            for i in range(2):
                for name in maps:
                    data = (self.dir / "a" / f"{i:06}.{name}.png").read_bytes()
                    self.assertEqual(data, (self.dir / "b" / f"{i:06}.{name}.png").read_bytes())
                    self.assertIn(f"{name}: black is 0, the brightest colour is {full[name]}".encode(), data)
        self.assertEqual({path.name for path in (self.dir / "a").iterdir()},
                         {f"{i:06}.{name}.png" for i in range(2) for name in full})

    def test_passes_of_maps_are_there_only_for_maps(self):
        metrics = ",".join(MAPS)
        for more in ([], ["--dump-stage", "adm_dwt_u8.0:0=a.npy"], ["--heatmap", "maps", "--frames-worst", 1]):
            result = self.passes("-q", "-m", metrics + ",ssimulacra2,diff", "--frames", 1, "--dump-graph", *more, REF,
                                 DIS)
            self.assertIsNone(re.search("_map_", result.out))

    def test_options_that_change_keys_change_names(self):
        self.passes("-q", "-m", "float_adm,float_adm=adm_p_norm=2,vif=vif_enhn_gain_limit=1", "--frames", 1,
                    "--heatmap", "maps", REF, DIS)
        self.assertEqual(sorted(path.name[7:-4] for path in (self.dir / "maps").iterdir()),
                         ["adm", "aim", "integer_vif_egl_1"])

    def test_images(self):
        import pictures
        rows = pictures.pixels(200, 190)
        other = [[v ^ (9 if i % 7 == 0 else 0) for i, v in enumerate(row)] for row in rows]
        self.write("a.png", pictures.png(rows))
        self.write("b.png", pictures.png(other))
        self.passes("image", "-m", "float_ssim,float_ms_ssim,adm,vif,psnr_hvs,ssimulacra2", "--matrix", "bt709",
                    "--assume", "srgb", "--heatmap", "maps", "a.png", "b.png")
        self.assertEqual(sorted(path.name for path in (self.dir / "maps").iterdir()),
                         [f"b.{name}.png" for name in sorted(("diff", "float_ssim", "float_ms_ssim", "integer_adm",
                                                              "integer_aim", "integer_vif", "psnr_hvs_y",
                                                              "ssimulacra2"))])


if __name__ == "__main__":
    main()
