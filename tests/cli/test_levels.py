# SPDX-License-Identifier: BSD-2-Clause
"""A build without the kernels of this processor's best instruction set says so, and has the same scores. $ASSAY_SCALAR
is the command as a build for a processor without vectors has it; $ASSAY has every instruction set."""
import json
import os

import command
from command import DEVICE, DIS, PASS, REF, Case, main

BY = "this is how to get them" # of the build of $ASSAY_SCALAR, in meson.build


class Levels(Case):
    def setUp(self):
        super().setUp()
        levels = ("avx512vnni", "avx512", "avx2", "sse4", "neon")
        self.best = next(x for x in levels if self.has_level(x))
        self.lacks = f"this build has no kernels for {self.best}"
        self.device = f"CPU (scalar C; {self.lacks})"

    def scalar(self, call, *args, **how):
        """`call` with the other program."""
        program, command.PROGRAM = command.PROGRAM, os.environ["ASSAY_SCALAR"]
        try:
            return call(*args, **how)
        finally:
            command.PROGRAM = program

    def test_a_full_build_lacks_nothing(self):
        for args in (("--list-devices",), ("--list-devices-json",), ("-m", "psnr", REF, DIS)):
            result = self.passes(*args)
            self.assertNotIn(self.lacks, result.out + result.err)

    def test_a_run_says_it_once(self):
        result = self.scalar(self.passes, "-m", "psnr,ssim", "--json", "few.json", REF, DIS)
        said = [line for line in result.err.splitlines() if "kernels" in line]
        self.assertEqual(said, [f"assay: {self.lacks}, the best instruction set of this processor, and uses scalar C: "
                                f"{BY}"])
        self.assertEqual(json.loads(self.read("few.json"))["assay"]["device"], self.device)
        self.passes("-q", "-m", "psnr,ssim", "--json", "all.json", REF, DIS)
        self.passes("diff", "few.json", "all.json")
        self.assertEqual(self.scalar(self.passes, "-q", "-m", "psnr", REF, DIS).err, "")
        self.assertIn(self.lacks, self.scalar(self.passes, "vmaf", "-r", REF, "-d", DIS, "-o", "v.xml").err)

    def test_an_instruction_set_that_was_asked_for(self):
        """Nothing to say of the one that is there; one that is not there is refused."""
        result = self.scalar(self.passes, "-m", "psnr", "--cpu", "scalar", "--json", "-", REF, DIS)
        self.assertNotIn("kernels", result.err)
        self.assertEqual(json.loads(result.out)["assay"]["device"], "CPU (scalar C)")
        refused = f"this build has no kernels for '{self.best}': {BY}"
        self.scalar(self.refuses, DEVICE, refused, "-m", "psnr", "--cpu", self.best, REF, DIS)
        self.assertIn(refused, self.scalar(self.run_assay, "doctor", "--backend", "cpu", "--cpu", self.best).out)
        other = "neon" if self.best != "neon" else "avx2"
        self.scalar(self.refuses, DEVICE, f"this processor has no '{other}'", "-m", "psnr", "--cpu", other, REF, DIS)

    def test_devices_and_doctor(self):
        self.assertIn(f"cpu     0  {self.device};", self.scalar(self.passes, "--list-devices").out)
        listed = json.loads(self.scalar(self.passes, "--list-devices-json").out)
        self.assertEqual([d["device"] for d in listed if d["backend"] == "cpu"], [self.device])
        text = self.scalar(self.passes, "doctor", "--backend", "cpu").out
        self.assertTrue(text.startswith(f"cpu 0: {self.device}\n  notice    {self.lacks}, the best"), text)

    def test_images(self):
        for folder in "ab":
            (self.dir / folder).mkdir()
            for i in range(2):
                (self.dir / folder / f"{i}.ppm").write_bytes(b"P6\n9 8\n255\n" + bytes(range(216)))
        result = self.scalar(self.passes, "image", "a", "b")
        self.assertEqual(result.err.count(self.lacks), 1, result)


if __name__ == "__main__":
    main()
