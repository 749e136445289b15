# SPDX-License-Identifier: BSD-2-Clause
"""Every option of every metric, from the program's own table: each must change a score or a key, and nothing else may.

An option that only takes effect together with another, or on another kind of pair, says so in NEEDS. An option that is
missing there and changes nothing fails: options that silently do nothing are how metrics drift apart.
"""
import functools
import json
import random
import re
import struct

from command import DIS, REF, USAGE, Case, frame, main, y4m

SIZE = dict(width=192, height=180, frames=1)

# metric, option -> value to try, the other options it needs, the pair it shows on
NEEDS = {
    ("psnr", "enable_chroma"): ("false", "", "plain"),
    ("psnr", "reduced_hbd_peak"): ("true", "", "deep"),
    ("psnr", "min_sse"): ("1e9", "", "plain"),
    ("xpsnr", "fps"): ("60", "", "drifting"),
    ("flip", "ppd"): ("40", "", "plain"),
    ("flip", "distance"): ("0.5", "", "plain"),
    ("flip", "monitor_width"): ("0.5", "", "plain"),
    ("flip", "monitor_pixels"): ("1920", "", "plain"),
    ("flip", "start_exposure"): ("-4", "", "light"),
    ("flip", "stop_exposure"): ("1", "", "light"),
    ("flip", "num_exposures"): ("5", "", "light"),
    ("flip", "tone_mapper"): ("hable", "", "light"),
    ("cvvdp", "black"): ("1", "", "plain"),
    ("cvvdp", "fps"): ("60", "", "drifting"),
    ("cvvdp", "padding"): ("symmetric", "", "drifting"),
    ("cvvdp", "still"): ("true", "", "plain"),
    ("float_ssim", "scale"): ("2", "", "plain"),
    ("float_ssim", "clip_db"): ("true", "enable_db=true", "equal"),
    ("float_ms_ssim", "clip_db"): ("true", "enable_db=true", "equal"),
    ("float_adm", "adm_csf_mode"): ("1", "", "plain"),
    ("float_adm", "adm_csf_scale"): ("3", "adm_csf_mode=1", "plain"),
    ("float_adm", "adm_csf_diag_scale"): ("3", "adm_csf_mode=1", "plain"),
    ("float_adm", "adm_p_norm"): ("2", "", "plain"),
    ("float_adm", "adm_adm3_apply_hm"): ("true", "", "plain"),
    ("float_adm", "adm_skip_scale0"): ("true", "", "plain"),
    ("motion_v2", "motion_force_zero"): ("true", "", "moving"),
    ("motion_v2", "motion_blend_factor"): ("0.5", "motion_blend_offset=0.01", "moving"),
    ("motion_v2", "motion_blend_offset"): ("0.01", "motion_blend_factor=0.5", "moving"),
    ("motion_v2", "motion_fps_weight"): ("2", "", "moving"),
    ("motion_v2", "motion_max_val"): ("0.001", "", "moving"),
    ("motion_v2", "motion_moving_average"): ("true", "", "moving"),
    ("float_motion", "debug"): ("false", "", "moving"),
    ("float_motion", "motion_force_zero"): ("true", "", "moving"),
    ("float_motion", "motion_blend_factor"): ("0.5", "motion_blend_offset=0.01", "moving"),
    ("float_motion", "motion_blend_offset"): ("0.01", "motion_blend_factor=0.5", "moving"),
    ("float_motion", "motion_fps_weight"): ("2", "", "moving"),
    ("float_motion", "motion_filter_size"): ("3", "", "moving"),
    ("float_motion", "motion_add_scale1"): ("true", "", "moving"),
    ("float_motion", "motion_add_uv"): ("true", "", "moving"),
    ("float_motion", "motion_max_val"): ("0.001", "", "moving"),
    ("float_vif", "vif_kernelscale"): ("0.5", "", "plain"),
    ("float_vif", "vif_skip_scale0"): ("true", "", "plain"),
    ("vif", "vif_skip_scale0"): ("true", "", "plain"),
    ("adm", "adm_csf_mode"): ("2", "", "plain"),
    ("adm", "adm_skip_aim"): ("true", "", "plain"),
    ("adm", "adm_skip_scale0"): ("true", "", "plain"),
    ("adm", "adm_csf_scale"): ("0.001", "adm_csf_mode=1:adm_csf_diag_scale=0.0015", "plain"),
    ("adm", "adm_csf_diag_scale"): ("0.001", "adm_csf_mode=1:adm_csf_scale=0.0025", "plain"),
    ("motion", "motion_force_zero"): ("true", "", "moving"),
    ("motion", "motion_blend_factor"): ("0.5", "motion_blend_offset=0.01", "moving"),
    ("motion", "motion_blend_offset"): ("0.01", "motion_blend_factor=0.5", "moving"),
    ("motion", "motion_fps_weight"): ("2", "", "moving"),
    ("motion", "motion_max_val"): ("0.001", "", "moving"),
    ("motion", "motion_five_frame_window"): ("true", "", "moving"),
    ("motion", "motion_moving_average"): ("true", "", "moving"),
    ("vmaf", "model"): ("vmaf_4k_v0.6.1", "", "moving"),
    ("vmaf", "disable_clip"): ("true", "enable_transform=true", "moving"),
    ("vmaf", "enable_transform"): ("true", "", "plain"),
    ("cambi", "enc_width"): ("190", "enc_height=218", "banded"),
    ("cambi", "enc_height"): ("200", "enc_width=232", "banded"),
    ("cambi", "enc_bitdepth"): ("10", "", "banded"),
    ("cambi", "eotf"): ("pq", "cambi_vis_lum_threshold=1", "banded"),
    ("cambi", "cambi_eotf"): ("pq", "cambi_vis_lum_threshold=1", "banded"),
    ("cambi", "src_width"): ("320", "full_ref=true:src_height=218", "banded"),
    ("cambi", "src_height"): ("400", "full_ref=true:src_width=320", "banded"),
    ("cambi", "cambi_high_res_speedup"): ("1080", "", "large"),
    ("speed_chroma", "speed_kernelscale"): ("2", "", "blocks"),
    ("speed_chroma", "speed_prescale"): ("0.9", "", "blocks"),
    ("speed_chroma", "speed_prescale_method"): ("bilinear", "speed_prescale=0.9", "blocks"),
    ("speed_temporal", "speed_kernelscale"): ("2", "", "blocks"),
    ("speed_temporal", "speed_prescale"): ("0.9", "", "blocks"),
    ("speed_temporal", "speed_prescale_method"): ("bilinear", "speed_prescale=0.9", "blocks"),
    ("speed_temporal", "speed_use_ref_diff"): ("true", "", "blocks"),
    ("butteraugli", "qnorm"): ("4", "norms=true", "plain"),
    ("butteraugli", "white"): ("100", "transfer=pq", "plain"),
    ("butteraugli", "peak"): ("400", "transfer=pq", "plain"),
    ("ssimulacra2", "white"): ("100", "transfer=pq", "plain"),
    ("ssimulacra2", "peak"): ("400", "transfer=pq", "plain"),
}

# What an option is compared with where its default is refused: the metric can't score with it.
INSTEAD = {("adm", "adm_csf_scale"): "0.0025", ("adm", "adm_csf_diag_scale"): "0.0015"}

# The other option that a limit needs; what is said of a limit that no other option makes possible.
LIMITS = {("adm", "adm_norm_view_dist"): ":adm_ref_display_height=4320"}
REFUSED = {
    ("cvvdp", "black", "1000.0"): "a black of 1000",
    ("flip", "transfer", "pq"): "above white", ("flip", "transfer", "hlg"): "above white",
    ("flip", "stop_exposure", "-63.0"): "above the stop", ("adm", "adm_ref_display_height", "1"): "3240"}
for speed in ("speed_chroma", "speed_temporal"):
    REFUSED |= {(speed, "speed_kernelscale", value): "1, 0.5" for value in ("0.1", "4.0")}
    REFUSED |= {(speed, "speed_prescale", "0.1"): "795x795" if speed == "speed_temporal" else "1590x1590"}

# Options that add a plane to look at: the scores keep their bits, the passes change.
DRAWS = {("ssimulacra2", "map")}

# Options that are part of the key and have no other effect, as in libvmaf.
KEY_ALONE = {("speed_temporal", "speed_max_val")}

# The pair that shows a metric's options, where it is not "plain".
OWN = {"cambi": "banded", "speed_chroma": "blocks", "speed_temporal": "blocks"}

# Options of text that test_models.py, test_stages.py and test_cvvdp.py try: they name files, keys and displays.
ELSEWHERE = {("cambi", "heatmaps_path"), ("cvvdp", "display"), ("cvvdp", "displays"), ("vmaf", "path"),
             ("vmaf", "name"), ("vmaf", "digest"),
             ("vmaf", "FEATURE.OPTION")}


@functools.cache
def bands(width, height, step):
    """Y4M of one grey frame: bands of one code each, `step` columns wide, that shift every few rows."""
    rows = b"".join(bytes(30 + (x + y // 5) // step for x in range(width)) for y in range(height))
    return f"YUV4MPEG2 W{width} H{height} F25:1 Cmono\nFRAME\n".encode() + rows


@functools.cache
def grain(width, height, most):
    """Y4M of two frames 4:4:4: noise of +-`most` around grey, without slopes."""
    dice = random.Random(most)
    frames = (b"FRAME\n" + bytes(128 + dice.randint(-most, most) for _ in range(3 * width * height)) for _ in range(2))
    return f"YUV4MPEG2 W{width} H{height} F25:1 C444\n".encode() + b"".join(frames)


def default_text(option):
    return option["default"] if option["type"] in ("choice", "text") else json.dumps(option["default"])


class Options(Case):
    def setUp(self):
        super().setUp()
        a, b = frame(224, 180), frame(224, 180, noise=4)
        deep_a, deep_b = frame(224, 180, depth=10), frame(224, 180, depth=10, noise=9)
        head = b"YUV4MPEG2 W224 H180 F25:1 C420jpeg\n"
        deep = b"YUV4MPEG2 W224 H180 F25:1 C420p10\n"
        self.pairs = {
            "plain": (self.write("a.y4m", head + b"FRAME\n" + a), self.write("b.y4m", head + b"FRAME\n" + b)),
            "equal": ("a.y4m", "a.y4m"),
            "deep": (self.write("c.y4m", deep + b"FRAME\n" + deep_a), self.write("d.y4m", deep + b"FRAME\n" + deep_b)),
        }
        moving = b"".join(b"FRAME\n" + frame(224, 180, seed=seed) for seed in (0, 1, 3, 4, 9))
        self.pairs["banded"] = (self.write("f.y4m", bands(232, 218, 14)), self.write("g.y4m", bands(232, 218, 9)))
        self.pairs["large"] = (self.write("h.y4m", bands(1920, 1080, 40)),) * 2
        self.pairs["blocks"] = (self.write("i.y4m", grain(240, 230, 6)), self.write("j.y4m", grain(240, 230, 9)))
        self.pairs["moving"] = (self.write("e.y4m", head + moving),) * 2
        drifting = b"".join(b"FRAME\n" + frame(224, 180, seed=seed, noise=4) for seed in (0, 1, 3, 4, 9))
        self.pairs["drifting"] = ("e.y4m", self.write("k.y4m", head + drifting))
        lights = [[0.01 * (x + 3 * y + 1) * (1 + 0.1 * side * (x % 3)) for x in range(3 * 40)] for y in range(30)
                  for side in (0, 1)]
        self.pairs["light"] = tuple(self.write(f"light{side}.pfm", b"PF\n40 30\n-1\n" + b"".join(
            struct.pack("<120f", *row) for row in lights[side::2])) for side in (0, 1))
        self.table = json.loads(self.passes("--list-metrics-json").out)

    def report(self, metric, pair):
        if pair == "light":  # floats are compared as images
            done = self.run_assay("image", *self.pairs[pair], "-q", "-m", metric, "--precision", "max", "--json", "-")
            return json.loads(done.out)["pairs"][0]["metrics"]
        done = self.passes("-q", "-m", metric, "--precision", "max", "--json", "-", *self.pairs[pair])
        report = json.loads(done.out)
        later = {f"{k} of {f['frameNum']}": v for f in report["frames"][1:] for k, v in f["metrics"].items()}
        return {**report["frames"][0]["metrics"], **later, **report["aggregate_metrics"]}

    @staticmethod
    def candidates(option):
        """Values that are allowed by the range and are not the default."""
        if option["type"] == "choice":
            return [choice for choice in option["choices"] if choice != option["default"]]
        low, high, default = option["min"], option["max"], option["default"]
        if option["type"] == "bool":
            return ["false" if default else "true"]
        values = [(low + high) / 2, default + 1, default - 1, default / 2, high, low]
        if option["type"] == "int":
            values = [int(v) for v in values if abs(v) < 2**31]
        else:
            values = [float(v) for v in values]
        return [repr(v) for v in dict.fromkeys(values) if low <= v <= high and v != default]

    def test_each_option_changes_something(self):
        """A score, or which scores there are; another name for the same value is not enough."""
        for metric in self.table:
            for option in metric["options"]:
                name = metric["name"], option["name"]
                if name in ELSEWHERE | KEY_ALONE:
                    continue
                values, others, pair = NEEDS.get(name, (None, "", OWN.get(name[0], "plain")))
                values = [values] if values else self.candidates(option)
                with self.subTest(metric=name[0], option=name[1]):
                    first = f"{others}:{name[1]}={INSTEAD[name]}" if name in INSTEAD else others
                    base = self.report(f"{name[0]}={first}" if first else name[0], pair)
                    seen = []
                    if name in DRAWS:
                        text = f"{name[0]}={name[1]}={values[0]}"
                        graph = [self.passes("-m", m, "--dump-graph", *self.pairs[pair]).out for m in (name[0], text)]
                        self.assertEqual(base, self.report(text, pair))
                        self.assertNotEqual(*graph)
                        continue
                    for value in values:
                        text = f"{name[0]}={others + ':' if others else ''}{name[1]}={value}"
                        seen.append(list(self.report(text, pair).values()))
                        if seen[-1] != list(base.values()):
                            break
                    self.assertTrue(seen)
                    self.assertNotEqual(list(base.values()), seen[-1], f"{name[1]} = {values} changes nothing")

    def test_extra_outputs_change_no_bit_of_the_others(self):
        for metric in self.table:
            for option in metric["options"]:
                name = metric["name"], option["name"]
                if option["type"] != "bool" or name in NEEDS or name[1] == "enable_db":
                    continue
                with self.subTest(metric=name[0], option=name[1]):
                    base = self.report(name[0], "plain")
                    more = self.report(f"{name[0]}={name[1]}=true", "plain")
                    self.assertLess(set(base), set(more) | ({"a plane"} if name in DRAWS else set()))
                    for key, value in base.items():
                        self.assertEqual(struct.pack("<d", value), struct.pack("<d", more[key]), key)

    def test_every_metric_alone_and_together(self):
        together, everything = self.report("all", "plain"), self.report("everything", "plain")
        self.assertEqual({key: everything[key] for key in together}, together)
        together = everything
        for metric in self.table:
            for key, value in self.report(metric["name"], "plain").items():
                self.assertEqual(together[key], value, key)

    def test_defaults_are_what_the_table_says(self):
        for metric in self.table:
            options = ":".join(f"{o['name']}={default_text(o)}" for o in metric["options"]
                               if o["name"] != "FEATURE.OPTION")
            if options:
                with self.subTest(metric=metric["name"]):
                    self.assertEqual(self.report(f"{metric['name']}={options}", "plain"),
                                     self.report(metric["name"], "plain"))

    def test_ranges_are_enforced(self):
        for metric in self.table:
            for option in metric["options"]:
                if option["type"] in ("bool", "text"):
                    continue
                if option["type"] == "choice":
                    self.refuses(USAGE, [metric["name"], option["name"], "|".join(option["choices"])], "-m",
                                 f"{metric['name']}={option['name']}=neither", REF, DIS)
                    continue
                values = [option["min"] - 1 if abs(option["min"]) < 1e15 else "-inf",
                          option["max"] + 1 if abs(option["max"]) < 1e15 else "inf", "nan", "", "1x"]
                if option["type"] == "int":
                    values.append("1.5")
                for value in values:
                    with self.subTest(metric=metric["name"], option=option["name"], value=value):
                        self.refuses(USAGE, [metric["name"], option["name"]], "-m",
                                     f"{metric['name']}={option['name']}={value}", REF, DIS)

    def test_options_that_change_nothing(self):
        """Beside another one, or on such pictures, they are refused, their defaults, too."""
        for text, says in (("flip=distance=0.5:ppd=40", "ppd is stated"),
                           ("flip=ppd=40:monitor_width=0.7", "ppd is stated"),
                           ("butteraugli=transfer=pq:intensity_target=80", "intensity_target is of SDR")):
            self.refuses(USAGE, says, "-m", text, *self.pairs["plain"])
        self.passes("-q", "-m", "flip=ppd=0:distance=0.5,butteraugli=transfer=pq", *self.pairs["plain"])

    def test_the_limits_themselves_are_taken(self):
        for metric in self.table:
            for option in metric["options"]:
                if option["type"] == "choice":
                    for value in option["choices"]:
                        self.run_one(metric["name"], option["name"], value)
                elif option["type"] not in ("bool", "text"):
                    for value in (option["min"], option["max"]):
                        value = str(int(value)) if option["type"] == "int" else repr(float(value))
                        self.run_one(metric["name"], option["name"], value)

    def run_one(self, metric, option, value):
        with self.subTest(metric=metric, option=option, value=value):
            light = NEEDS.get((metric, option), ("", "", ""))[2] == "light"
            pair = ("image", *self.pairs["light"]) if light else self.pairs["plain"]
            others = LIMITS.get((metric, option), "")
            how = *pair, "-q", "-m", f"{metric}={option}={value}{others}"
            if (metric, option, value) in REFUSED:
                self.refuses(USAGE, [metric, "" if light else option, REFUSED[metric, option, value]], *how)
                return
            self.passes(*how)

    def test_keys_are_those_of_the_table(self):
        every = set()
        for metric in sorted(self.table, key=lambda m: m["name"] == "vmaf"):
            listed = set(every) if metric["name"] == "vmaf" else set()  # with those of the metrics that it needs
            for output in metric["outputs"]:
                keys = re.split(r"[ ,]+", output["keys"])
                listed.update(keys)
                for first, dots, last in zip(keys, keys[1:], keys[2:]):
                    if dots == "...": # "scale0 ... scale3"
                        stem = first.rstrip("0123456789")
                        listed.update(f"{stem}{n}" for n in range(int(first[len(stem):]), int(last[len(stem):]) + 1))
            every |= listed
            for key in self.report(metric["name"], "plain"):
                self.assertIn(key, listed, metric["name"])


class Small(Case):
    def test_smallest_size_of_each_metric(self):
        """Either scored, or refused by name before the first frame."""
        table = json.loads(self.passes("--list-metrics-json").out)
        for width, height in ((1, 1), (8, 8), (10, 200), (11, 11), (176, 175), (176, 176)):
            self.write("s.y4m", y4m(width=width, height=height, frames=1))
            self.write("t.y4m", y4m(width=width, height=height, frames=1, noise=2))
            for metric in table:
                result = self.run_assay("-m", metric["name"], "s.y4m", "t.y4m")
                with self.subTest(metric=metric["name"], size=(width, height)):
                    self.assertIn(result.code, (0, USAGE), result)
                    if result.code:
                        self.assertIn(metric["name"], result.err)
                        self.assertIn("needs at least", result.err)
                    else:
                        self.assertNotIn("nan", result.out)


class Definitions(Case):
    def test_ms_ssim_of_a_picture_and_its_negative(self):
        """A mean below 0 has no real power and counts as 0, where libvmaf has null (docs/metrics/ms_ssim.md)."""
        data = y4m(width=192, height=180, frames=1, noise=9)
        head = data.index(b"FRAME\n") + 6
        self.write("ref.y4m", data)
        self.write("dis.y4m", data[:head] + bytes(255 - v for v in data[head:]))
        report = json.loads(self.passes("-q", "-m", "float_ms_ssim=enable_lcs=true", "--json", "-", "ref.y4m",
                                        "dis.y4m").out)
        metrics = report["frames"][0]["metrics"]
        self.assertLess(min(metrics[f"float_ms_ssim_s_scale{i}"] for i in range(5)), 0)
        self.assertEqual(metrics["float_ms_ssim"], 0)


if __name__ == "__main__":
    main()
