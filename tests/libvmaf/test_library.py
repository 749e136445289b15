# SPDX-License-Identifier: BSD-2-Clause
"""libvmaf.so.3 as a program sees it: names, reports, the environment, failures, features of assay."""
import json
import math
import os
import pathlib
import re
import subprocess
import sys

import library as L
from library import Context
from command import DIS, PROGRAM, REF, Case, main

TEXTS = pathlib.Path(__file__).resolve().parents[1] / "cli" / "vmaf"
ROOT = pathlib.Path(__file__).resolve().parents[2]
LIB = L.load()
FORMS = {"xml": L.XML, "json": L.JSON, "csv": L.CSV, "sub": L.SUB}
# The file says where its chroma lies, a picture of libvmaf does not.
SSIMULACRA2 = "ssimulacra2=chroma=left"
ENVIRONMENT = ("ASSAY_THREADS", "ASSAY_BACKEND", "ASSAY_DEVICE", "ASSAY_COLOUR")


def plain(text):
    """A report without what differs between any two runs, version and rate."""
    text = re.sub(r'"version": ".*?"|VMAF version=".*?"', "VERSION", text, count=1)
    return re.sub(r'"fps": [0-9.]+|fps="[0-9.]+"', "RATE", text, count=1)


class LibraryCase(Case):
    def setUp(self):
        super().setUp()
        for name in ENVIRONMENT:
            os.environ.pop(name, None)
        self.open = []

    def tearDown(self):
        for c in self.open:
            c.close()
        super().tearDown()

    def context(self, **how):
        c = Context(LIB, **how)
        self.assertEqual(c.rc, 0)
        self.open.append(c)
        return c

    def assay(self, *args):
        """What the command scores for the sample pair: the metrics of each frame."""
        subprocess.run([PROGRAM, "-q", REF, DIS, "--json", str(self.dir / "a.json"), "--precision", "max",
                        *args], check=True, cwd=self.dir)
        return [f["metrics"] for f in json.loads((self.dir / "a.json").read_text(encoding="utf-8"))["frames"]]


class Names(LibraryCase):
    def test_the_names_are_those_of_libvmaf_and_no_others(self):
        """33 functions, no versions of symbols, the name that programs ask for."""
        path = os.environ["LIBVMAF"]
        names = [line.split()[-1] for line in subprocess.run(
            [os.environ["NM"], "-D", "--defined-only", path], check=True, capture_output=True,
            text=True).stdout.splitlines()]
        headers = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "include" / "libvmaf").glob("*.h"))
        declared = re.findall(r"ASSAY_LIBVMAF_API [^;(]*?\b(vmaf_\w+)\(", headers)
        self.assertEqual(sorted(names), sorted(declared))
        self.assertEqual(len(set(names)), 33)
        dynamic = subprocess.run([os.environ["READELF"], "-d", path], check=True, capture_output=True, text=True).stdout
        self.assertIn("Library soname: [libvmaf.so.3]", dynamic)

    def test_version(self):
        self.assertRegex(LIB.vmaf_version().decode(), r"^3\.2\.0\+assay\.\d+\.\d+\.\d+$")


class Reports(LibraryCase):
    """Every byte is that of libvmaf's command, but for version and rate."""

    def same(self, name, models=(), features=(), predict=True, skip=0, frames=None, **how):
        c = self.context(**how)
        for m in models:
            c.model(*m[:1], **m[1] if len(m) > 1 else {})
        for f in features:
            self.assertEqual(c.feature(*f), 0)
        c.sample(frames, skip)
        self.assertEqual(c.flush(), 0)
        if predict:
            c.predict((len(frames) if frames else 8 - skip) - 1)
        for kind in ("json", "xml", "csv", "sub"):
            there = TEXTS / f"{name}.{kind}"
            if there.exists():
                self.assertEqual(c.write(self.dir / "report", FORMS[kind]), 0)
                self.assertEqual(plain((self.dir / "report").read_text(encoding="utf-8")),
                                 plain(there.read_text(encoding="utf-8")), there.name)

    def test_the_default_model(self):
        self.same("default", [("vmaf_v0.6.1",)])

    def test_features_and_aggregates(self):
        self.same("features", features=[("psnr", ("enable_mse", "true"), ("enable_apsnr", "true")), ("motion",)])

    def test_collections(self):
        self.same("bootstrap", [("vmaf_b_v0.6.3",)])
        self.same("mixed", [("vmaf_b_v0.6.3", {"name": "b"}), ("vmaf_v0.6.1",)])

    def test_several_models(self):
        self.same("models", [("vmaf_v0.6.1", {"name": "a"}), ("vmaf_4k_v0.6.1neg", {"name": "b", "flags": 1})],
                  [("psnr",)])

    def test_without_a_prediction(self):
        self.same("noprediction", [("vmaf_v0.6.1",)], predict=False)

    def test_subsampled(self):
        self.same("subsample", [("vmaf_v0.6.1",)], subsample=3)

    def test_later_frames(self):
        self.same("skip", [("vmaf_v0.6.1",)], skip=1, frames=range(4))

    def test_version_1(self):
        self.same("v1", [("vmaf_v1.0.16_3d0h",)])
        self.same("v1_several", [
            ("vmaf_v1.0.16_3d0h", {"name": "a", "options": [
                ("cambi", "enc_width", "300"), ("cambi", "enc_height", "180"), ("cambi", "enc_bitdepth", "10")]}),
            ("vmaf_v1.0.16_hfr_1d5h_2160", {"name": "b"}), ("vmaf_v0.6.1",)], [("speed_temporal",)])

    def test_threads_and_masks_change_nothing(self):
        # 48 leaves AVX2, which a build for a processor with AVX-512 alone has no kernels for, and it says so.
        masks = [{"cpumask": 63}] + [{"cpumask": 48}] * self.has_level("avx2")
        for how in [{"threads": 3}, {"threads": 16}] + masks: # 16: four groups, a pair each
            self.same("default", [("vmaf_v0.6.1",)], **how)

    def test_a_dash_is_a_file_and_a_stream_is_one(self):
        c = self.context()
        self.assertEqual(c.feature("psnr"), 0)
        c.sample(range(1))
        self.assertEqual(c.flush(), 0)
        before = os.getcwd()
        os.chdir(self.dir)
        try:
            self.assertEqual(c.write("-", L.CSV), 0)
        finally:
            os.chdir(before)
        self.assertTrue((self.dir / "-").read_text(encoding="utf-8").startswith("Frame,psnr_y,"))
        self.assertEqual(c.write("/dev/null", L.JSON), 0)


class Features(LibraryCase):
    def test_every_metric_of_assay_is_a_feature(self):
        """Each value of each frame, bit for bit."""
        listed = subprocess.run([PROGRAM, "--list-metrics-json"], check=True, capture_output=True, text=True).stdout
        names = [m["name"] for m in json.loads(listed) if m["name"] != "vmaf"]
        self.assertGreater(len(names), 19)
        os.environ["ASSAY_COLOUR"] = "bt709,limited"
        c = self.context(threads=2)
        for name in names:
            rate = [("fps", "30")] * (name in ("xpsnr", "cvvdp")) # pictures have none
            self.assertEqual(c.feature(name, *rate), 0, name)
        c.sample(range(4))
        self.assertEqual(c.flush(), 0)
        files = [{"ssimulacra2": SSIMULACRA2, "flip": "flip=chroma=left", "butteraugli": "butteraugli=chroma=left",
                  "xpsnr": "xpsnr=fps=30", "cvvdp": "cvvdp=fps=30:chroma=left"}.get(n, n) for n in names]
        want = self.assay("-m", ",".join(files), "--frames", "4", "--ref-colour", "bt709,limited", "--dis-colour",
                          "bt709,limited")
        self.assertEqual(c.write(self.dir / "r.csv", L.CSV), 0)
        keys = (self.dir / "r.csv").read_text(encoding="utf-8").splitlines()[0].split(",")[1:-1]
        self.assertEqual(sorted(keys), sorted(want[0]))
        long = {"integer_": "VMAF_integer_feature_", "": "VMAF_feature_"}
        for i, frame in enumerate(want):
            for key, value in frame.items():
                stems = r"(integer_|)(adm2|aim|adm3|motion[23]?|vif_scale[0-3]|adm_scale[0-3])"
                m = re.fullmatch(stems, key)
                name = (long[m[1]] + m[2] + "_score" if m and not key.startswith("integer_adm_scale") else
                        {"cambi": "Cambi_feature_cambi_score",
                         "speed_temporal": "Speed_temporal_feature_speed_temporal_score"}.get(key, key))
                if key.startswith("speed_chroma"):
                    name = f"Speed_chroma_feature_{key}_score"
                rc, v = c.value(name, i)
                self.assertEqual(rc, 0, name)
                self.assertTrue(v == value or (value is None and not math.isfinite(v)), (key, i, v, value))

    def test_debug_figures_are_there_beside_a_models_features(self):
        c = self.context()
        c.model("vmaf_v0.6.1")
        self.assertEqual(c.feature("motion", ("debug", "true")), 0)
        c.sample(range(2))
        self.assertEqual(c.flush(), 0)
        self.assertEqual(c.value("VMAF_integer_feature_motion_score", 1)[0], 0)
        self.assertEqual(c.value("VMAF_integer_feature_motion2_score", 1)[0], 0)

    def test_the_first_of_two_with_other_options_counts(self):
        with L.log() as lines:
            c = self.context(log=L.WARNING)
            self.assertEqual(c.feature("psnr"), 0)
            self.assertEqual(c.feature("psnr", ("min_sse", "0.5")), 0)
            self.assertEqual(c.feature("psnr", ("blorf", "1")), 0)
            c.sample(range(1))
        self.assertEqual([x.split()[:2] for x in lines], [["libvmaf", "WARNING"]] * 2)
        self.assertIn('psnr has no option "blorf"', lines[0])
        self.assertIn("the first one counts", lines[1])

    def test_features_come_before_pictures(self):
        c = self.context(log=0)
        self.assertEqual(c.feature("psnr"), 0)
        c.sample(range(1))
        self.assertEqual(c.feature("psnr"), 0)
        self.assertEqual(c.feature("vif"), L.REFUSED)

    def test_imports_between_pictures(self):
        """Imported columns come behind computed ones, finished or not, and before those that libvmaf has at the end."""
        c = self.context(log=0)
        c.model("vmaf_v0.6.1")
        c.sample(range(1))
        for name, rc in (("mine", 0), ("VMAF_integer_feature_adm2_score", L.REFUSED)):
            self.assertEqual(LIB.vmaf_import_feature_score(c.pointer, name.encode(), 0.5, 0), rc, name)
        self.assertEqual(c.flush(), 0)
        self.assertEqual(c.write(self.dir / "r.csv", L.CSV), 0)
        keys = (self.dir / "r.csv").read_text(encoding="utf-8").splitlines()[0].split(",")[1:-1]
        self.assertEqual(keys[0], "integer_adm2")
        self.assertEqual(keys[-4:], ["integer_vif_scale3", "mine", "integer_motion2", "integer_motion3"])
        self.assertNotEqual(c.value("VMAF_integer_feature_adm2_score", 0), (0, 0.5))

    def test_imports_of_what_subsampling_leaves_out(self):
        """A pair that is left out, and read only as a neighbour for motion, takes an imported value."""
        c = self.context(subsample=3, log=0)
        for name in ("float_ssim", "motion"):
            self.assertEqual(c.feature(name), 0)
        c.sample(range(6))
        for index, rc in ((2, 0), (3, L.REFUSED)):
            self.assertEqual(LIB.vmaf_import_feature_score(c.pointer, b"float_ssim", 42, index), rc, index)
        self.assertEqual(c.flush(), 0)
        self.assertEqual(c.value("float_ssim", 2), (0, 42))

    def test_indices_in_any_order(self):
        c = self.context()
        self.assertEqual(c.feature("psnr"), 0)
        c.sample([5, 0, 7, 2])
        self.assertEqual(c.flush(), 0)
        want = self.assay("-m", "psnr")
        for i in (5, 0, 7, 2):
            self.assertEqual(c.value("psnr_y", i), (0, want[i]["psnr_y"]))
        self.assertEqual(c.value("psnr_y", 1)[0], L.REFUSED)


class Colour(LibraryCase):
    def scores(self, *options, warnings=0):
        with L.log() as lines:
            c = self.context(log=L.WARNING)
            self.assertEqual(c.feature("ssimulacra2", *options), 0)
            c.sample(range(1))
        self.assertEqual(len(lines), warnings, lines)
        self.assertEqual(c.flush(), 0)
        return c.value("ssimulacra2", 0)

    def test_without_a_word_it_is_taken_and_said(self):
        for colour in ("bt709,limited", "bt2020-pq,limited"):
            want = self.assay("-m", SSIMULACRA2, "--frames", "1", "--ref-colour", colour, "--dis-colour", colour)
            if colour == "bt709,limited":
                self.assertEqual(self.scores(warnings=1), (0, want[0]["ssimulacra2"]))
            os.environ["ASSAY_COLOUR"] = colour
            self.assertEqual(self.scores(), (0, want[0]["ssimulacra2"]))

    def test_flip_says_it_too(self):
        with L.log() as lines:
            c = self.context(log=L.WARNING)
            self.assertEqual(c.feature("flip"), 0)
            c.sample(range(1))
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("flip compares colours, and pictures of libvmaf have none: BT.709 of limited range", lines[0])

    def test_an_option_wins(self):
        want = self.assay("-m", SSIMULACRA2 + ":range=full", "--frames", "1", "--ref-colour", "bt709", "--dis-colour",
                          "bt709")
        self.assertEqual(self.scores(("range", "full")), (0, want[0]["ssimulacra2"]))

    def test_a_wrong_word_is_refused_at_once(self):
        os.environ["ASSAY_COLOUR"] = "bt708"
        with L.log() as lines:
            self.assertEqual(Context(LIB).rc, L.REFUSED)
        self.assertEqual(len(lines), 1)
        self.assertIn("ASSAY_COLOUR takes one or more of bt709", lines[0])


class Failures(LibraryCase):
    def test_a_device_that_cant_run_is_one_line_and_no_score(self):
        for name, value in (("ASSAY_BACKEND", "abacus"), ("ASSAY_DEVICE", "no such processor")):
            os.environ[name] = value
            with L.log() as lines:
                c = self.context()
                model = c.model("vmaf_v0.6.1")
                pair = [(v.frames[0], v.w, v.h) for v in L.sample()]
                self.assertEqual([c.read(*pair, i) for i in range(3)], [L.REFUSED] * 3)
                self.assertEqual(c.flush(), L.REFUSED)
                for rc, v in (c.pooled(model, L.MEAN, 0, 2), c.value("VMAF_integer_feature_adm2_score", 0)):
                    self.assertEqual(rc, L.REFUSED)
                    self.assertTrue(math.isnan(v))
            self.assertEqual([x for x in lines if "needs a value" not in x], lines[:1])
            self.assertTrue(lines[0].startswith("libvmaf ERROR "), lines)
            os.environ.pop(name)

    def test_what_the_pictures_reveal_is_nan_in_every_call(self):
        with L.log() as lines:
            c = self.context()
            self.assertEqual(c.feature("float_ms_ssim"), 0)
            small = ([bytes(32 * 32), bytes(16 * 16), bytes(16 * 16)], 32, 32)
            self.assertEqual(c.read(small, small, 0), L.REFUSED)
            rc, v = c.value("float_ms_ssim", 0)
            self.assertEqual(rc, L.REFUSED)
            self.assertTrue(math.isnan(v))
        self.assertEqual(len(lines), 1, lines)

    def test_what_cant_be_pooled_is_refused_first(self):
        """Neither a model's scores nor a collection's are made for it."""
        for version, name in (("vmaf_v0.6.1", "vmaf"), ("vmaf_b_v0.6.3", "vmaf_bagging")):
            c = self.context()
            model = c.model(version)
            c.sample()
            self.assertEqual(c.flush(), 0)
            collection, unused = c.models[0][1], L.CollectionScore()
            for method, low, high in ((0, 0, 2), (5, 0, 2), (-1, 0, 2), (L.MEAN, 2, 1)):
                rc = (c.lib.vmaf_score_pooled_model_collection(c.pointer, collection, method, L.C.byref(unused), low,
                                                               high) if collection.value
                      else c.pooled(model, method, low, high)[0])
                self.assertEqual([rc, c.value(name, 0)[0]], [L.REFUSED, L.REFUSED], (version, method, low, high))
            c.predict(7)
            self.assertEqual(c.value(name, 0)[0], 0)

    def test_threads(self):
        for text in ("0", "-1", "1.5", "many"):
            os.environ["ASSAY_THREADS"] = text
            with L.log() as lines:
                self.assertEqual(Context(LIB).rc, L.REFUSED)
            self.assertIn("ASSAY_THREADS", lines[0])
        os.environ["ASSAY_THREADS"] = "2"
        c = self.context()
        self.assertEqual(c.feature("psnr"), 0)
        c.sample(range(2))
        self.assertEqual(c.flush(), 0)

    def test_the_log_is_silent_where_it_is_asked_to_be(self):
        with L.log() as lines:
            c = self.context(log=0)
            self.assertEqual(c.feature("blorf"), L.REFUSED)
        self.assertEqual(lines, [])

    def test_contexts_that_are_never_used(self):
        for _ in range(3):
            c = self.context()
            c.model("vmaf_v0.6.1")
            self.assertEqual(c.feature("psnr"), 0)

    def test_contexts_beside_each_other(self):
        both = [self.context(), self.context(threads=2)]
        models = [c.model("vmaf_v0.6.1neg", "neg") for c in both]
        for i in range(4):
            for c in both:
                c.sample([i])
        for c in both:
            self.assertEqual(c.flush(), 0)
        scores = [[c.score(m, i) for i in range(4)] for c, m in zip(both, models)]
        self.assertEqual(*scores)
        self.assertEqual(scores[0][0][0], 0)


if __name__ == "__main__":
    sys.exit(main())
