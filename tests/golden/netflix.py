#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares assay with the figures of libvmaf's own test suite (golden/netflix.json of the shared data folder).

netflix.py PROGRAM [--models FOLDER] [--only RUNNER]

Each entry names a pair, options, a key and a value with its decimal places. The key tests how options enter keys.
FOLDER is a checkout of libvmaf, for the entries that need a model file of its test suite. Entries of metrics that assay
does not have are counted under their reason (LEFT_OUT), and so are files that are not there. Skipped where the shared
data folder is absent.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

import golden

# Runners of Python code or of metrics that assay does not have.
LEFT_OUT = {
    "NiqeQualityRunner": "no-reference metric",
    "VmafLegacyQualityRunner": "an old model that libvmaf does not ship",
    "SpeedChromaFeatureExtractor": "speed_chroma",
    "fork CLI `vmaf --feature ssimulacra2`": "compared by netflix_ssimulacra2.py",
}

# The largest distance that the promise allows beside the stated places: that of figures with 6 decimals.
PRINTED = 0.5e-6
# Agreement of a metric with libvmaf where it is not exact (docs/numerics.md).
PROMISE = {name: golden.LIBVMAF[name] for name in ("float_adm", "float_vif", "float_motion", "float_psnr", "float_ssim",
                                                   "float_ms_ssim")}
# libvmaf adds the differences of a whole picture in one float for its float motion. On these pictures of 1080 lines
# that is 6.3e-6 of the sum, and a score that is predicted from it moves by up to 9.4e-5.
LARGE_PICTURES, LARGE_MOTION, LARGE_SCORE = "checkerboard_1920_1080", 1e-5, 2e-4

OPTION_OF = {"adm_": "adm", "vif_": "vif", "motion_": "motion"}


def features(integer, options):
    """Metrics with those of the options that belong to each."""
    out = []
    for prefix, name in OPTION_OF.items():
        own = {k: v for k, v in options.items() if k.startswith(prefix)}
        out.append(text("" if integer else "float_", name, own))
    return out


def text(prefix, name, options):
    words = [f"{k}={str(v).lower() if isinstance(v, bool) else v}" for k, v in options.items()]
    return prefix + name + ("=" + ":".join(words) if words else "")


def model(options, folder):
    """The text of metric vmaf for a runner's options, or None where the model's file is not there."""
    words = []
    for stated in options.get("models", []):
        words = stated.split(":")
    if "model_filepath" in options:
        words = ["path=" + options["model_filepath"]]
    for i, word in enumerate(words):
        if not word.startswith("path="):
            continue
        path = pathlib.Path(word[5:])
        if path.parent.name == "model" or path.parent.parent.name == "model":
            words[i] = "version=" + path.stem
        elif folder and (folder / path).exists():
            words[i] = "path=" + str(folder / path)
        else:
            return None
    if options.get("enable_transform_score"):
        words.append("enable_transform")
    if options.get("disable_clip_score"):
        words.append("disable_clip")
    if options.get("disable_enhn_gain"):
        words += ["adm.adm_enhn_gain_limit=1", "vif.vif_enhn_gain_limit=1"]
    kind = "float_" if "vmaf_float" in json.dumps(options) else ""
    for name in ("adm_enhn_gain_limit", "vif_enhn_gain_limit"):
        if name in options:
            words.append(f"{kind}{name[:3]}.{name}={options[name]}")
    return "vmaf" + ("=" + ":".join(words) if words else "")


def plan(entry, folder):
    """The metrics to ask for and the key to look at, or a reason to leave the entry out."""
    runner, options = entry["runner"], {k: v for k, v in entry["options"].items() if k != "asset_dict"}
    if runner in LEFT_OUT:
        return LEFT_OUT[runner]
    key = entry["metric"].removesuffix("_scores").removesuffix("_score")
    if runner.startswith("FloatAdm"):
        return [text("float_", "adm", options)], key.removeprefix("float_ADM_feature_")
    if runner.startswith("FloatVif"):
        return [text("float_", "vif", options)], key.removeprefix("float_VIF_feature_")
    if runner.startswith("FloatMotion"):
        return [text("float_", "motion", options)], key.removeprefix("float_motion_feature_")
    if runner.startswith("IntegerAdm"):
        return [text("", "adm", options)], "integer_" + key.removeprefix("integer_ADM_feature_")
    if runner.startswith("IntegerVif"):
        return [text("", "vif", options)], "integer_" + key.removeprefix("integer_VIF_feature_")
    if runner.startswith("IntegerMotion"):
        return [text("", "motion", options)], "integer_" + key.removeprefix("integer_motion_feature_")
    if runner.startswith("IntegerPsnr"):
        return ["psnr"], key.removeprefix("integer_PSNR_feature_")
    if runner.startswith("Cambi"):
        stated = cambi(entry)
        tail = "_ench_{enc_height}_encw_{enc_width}" if "enc_width" in stated else ""
        return [text("", "cambi", stated)], ("cambi_encbd_{enc_bitdepth}" + tail).format(**stated)
    if runner.startswith("PyPsnr"):
        if options.get("max_db") or "Maxdb" in runner:
            return "the cap of a Python runner"
        return ["psnr"], {"y": "psnr_y", "u": "psnr_cb", "v": "psnr_cr"}[key[-1]]
    if runner == "PsnrQualityRunner":
        return ["psnr"], "psnr_y"
    if runner == "MomentFeatureExtractor":
        return ["float_moment"], key.removeprefix("Moment_feature_")
    if runner in ("VmafFeatureExtractor", "VmafIntegerFeatureExtractor"):
        integer = "Integer" in runner
        name = key.removeprefix("VMAF_integer_feature_").removeprefix("VMAF_feature_")
        metrics = features(integer, options)
        if name.startswith(("motion_", "motion")) and not name.startswith(("motion2", "motion3")) or name == "adm":
            metrics = [debug(m, "adm" if name == "adm" else "motion") for m in metrics]
        return metrics, ("integer_" if integer else "") + name
    asked = model(options, folder)
    if asked is None:
        return "a model file of libvmaf's test suite"
    return plan_model(entry, asked, key)


def cambi(entry):
    """Options: libvmaf's Python runners always state the bits that the encoder saw, and its size where it differs."""
    asset = entry["options"].get("asset_dict", {})
    size = {"enc_width": asset.get("dis_enc_width"), "enc_height": asset.get("dis_enc_height")}
    same = None in size.values() or list(size.values()) == [entry["width"], entry["height"]]
    return {**({} if same else size),
            "enc_bitdepth": asset.get("dis_enc_bitdepth", 10 if "10le" in entry["pixfmt"] else 8)}


def debug(metric, name):
    if metric.split("=")[0].removeprefix("float_") != name:
        return metric
    return metric + (":" if "=" in metric else "=") + "debug=true"


def plan_model(entry, asked, key):
    runner, options = entry["runner"], entry["options"]
    if runner.startswith("fork CLI"):
        return ["vmaf"], "vmaf"
    if runner == "VmafnegQualityRunner":
        asked = "vmaf=version=vmaf_v0.6.1neg"
    if key in ("VMAF", "VMAFEXEC", "VMAFNEG"):
        return [asked], "vmaf"
    if key == "VMAFEXEC_vmat":
        return [asked], "vmat"
    extra = [name for name in ("float_psnr", "float_ssim", "float_ms_ssim") if options.get(name)]
    name = key.removeprefix("VMAFEXEC_")
    if name.startswith("VMAF_integer_feature_"):
        name = "integer_" + name.removeprefix("VMAF_integer_feature_")
    elif name.startswith("VMAF_feature_"):
        name = name.removeprefix("VMAF_feature_")
    elif not name.startswith(("float_", "integer_")) and not float_model(entry):
        name = "integer_" + name
    if name == "motion":
        extra.append("float_motion=debug=true")
    if name == "integer_vif":
        extra.append("vif=debug=true")
    if "neg" in asked and name.startswith(("vif_", "integer_vif_")) and "_egl_" not in name:
        name += "_egl_1" # a Python runner leaves the options of a model out of keys
    return [asked] + extra, name


def float_model(entry):
    """The model of an entry reads float features."""
    stated = json.dumps(entry["options"])
    return "vmaf_float" in stated or "test_model_transform" in stated


def value_at(report, key, entry):
    """The figure of a report that an entry is about; None where there is no such key."""
    frames = moments(report, key, entry) if entry["runner"] == "MomentFeatureExtractor" else values(report, key)
    if frames is None:
        return None
    if entry["frame_or_pool"].startswith("frame:"):
        return frames[int(entry["frame_or_pool"].split(":")[1])]
    return sum(frames) / len(frames)


def moments(report, key, entry):
    """Moments of samples as the file holds them: assay's and libvmaf's are those of the 8-bit scale."""
    depth = entry["pixfmt"].partition("yuv420p")[2].removesuffix("le")
    unit = 2.0 ** (int(depth or 8) - 8)
    first, second = (values(report, f"float_moment_{key[:3]}{n}") for n in ("1st", "2nd"))
    if first is None or second is None:
        return None
    first, second = [v * unit for v in first], [v * unit * unit for v in second]
    return {"1st": first, "2nd": second, "var": [b - a * a for a, b in zip(first, second)]}[key[3:]]


def values(report, key):
    frames = [frame["metrics"].get(key) for frame in report["frames"]]
    return None if None in frames else frames


def checkerboards(folder):
    """The pictures of gen_checkerboard.py of the shared data folder, made again without its library: three frames of
    cells of 10 pixels, 16 and 235, that move right by a pixel per frame; chroma is 128."""
    width, height = 1920, 1080
    for offset in (0, 1, 10):
        with open(folder / f"checkerboard_{width}_{height}_10_3_{offset}_0.yuv", "wb") as file:
            for frame in range(3):
                rows = [bytes(16 if ((x - frame - offset + 40) // 10 + odd) % 2 == 0 else 235 for x in range(width))
                        for odd in (0, 1)]
                for y in range(height):
                    file.write(rows[y // 10 % 2])
                file.write(b"\x80" * (width * height // 2))


def run(program, pair, metrics, folder):
    """The report of a pair, or None and what the program said."""
    out = pathlib.Path(folder) / "report.json"
    out.unlink(missing_ok=True)
    ref, dis, width, height, pixels = pair
    command = [program, ref, dis, "-w", width, "-h", height, "-p", pixels, "--json", out, "--precision", "max", "-q"]
    for metric in metrics:
        command += ["-m", metric]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    return (json.loads(out.read_text()) if done.returncode == 0 else None), done.stderr


def bound_of(entry, metrics):
    """Half a unit of the last stated place, the promise, and the rounding of 6 decimals."""
    promise = max(PROMISE.get(metric.split("=")[0], 0.0) for metric in metrics)
    if metrics[0].split("=")[0] in golden.RELATIVE:
        promise *= abs(entry["value"])
    if LARGE_PICTURES in entry["dis"] and float_model(entry):
        promise = LARGE_MOTION * abs(entry["value"]) if "motion" in entry["metric"] else LARGE_SCORE
    return max(0.5 * 10.0 ** -entry["places"], promise + PRINTED)


def walk(entries, program, data, models, folder):
    """Compares all entries. Returns the number that agree by runner, those left out by reason, and failures."""
    agree, left_out, failures, reports = collections.Counter(), collections.Counter(), [], {}
    for entry in entries:
        planned = plan(entry, models)
        if isinstance(planned, str):
            left_out[planned] += 1
            continue
        sides = [folder / pathlib.Path(entry[side]).name if "generated" in entry[side] else data / entry[side]
                 for side in ("ref", "dis")]
        if not all(side.exists() for side in sides):
            left_out["a file that is not there"] += 1
            continue
        metrics, key = planned
        pair = (*sides, entry["width"], entry["height"], entry["pixfmt"])
        if (pair, *metrics) not in reports:
            reports[(pair, *metrics)] = run(program, pair, metrics, folder)
        report, error = reports[(pair, *metrics)]
        name = f"{entry['runner']} {entry['metric']} ({' '.join(metrics)}, {sides[1].name})"
        if not report:
            failures.append(f"{name}: {error.strip()}")
            continue
        got = value_at(report, key, entry)
        if got is None:
            failures.append(f"{name}: no key {key} among {sorted(report['frames'][0]['metrics'])}")
        elif abs(got - entry["value"]) > bound_of(entry, metrics):
            failures.append(f"{name}: expected {entry['value']}, got {got}")
        else:
            agree[entry["runner"]] += 1
    return agree, left_out, failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--models", type=pathlib.Path)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    shared = golden.shared_folder()
    figures = shared / "golden/netflix.json"
    if not figures.exists():
        print("skipped: no shared data folder")
        return golden.SKIP
    entries = [e for e in json.loads(figures.read_text()) if e["ref"] and e["dis"] and arguments.only in e["runner"]]
    with tempfile.TemporaryDirectory() as folder:
        checkerboards(pathlib.Path(folder))
        agree, left_out, failures = walk(entries, arguments.program, shared / "data", arguments.models,
                                         pathlib.Path(folder))
    for failure in failures:
        print("FAILED", failure)
    for runner, count in sorted(agree.items()):
        print(f"{count:5} {runner} agree")
    for reason, count in sorted(left_out.items()):
        print(f"{count:5} left out: {reason}")
    print(f"{sum(agree.values())} agree, {len(failures)} do not")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
