# SPDX-License-Identifier: BSD-2-Clause
"""The front of libvmaf's command: options, texts of reports, exit codes, and scripts written for that command.

The texts in vmaf/ are what libvmaf's own command wrote for the sample pair (vmaf/README.md)."""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

from command import DIS, GATE, INPUT, MISMATCH, PROGRAM, REF, ROOT, USAGE, Case, main, y4m

HERE = pathlib.Path(__file__).resolve().parent / "vmaf"
FAILED, WRONG_USAGE = 255, 1  # libvmaf's exit codes
FEATURES = ["-n", "--feature", "psnr=enable_mse=true:enable_apsnr=true", "--feature", "motion"]


class VmafCase(Case):
    def setUp(self):
        super().setUp()
        (self.dir / "bin").mkdir()
        (self.dir / "bin" / "vmaf").symlink_to(PROGRAM)

    def vmaf(self, *args, code=0, **how):
        """The program through a link of the name `vmaf`."""
        done = subprocess.run([str(self.dir / "bin" / "vmaf"), *map(str, args)], cwd=self.dir, check=False,
                              timeout=1200, stdin=subprocess.DEVNULL, capture_output=True, text=True, **how)
        self.assertEqual(done.returncode, code, done)
        return done

    def refuses_vmaf(self, code, says, *args):
        done = self.vmaf(*args, code=code)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done)
        self.assertTrue(done.stderr.startswith("assay: "), done)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, done.stderr)

    def terminal(self, *args):
        """What the command prints to a terminal that is its standard error."""
        ours, theirs = pty.openpty()
        done = subprocess.Popen([str(self.dir / "bin" / "vmaf"), *map(str, args)], cwd=self.dir, stderr=theirs,
                                stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        os.close(theirs)
        text = b""
        while True:
            try:
                some = os.read(ours, 4096)
            except OSError:
                break
            if not some:
                break
            text += some
        self.assertEqual(done.communicate()[0], b"")
        os.close(ours)
        self.assertEqual(done.returncode, 0, text)
        return text.decode().replace("\r\n", "\n")


def plain(text):
    """A report without what differs between any two runs, version and rate, and without assay's block at its end."""
    text = re.sub(r'"version": ".*?"|VMAF version=".*?"', "VERSION", text, count=1)
    text = re.sub(r'"fps": [0-9.]+|fps="[0-9.]+"', "RATE", text, count=1)
    return re.sub(r"(?s)^  <assay .*?</assay>\n", "", re.sub(r'(?s),\n  "assay": \{.*\n  \}\n\}\n$', "\n}\n", text),
                  flags=re.M)


class Texts(VmafCase):
    def same_text(self, name, *args):
        kind = name.split(".")[1]
        self.vmaf("-q", "-r", REF, "-d", DIS, "--" + kind, "-o", name, *args)
        self.assertEqual(plain(self.read(name)), plain((HERE / name).read_text(encoding="utf-8")), name)

    def test_features(self):
        """Every byte of the four forms, for features whose sums are integers."""
        for kind in ("json", "xml", "csv", "sub"):
            self.same_text("features." + kind, *FEATURES)

    def test_threads_and_levels_change_nothing(self):
        masks = [["--cpumask", "63"], ["--cpumask", "0x18"]] if self.has_level("sse4") else [["--cpumask", "63"]]
        for args in (["--threads", "3"], *masks, ["--gpumask", "4294967295"]):
            self.same_text("features.csv", *FEATURES, *args)

    def test_a_stream_has_what_a_file_has(self):
        for kind in ("json", "xml", "csv", "sub"):
            out = self.vmaf("-q", "-r", REF, "-d", DIS, *FEATURES, "--" + kind, "-o", "/dev/stdout").stdout
            self.assertEqual(plain(out), plain((HERE / ("features." + kind)).read_text(encoding="utf-8")))

    def test_xml_is_the_default(self):
        self.vmaf("-r", REF, "-d", DIS, *FEATURES, "-o", "a.log")
        self.assertEqual(xml.parse(self.dir / "a.log").getroot().tag, "VMAF")

    def test_version_compares_as_libvmafs(self):
        self.vmaf("-r", REF, "-d", DIS, *FEATURES, "--json", "-o", "a.json")
        version = json.loads(self.read("a.json"))["version"]
        self.assertRegex(version, r"^3\.2\.0\+assay\.\d+\.\d+\.\d+$")
        for flag in ("-v", "--version"):
            done = self.vmaf(flag)
            self.assertEqual((done.stdout, done.stderr), ("", version + "\n"))

    def test_without_a_report_nothing_is_written(self):
        before = set(self.dir.iterdir())
        self.assertEqual(self.vmaf("-r", REF, "-d", DIS, *FEATURES).stdout, "")
        self.assertEqual(set(self.dir.iterdir()), before)


class Options(VmafCase):
    def features(self, *args, pair=(REF, DIS)):
        self.vmaf("-r", pair[0], "-d", pair[1], "-n", "--feature", "psnr", "--json", "-o", "a.json", "-q", *args)
        return json.loads(self.read("a.json"))

    def raw_pair(self, depth=8, frames=3):
        """The same pictures as Y4M and as raw video."""
        for name, noise in (("ref", 0), ("dis", 4)):
            data = y4m(32, 24, frames, depth=depth, noise=noise)
            self.write(name + ".y4m", data)
            self.write(name + ".yuv", b"".join(part for part in data.split(b"FRAME\n")[1:]))
        return "ref.yuv", "dis.yuv"

    def test_h_is_the_height(self):
        for depth in (8, 10):
            pair = self.raw_pair(depth)
            raw = self.features("-w", "32", "-h", "24", "-p", "420", "-b", str(depth), pair=pair)["frames"]
            coded = self.features(pair=("ref.y4m", "dis.y4m"))["frames"]
            self.assertEqual(raw, coded)

    def test_any_of_the_four_means_raw_and_needs_the_others(self):
        self.raw_pair()
        four = {"-w": "32", "-h": "24", "-p": "420", "-b": "8"}
        for left_out in four:
            some = [x for item in four.items() if item[0] != left_out for x in item]
            self.refuses_vmaf(WRONG_USAGE, "all four", "-r", "ref.yuv", "-d", "dis.yuv", *some)
        # A header counts as samples then: three pictures and a bit more.
        self.refuses_vmaf(FAILED, "ref.y4m", "-r", "ref.y4m", "-d", "dis.y4m", *[x for i in four.items() for x in i],
                          "-n", "--feature", "psnr")

    def test_spellings(self):
        want = self.features("--frame_cnt", "3", "--frame_skip_ref", "1", "--frame_skip_dist", "1")["frames"]
        self.assertEqual([f["frameNum"] for f in want], [0, 1, 2])
        for args in (["--frame-cnt=3", "--frame-skip-ref=1", "--frame-skip-dist", "1"],
                     ["--frame_c", "3", "--frame_skip_r=1", "--frame-skip-d", "1"]):
            self.assertEqual(self.features(*args)["frames"], want)
        self.vmaf("-nqr" + REF, "--dist", DIS, "--feat", "psnr", "--js", "--out=b.json", "-c", "0")
        self.assertEqual(len(json.loads(self.read("b.json"))["frames"]), 8)
        self.refuses_vmaf(WRONG_USAGE, "--frame_skip", "-r", REF, "-d", DIS, "--frame_skip", "1")

    def test_counts(self):
        self.assertEqual([f["frameNum"] for f in self.features("--subsample", "3")["frames"]], [0, 3, 6])
        self.assertEqual(len(self.features("--subsample", "0", "--frame_cnt", "0", "--threads", "0")["frames"]), 8)

    def test_a_shorter_side_ends_the_run(self):
        done = self.vmaf("-r", REF, "-d", DIS, "-n", "--feature", "psnr", "--frame_skip_ref", "2", "--csv", "-o",
                         "a.csv")
        self.assertRegex(done.stderr, r'"[^"]*ref\.y4m" ended before "[^"]*dis\.y4m"\.')
        self.assertEqual(len(self.read("a.csv").splitlines()), 7)

    def test_names_of_features(self):
        for name in ("float_ssim", "float_ms_ssim", "float_psnr", "float_moment", "float_adm", "motion", "psnr_hvs",
                     "cambi", "speed_chroma", "speed_temporal"):
            self.vmaf("-r", REF, "-d", DIS, "-n", "--feature", name)
        self.refuses_vmaf(WRONG_USAGE, ["float_ansnr", "not there yet"], "-r", REF, "-d", DIS, "--feature",
                          "float_ansnr")
        self.refuses_vmaf(WRONG_USAGE, "no feature is called 'quality'", "-r", REF, "-d", DIS, "--feature", "quality")
        self.refuses_vmaf(WRONG_USAGE, "did you mean 'float_ssim'?", "-r", REF, "-d", DIS, "--feature",
                          "flot_ssim=scale=1")
        self.vmaf("-r", REF, "-d", DIS, "-n", "--feature", "psnr", "--feature", "psnr")

    def test_order_of_columns(self):
        """libvmaf's: what looks ahead comes later, motion behind all others."""
        sad, looks_ahead = "VMAF_integer_feature_motion_sad_score", "integer_motion2,integer_motion3"
        for features, columns in (
                (["float_motion", "motion", "psnr=enable_chroma=false"],
                 f"motion2,motion,{sad},psnr_y,motion3,{looks_ahead}"),
                (["motion", "float_motion"], f"{sad},motion2,motion,motion3,{looks_ahead}"),
                (["float_motion=motion_force_zero=true", "psnr=enable_chroma=false:enable_mse=true"],
                 "motion2_force_0,motion3_force_0,motion_force_0,psnr_y,mse_y"),
                (["psnr_hvs", "ciede", "float_vif", "vif"],
                 "psnr_hvs_y,psnr_hvs_cb,psnr_hvs_cr,psnr_hvs,ciede2000,vif_scale0,vif_scale1,vif_scale2,vif_scale3,"
                 "integer_vif_scale0,integer_vif_scale1,integer_vif_scale2,integer_vif_scale3")):
            self.vmaf("-q", "-r", REF, "-d", DIS, "-n", *[x for f in features for x in ("--feature", f)], "--csv", "-o",
                      "a.csv")
            self.assertEqual(self.read("a.csv").splitlines()[0], f"Frame,{columns},")
        self.vmaf("-q", "-r", REF, "-d", DIS, "--feature", "motion=motion_force_zero=true", "--csv", "-o", "a.csv")
        head = self.read("a.csv").splitlines()[0]
        end = f",{sad}_force_0,{looks_ahead},integer_motion2_force_0,integer_motion3_force_0,vmaf,"
        self.assertTrue(head.endswith(end), head)

    def test_presets_with_cambi(self):
        presets = [("--aom_ctc", f"v{i}.0") for i in range(3, 8)] + [("--nflx_ctc", "v1.0")]
        alone = self.features("--feature", "cambi")["frames"]
        for option, preset in presets:
            self.vmaf("-r", REF, "-d", DIS, option, preset, "--json", "-o", "b.json", "-q")
            frames = json.loads(self.read("b.json"))["frames"]
            self.assertEqual([f["metrics"]["cambi"] for f in frames], [f["metrics"]["cambi"] for f in alone])

    def test_presets_that_are_not_there(self):
        for option in ("--aom_ctc", "--nflx_ctc"):
            for preset in ("proposed", "v8.0", ""):
                self.refuses_vmaf(WRONG_USAGE, option, "-r", REF, "-d", DIS, f"{option}={preset}")

    def test_what_is_refused(self):
        pair = ["-r", REF, "-d", DIS]
        for says, args in (("reference", []), ("distorted", ["-r", REF]), ("--frobnicate", [*pair, "--frobnicate"]),
                           ("-Z", [*pair, "-Z"]), ("-o", [*pair, "out.xml"]), ("nothing", [*pair, "-n"]),
                           ("--bitdepth", [*pair, "-b", "7"]), ("--pixel-format", [*pair, "-p", "410"]),
                           ("cpumask", [*pair, "--cpumask", "many"]), ("cpumask", [*pair, "--cpumask", "0x"]),
                           ("cpumask", [*pair, "--cpumask", "08"]), ("gpumask", [*pair, "--gpumask", "4294967296"]),
                           ("--subsample", [*pair, "--subsample", "-1"]), ("takes no value", [*pair, "--json=a.json"]),
                           ("takes no value", [*pair, "-n="]), ("takes no value", [*pair, "-nq="]),
                           ("--metric", [*pair, "--metric", "psnr"]), ("--shard", [*pair, "--shard", "a"]),
                           ("version=", [*pair, "--model", ""]), ("a name", [*pair, "--model", "version=x:name="]),
                           ("two models are called 'vmaf'", [*pair, "-m", "version=a", "-m", "version=b"])):
            self.refuses_vmaf(WRONG_USAGE, says, *args)

    def test_failures(self):
        pair = ["-n", "--feature", "psnr"]
        small = self.write("small.y4m", y4m(16, 16, 2))
        wide = self.write("wide.y4m", y4m(32, 16, 2))
        deep = self.write("deep.y4m", y4m(16, 16, 2, depth=10))
        other = self.write("other.y4m", y4m(16, 16, 2, chroma="444"))
        junk = self.write("junk.y4m", b"junk" * 100)
        cut = self.write("cut.y4m", y4m(16, 16, 2)[:-5])
        for says, ref, dis in (("size 16x16 against 32x16", small, wide),
                               ("bit depth 8 bits against 10 bits", small, deep),
                               ("pixel format", small, other), ("junk.y4m", junk, small), ("junk.y4m", small, junk),
                               ("missing.y4m", "missing.y4m", small), ("cut.y4m", small, cut)):
            self.refuses_vmaf(FAILED, says, "-r", ref, "-d", dis, *pair)
        half = self.write("half.y4m", y4m(8, 8, 2))
        for dis in (wide, half):  # `assay` has --scale, and this front has not
            self.assertNotIn("--scale", self.vmaf("-r", small, "-d", dis, *pair, code=FAILED).stderr)
        self.refuses_vmaf(FAILED, "/dev/null/place.xml", "-r", small, "-d", small, *pair, "-o", "/dev/null/place.xml")
        self.refuses_vmaf(FAILED, "psnr has no option 'enable_ms'", "-r", small, "-d", small, "-n", "--feature",
                          "psnr=enable_ms=true")

    def test_differences_that_libvmaf_does_not_see(self):
        ref = self.write("ref.y4m", y4m(32, 24, 2, rate="25:1", tags="XCOLORRANGE=LIMITED"))
        dis = self.write("dis.y4m", y4m(32, 24, 2, rate="30:1", tags="XCOLORRANGE=FULL", noise=2))
        done = self.vmaf("-r", ref, "-d", dis, "-n", "--feature", "psnr")
        self.assertIn("frame rate 25", done.stderr)
        self.assertEqual(self.vmaf("-q", "-r", ref, "-d", dis, "-n", "--feature", "psnr").stderr, "")

    def test_a_report_replaces_any_file_but_no_input(self):
        self.write("out.xml", b"somebody else's")
        self.vmaf("-r", REF, "-d", DIS, *FEATURES, "-o", "out.xml")
        self.assertIn("<VMAF", self.read("out.xml"))
        a, b = self.pair()
        data = (self.dir / a).read_bytes()
        self.refuses_vmaf(FAILED, "is one of the inputs", "-r", a, "-d", b, *FEATURES, "-o", a)
        self.assertEqual((self.dir / a).read_bytes(), data)

    def test_options_of_assay(self):
        self.features("--backend", "cpu", "--cpu", "scalar", "--precision", "9", "--reproducible", "--strip", "16")
        text = self.read("a.json")
        self.assertRegex(text, r'"psnr_y": \d+\.\d{9},')
        self.assertNotIn('"fps"', text)
        self.vmaf("-r", REF, "-d", DIS, "-n", "--feature", "psnr", "--fail-under", "psnr_y=10")
        self.assertIn("FAIL", self.vmaf("-r", REF, "-d", DIS, "-n", "--feature", "psnr", "--fail-under", "psnr_y=90",
                                        code=GATE).stdout)
        # With a gate every failure has assay's exit code, so that 1 is the gate's.
        gate = ["-n", "--feature", "psnr", "--fail-under", "psnr_y=10"]
        wide = self.write("wide.y4m", y4m(16, 16, 2))
        self.vmaf("-r", "missing.y4m", "-d", DIS, *gate, code=INPUT)
        self.vmaf("-r", wide, "-d", DIS, *gate, code=MISMATCH)
        self.vmaf("-r", wide, *gate, code=USAGE)

    def test_options_of_assay_given_twice(self):
        for option, values in (("--skip-ref", "12"), ("--in-flight", "12"), ("--matrix", ("bt709", "bt601")),
                               ("--precision", "12")):
            self.refuses_vmaf(WRONG_USAGE, "is given twice", "-r", REF, "-d", DIS, option, values[0], option, values[1])
        self.vmaf("-q", "-r", REF, "-d", DIS, *FEATURES, "--frame_skip_ref", "1", "--frame_skip_ref", "0")

    def test_help(self):
        text = self.passes("vmaf", "--help").out
        self.assertIn("usage: assay vmaf ", text)
        self.assertEqual(self.vmaf("--help").stdout, text)
        self.assertEqual(self.vmaf("-h").stdout, text)
        self.assertEqual(self.passes("help", "vmaf").out, text)

    def test_the_command_without_a_link(self):
        self.passes("vmaf", "-q", "-r", REF, "-d", DIS, *FEATURES, "--csv", "-o", "a.csv")
        self.assertEqual(self.read("a.csv"), (HERE / "features.csv").read_text(encoding="utf-8"))


class Models(VmafCase):
    """Reports with scores of models, byte for byte."""
    same_text = Texts.same_text

    def test_default(self):
        for kind in ("json", "xml", "csv", "sub"):
            self.same_text("default." + kind)

    def test_bootstrap(self):
        self.same_text("bootstrap.json", "-m", "version=vmaf_b_v0.6.3")
        self.same_text("mixed.csv", "-m", "version=vmaf_b_v0.6.3:name=b", "-m", "version=vmaf_v0.6.1")

    def test_version_1(self):
        for kind in ("json", "xml", "csv", "sub"):
            self.same_text("v1." + kind, "-m", "version=vmaf_v1.0.16_3d0h")
        encoder = ":cambi.enc_width=300:cambi.enc_height=180:cambi.enc_bitdepth=10"
        self.same_text("v1_several.csv", "-m", f"version=vmaf_v1.0.16_3d0h:name=a{encoder}", "-m",
                       "version=vmaf_v1.0.16_hfr_1d5h_2160:name=b", "-m", "version=vmaf_v0.6.1", "--feature",
                       "speed_temporal")
        done = self.vmaf("-r", REF, "-d", DIS, "-m", "version=v1")
        self.assertIn("the model is vmaf_v1.0.16_3d0h", done.stderr)
        self.assertIn("VMAF score: 90.829922", done.stderr)

    def test_several(self):
        self.same_text("models.json", "-m", "version=vmaf_v0.6.1:name=a", "-m",
                       "version=vmaf_4k_v0.6.1neg:name=b:disable_clip", "--feature", "psnr")

    def test_no_prediction(self):
        self.same_text("noprediction.json", "-n", "-m", "version=vmaf_v0.6.1")

    def test_some_frames(self):
        self.same_text("subsample.json", "--subsample", "3")
        self.same_text("skip.json", "--frame_skip_ref", "1", "--frame_skip_dist", "1", "--frame_cnt", "4")

    def test_preset(self):
        """Float features and ciede2000 agree within their places, all others and the names and their order exactly."""
        self.vmaf("-q", "-r", REF, "-d", DIS, "--aom_ctc", "v2.0", "--json", "-o", "a.json")
        ours, theirs = json.loads(self.read("a.json")), json.loads((HERE / "aom_ctc.json").read_text(encoding="utf-8"))
        loose = {"float_ssim": 5e-4, "float_ms_ssim": 5e-4, "ciede2000": 5e-4, "psnr_hvs": 5e-5, "psnr_hvs_y": 5e-5,
                 "psnr_hvs_cb": 5e-5, "psnr_hvs_cr": 5e-5}
        self.assertEqual(ours["aggregate_metrics"], theirs["aggregate_metrics"])
        for a, b in zip(ours["frames"], theirs["frames"], strict=True):
            self.assertEqual(list(a["metrics"]), list(b["metrics"]))
            for name, value in b["metrics"].items():
                self.assertAlmostEqual(a["metrics"][name], value, delta=loose.get(name, 1.1e-6), msg=name)

    def test_scores_on_standard_error(self):
        first, *others = self.vmaf("-r", REF, "-d", DIS).stderr.splitlines()
        self.assertRegex(first, "^assay: vmaf: .*1080.*352x198") # the size that the model is for
        self.assertEqual(others, ["VMAF score: 88.771458"])
        self.assertEqual(self.vmaf("-q", "-r", REF, "-d", DIS).stderr, "VMAF score: 88.771458\n")
        self.assertEqual(self.vmaf("-q", "-r", REF, "-d", DIS, "-o", "a.xml").stderr, "")
        self.assertEqual(self.vmaf("-q", "-r", REF, "-d", DIS, "-n", "-m", "version=vmaf_v0.6.1").stderr, "")
        two = self.vmaf("-q", "-r", REF, "-d", DIS, "-m", "version=vmaf_v0.6.1:name=a", "-m",
                        "version=vmaf_4k_v0.6.1:name=b")
        self.assertEqual(two.stderr, "VMAF score: 88.771458\nVMAF score: 92.588688\n")

    def test_terminal(self):
        text = self.terminal("-r", REF, "-d", DIS)
        self.assertRegex(text, r"^VMAF version 3\.2\.0\+assay\.\S+\n(assay: .*\n)?\r1 frame  \S \d+\.\d\d FPS\x1b\[K")
        self.assertTrue(text.endswith("\nvmaf_v0.6.1: 88.771458\nVMAF score: 88.771458\n"), text)
        self.assertEqual(self.terminal("-q", "-r", REF, "-d", DIS, "-m", "version=vmaf_b_v0.6.3"),
                         "vmaf_b_v0.6.3: 87.229843\nvmaf_b_v0.6.3: 87.096960, ci.p95: [84.490449, 89.167754], "
                         "stddev: 1.356216\nVMAF score: 87.229843\n")
        self.assertEqual(self.terminal("-q", "-r", REF, "-d", DIS, "-o", "a.xml"), "")

    def test_model_from_a_file(self):
        self.refuses_vmaf(FAILED, "missing.json", "-r", REF, "-d", DIS, "-m", "path=missing.json")
        self.refuses_vmaf(FAILED, "vmaf_v9", "-r", REF, "-d", DIS, "-m", "version=vmaf_v9")

    def test_feature_of_the_model_asked_for_twice(self):
        """The same columns in the same order, with others behind them."""
        bare = (HERE / "default.csv").read_text(encoding="utf-8")
        for features in (["vif", "motion"], ["adm"], ["motion", "adm", "vif"]):
            self.vmaf("-q", "-r", REF, "-d", DIS, "--csv", "-o", "a.csv", "--fail-under", "integer_adm2=0.1",
                      *[x for f in features for x in ("--feature", f)])
            self.assertEqual(self.read("a.csv"), bare)
        self.vmaf("-q", "-r", REF, "-d", DIS, "--csv", "-o", "a.csv", "--feature", "psnr", "--feature", "adm",
                  "-m", "version=vmaf_v0.6.1", "-m", "version=vmaf_v0.6.1neg:name=neg",
                  "--feature", "vif=vif_enhn_gain_limit=1", "--feature", "psnr")
        head = self.read("a.csv").splitlines()[0].split(",")
        self.assertEqual(head[:13], bare.splitlines()[0].split(",")[:13])
        self.assertEqual(",".join(head[-9:]), "integer_vif_scale3_egl_1,psnr_y,psnr_cb,psnr_cr,integer_motion2,"
                                              "integer_motion3,vmaf,neg,")


class Scripts(VmafCase):
    """Programs written for libvmaf's command and its logs, with the link in front of the PATH."""

    def script(self, name, *args):
        path = HERE / "scripts" / name
        done = subprocess.run([*([sys.executable] if name.endswith(".py") else []), str(path), *map(str, args)],
                              cwd=self.dir, capture_output=True, text=True, check=False, timeout=1200,
                              env={**os.environ, "PATH": f"{self.dir}/bin:{os.environ['PATH']}"})
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        return done.stdout

    def raw(self, name, path):
        """Y4M without its headers."""
        head, *frames = pathlib.Path(path).read_bytes().split(b"FRAME\n")
        self.assertTrue(head.startswith(b"YUV4MPEG2 W352 H198 "))
        return self.write(name, b"".join(frames))

    def same(self, name, log):
        """A reader takes the same figures from our log as from libvmaf's."""
        self.vmaf("-r", REF, "-d", DIS, "-o", log, *(["--" + log.split(".")[1]] if not log.endswith("xml") else []))
        self.assertEqual(self.script(name, log), self.script(name, HERE / ("default." + log.split(".")[1])))

    def test_bash(self):
        self.raw("source.yuv", REF)
        self.raw("one.yuv", DIS)
        self.raw("two.yuv", REF)
        self.assertEqual(self.script("raw_ladder.sh", 352, 198, "source.yuv", "one.yuv", "two.yuv").splitlines()[0],
                         "one 88.771458")

    def test_plot(self):
        theirs = self.script("plot_data.py", HERE / "default.json")
        self.vmaf("-r", REF, "-d", DIS, "--json", "-o", "a.json")
        # The peer of the texts was built without a tag: its version is a hash.
        self.assertEqual(self.script("plot_data.py", "a.json").splitlines()[1:], theirs.splitlines()[1:])
        self.assertEqual(self.script("plot_data.py", "a.json").splitlines()[0], "version 3")

    def test_score_from_standard_error(self):
        self.assertEqual(self.script("stderr_score.py", REF, DIS), "88.771458\n")

    def test_all_metrics(self):
        lines = self.script("statistics_of_all.py", REF, DIS).splitlines()
        self.assertEqual(lines[0], "n 4.5 2.449 1 8")
        self.assertIn("vmaf 88.772 3.982 82.58 94.443", lines)
        self.assertEqual(len(lines), 1 + 15 + 3)

    def test_readers_of_xml_and_csv(self):
        self.same("from_xml.py", "a.xml")
        self.same("from_csv.py", "a.csv")


class Default(Case):
    """The metrics of `assay REFERENCE DISTORTED`."""

    def rows(self, out):
        return [line.split()[0] for line in re.split(r"(?m)^metric .*\n", out)[1].splitlines()]

    def test_what_the_table_shows(self):
        done = self.passes(REF, DIS, "--json", "a.json", "--precision", "3")
        self.assertEqual(self.rows(done.out), ["vmaf", "psnr_y", "psnr_cb", "psnr_cr", "float_ms_ssim"])
        self.assertRegex(done.out, r"(?m)^vmaf +88\.771 ")
        # The report has the features of the model, too; asked for, they are in the table.
        metrics = json.loads(self.read("a.json"))["frames"][0]["metrics"]
        self.assertLess({"vmaf", "integer_adm2", "integer_vif_scale0", "integer_motion2"}, set(metrics))
        self.assertIn("integer_vif_scale0", self.rows(self.passes("-m", "vmaf,vif", REF, DIS).out))
        self.assertNotIn("integer_adm2", self.rows(self.passes("-m", "vmaf,vif", REF, DIS).out))
        self.assertEqual(self.passes("-q", REF, DIS, "--fail-under", "vmaf.min=80", "--fail-under",
                                     "integer_vif_scale0=0.5").out.count("pass"), 2)

    def test_what_is_left_out_is_said(self):
        small = self.write("a.y4m", y4m(16, 16, 2)), self.write("b.y4m", y4m(16, 16, 2, noise=3))
        done = self.passes(*small)
        self.assertRegex(done.err, r"(?m)^assay: vmaf is left out: .*needs at least 17x17, this is 16x16$")
        self.assertRegex(done.err, r"(?m)^assay: float_ms_ssim is left out: .*needs at least 176x176")
        self.assertEqual(self.rows(done.out), ["psnr_y", "psnr_cb", "psnr_cr"])
        self.refuses(USAGE, "needs at least 17x17", "-m", "vmaf", *small)

    def test_the_size_that_the_model_is_for(self):
        note = "vmaf_v0.6.1 is for 1080p, and this is 352x198"
        self.assertEqual(self.passes(REF, DIS).err.count(note), 1)
        self.assertNotIn(note, self.passes("-q", REF, DIS).err)
        self.assertNotIn(note, self.passes("-m", "psnr", REF, DIS).err)


class Install(VmafCase):
    """The name vmaf is installed when it is asked for, and never over another program."""

    def install(self, code):
        done = subprocess.run([str(ROOT / "tools" / "install_vmaf_link.sh"), "there"], capture_output=True, text=True,
                              env={**os.environ, "MESON_INSTALL_DESTDIR_PREFIX": str(self.dir)}, check=False)
        self.assertEqual(done.returncode, code, done)
        return done.stderr

    def test_link(self):
        for _ in range(2):
            self.assertEqual(self.install(0), "")
            self.assertEqual(os.readlink(self.dir / "there" / "vmaf"), "assay")

    def test_another_program_stays(self):
        (self.dir / "there").mkdir()
        self.write("there/vmaf", b"libvmaf's own")
        self.assertIn("another program", self.install(1))
        self.assertEqual(self.read("there/vmaf"), "libvmaf's own")


if __name__ == "__main__":
    main()
