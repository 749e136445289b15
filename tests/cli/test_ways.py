# SPDX-License-Identifier: BSD-2-Clause
"""A score depends on pixels and options, on nothing else. Random pairs of small videos are scored in ways that have to
agree in every bit: levels, threads, strips, tiles, planes that are kept apart, other metrics and encodes beside, parts,
pipes, requests, frames that are left out.

$ASSAY_WAYS is how many pairs `Many` takes (300), and $ASSAY_WAYS_FIRST the number of the first one. With
$ASSAY_WAYS_BACKENDS, "cuda vulkan opengl" or some of them, each pair is scored on these, too, alone and in a ladder;
"cuda:all" is the same on all devices of CUDA at once."""
import json
import os
import random
import subprocess

from command import MISMATCH, PASS, USAGE, Case, main, sizes

METRICS = {
    "psnr": ["", "enable_mse=true"], "float_psnr": [""], "ssim": [""], "float_ssim": ["", "enable_lcs=true"],
    "float_ms_ssim": [""], "float_moment": [""], "diff": ["", "per_plane=true"], "psnr_hvs": [""], "ciede2000": [""],
    "vmaf": ["", "model=v1", "model=vmaf_b_v0.6.3"], "adm": ["", "debug=true"], "float_adm": ["", "adm_csf_mode=2"],
    "vif": ["", "vif_enhn_gain_limit=1"], "float_vif": ["", "vif_kernelscale=0.5"],
    "motion": ["", "motion_five_frame_window=true", "motion_moving_average=true"],
    "float_motion": ["", "motion_add_uv=true"],
    "cambi": ["", "full_ref=true"], "speed_chroma": ["", "speed_kernelscale=0.5"], "speed_temporal": [""],
    "xpsnr": ["", "fps=60"], "ssimulacra2": ["", "ssimulacra2_sub=true"], "flip": ["", "pools=true"],
    "butteraugli": ["", "norms=true"], "cvvdp": ["", "features=true", "padding=symmetric", "fps=60", "fps=30:ppd=10"],
}
# A frame's scores are of this frame alone.
OF_ONE_FRAME = {"psnr", "float_psnr", "ssim", "float_ssim", "float_ms_ssim", "float_moment", "diff", "psnr_hvs",
                "ciede2000", "adm", "float_adm", "vif", "float_vif", "cambi", "speed_chroma", "ssimulacra2", "flip",
                "butteraugli"}
FAMILY = {"vmaf", "adm", "vif", "motion"}  # they share keys
BACKENDS = os.environ.get("ASSAY_WAYS_BACKENDS", "").split()


def video(dice, width, height, chroma, depth, scenes, gain):
    """The pictures of windows that move over noise, slopes and blocks. `scenes` are (kind, x, y) of each frame."""
    size, top, pictures = 2 if depth > 8 else 1, (1 << depth) - 1, []
    grain = [dice.getrandbits(12) for _ in range(997)]
    for kind, left, above in scenes:
        picture = bytearray()
        for w, h in sizes(width, height, chroma):
            for y in range(above, above + h):
                for x in range(left, left + w):
                    v = {"noise": grain[(x * 31 + y * 67) % 997], "slope": (x * 23 + y * 11) % 4096, "black": 0,
                         "blocks": 2600 if x // 13 % 2 == y // 9 % 2 else 700}[kind]
                    v = min(4095, int(v * gain) + (grain[(x * 7 + y * 13) % 997] >> 6 if gain < 1 else 0))
                    picture += (v * top // 4095).to_bytes(size, "little")
        pictures.append(bytes(picture))
    return pictures


class Pair(Case):
    """A random pair: its files, the options that it needs, its metrics, and its scores."""

    def make(self, number):
        dice = self.dice = random.Random(number)
        width, height, depth = dice.randint(16, 90), dice.randint(16, 70), dice.choice((8, 8, 8, 10, 12, 16))
        chroma = dice.choice(("420", "420", "420", "422", "444", "mono"))
        rate, x, y, scenes = dice.choice(("25:1", "30000:1001", "60:1")), 0, 0, []
        for _ in range(dice.choice((2, 3, 4, 6, 9))):
            cut = not scenes or dice.random() < 0.15
            kind = dice.choice(("noise", "slope", "slope", "blocks", "black")) if cut else kind
            x, y = x + dice.choice((0, 1, 3)), y + dice.choice((0, 0, 2))
            scenes.append((kind, x, y))
        self.count, self.how, other = len(scenes), [], (width, height)
        if dice.random() < 0.4:
            other = dice.randint(16, 90), dice.randint(16, 70)
            self.how = ["--scale", dice.choice(("bicubic", "lanczos", "bilinear", "spline"))]
            self.how += dice.choice(([], [], ["--scale-ref"], ["--scale-to", "48x40"]))
        for name, (w, h), gain in (("ref", (width, height), 1), ("dis", other, 0.9), ("more", other, 0.7)):
            tag = chroma + ("" if depth == 8 else str(depth) if chroma == "mono" else f"p{depth}")
            head = f"YUV4MPEG2 W{w} H{h} F{rate} Ip A1:1 C{tag}\n".encode()
            pictures = video(dice, w, h, chroma, depth, scenes, gain)
            self.write(name + ".y4m", head + b"".join(b"FRAME\n" + p for p in pictures))
            self.write(name + "-cut.y4m", head + b"".join(b"FRAME\n" + p for p in pictures[1:]))
        names = dice.sample(sorted(METRICS), dice.choice((1, 2, 3)))
        self.names = [n for n in names if n not in FAMILY or FAMILY.isdisjoint(names[:names.index(n)])]
        self.metrics = [n + ("=" + o if o else "") for n in self.names for o in [dice.choice(METRICS[n])]]
        self.metrics = [m for m in self.metrics if self.report("ref.y4m", "dis.y4m", *self.how, metrics=[m])]
        self.base = self.report("ref.y4m", "dis.y4m", *self.how) if self.metrics else None

    def report(self, *args, metrics=None, command=(), **how):
        """What a run has for each encode: the scores of its frames, its aggregates and the digests. None: refused."""
        listed = [x for m in (self.metrics if metrics is None else metrics) for x in ("-m", m)]
        done = self.run_assay(*(command or (*args, *listed)), "-q", "--reproducible", "--precision", "max", "--json",
                              "-", **how)
        self.assertIn(done.code, (PASS, USAGE, MISMATCH), done)
        if done.code != PASS:
            return None
        whole = json.loads(done.out)
        each = [{"frames": {f["frameNum"]: f["metrics"] for f in r["frames"]}, "bits": r["assay"]["bits"],
                 "aggregates": r.get("aggregate_metrics", {})} for r in whole.get("encodes", [whole])]
        return each if "encodes" in whole else each[0]

    def agrees(self, found, base=None, keys=None):
        """`found` has all that `base` has, and may have more keys."""
        base = base or self.base
        self.assertIsNotNone(found)
        self.compared |= {self.way}
        self.assertEqual(list(found["frames"]), list(base["frames"]))
        for frame, scores in base["frames"].items():
            for key in scores if keys is None else keys & set(scores):
                self.assertEqual(found["frames"][frame][key], scores[key], (frame, key))
        for what in ("aggregates", "bits"):
            for key in base[what] if keys is None else ():
                self.assertEqual(found[what][key], base[what][key], (what, key))

    # ---- ways

    way, compared = "", frozenset()

    def way_of_work(self):
        dice, how = self.dice, []
        how += ["--threads", dice.choice((1, 2, 5))]
        how += ["--strip", dice.choice((1, 3, 8, 16, 33, 1000))] if dice.random() < 0.7 else []
        how += ["--tile", f"{dice.choice((16, 64))}x{dice.choice((4, 16, 64))}"] if dice.random() < 0.5 else []
        how += ["--in-flight", dice.choice((1, 2, 5))] if dice.random() < 0.5 else []
        how += ["--cpu", "scalar"] if dice.random() < 0.5 else []
        self.agrees(self.report("ref.y4m", "dis.y4m", *self.how, *how))

    def way_of_maps(self):
        """All planes are kept, and nothing that earlier frames have made is taken from them."""
        found = self.report("ref.y4m", "dis.y4m", *self.how, "--heatmap", "maps")
        if found: # else no metric has a map
            self.agrees(found)

    def way_of_company(self):
        """Metrics alone, and beside others."""
        for metric in self.metrics:
            self.agrees(self.base, self.report("ref.y4m", "dis.y4m", *self.how, metrics=[metric]))
        others = [n for n in sorted(METRICS) if n not in self.names and n not in FAMILY]
        for other in self.dice.sample(others, 2):
            found = self.report("ref.y4m", "dis.y4m", *self.how, metrics=[other, *self.metrics])
            if found:
                self.agrees(found)

    def way_of_parts(self):
        at = self.dice.randrange(1, self.count)
        parts, metrics = [], [x for m in self.metrics for x in ("-m", m)]
        for name, how in (("b", ("--first", at)), ("a", ("--frames", at))):
            done = self.run_assay("ref.y4m", "dis.y4m", *self.how, *metrics, "-q", *how, "--shard", name, "--force")
            self.assertEqual(done.code, PASS, done)
            parts.append(name)
        self.agrees(self.report(command=("merge", *parts)))

    def way_of_ladders(self):
        cut = "more.y4m" if "symmetric" in str(self.metrics) else "more-cut.y4m" # which is refused beside others
        files = ["more.y4m", "dis.y4m", cut, "dis.y4m"][self.dice.choice((0, 1)):]
        found = self.report("ref.y4m", *files, *self.how, "--allow-length", "--threads", self.dice.choice((1, 3)))
        alone = self.report("ref.y4m", "dis.y4m", *self.how, "--allow-length")
        for encode, file in zip(found, files):
            if file == "dis.y4m":
                self.agrees(encode, alone)

    def way_of_requests(self):
        done = self.run_assay("ref.y4m", "dis.y4m", *self.how, *[x for m in self.metrics for x in ("-m", m)],
                              "--print-request")
        self.write("request.json", done.out.encode())
        self.agrees(self.report(command=("run", "request.json")))

    def way_of_pipes(self):
        with subprocess.Popen(["cat", self.dir / "dis.y4m"], stdout=subprocess.PIPE) as pipe:
            self.agrees(self.report("ref.y4m", "-", *self.how, stdin=pipe.stdout))

    def way_of_cuts(self):
        """Frames that are skipped, and files without them; frames of one look, and the same frames of a whole run."""
        cut = self.report("ref-cut.y4m", "dis-cut.y4m", *self.how)
        self.agrees(self.report("ref.y4m", "dis.y4m", *self.how, "--skip-ref", 1, "--skip-dis", 1), cut)
        alone = [m for m in self.metrics if m.split("=")[0] in OF_ONE_FRAME]
        some = alone and self.report("ref.y4m", "dis.y4m", *self.how, "--every", 2, metrics=alone)
        for frame, scores in (some["frames"] if some else {}).items():
            for key, value in scores.items():
                self.assertEqual(self.base["frames"][frame][key], value, (frame, key))

    def way_of_backends(self):
        """A pair on a device or several, and a ladder of the same encode twice, with frames of both in flight."""
        for backend in BACKENDS:
            name, _, devices = backend.partition(":")
            how = [*self.how, "--backend", name, *(["--device", devices] if devices else [])]
            self.agrees(self.report("ref.y4m", "dis.y4m", *how))
            found = self.report("ref.y4m", "dis.y4m", "more.y4m", "dis.y4m", *how, "--in-flight",
                                self.dice.choice((1, 2, 5)))
            self.agrees(found[0])
            self.agrees(found[2])

    def every_way(self, pairs):
        ways = [getattr(self, name) for name in sorted(dir(self)) if name.startswith("way_of_")]
        ways = [way for way in ways if BACKENDS or way != self.way_of_backends]
        scored, self.compared = 0, set()
        for number in pairs:
            self.make(number)
            scored += self.base is not None
            for way in ways if self.base else ():
                with self.subTest(pair=number, metrics=self.metrics, how=self.how, way=way.__name__):
                    self.way = way.__name__
                    way()
        self.assertGreater(2 * scored, len(pairs)) # pairs without a metric that takes them are not many
        self.assertEqual(self.compared, {way.__name__ for way in ways}) # no way was refused each time


class Few(Pair):
    def test_few_pairs(self):
        self.every_way(range(6))

    def test_a_bit_is_noticed(self):
        self.base, number = None, 0
        while not self.base:
            self.make(number)
            number += 1
        fewer = dict(self.base["frames"])
        del fewer[self.count - 1]
        for frames in (fewer, {**self.base["frames"], 0: {k: v + 1e-12 for k, v in self.base["frames"][0].items()}}):
            with self.assertRaises(AssertionError):
                self.agrees({**self.base, "frames": frames})


class Many(Pair):
    def test_many_pairs(self):
        first = int(os.environ.get("ASSAY_WAYS_FIRST", "1000"))
        self.every_way(range(first, first + int(os.environ.get("ASSAY_WAYS", "300"))))


main()
