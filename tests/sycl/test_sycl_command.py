#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The command on SYCL devices: every metric by its name, all that a device can be asked for, and refusals. $ASSAY has a
SYCL module; $ASSAY_STAND_IN says that its devices are two of the stand-in, `processor` that these are processors."""
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from command import DEVICE, DIS, REF, USAGE, Case, main  # noqa: E402

STAND_IN = bool(os.environ.get("ASSAY_STAND_IN"))
PROCESSOR = os.environ.get("ASSAY_STAND_IN") == "processor"


class Sycl(Case):
    def setUp(self):
        super().setUp()
        os.environ["XDG_CACHE_HOME"] = str(self.dir / "cache")

    def scores(self, *how):
        return json.loads(self.passes("-q", *how, "--precision", "max", "--json", "-", REF, DIS).out)["frames"]

    def test_every_metric_by_name(self):
        names = re.findall(r"(?m)^(\w+): ", self.passes("--list-metrics").out)
        self.assertGreater(len(names), 15)
        for name in names:
            how = ("-m", name, "--frames", "2")
            self.assertEqual(self.scores(*how, "--backend", "sycl"), self.scores(*how), name)

    def test_devices(self):
        devices = [d for d in json.loads(self.passes("--list-devices-json").out) if d["backend"] == "sycl"]
        self.assertEqual(len(devices), 2 if STAND_IN else len(devices))
        self.assertTrue(devices and all(d["usable"] and d["driver"] for d in devices), devices)
        if STAND_IN:
            self.assertTrue(all(d["software"] == PROCESSOR for d in devices), devices)
        expected = self.scores("-m", "motion")
        for how in ("0", "0,0", "0,0,0", *(("0,1", "stand-in 1") if STAND_IN else ()),
                    *(("all",) if STAND_IN and not PROCESSOR else ())):
            self.assertEqual(self.scores("-m", "motion", "--backend", "sycl", "--device", how), expected, how)
        self.refuses(DEVICE, "no device 'abacus'", "--backend", "sycl", "--device", "abacus", REF, DIS)

    def test_words_of_the_runtime(self):
        how = ("-q", "-m", "psnr", "--frames", "2", "--csv", "-", REF, DIS, "--backend")
        self.assertEqual(self.passes(*how, "sycl").out, self.passes(*how, "cpu").out)
        self.assertNotIn("words", self.passes("--list-devices").err)
        os.environ["ACPP_DEBUG_LEVEL"] = "2"
        try:
            asked = self.passes("--list-devices-json")
            json.loads(asked.out)
            if STAND_IN:
                for when in ("without a prefix", "in a call", "of a thread", "at the end"):
                    self.assertIn("words " + when, asked.err)
        finally:
            del os.environ["ACPP_DEBUG_LEVEL"]

    def test_doctor(self):
        text = self.passes("doctor", "--backend", "sycl", "--device", "0").out
        self.assertIn("the SYCL runtime of " + os.environ.get("SYCL_RELEASE", "a stand-in"), text)
        targets = os.environ.get("SYCL_TARGETS", "cuda:stand-in")
        self.assertIn(", for " + targets if targets else "", text)
        self.assertNotIn("clang", text)
        self.assertRegex(text, r"(?m)^  \d{3} kernels, 0 failed$")
        self.assertNotIn("not tested", text)

    def test_parity_stages_and_frames_in_flight(self):
        self.passes("parity", REF, DIS, "--backends", "cpu:scalar,sycl", "-m", "psnr,ssimulacra2", "--frames", "2")
        how = ("-m", "float_ms_ssim", "--in-flight", "3")
        self.assertEqual(self.scores(*how, "--backend", "sycl"), self.scores(*how))
        name = re.search(r"(?m)\bhalve\S*", self.passes("--dump-graph", "-m", "float_ms_ssim", REF, DIS).out)[0]
        for backend in ("cpu", "sycl"):
            self.passes("-q", "-m", "float_ms_ssim", "--backend", backend, "--frames", "1", "--dump-stage",
                        f"{name}:0={backend}.npy", REF, DIS)
        self.assertEqual((self.dir / "cpu.npy").read_bytes(), (self.dir / "sycl.npy").read_bytes())

    def test_limits(self):
        expected = self.scores("-m", "vif")
        os.environ["ASSAY_GPU_LIMITS"] = "minimal"
        try:
            self.assertEqual(self.scores("-m", "vif", "--backend", "sycl"), expected)
        finally:
            del os.environ["ASSAY_GPU_LIMITS"]
        os.environ["ASSAY_SYCL_FORM"] = "items"
        try:
            self.assertEqual(self.scores("-m", "vif", "--backend", "sycl"), expected)
            os.environ["ASSAY_SYCL_FORM"] = "tile"
            self.refuses(USAGE, "ASSAY_SYCL_FORM is 'items', not 'tile'", "-m", "vif", "--backend", "sycl", REF, DIS)
        finally:
            del os.environ["ASSAY_SYCL_FORM"]
        os.environ["ASSAY_GPU_MEMORY"] = "0"
        try:
            self.refuses(DEVICE, "MiB are free", "-m", "psnr", "--backend", "sycl", REF, DIS)
        finally:
            del os.environ["ASSAY_GPU_MEMORY"]

    def test_rates(self):
        seen = subprocess.check_output([os.environ["ASSAY_RATES"], "--backend", "sycl", "-m", "psnr", "--size", "64x48",
                                        "--seconds", "0.1", "--json", "-"], text=True)
        self.assertIn("sycl", json.loads(seen)["backend"])


main()
