# SPDX-License-Identifier: BSD-2-Clause
"""assay --list-devices, assay doctor and first use, on the devices that are here; and a build
whose division is wrong."""
import fractions
import json
import os
import pathlib
import re
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import command  # noqa: E402
from command import DEVICE, DIS, REF, USAGE, Case, main  # noqa: E402

WRONG_MODULES = os.environ["ASSAY_WRONG_MODULES"]
os.environ.pop("LD_LIBRARY_PATH", None)  # meson names the folder of the wrong modules there
BACKENDS = os.environ["ASSAY_BACKENDS"].split()
# What each test keeps apart is assay's cache; Mesa's, of compiled shaders, is everybody's, and a proof takes a tenth of
# the time with it.
os.environ.setdefault("MESA_SHADER_CACHE_DIR", os.environ.get("XDG_CACHE_HOME") or str(pathlib.Path.home() / ".cache"))


def value(word):
    return fractions.Fraction(struct.unpack("<f", struct.pack("<I", word))[0])


class OnDevices(Case):
    def setUp(self):
        super().setUp()
        os.environ["XDG_CACHE_HOME"] = str(self.dir / "cache")
        command.PROGRAM = os.environ["ASSAY"]
        self.backends = [b for b in BACKENDS if self.listed(b)]
        if not self.backends:
            if os.environ.get("CI") == "true":
                self.fail("there is no device")
            self.skipTest("there is no device")

    def list(self):
        return json.loads(self.passes("--list-devices-json").out)

    def listed(self, backend):
        return [d for d in self.list() if d["backend"] == backend and d.get("usable")]

    def check_division(self, text):
        """The message's own words: the bits that are expected are the nearest to the quotient, the others are not."""
        found = re.search(r"is 0x(\w{8}), not 0x(\w{8}); input there 0x(\w{8}), 0x(\w{8})", text)
        self.assertIsNotNone(found, text)
        got, right, a, b = (int(word, 16) for word in found.groups())
        quotient = value(a) / value(b)
        self.assertEqual(abs(got - right), 1)
        self.assertLess(abs(value(right) - quotient), abs(value(got) - quotient))


class Devices(OnDevices):
    def test_list(self):
        for device in self.list():
            if "missing" in device:
                self.assertTrue(device["missing"])
                continue
            self.assertEqual(device["self_test"], "not yet run", device)
            self.assertTrue(device["device"], device)
            if "llvmpipe" in device["device"]:
                self.assertTrue(device["software"], device)
                self.assertIn("Mesa", device["driver"])
        text = self.passes("--list-devices").out
        for backend in ["cpu", *self.backends]:
            self.assertRegex(text, rf"(?m)^{backend} +0  .*; self-test not yet run$")
        self.assertEqual(len(self.passes("--list-devices", "--backend", "cpu").out.splitlines()), 1)
        self.fails(USAGE, "no backend 'abacus'", "--list-devices", "--backend", "abacus")

    def test_first_use(self):
        for backend in self.backends:
            first = self.passes("-m", "psnr", "--backend", backend, REF, DIS)
            device = self.listed(backend)[0]
            self.assertEqual(device["self_test"], "passed")
            self.assertTrue(10 < device["kernels_passed"] < device["kernels"], device)
            self.assertEqual(len(list((self.dir / "cache/assay").glob("selftest-*"))), 1 + self.backends.index(backend))
            kept = sorted((self.dir / "cache/assay").glob("kernel-*"))
            self.assertTrue(kept)
            again = self.passes("-m", "psnr", "--backend", backend, "--device", device["device"][:5], REF, DIS)
            self.assertEqual(first.out.partition("\nmetric ")[2], again.out.partition("\nmetric ")[2])
            self.assertIn("psnr_y", again.out.partition("\nmetric ")[2])
            self.assertEqual(sorted((self.dir / "cache/assay").glob("kernel-*")), kept)
            self.assertIn(f"{device['kernels_passed']} of {device['kernels']} kernels so far",
                          self.passes("--list-devices").out)

    def test_doctor_refuses(self):
        self.refuses(USAGE, "--frames", "doctor", "--frames", "3")
        self.refuses(USAGE, "needs its --backend", "doctor", "--device", "0")
        self.refuses(USAGE, "needs a value", "doctor", "--backend")
        self.refuses(DEVICE, "no device '9'", "doctor", "--backend", "cpu", "--device", "9")
        self.refuses(USAGE, "no backend 'abacus'", "doctor", "--backend", "abacus")

    def test_device_names(self):
        for backend in ["cpu", *self.backends]:
            self.refuses(DEVICE, "no device 'abacus'", "--backend", backend, "--device", "abacus", REF, DIS)
            self.refuses(DEVICE, "no device '7'", "--backend", backend, "--device", "7", REF, DIS)

    def test_metrics_that_look_at_other_frames(self):
        """Also where each frame is on another device than the one before."""
        def frames(*how):
            done = self.passes("-q", "-m", metric, *how, "--precision", "max", "--json", "-", REF, DIS)
            return json.loads(done.out)["frames"]

        for metric in ("motion=debug=true", "psnr,motion=motion_five_frame_window=true:motion_moving_average=true"):
            expected = frames("--backend", "cpu", "--cpu", "scalar")
            for backend in self.backends:
                for how in (("0",), ("0,0",), ("0,0,0", "--in-flight", "3")):
                    self.assertEqual(frames("--backend", backend, "--device", *how), expected, (backend, how))

    def test_wrong_rounding_is_refused(self):
        for backend in self.backends:
            os.environ["LD_LIBRARY_PATH"] = WRONG_MODULES
            name = self.listed(backend)[0]["device"]
            for _ in range(2):
                result = self.refuses(DEVICE, [f"{backend}: {name} is refused",
                                               "failed the self-test: t_divide_u32: frame "],
                                      "-m", "psnr", "--backend", backend, REF, DIS)
                self.check_division(result.err)
            self.assertEqual(self.listed(backend)[0]["self_test"], "failed")
            self.assertIn("self-test failed", self.passes("--list-devices", "--backend", backend).out)
            self.passes("-m", "psnr", REF, DIS)  # the CPU is as good as before
            # What was found out about that build says nothing about this one.
            del os.environ["LD_LIBRARY_PATH"]
            self.passes("-m", "psnr", "--backend", backend, REF, DIS)


class Doctor(OnDevices):
    def test_doctor(self):
        for backend in self.backends:
            seen = json.loads(self.passes("doctor", "--backend", backend, "--json").out)
            self.assertEqual([d["failed"] for d in seen["devices"]], [0] * len(seen["devices"]))
            kernels = seen["devices"][0]["kernels"]
            self.assertEqual({k["result"] for k in kernels}, {"passed"})
            names = [k["name"] for k in kernels if k["primitive"]]
            for trap in ("t_round_u32", "t_denormals_u32", "t_params_u8", "t_clamp_u32", "t_barriers_u8", "t_sums_u32"):
                self.assertIn(trap, names)
            self.assertIn("sse_u8", [k["name"] for k in kernels if not k["primitive"]])
            device = self.listed(backend)[0]
            self.assertEqual((device["self_test"], device["kernels_passed"]), ("passed", len(kernels)))
        text = self.passes("doctor", "--backend", "cpu", "--cpu", "scalar", "--device=0").out
        self.assertIn("cpu 0: CPU (scalar C)", text)
        self.assertRegex(text, r"(?m)^  primitive t_divide +u32 +not tested$")
        for level in ("scalar", None):
            options = ["--cpu", level] if level else []
            seen = json.loads(self.passes("doctor", "--backend", "cpu", "--json", *options).out)
            results = {(k["primitive"], k["result"]) for k in seen["devices"][0]["kernels"]}
            self.assertEqual(results, {(True, "not tested"), (False, "passed")})
        self.assertRegex(text, r"(?m)^  kernel    sse +u8 u16 u32 +passed$")

    def test_wrong_rounding_is_named(self):
        os.environ["LD_LIBRARY_PATH"] = WRONG_MODULES
        self.addCleanup(os.environ.pop, "LD_LIBRARY_PATH")
        # It says what it found in the same words on every backend.
        result = self.fails(DEVICE, "failed the self-test", "doctor", "--backend", self.backends[-1])
        lines = [line for line in result.out.splitlines() if "FAILED" in line]
        self.assertTrue(lines)
        self.assertEqual([line.split()[1] for line in lines], ["t_divide"] * len(lines), result)
        self.check_division(result.out)


main()
