#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares scores, per frame and pooled, on the sample pair and on every pair of the shared
data folder that is present.

golden.py assay PROGRAM            the command with libvmaf 3.2.0: figures of 17 digits, then figures of 6 decimals
golden.py oracle ORACLE PROGRAM    the double oracle with libvmaf 3.2.0: figures of 17 digits; and the command with the
                                   oracle

The shared data folder is $ASSAY_SHARED, or ../shared beside the source tree. Figures of the sample pair have 17
digits and lie in tests/golden/libvmaf/. Without any pair the test is skipped. The bounds are those of
docs/numerics.md. Prints the largest difference of each key, and checks for each key that a figure off by twice its
bound would have been noticed.
"""
import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIP = 77
POOLS = ("min", "max", "mean", "harmonic_mean")

# The largest difference from libvmaf and from the oracle: relative for those of RELATIVE. libvmaf adds the errors of
# psnr_hvs of a plane in one float: LARGE holds the bound of pairs of 1080 lines.
LIBVMAF = {"mse": 0.0, "psnr": 1e-12, "apsnr": 1e-12, "float_psnr": 1e-7, "float_moment": 1e-7, "float_ssim": 1e-5,
           "float_ms_ssim": 1e-5, "factor": 1e-5, "float_adm": 1e-6, "float_vif": 1e-5, "ciede2000": 2e-5,
           "psnr_hvs": 1e-3, "float_motion": 2e-6, "integer_vif": 0.0}
LARGE = {"psnr_hvs": 3e-3}
LARGE_PAIRS = re.compile(r"(archer|bbb1080)_")
ORACLE = {"mse": 0.0, "psnr": 1e-12, "apsnr": 1e-12, "float_psnr": 1e-12, "float_moment": 1e-12, "ssim": 1e-6,
          "float_ssim": 2e-6, "float_ms_ssim": 2e-6, "factor": 2e-6, "float_adm": 1e-6, "float_vif": 1e-6,
          "ciede2000": 1e-5, "psnr_hvs": 1e-5, "float_motion": 1e-6, "integer_vif": 0.0}
# c and s take sqrt(var * var), which magnifies rounding near 0
FACTOR = re.compile(r"float_(ms_)?ssim_[lcs](_scale\d)?")
FLOAT_ADM = re.compile(r"adm[23]|aim|adm_scale[0-3]")
FLOAT_VIF = re.compile(r"vif_scale[0-3]")
FLOAT_MOTION = re.compile(r"motion[23]?")
RELATIVE = ("psnr", "apsnr", "float_psnr", "float_moment", "float_motion")

# Metrics that libvmaf refuses for small or deep pictures.
MAY_REFUSE = ("float_ssim", "float_ms_ssim", "psnr_hvs")

POINTWISE = ("psnr=enable_mse=true:enable_apsnr=true", "float_psnr", "float_moment")
VIF = ("vif=debug=true", "vif=debug=true:vif_enhn_gain_limit=1")
PLAIN = POINTWISE + ("float_ssim=enable_lcs=true", "float_ms_ssim=enable_lcs=true", "float_adm", "float_vif",
                     "ciede2000", "psnr_hvs", "float_motion") + VIF
IN_DB = POINTWISE + ("float_ssim=enable_lcs=true:enable_db=true", "float_ms_ssim=enable_lcs=true:enable_db=true") + VIF
WITH_ORACLE = PLAIN + ("ssim",)

# Pairs of the figures with 6 decimals: name -> reference, distorted, further arguments.
PARK_JOY = "netflix/y4m/park_joy_420_720p50_frm0to9_480x270.y4m"
BUNNY = "clips/bbb_1920x1080_60fps_vp8.webm"
SRC01 = "netflix/yuv/src01_hrc0{}_576x324.yuv420p{}le.yuv"
AKIYO = ("netflix/yuv/{}_vmaf_hacking_investigation_0_0_akiyo_cif_notyuv_0to0_identity_vs_akiyo_cif_notyuv_0to0_"
         "multiply_q_352x288")
SMALL = "netflix/yuv/{}_test_0_1_src01_hrc00_576x324_576x324_vs_src01_hrc01_576x324_576x324_q_160x90.yuv"
KRISTEN = "netflix/yuv/KristenAndSara_1280x720_8bit_processed.yuv"


def raw(width, height, depth):
    return ["-w", str(width), "-h", str(height), "-p", "420", "-b", str(depth)]


SIX_DECIMALS = {
    "akiyo": (AKIYO.format("refp"), AKIYO.format("disp"), raw(352, 288, 8)),
    "archer": ("netflix/yuv/archer_ref_frm20.yuv", "netflix/yuv/archer_dis_frm20.yuv", raw(1920, 1080, 8)),
    "q160x90": (SMALL.format("ref"), SMALL.format("dis"), raw(160, 90, 8)),
    "src01_8bit_first3": ("netflix_derived/src01_hrc00_576x324_first3.yuv",
                          "netflix_derived/src01_hrc01_576x324_first3.yuv",
                          raw(576, 324, 8)),
    "src01_10bit": (SRC01.format(0, 10), SRC01.format(1, 10), raw(576, 324, 10)),
    "src01_12bit": (SRC01.format(0, 12), SRC01.format(1, 12), raw(576, 324, 12)),
    "src01_16bit": (SRC01.format(0, 16), SRC01.format(1, 16), raw(576, 324, 16)),
    "kristen_self": (KRISTEN, KRISTEN, raw(1280, 720, 8)),
}
for clip in ("x264_crf22", "x264_crf32", "x265_crf34"):
    SIX_DECIMALS["parkjoy270_" + clip] = (PARK_JOY, f"made/clips/parkjoy270_{clip}.mp4", ["libav"])
for clip in ("x264_crf20", "x264_crf36", "x265_crf36", "svtav1_crf55"):
    SIX_DECIMALS["bbb1080_" + clip] = (BUNNY, f"made/clips/bbb1080_{clip}.mp4", ["libav", "--frames", "24"])

ABSENT = {"blue_sky_360p_self"}  # its 8-bit source was not kept


def family(key):
    """The metric that a key of a report belongs to; None for those that are not compared here."""
    if key.startswith(("psnr_reduced", "psnr_min_sse")) or key.endswith("_db"):
        return None
    if FLOAT_ADM.fullmatch(key):
        return "float_adm"
    if FLOAT_VIF.fullmatch(key):
        return "float_vif"
    if FLOAT_MOTION.fullmatch(key):
        return "float_motion"
    for name in sorted(ORACLE, key=len, reverse=True):
        if key == name or key.startswith(name + "_"):
            return name
    return None


class Comparison:
    """Every figure compared so far.

    bounds: LIBVMAF or ORACLE. decibel_suffix: what our key of a dB value has beyond libvmaf's. metrics:
    the only ones to compare. left_out: keys that are not compared.
    """

    def __init__(self, bounds, decibel_suffix, metrics):
        self.bounds, self.decibel_suffix, self.metrics = bounds, decibel_suffix, metrics
        self.keys = {}
        self.failures = []
        self.left_out = set()

    def fail(self, text):
        self.failures.append(text)

    def compared(self, values, name):
        """The keys and values of the report `name` that are compared. libvmaf reads other chroma than a 4:2:2 picture's
        for ciede2000 (docs/metrics/ciede2000.md)."""
        wrong = self.left_out | ({"ciede2000"} if self.bounds is LIBVMAF and "_422_" in name else set())
        return [(key, value) for key, value in values.items() if key not in wrong
                and family(key) in self.bounds and (not self.metrics or family(key) in self.metrics)]

    def bound(self, name, key, value, decibel):
        """The largest difference from the expected value that is promised."""
        limit = self.bounds["factor" if FACTOR.fullmatch(key) else family(key)]
        if self.bounds is LIBVMAF and LARGE_PAIRS.match(name):
            limit = LARGE.get(family(key), limit)
        if family(key) in RELATIVE:
            return limit * abs(value)
        if not decibel:
            return limit
        distance = 10 ** (-value / 10)  # of the similarity from 1; how much of it `limit` is, in dB
        return 10 * math.log10(distance / max(distance - limit, distance / 100))

    def value(self, key, label, expected, got, limit):
        """One figure. Infinite ones are null in both reports."""
        if expected is None or got is None:
            if expected is not got:
                self.fail(f"{label}: expected {expected}, got {got}")
            return
        difference = abs(got - expected)
        row = self.keys.setdefault(key, {"count": 0, "worst": -1.0, "limit": 0.0, "label": "", "caught": True})
        row["count"] += 1
        if difference > row["worst"]:
            row.update(worst=difference, limit=limit, label=label)
        if difference > limit:
            self.fail(f"{label}: expected {expected!r}, got {got!r}, off by {difference:.3g}, allowed {limit:.3g}")
        # The same comparison must notice a figure that is wrong.
        wrong = expected + math.copysign(max(2 * limit, math.ulp(expected)), expected - got)
        row["caught"] = row["caught"] and abs(got - wrong) > limit

    def report(self, name, expected, got, decibel=False, decimals=None):
        """A whole report: frames, pools and aggregates. decibel: its similarities are in dB."""
        rounding = 0.5 * 10.0 ** -decimals * 1.0001 if decimals else 0.0
        if len(expected["frames"]) != len(got["frames"]):
            self.fail(f"{name}: expected {len(expected['frames'])} frames, got {len(got['frames'])}")
            return
        limits = {}
        for theirs, ours in zip(expected["frames"], got["frames"]):
            for key, value in self.compared(theirs["metrics"], name):
                label = f"{name} frame {theirs['frameNum']} {key}"
                in_decibel = decibel and key in ("float_ssim", "float_ms_ssim")
                our_key = key + self.decibel_suffix if in_decibel else key
                if our_key not in ours["metrics"]:
                    self.fail(f"{label}: no such key")
                    continue
                limit = 0.0 if value is None else self.bound(name, key, value, in_decibel) + rounding
                limits[key] = max(limits.get(key, 0.0), limit)
                self.value(key + " dB" if in_decibel else key, label, value, ours["metrics"][our_key], limit)
                self.twins(label, key, theirs["metrics"], ours["metrics"])
        for key, value in self.compared(expected.get("aggregate_metrics", {}), name):
            self.value(key, f"{name} {key}", value, got["aggregate_metrics"].get(key),
                       self.bound(name, key, value, False) + rounding)
        if "pooled_metrics" in got and "pooled_metrics" in expected:
            self.pools(name, expected, got["pooled_metrics"], limits, rounding)

    def twins(self, label, key, theirs, ours):
        """The oracle also has psnr_hvs with libvmaf's roundings: the whole as libvmaf's, and of exactly added blocks as
        the command's. So the command differs from libvmaf by the sum of blocks and nothing else."""
        if "libvmaf_" + key in ours:
            self.value("libvmaf_" + key, label, theirs[key], ours["libvmaf_" + key], 1e-12 * abs(theirs[key] or 0.0))
        if "blocks_" + key in theirs:
            twin = theirs["blocks_" + key]
            self.value("blocks_" + key, label, twin, ours[key], 1e-12 * abs(twin or 0.0))

    def pools(self, name, expected, got, limits, rounding):
        for key, limit in limits.items():
            values = [frame["metrics"][key] for frame in expected["frames"]]
            for pool in POOLS:
                label = f"{name} pooled {pool} {key}"
                theirs = expected["pooled_metrics"][key][pool]
                if key not in got:
                    self.fail(f"{label}: no such key")
                    continue
                stretch = 1.0
                if pool == "harmonic_mean" and None not in values and min(values) > -1:
                    # d/dx of n / sum(1 / (x + 1)) - 1, summed over the frames
                    inverse = [1 / (v + 1) for v in values]
                    stretch = sum(i * i for i in inverse) * len(values) / sum(inverse) ** 2
                self.value(f"{key} {pool}", label, theirs, got[key][pool], limit * stretch + rounding)

    def print(self):
        for key in sorted(self.keys):
            row = self.keys[key]
            print(f"{key:42} {row['count']:5} figures, largest difference {row['worst']:.3g} "
                  f"of {row['limit']:.3g} at {row['label']}")
        for key, row in self.keys.items():
            if not row["caught"]:
                self.fail(f"{key}: a figure off by twice the bound would not be noticed")
        for text in self.failures[:40]:
            print("FAILED", text)
        if len(self.failures) > 40:
            print(f"FAILED and {len(self.failures) - 40} more")


class Runner:
    """Runs the programs and reads their JSON. metrics: the only ones to ask for."""

    def __init__(self, folder, data, metrics):
        self.folder, self.data, self.metrics = pathlib.Path(folder), data, metrics
        self.scored = {}  # by the oracle: what it said of each pair

    def wants(self, specifications):
        return not self.metrics or any(text.split("=")[0] in self.metrics for text in specifications)

    def oracle(self, program, pair):
        command = [program, str(self.data / pair[0]), str(self.data / pair[1])] + pair[2]
        if tuple(command) not in self.scored:
            done = subprocess.run(command, capture_output=True, text=True)
            self.scored[tuple(command)] = self.read(command, done, done.stdout)
        return self.scored[tuple(command)]

    def assay(self, program, pair, specifications, expected):
        """Without the metrics that refuse so small or deep a picture in libvmaf. None, "": no metric is left."""
        keys = {family(key) for key in expected["frames"][0]["metrics"]}
        names = {text: text.split("=")[0] for text in specifications}
        wanted = [text for text, name in names.items()
                  if (not self.metrics or name in self.metrics) and (name in keys or name not in MAY_REFUSE)]
        if not wanted:
            return None, ""
        out = self.folder / "report.json"
        out.unlink(missing_ok=True)
        command = [program, str(self.data / pair[0]), str(self.data / pair[1])] + pair[2]
        command += ["-m", ",".join(wanted), "--json", str(out), "--precision", "max"]
        done = subprocess.run(command, capture_output=True, text=True)
        return self.read(command, done, out.read_text() if out.exists() else "")

    @staticmethod
    def read(command, done, text):
        """The report and "", or None and what went wrong."""
        if done.returncode != 0:
            return None, f"exit {done.returncode} of {' '.join(command)}: {done.stderr.strip()[-400:]}"
        return json.loads(text), ""

    def present(self, name, pair):
        if all((self.data / path).exists() for path in pair[:2]):
            return True
        print(f"{name}: not in the shared data")
        return False


SOURCE = pathlib.Path(__file__).resolve().parents[2]


def shared_folder():
    return pathlib.Path(os.environ.get("ASSAY_SHARED") or SOURCE / "../shared").resolve()


def figures_file(golden, name, kind):
    """Where the figures of 17 digits are; the sample pair has `floats` and no `models`."""
    return (SOURCE / "tests/golden" if name == "sample" else golden) / f"libvmaf/{name}.{kind}.json"


def all_present(data, *paths):
    """Whether each of these is named and exists in the data folder."""
    return all(path and (data / path).exists() for path in paths)


def indexed_pairs(golden):
    """The pairs that have figures of 17 digits: name -> reference, distorted, further arguments."""
    sample = SOURCE / "examples/sample"
    pairs = {"sample": (sample / "ref.y4m", sample / "dis.y4m", [])}
    if (golden / "libvmaf/index.json").exists():
        for name, entry in sorted(json.loads((golden / "libvmaf/index.json").read_text()).items()):
            options = dict(zip(entry["args"][::2], entry["args"][1::2]))
            reference, distorted = options.pop("-r"), options.pop("-d")
            arguments = [word for pair in options.items() for word in pair]
            if entry.get("frame_cnt"):
                arguments += ["--frames", str(entry["frame_cnt"])]
            pairs[name] = (reference, distorted, arguments)
    return pairs


def seventeen_digits(kind, program, runner, golden, comparison):
    ran = 0
    for name, pair in indexed_pairs(golden).items():
        if not runner.present(name, pair):
            continue
        for figures, specifications in (("features", PLAIN), ("options", IN_DB), ("ciede", ("ciede2000",)),
                                        ("floats", ("float_vif", "float_motion")), ("vif", VIF),
                                        ("models", ("float_adm", "float_vif", "float_motion") + VIF)):
            path = figures_file(golden, name, figures)
            if not runner.wants(specifications) or not path.exists():
                continue
            expected = json.loads(path.read_text())
            if kind == "oracle":
                got, error = runner.oracle(program, pair)
            else:
                got, error = runner.assay(program, pair, specifications, expected)
            if error:
                comparison.fail(f"{name}: {error}")
            if not got:
                continue
            comparison.report(f"{name}.{figures}", expected, got, decibel=figures == "options")
            ran += 1
    return ran


def six_decimals(program, runner, golden, comparison, libav):
    ran = 0
    for path in sorted((golden / "oracle").glob("*.json")):
        if path.stem not in SIX_DECIMALS and path.stem not in ABSENT:
            comparison.fail(f"{path.name}: the test doesn't know which pair that is")
            continue
        if path.stem in ABSENT or not runner.present(path.stem, SIX_DECIMALS[path.stem]):
            continue
        reference, distorted, arguments = SIX_DECIMALS[path.stem]
        if "libav" in arguments:
            arguments = arguments[1:]
            if not libav:
                print(f"{path.stem}: needs a build with libav")
                continue
        expected = json.loads(path.read_text())
        got, error = runner.assay(program, (reference, distorted, arguments), PLAIN, expected)
        if error:
            comparison.fail(f"{path.stem}: {error}")
        if not got:
            continue
        comparison.report(path.stem, expected, got, decimals=6)
        ran += 1
    return ran


def with_oracle(program, oracle, runner, golden, comparison):
    ran = 0
    for name, pair in indexed_pairs(golden).items():
        if not runner.present(name, pair):
            continue
        expected, error = runner.oracle(oracle, pair)
        if not error:
            got, error = runner.assay(program, pair, WITH_ORACLE, expected)
        if error:
            comparison.fail(f"{name}: {error}")
            continue
        comparison.report(name, expected, got)
        ran += 1
    return ran


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=("assay", "oracle"))
    parser.add_argument("program")
    parser.add_argument("scored", nargs="?", help="oracle: the command, which is compared with it")
    parser.add_argument("--libav", action="store_true", help="the program reads what FFmpeg decodes")
    parser.add_argument("--only", choices=("seventeen", "six"), help="one of the two sets of figures")
    parser.add_argument("--metrics", default="", help="names, separated by commas: compare no others")
    arguments = parser.parse_args()

    shared = shared_folder()
    golden = shared / "golden"
    metrics = set(filter(None, arguments.metrics.split(",")))
    comparisons = [Comparison(LIBVMAF, "_db" if arguments.kind == "oracle" else "", metrics)]
    if arguments.kind == "oracle": # it prints what a frame has alone
        comparisons[0].left_out = {"motion2", "motion3"}
    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(folder, shared / "data", metrics)
        if arguments.only != "six":
            ran += seventeen_digits(arguments.kind, arguments.program, runner, golden, comparisons[0])
        if arguments.kind == "assay" and arguments.only != "seventeen":
            ran += six_decimals(arguments.program, runner, golden, comparisons[0], arguments.libav)
        if arguments.scored:
            comparisons.append(Comparison(ORACLE, "", metrics))
            ran += with_oracle(arguments.scored, arguments.program, runner, golden, comparisons[1])
    for comparison in comparisons:
        comparison.print()
    if any(comparison.failures for comparison in comparisons):
        return 1
    if not ran:
        print("skipped: no pair is present")
        return SKIP
    print(f"{ran} reports agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
