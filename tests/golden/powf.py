#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""libvmaf's command prints assay's digits of ADM and of models where its powf is exactly rounded.

powf.py PROGRAM EXACT OFF

EXACT and OFF are preloaded into libvmaf's command: an exactly rounded powf, and one that is an ULP off, which the
comparison has to notice. $LIBVMAF_COMMAND is the command; without it the test skips. Its scalar code is what is
compared (--cpumask -1), with the six decimals that it prints.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import golden

FEATURES = ("adm=adm_enhn_gain_limit=1", "adm=adm_csf_mode=3:adm_norm_view_dist=5:adm_ref_display_height=2160",
            "adm=adm_csf_mode=1:adm_csf_scale=0.002893:adm_csf_diag_scale=0.001586")
MODELS = ("vmaf_v0.6.1", "vmaf_v1.0.16_3d0h")
PAIRS = ("sample", "src01_576x324_420_8b", "src01_576x324_420_10b", "src01_576x324_444_8b")
WHAT = [*(["--feature", feature, "-n"] for feature in FEATURES), *(["-m", f"version={model}"] for model in MODELS)]


def frames(command, env=None):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        subprocess.run([str(word) for word in [*command, "--json", "-o", out]], check=True, env=env,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return [frame["metrics"] for frame in json.loads(out.read_text())["frames"]]


def differences(a, b):
    return sum(x != y for x, y in zip(a, b, strict=True))


def main():
    program, exact, off = sys.argv[1:4]
    command = os.environ.get("LIBVMAF_COMMAND")
    if not command:
        print("LIBVMAF_COMMAND does not name libvmaf's command")
        return golden.SKIP
    shared = golden.shared_folder()
    pairs, scored = golden.indexed_pairs(shared / "golden"), 0
    differ = {exact: 0, off: 0, None: 0}
    for ref, dis, how in [pairs[name] for name in PAIRS if name in pairs]:
        if not (shared / "data" / ref).exists():
            continue
        for what in WHAT:
            inputs = ["-r", shared / "data" / ref, "-d", shared / "data" / dis, *how, *what]
            ours = frames([program, "vmaf", *inputs])
            scored += len(ours)
            for library in differ:
                env = {**os.environ, "LD_PRELOAD": library} if library else None
                differ[library] += differences(ours, frames([command, "--cpumask", "-1", *inputs], env))
    print(f"of {scored} frames differ: {differ[exact]} with an exact powf, {differ[None]} with the C library's, "
          f"{differ[off]} with one that is an ULP off")
    return 1 if differ[exact] or not differ[off] else 0


if __name__ == "__main__":
    sys.exit(main())
