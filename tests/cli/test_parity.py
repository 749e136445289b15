# SPDX-License-Identifier: BSD-2-Clause
"""assay parity: backends that agree, and one that is wrong in one bit."""
import json
import os
import subprocess

import command
from command import DEVICE, DIS, GATE, INPUT, MISMATCH, PASS, REF, USAGE, Case, main, y4m

FLIPPED = os.environ["ASSAY_FLIPPED"]


class Parity(Case):
    def flipped(self, fault, *args, code=GATE):
        """The command that has the backend `flip`, with a fault."""
        done = subprocess.run([FLIPPED, "parity", *map(str, args)], cwd=self.dir,
                              env={**os.environ, "ASSAY_FLIP": fault},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False,
                              timeout=1200)
        result = command.Result(done)
        self.assertEqual(result.code, code, result)
        return result

    def test_levels_of_the_cpu(self):
        result = self.passes("parity", REF, DIS, "--backends", "cpu,cpu:scalar", "--frames", 2)
        self.assertRegex(result.out, r"^cpu and cpu:scalar: equal in 2 frames of \d{2,} passes\n$")

    def test_rgb_and_depth(self):
        a, b = self.write("a.y4m", y4m(width=41, height=37, depth=10, chroma="422")), self.write(
            "b.y4m", y4m(width=41, height=37, depth=10, chroma="422", noise=9))
        self.passes("parity", a, b, "--backends", "cpu:scalar,cpu")

    @command.unittest.skipUnless(os.environ.get("ASSAY_VULKAN"), "this build has no Vulkan")
    def test_software_device(self):
        a, b = self.pair(width=70, height=46, frames=2)
        result = self.run_assay("parity", a, b, "--backends", "cpu,vulkan", "-m", "diff,psnr,float_ssim")
        if result.code == DEVICE and not os.environ.get("CI"):
            self.skipTest(result.err)
        self.assertEqual(result.code, PASS, result)
        self.assertIn("cpu and vulkan: equal in 2 frames", result.out)

    def test_no_fault(self):
        result = self.flipped("", REF, DIS, "--backends", "cpu,flip", "-m", "psnr,diff,float_ssim", code=PASS)
        self.assertIn("cpu and flip: equal in 8 frames", result.out)

    def test_one_bit_of_a_plane(self):
        """plane9 of the graph is what the fourth pass of diff writes: 32-bit integers."""
        graph = self.passes("-q", "-m", "diff", "--dump-graph", "--frames", 1, REF, DIS).out
        self.assertIn("writes plane9:i32[352x198]", graph)
        result = self.flipped("plane 9 300 150 4", REF, DIS, "--backends", "cpu,flip", "-m", "diff", "--json", "p.json")
        lines = result.out.splitlines()
        self.assertEqual(lines[0], "cpu and flip: frame 0 differs")
        self.assertRegex(lines[1],
                         r"^first: pass 3 \(diff_join_i32\), plane 0 \(i32, 352x198\): 1 of 69696 samples differ, "
                                   r"first at x 300, y 150: cpu \d+ \(0x[0-9a-f]{8}\), flip \d+ \(0x[0-9a-f]{8}\)$")
        self.assertEqual(len(lines), 2)
        report = json.loads(self.read("p.json"))
        self.assertEqual((report["equal"], report["frame"], report["frames"]), (False, 0, 1))
        [other] = report["against_the_first"]
        [plane] = other["planes"]
        self.assertEqual((plane["pass"], plane["name"], plane["x"], plane["y"], plane["differ"]),
                         (3, "diff_join_i32", 300, 150, 1))
        self.assertEqual(int(plane["bits"][0], 16) ^ int(plane["bits"][1], 16), 1 << 4)

    def test_one_bit_of_a_float_plane(self):
        graph = self.passes("-q", "-m", "float_ms_ssim", "--dump-graph", "--frames", 1, REF, DIS).out
        plane = next(w for line in graph.splitlines() for w in line.split() if ":f32[" in w and "writes" in line)
        number = plane[len("plane"):].split(":")[0]
        result = self.flipped(f"plane {number} 7 9 0", REF, DIS, "--backends", "cpu,flip", "-m", "float_ms_ssim")
        self.assertRegex(result.out, r"first at x 7, y 9: cpu 0x[01][.0-9a-f]*p[+-]\d+ \(0x[0-9a-f]{8}\), "
                                     r"flip 0x[01][.0-9a-f]*p[+-]\d+ \(0x[0-9a-f]{8}\)")

    def test_a_wrong_sample_shows_in_the_first_pass_that_reads_it(self):
        result = self.flipped("input 1 0 33 44 6", REF, DIS, "--backends", "flip,cpu", "-m", "diff,psnr,float_ssim",
                              "--frames", 3)
        self.assertIn("flip and cpu: frame 0 differs\nfirst: pass 0 (diff_u8.0), plane 0 (i32, 352x198): 1 of 69696",
                      result.out)
        self.assertIn("x 33, y 44", result.out)
        self.assertRegex(result.out, r"pass \d+ \(sse_u8\.0\), total 0: flip \d+, cpu \d+")
        self.assertRegex(result.out, r"pass \d+ \(ssim_u8\), total \d+: flip -?\d+, cpu -?\d+")

    def test_totals_and_extrema_alone(self):
        result = self.flipped("total 0 -3", REF, DIS, "--backends", "cpu,flip", "-m", "diff", "--frames", 1)
        self.assertRegex(result.out,
                         r"^cpu and flip: frame 0 differs\n  pass 4 \(diff_count_i32\), total 0: "
                         r"cpu (\d+), flip \d+\n$")
        result = self.flipped("extremum 0 1", REF, DIS, "--backends", "cpu,flip", "-m", "diff", "--frames", 1, "--json",
                              "-")
        self.assertIn('"extremum": 0', result.out)
        json.loads(result.out)

    def test_only_the_wrong_one_of_three(self):
        result = self.flipped("total 0 1", REF, DIS, "--backends", "cpu,cpu:scalar,flip", "-m", "diff", "--frames", 1)
        self.assertIn("cpu and cpu:scalar: equal in 1 frame of", result.out)
        self.assertIn("cpu and flip: frame 0 differs", result.out)

    def test_one_side_ends_first(self):
        long, short = self.write("long.y4m", y4m(frames=4)), self.write("short.y4m", y4m(frames=3, noise=5))
        how = ("--backends", "cpu,cpu:scalar", "-m", "psnr")
        for pair in ((long, short), (short, long)):
            self.refuses(MISMATCH, ["length", "4 frames", "3 frames", "--allow-length"], "parity", *pair, *how)
            self.assertIn("equal in 3 frames", self.passes("parity", *pair, *how, "--allow-length").out)
            self.assertIn("equal in 3 frames", self.passes("parity", *pair, *how, "--frames", 3).out)

    def test_refusals(self):
        self.refuses(USAGE, "at least two", "parity", REF, DIS)
        self.refuses(USAGE, "at least two", "parity", REF, DIS, "--backends", "cpu")
        for value in ("", ",", "cpu,", "cpu:,vulkan", ":scalar,cpu", "cpu,cpu", "a,b,c,d,e,f,g,h,i", "x" * 80 + ",cpu"):
            self.refuses(USAGE, "--backends", "parity", REF, DIS, "--backends", value)
        self.refuses(USAGE, "quantum", "parity", REF, DIS, "--backends", "cpu,quantum")
        self.refuses(USAGE, "z80", "parity", REF, DIS, "--backends", "cpu,cpu:z80")
        self.refuses(USAGE, "'--backend'", "parity", REF, DIS, "--backends", "cpu,cpu:scalar", "--backend", "cpu")
        self.refuses(USAGE, "another command", REF, DIS, "--backends", "cpu,cpu:scalar")
        self.refuses(INPUT, "nothing.y4m", "parity", REF, "nothing.y4m", "--backends", "cpu,cpu:scalar")
        self.refuses(USAGE, "two inputs", "parity", REF, "--backends", "cpu,cpu:scalar")
        small = self.write("s.y4m", y4m())
        self.refuses(MISMATCH, "size 352x198 against 32x24", "parity", REF, small, "--backends", "cpu,cpu:scalar")
        self.refuses(USAGE, "overwritten", "parity", small, DIS, "--backends", "cpu,cpu:scalar", "--json", small)


if __name__ == "__main__":
    main()
