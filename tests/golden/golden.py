#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares scores with those of libvmaf 3.2.0, per frame and pooled, on every pair of the shared data folder that is present.

golden.py assay PROGRAM --root SOURCE_ROOT    the command, on the 17-digit figures and on those with 6 decimals
golden.py oracle PROGRAM --root SOURCE_ROOT   the double oracle, on the 17-digit figures

The shared data folder is $ASSAY_SHARED, or ../shared beside the source tree; without it the test is skipped. The bounds are
those of docs/numerics.md. Prints the largest difference of each key; shows for each key that a figure off by twice its
bound would have been noticed.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

SKIP = 77
POOLS = ("min", "max", "mean", "harmonic_mean")
SIMILARITY = 1e-5  # float_ssim, float_ms_ssim and their factors

METRICS = ("psnr=enable_mse=true:enable_apsnr=true", "float_psnr", "float_moment")
PLAIN = METRICS + ("float_ssim=enable_lcs=true", "float_ms_ssim=enable_lcs=true")
IN_DB = METRICS + ("float_ssim=enable_lcs=true:enable_db=true", "float_ms_ssim=enable_lcs=true:enable_db=true")

# Pairs of the figures with 6 decimals: name -> reference, distorted, further arguments.
PARK_JOY = "netflix/y4m/park_joy_420_720p50_frm0to9_480x270.y4m"
BUNNY = "clips/bbb_1920x1080_60fps_vp8.webm"
SRC01 = "netflix/yuv/src01_hrc0{}_576x324.yuv420p{}le.yuv"
AKIYO = "netflix/yuv/{}_vmaf_hacking_investigation_0_0_akiyo_cif_notyuv_0to0_identity_vs_akiyo_cif_notyuv_0to0_multiply_q_352x288"
SMALL = "netflix/yuv/{}_test_0_1_src01_hrc00_576x324_576x324_vs_src01_hrc01_576x324_576x324_q_160x90.yuv"
KRISTEN = "netflix/yuv/KristenAndSara_1280x720_8bit_processed.yuv"
BLUE_SKY = "netflix_derived/blue_sky_360p_60f_8b_converted_to_10b.yuv"


def raw(width, height, depth):
    return ["-w", str(width), "-h", str(height), "-p", "420", "-b", str(depth)]


SIX_DECIMALS = {
    "akiyo": (AKIYO.format("refp"), AKIYO.format("disp"), raw(352, 288, 8)),
    "archer": ("netflix/yuv/archer_ref_frm20.yuv", "netflix/yuv/archer_dis_frm20.yuv", raw(1920, 1080, 8)),
    "q160x90": (SMALL.format("ref"), SMALL.format("dis"), raw(160, 90, 8)),
    "src01_8bit_first3": ("netflix_derived/src01_hrc00_576x324_first3.yuv", "netflix_derived/src01_hrc01_576x324_first3.yuv",
                          raw(576, 324, 8)),
    "src01_10bit": (SRC01.format(0, 10), SRC01.format(1, 10), raw(576, 324, 10)),
    "src01_12bit": (SRC01.format(0, 12), SRC01.format(1, 12), raw(576, 324, 12)),
    "src01_16bit": (SRC01.format(0, 16), SRC01.format(1, 16), raw(576, 324, 16)),
    "kristen_self": (KRISTEN, KRISTEN, raw(1280, 720, 8)),
    "blue_sky_360p_self": (BLUE_SKY, BLUE_SKY, raw(640, 360, 10)),
}
for clip in ("x264_crf22", "x264_crf32", "x265_crf34"):
    SIX_DECIMALS["parkjoy270_" + clip] = (PARK_JOY, f"made/clips/parkjoy270_{clip}.mp4", ["libav"])
for clip in ("x264_crf20", "x264_crf36", "x265_crf36", "svtav1_crf55"):
    SIX_DECIMALS["bbb1080_" + clip] = (BUNNY, f"made/clips/bbb1080_{clip}.mp4", ["libav", "--frames", "24"])


def compared(item):
    """Does a (key, value) of libvmaf's report belong to a metric that is compared here?"""
    key = item[0]
    return key.startswith(("psnr_", "mse_", "apsnr_", "float_psnr", "float_moment", "float_ssim", "float_ms_ssim")) \
        and not key.startswith("psnr_hvs")


def bound(key, value, decibel):
    """The largest difference from libvmaf's value that is promised."""
    if key.startswith("mse_"):
        return 0.0
    if key.startswith(("psnr_", "apsnr_")):
        return 1e-12 * abs(value)
    if key.startswith(("float_psnr", "float_moment")):
        return 1e-7 * abs(value)
    if decibel:  # what 1e-5 of the similarity 1 - 10^(-value/10) is worth in dB
        distance = 10 ** (-value / 10)
        return 10 * math.log10(distance / max(distance - SIMILARITY, distance / 100))
    return SIMILARITY


class Comparison:
    """Every figure compared so far. `decibel_suffix` is what our key of a dB value has beyond libvmaf's."""

    def __init__(self, decibel_suffix):
        self.decibel_suffix = decibel_suffix
        self.keys = {}
        self.failures = []

    def fail(self, text):
        self.failures.append(text)

    def value(self, key, label, expected, got, limit):
        """One figure. Infinite ones are null in both reports."""
        if expected is None or got is None:
            if expected is not got:
                self.fail(f"{label}: libvmaf has {expected}, we have {got}")
            return
        difference = abs(got - expected)
        row = self.keys.setdefault(key, {"count": 0, "worst": -1.0, "limit": 0.0, "label": "", "caught": True})
        row["count"] += 1
        if difference > row["worst"]:
            row.update(worst=difference, limit=limit, label=label)
        if difference > limit:
            self.fail(f"{label}: libvmaf has {expected!r}, we have {got!r}, off by {difference:.3g}, allowed {limit:.3g}")
        # The same comparison must notice a figure that is wrong.
        wrong = expected + math.copysign(max(2 * limit, math.ulp(expected)), expected - got)
        row["caught"] = row["caught"] and abs(got - wrong) > limit

    def report(self, name, expected, got, decibel=False, decimals=None):
        """A whole report: frames, pools and aggregates. decibel: its similarities are in dB."""
        rounding = 0.5 * 10.0 ** -decimals * 1.0001 if decimals else 0.0
        if len(expected["frames"]) != len(got["frames"]):
            self.fail(f"{name}: libvmaf has {len(expected['frames'])} frames, we have {len(got['frames'])}")
            return
        limits = {}
        for theirs, ours in zip(expected["frames"], got["frames"]):
            for key, value in filter(compared, theirs["metrics"].items()):
                label = f"{name} frame {theirs['frameNum']} {key}"
                in_decibel = decibel and key in ("float_ssim", "float_ms_ssim")
                our_key = key + self.decibel_suffix if in_decibel else key
                if our_key not in ours["metrics"]:
                    self.fail(f"{label}: we have no such key")
                    continue
                limit = 0.0 if value is None else bound(key, value, in_decibel) + rounding
                limits[key] = max(limits.get(key, 0.0), limit)
                self.value(key + " dB" if in_decibel else key, label, value, ours["metrics"][our_key], limit)
        for key, value in filter(compared, expected.get("aggregate_metrics", {}).items()):
            self.value(key, f"{name} {key}", value, got["aggregate_metrics"].get(key), bound(key, value, False) + rounding)
        if "pooled_metrics" in got:
            self.pools(name, expected, got["pooled_metrics"], limits, rounding)

    def pools(self, name, expected, got, limits, rounding):
        for key, limit in limits.items():
            values = [frame["metrics"][key] for frame in expected["frames"]]
            for pool in POOLS:
                label = f"{name} pooled {pool} {key}"
                theirs = expected["pooled_metrics"][key][pool]
                if key not in got:
                    self.fail(f"{label}: we have no such key")
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
            print(f"{key:42} {row['count']:5} figures, largest difference {row['worst']:.3g} of {row['limit']:.3g} at {row['label']}")
        for key, row in self.keys.items():
            if not row["caught"]:
                self.fail(f"{key}: a figure off by twice the bound would not be noticed")
        for text in self.failures[:40]:
            print("FAILED", text)
        if len(self.failures) > 40:
            print(f"FAILED and {len(self.failures) - 40} more")


class Runner:
    """Runs the program under test and reads its JSON."""

    def __init__(self, kind, program, folder, data):
        self.kind, self.program, self.folder, self.data = kind, program, pathlib.Path(folder), data

    def run(self, reference, distorted, arguments, metrics):
        command = [self.program, str(self.data / reference), str(self.data / distorted)] + arguments
        if self.kind == "oracle":
            done = subprocess.run(command, capture_output=True, text=True)
            text = done.stdout
        else:
            out = self.folder / "report.json"
            out.unlink(missing_ok=True)
            command += ["-m", ",".join(metrics), "--json", str(out), "--precision", "max"]
            done = subprocess.run(command, capture_output=True, text=True)
            text = out.read_text() if out.exists() else ""
        if done.returncode != 0:
            return None, f"exit {done.returncode} of {' '.join(command)}: {done.stderr.strip()[-400:]}"
        return json.loads(text), ""

    def metrics_for(self, expected, metrics):
        """Without those that libvmaf refused, because the picture is too small, and we refuse too."""
        keys = expected["frames"][0]["metrics"]
        return [m for m in metrics if m.split("=")[0] != "float_ms_ssim" or "float_ms_ssim" in keys]

    def present(self, *paths):
        return all((self.data / p).exists() for p in paths)


def seventeen_digits(runner, golden, comparison):
    index = json.loads((golden / "libvmaf/index.json").read_text())
    ran = 0
    for name, entry in sorted(index.items()):
        options = dict(zip(entry["args"][::2], entry["args"][1::2]))
        reference, distorted = options.pop("-r"), options.pop("-d")
        if not runner.present(reference, distorted):
            print(f"{name}: not in the shared data")
            continue
        arguments = [word for pair in options.items() for word in pair]
        if entry.get("frame_cnt"):
            arguments += ["--frames", str(entry["frame_cnt"])]
        for kind, metrics in (("features", PLAIN), ("options", IN_DB)):
            expected = json.loads((golden / f"libvmaf/{name}.{kind}.json").read_text())
            got, error = runner.run(reference, distorted, arguments, runner.metrics_for(expected, metrics))
            if error:
                comparison.fail(f"{name}: {error}")
                continue
            comparison.report(f"{name}.{kind}", expected, got, decibel=kind == "options")
            ran += 1
    return ran


def six_decimals(runner, golden, comparison, libav):
    ran = 0
    for path in sorted((golden / "oracle").glob("*.json")):
        if path.stem not in SIX_DECIMALS:
            comparison.fail(f"{path.name}: the test doesn't know which pair that is")
            continue
        reference, distorted, arguments = SIX_DECIMALS[path.stem]
        if not runner.present(reference, distorted):
            print(f"{path.stem}: not in the shared data")
            continue
        if "libav" in arguments:
            arguments = arguments[1:]
            if not libav:
                print(f"{path.stem}: needs a build with libav")
                continue
        expected = json.loads(path.read_text())
        got, error = runner.run(reference, distorted, arguments, runner.metrics_for(expected, PLAIN))
        if error:
            comparison.fail(f"{path.stem}: {error}")
            continue
        comparison.report(path.stem, expected, got, decimals=6)
        ran += 1
    return ran


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=("assay", "oracle"))
    parser.add_argument("program")
    parser.add_argument("--root", required=True, help="root of the source tree")
    parser.add_argument("--libav", action="store_true", help="the program reads what FFmpeg decodes")
    parser.add_argument("--only", choices=("seventeen", "six"), help="one of the two sets of figures")
    arguments = parser.parse_args()

    shared = pathlib.Path(os.environ.get("ASSAY_SHARED") or pathlib.Path(arguments.root) / "../shared")
    golden = shared / "golden"
    if not (golden / "libvmaf/index.json").exists():
        print("skipped: the shared data folder is absent")
        return SKIP
    comparison = Comparison("_db" if arguments.kind == "oracle" else "")
    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(arguments.kind, arguments.program, folder, shared / "data")
        if arguments.only != "six":
            ran += seventeen_digits(runner, golden, comparison)
        if arguments.only != "seventeen" and arguments.kind == "assay":
            ran += six_decimals(runner, golden, comparison, arguments.libav)
    comparison.print()
    if comparison.failures:
        return 1
    if not ran:
        print("skipped: no pair is present")
        return SKIP
    print(f"{ran} reports agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
