#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""adm, the integer metric, against all 17 digits of libvmaf's scalar code (libvmaf/*.json), per frame and pooled.

adm.py PROGRAM

Where the shared data folder is absent, the sample pair alone is compared. One pair is too small for libvmaf, which
reads beyond its bands: its figures here are those of the definition in docs/metrics/adm.md.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import golden

KEY = re.compile(r"integer_(adm|aim)")
METRICS = ("adm=debug=true", "adm=adm_enhn_gain_limit=1", "adm=adm_enhn_gain_limit=1.2:adm_skip_scale0=true",
           "adm=adm_csf_mode=2:adm_dlm_weight=0.7:adm_enhn_gain_limit=1:adm_min_val=0.5:adm_noise_weight=0.02",
           "adm=adm_csf_mode=3:adm_norm_view_dist=5:adm_ref_display_height=2160",
           "adm=adm_csf_mode=1:adm_csf_scale=0.002893:adm_csf_diag_scale=0.001586")
KINDS = ("features", "models", "options", "adm")
OWN = {"akiyo_18x22_420_8b": {
    "integer_adm2": 1.1274746167832332, "integer_aim": 0.0, "integer_adm3": 1.0637373083916166,
    "integer_adm_scale0": 1.06248414088794, "integer_adm_scale1": 1.1140479587211007,
    "integer_adm_scale2": 1.1388409791791183, "integer_adm_scale3": 1.1421883345409307}}


class Figures:
    def __init__(self):
        self.compared, self.failures = 0, []

    def value(self, label, expected, got):
        """Values below 1e-6 have 16 decimals in the files."""
        self.compared += 1
        rounding = 1e-16 if abs(expected) < 2e-6 else 0.0
        if got is None or abs(got - expected) > rounding:
            self.failures.append(f"{label}: expected {expected!r}, got {got!r}")

    def compare(self, name, expected, got):
        if len(got["frames"]) != len(expected["frames"]):
            self.failures.append(f"{name}: not as many frames")
            return
        for theirs, ours in zip(expected["frames"], got["frames"]):
            for key in filter(KEY.match, theirs["metrics"]):
                self.value(f"{name} frame {theirs['frameNum']} {key}", theirs["metrics"][key], ours["metrics"].get(key))
        for key in filter(KEY.match, expected["pooled_metrics"]):
            for pool in golden.POOLS:
                self.value(f"{name} {pool} {key}", expected["pooled_metrics"][key][pool],
                           got["pooled_metrics"].get(key, {}).get(pool))


def report(program, data, pair, out):
    command = [program, data / pair[0], data / pair[1], *pair[2], "-m", ",".join(METRICS), "--json", out, "--precision",
               "max"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{command}: exit {done.returncode}: {done.stderr}")
    return json.loads(out.read_text())


def main():
    program, shared = sys.argv[1], golden.shared_folder()
    folder, data = shared / "golden", shared / "data"
    figures, pairs = Figures(), 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, pair in golden.indexed_pairs(folder).items():
            if not all((data / path).exists() for path in pair[:2]):
                continue
            got = report(program, data, pair, pathlib.Path(scratch) / f"{name}.json")
            pairs += 1
            if name in OWN:
                for key, value in OWN[name].items():
                    figures.value(f"{name} {key}", value, got["frames"][0]["metrics"].get(key))
                continue
            for kind in KINDS:
                path = golden.figures_file(folder, name, kind)
                if path.exists():
                    figures.compare(f"{name}.{kind}", json.loads(path.read_text()), got)
    for text in figures.failures[:40]:
        print("FAILED", text)
    if figures.failures or not figures.compared:
        return 1
    print(f"{figures.compared} figures of {pairs} pairs are equal to 17 digits")
    return 0


if __name__ == "__main__":
    sys.exit(main())
