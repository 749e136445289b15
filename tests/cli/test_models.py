# SPDX-License-Identifier: BSD-2-Clause
"""vmaf with models of users: what it needs comes by itself, scores follow from the features in the report, parts of a
video merge to the whole, and what can't be read is refused with its place."""
import itertools
import json
import math
import random

from command import DIS, INPUT, REF, USAGE, Case, main, y4m

FEATURES = ["VMAF_feature_adm2_score", "VMAF_integer_feature_motion2_score", "VMAF_integer_feature_motion3_score"]
KEYS = ["adm2_egl_1", "integer_motion2", "integer_motion3_mmxv_9"]
OPTIONS = [{"adm_enhn_gain_limit": 1.0}, {}, {"motion_max_val": 9.0}]
FORMS = ("json", "xml", "csv", "sub")


def model(seed, kind="LIBSVMNUSVR", **changes):
    """A model of 12 vectors whose scores lie between its bounds."""
    dice = random.Random(seed)
    rows = [[dice.choice([4, -4, round(dice.uniform(-4, 4), 6)])] + [round(dice.random(), 7) for _ in FEATURES]
            for _ in range(12)]
    text = "svm_type nu_svr\nkernel_type rbf\ngamma 0.25\nnr_class 2\ntotal_sv 12\nrho -0.5\nSV\n"
    text += "".join(f"{row[0]} 1:{row[1]} 2:{row[2]} 3:{row[3]} \n" for row in rows)
    return {"model_dict": {"model_type": kind, "norm_type": "linear_rescale", "feature_names": FEATURES,
                           "feature_opts_dicts": OPTIONS, "slopes": [0.05, 2.8, 0.06, 0.05],
                           "intercepts": [-0.3, -1.8, 0.0, 0.01], "score_clip": [-80.0, 90.0],
                           "score_transform": {"p0": 1.7, "p1": 0.9, "p2": -0.007, "out_gte_in": "true"},
                           "model": text, **changes}}


def predicted(of, metrics, transform=False, clip=True):
    d = of["model_dict"]
    x = [s * metrics[k] + i for k, s, i in zip(KEYS, d["slopes"][1:], d["intercepts"][1:])]
    rows = [line.split() for line in d["model"].split("SV\n")[1].splitlines()]
    total = sum(float(r[0]) * math.exp(-0.25 * sum((a - float(e.split(":")[1])) ** 2 for a, e in zip(x, r[1:])))
                for r in rows)
    y = (total + 0.5 - d["intercepts"][0]) / d["slopes"][0]
    if transform:
        t = d["score_transform"]
        y = max(y, t["p0"] + t["p1"] * y + t["p2"] * y * y)
    return min(max(y, -80.0), 90.0) if clip else y


class Models(Case):
    def setUp(self):
        super().setUp()
        self.one, self.members = model(1), [model(seed, "BOOTSTRAP_LIBSVMNUSVR") for seed in range(2, 7)]
        self.write("one.json", json.dumps(self.one).encode())
        self.write("some.json", json.dumps({str(i): m for i, m in enumerate(self.members)}).encode())

    def frames(self, *metrics, more=(), pair=(REF, DIS)):
        done = self.passes("-q", *itertools.chain(*(("-m", m) for m in metrics)), "--precision", "max", "--json", "-",
                           "--reproducible", *more, *pair)
        self.report = json.loads(done.out)
        return [frame["metrics"] for frame in self.report["frames"]]

    def test_scores_follow_from_the_features(self):
        frames = self.frames("vmaf=path=one.json", "vmaf=model=./one.json:name=small:enable_transform",
                             "vmaf=path=one.json:name=open:disable_clip:enable_transform=true")
        scores = [predicted(self.one, f) for f in frames]
        self.assertGreater(max(scores) - min(scores), 1)
        for frame, score in zip(frames, scores):
            self.assertAlmostEqual(frame["vmaf"], score, delta=1e-9)
            self.assertAlmostEqual(frame["small"], predicted(self.one, frame, transform=True), delta=1e-9)
            self.assertAlmostEqual(frame["open"], predicted(self.one, frame, transform=True, clip=False), delta=1e-9)

    def test_a_collection(self):
        for frame in self.frames("vmaf=path=some.json:name=b"):
            raw = [predicted(m, frame, clip=False) for m in self.members[1:]]
            for i, m in enumerate(self.members):
                self.assertAlmostEqual(frame[f"b_{i:04}" if i else "b"], predicted(m, frame), delta=1e-9)
            mean = sum(raw) / 4
            inside = -80 + 0.01 < mean < 90 - 0.01
            self.assertAlmostEqual(frame["b_bagging"], min(max(mean, -80), 90), delta=1e-9)
            self.assertAlmostEqual(frame["b_stddev"], inside * math.sqrt(sum((s - mean) ** 2 for s in raw) / 4),
                                   delta=1e-6)
            a, b, c, d = sorted(raw)
            for key, percentile in (("b_ci_p95_lo", a * 0.925 + b * 0.075), ("b_ci_p95_hi", c * 0.075 + d * 0.925)):
                self.assertAlmostEqual(frame[key], min(max(percentile, -80), 90), delta=1e-9)

    def test_metrics_that_models_need_run_once(self):
        """Those of two models and those that the user asks for are one metric where they write the same keys."""
        def kernels(*metrics):
            text = self.passes(*itertools.chain(*(("-m", m) for m in metrics)), "--dump-graph", REF, DIS).out
            return sum(line.split()[1:2] == ["motion"] or "motion" in line.split()[:3] for line in text.splitlines())
        one = self.frames("vmaf=path=one.json")[0]
        both = self.frames("vmaf=path=one.json:name=a", "vmaf=path=some.json:name=b", "motion=debug=true")[0]
        self.assertEqual(kernels("vmaf=path=one.json"), kernels("motion"))
        members = {f"b{tail}" for tail in ("", "_0001", "_0002", "_0003", "_0004", "_bagging", "_stddev", "_ci_p95_lo",
                                           "_ci_p95_hi")}
        self.assertEqual(set(both), set(one) - {"vmaf"} | {"a", "integer_motion"} | members)
        self.assertEqual({k: both[k] for k in set(one) & set(both)}, {k: one[k] for k in set(one) & set(both)})
        self.assertEqual(both["a"], one["vmaf"])

    def test_debug_output_that_a_model_needs(self):
        """motion with its debug output serves whoever asked for motion without it."""
        debug = dict(self.one["model_dict"], feature_opts_dicts=[OPTIONS[0], {}, {}],
                     feature_names=[FEATURES[0], "VMAF_integer_feature_motion_score", FEATURES[1]])
        self.write("debug.json", json.dumps({"model_dict": debug}).encode())
        alone = self.frames("vmaf=path=debug.json")
        for others in (["motion"], ["vmaf=model=vmaf_v0.6.1"], ["motion", "vmaf=model=vmaf_v0.6.1neg"]):
            for metrics in (["vmaf=path=debug.json:name=own", *others], [*others, "vmaf=path=debug.json:name=own"]):
                beside = self.frames(*metrics)
                self.assertEqual([f["own"] for f in beside], [f["vmaf"] for f in alone], metrics)
                self.assertIn("integer_motion", beside[0], metrics)

    def test_names(self):
        self.assertIn("vmaf", self.frames("vmaf=path=one.json", "vmaf=path=some.json:name=x")[0])
        several = self.frames("vmaf=path=one.json", "vmaf=path=some.json")[0]
        self.assertNotIn("vmaf", several)
        self.assertEqual(several["one"], self.frames("vmaf=path=one.json")[0]["vmaf"])
        self.assertIn("some_bagging", several)
        self.refuses(USAGE, "two metrics would both write 'x'", "-m", "vmaf=path=one.json:name=x", "-m",
                     "vmaf=path=some.json:name=x", REF, DIS)
        for name in ("1x", "a b", "é", "a=b", "x" * 101):
            self.refuses(USAGE, "vmaf: a name begins with a letter", "-m", f"vmaf=path=one.json:name={name}", REF, DIS)

    def test_options_of_features(self):
        """They win over the model's, and change the key."""
        frame = self.frames("vmaf=path=one.json:motion.motion_max_val=5:float_adm.adm_enhn_gain_limit=1")[0]
        self.assertIn("integer_motion2_mmxv_5", frame)
        self.assertNotIn("integer_motion3_mmxv_9", frame)
        self.refuses(USAGE, "reads nothing of 'vif'", "-m", "vmaf=path=one.json:vif.debug=true", REF, DIS)
        self.refuses(USAGE, "motion has no option 'egl'", "-m", "vmaf=path=one.json:motion.egl=1", REF, DIS)
        self.refuses(USAGE, "motion_max_val is a number from 0", "-m", "vmaf=path=one.json:motion.mmxv=-1", REF, DIS)

    def test_parts_merge_to_the_whole(self):
        ref, dis = self.write("ref.y4m", y4m(frames=7)), self.write("dis.y4m", y4m(frames=7, noise=3))
        metrics = ("-m", "vmaf=path=one.json,psnr,vmaf=path=some.json:name=b:disable_clip")

        def outputs(name):
            return itertools.chain(*((f"--{form}", f"{name}.{form}") for form in FORMS))
        for every in ((), ("--every", "2")):
            self.passes("-q", *metrics, *every, "--reproducible", "--precision", "max", *outputs("whole"), ref, dis)
            whole = [self.read(f"whole.{form}") for form in FORMS]
            for cuts in ([7], [3, 4], [1] * 7):
                firsts = [sum(cuts[:i]) for i in range(len(cuts))]
                for i, (first, count) in enumerate(zip(firsts, cuts)):
                    self.passes("-q", *metrics, *every, "--first", first, "--frames", count, "--shard", f"{i}.part",
                                "--in-flight", 1 + i % 3, ref, dis)
                self.passes("merge", "--reproducible", "--precision", "max", *outputs("merged"),
                            *(f"{i}.part" for i in range(len(cuts))))
                self.assertEqual([self.read(f"merged.{form}") for form in FORMS], whole, (every, cuts))
        self.write("one.json", json.dumps(model(9)).encode())
        self.fails(INPUT, "digest of the model", "merge", *(f"{i}.part" for i in range(7)))

    def test_configuration_makes_the_same_session(self):
        frames = self.frames("vmaf=path=one.json:name=x:motion.motion_max_val=5", "psnr")
        configuration = self.report["assay"]["configuration"]
        self.assertRegex(configuration,
                         r"^vmaf=path=one\.json:name=x:.*:digest=[0-9a-f]{16}:motion\.motion_max_val=5,psnr=")
        self.assertEqual(frames, self.frames(*configuration.split(",")))

    def test_devices_and_threads_do_not_matter(self):
        levels = [("--threads", 1), ("--threads", 3), ("--cpu", "scalar")]
        first, *others = [self.frames("vmaf=path=some.json", more=more) for more in levels]
        for other in others:
            self.assertEqual(first, other)

    def test_hdr_is_noticed(self):
        """The built-in models were made for SDR; what a user's own was made for is not known."""
        hdr = ["--ref-colour", "bt2020-pq", "--dis-colour", "bt2020-pq"]
        forms = ["--html", "o.html", "--xml", "o.xml", "--json", "o.json"]
        text = "vmaf_v0.6.1 was made for SDR, and the "
        for colour, says in ((hdr, text + "reference is HDR (PQ)"),
                             (["--dis-colour", "bt2020-hlg"], text + "distorted one is HDR (HLG)"),
                             (["--ref-colour", "bt2020", "--dis-colour", "bt2020"], None)):
            result = self.passes("-m", "vmaf", *forms, *colour, REF, DIS)
            notes = json.loads(self.read("o.json"))["assay"]["notes"]
            for where in (result.err, notes, self.read("o.html"), self.read("o.xml")):
                self.assertEqual(says is not None and says in where, says is not None, where[:2000])
                self.assertEqual("made for SDR" in where, says is not None)
        self.assertNotIn("SDR", self.passes("-m", "vmaf=path=one.json", *hdr, REF, DIS).err)

    def test_what_is_refused(self):
        def refused(code, says, options):
            self.refuses(code, says, "-m", f"vmaf={options}", REF, DIS)
        refused(USAGE, "no built-in model is called 'vmaf_v0.6'; did you mean 'vmaf_v0.6.1'?", "model=vmaf_v0.6")
        refused(USAGE, "no built-in model is called 'one.json'", "version=one.json")
        refused(USAGE, "by its version or by its path", "version=vmaf_4k_v0.6.1:path=one.json")
        refused(INPUT, "none.json: can't be opened", "path=none.json")
        refused(USAGE, "the digest of the model is", "path=one.json:digest=12")
        refused(USAGE, "vmaf has no option 'models'; did you mean 'model'?", "models=x")
        refused(USAGE, "option path takes at most", "path=" + "x" * 2000)
        self.write("cut.json", json.dumps(self.one).encode()[:200])
        refused(INPUT, "cut.json: line 1, byte 200: no JSON", "path=cut.json")
        self.write("other.json", json.dumps(model(1, slopes=[1, 2])).encode())
        refused(INPUT, "other.json: model_dict.slopes: has 2 numbers, not 4", "path=other.json")
        self.write("other.json", json.dumps(model(1, feature_names=["a", "b", "c"])).encode())
        refused(USAGE, "the model other reads the feature a, which no metric here computes", "path=other.json")
        options = [{"adm_gain": 1}, {}, {}]
        self.write("other.json", json.dumps(model(1, feature_opts_dicts=options)).encode())
        refused(USAGE, "float_adm has no option 'adm_gain'", "path=other.json")
        self.write("a.y4m", y4m(width=16, height=16))
        self.refuses(USAGE, "vmaf: float_adm needs at least 17x17", "-m", "vmaf=path=one.json", "a.y4m", "a.y4m")


if __name__ == "__main__":
    main()
