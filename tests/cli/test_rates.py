# SPDX-License-Identifier: BSD-2-Clause
"""assay_rates of bench/, which is $ASSAY_RATES: its table and its record, what it refuses, and the comparison of two
records."""
import json
import os
import re
import subprocess

import command
from command import DEVICE, INPUT, MISMATCH, PROGRAM, USAGE, Case, main

QUICK = ("--seconds", "0.02", "--size", "64x48")
command.PROGRAM = os.environ["ASSAY_RATES"]


class Rates(Case):
    name = "assay_rates"

    def record(self, *args):
        self.passes(*QUICK, "--json", "out.json", *args)
        return json.loads(self.read("out.json"))

    def test_table(self):
        result = self.passes(*QUICK, "-m", "psnr", "-m", "float_ssim,psnr", "-b", "8,10", "--threads", "2")
        lines = result.out.splitlines()
        self.assertIn("8 different frame pairs", lines[0])
        self.assertEqual([line.split()[0] for line in lines if re.match(r"(psnr|float)", line)],
                         ["psnr", "float_ssim,psnr"] * 2)
        self.assertEqual(len([line for line in lines if line.startswith("64x48 yuv420p")]), 2)
        self.assertEqual(lines[-1], "Every score has the CPU's bits.")

    def test_record(self):
        record = self.record("-m", "psnr", "-p", "420,444,400,rgb", "-b", "8,9,16", "--pairs", "11", "--threads", "2")
        self.assertEqual((record["assay_bench"], record["backend"]), (1, "cpu"))
        self.assertEqual([(r["format"], r["width"], r["height"]) for r in record["results"]],
                         [(name, 64, 48)
                          for name in ("yuv420p", "yuv420p9", "yuv420p16", "yuv444p", "yuv444p9", "yuv444p16",
                                                      "gray8", "gray9", "gray16", "rgb24", "rgb27", "rgb48")])
        for r in record["results"]:
            self.assertTrue(r["equal_to_cpu"])
            self.assertEqual(r["different_pairs"], 11)
            self.assertGreaterEqual(r["frames"], 5 * 11)
            self.assertGreater(r["slowest_round"], 0)
            self.assertLessEqual(r["slowest_round"], r["pairs_per_second"])
            self.assertLessEqual(r["pairs_per_second"], r["fastest_round"])
            for name in ("passes_ms", "passes_alone_ms", "latency_ms", "submit_ms", "copy_gb_per_second",
                         "device_copy_gb_per_second"):
                self.assertGreater(r[name], 0, name)
            planes, sample = (1 if "gray" in r["format"] else 1.5 if "420" in r["format"]
                              else 3), (1 if r["format"] in (
                "yuv420p", "yuv444p", "gray8", "rgb24") else 2)
            self.assertEqual(r["upload_bytes"], int(2 * 64 * 48 * planes * sample))
            self.assertEqual(r["dispatches"], 1 if planes == 1 else 3)
            self.assertEqual(r["submissions"], 1)

    def test_every_metric_without_a_list(self):
        names = [m["name"] for m in json.loads(subprocess.check_output([PROGRAM, "--list-metrics-json"]))]
        got = [r["metrics"] for r in self.record()["results"]]
        self.assertEqual(got[-1], "all")
        self.assertTrue(set(got[:-1]) <= set(names) and len(got) > 3, got)

    def test_record_on_standard_output(self):
        self.assertEqual(len(json.loads(self.passes(*QUICK, "-m", "psnr", "--json", "-").out)["results"]), 1)

    def test_several_devices(self):
        record = self.record("-m", "psnr,float_ssim", "--device", "0,0,0", "--threads", "1")
        self.assertEqual(record["results"][0]["different_pairs"] % 3, 0)
        self.assertIn("3 x ", record["device"])

    def test_compare(self):
        self.record("-m", "psnr", "-m", "float_ssim")
        slow = json.loads(self.read("out.json"))
        for r in slow["results"]:
            r["pairs_per_second"] /= 2
        slow["results"].append({**slow["results"][0], "width": 65})
        self.write("slow.json", json.dumps(slow).encode())
        lines = self.passes("--compare", "slow.json", "out.json").out.splitlines()
        rows = [line.split() for line in lines if re.match(r"(psnr|float_ssim) ", line)]
        self.assertEqual([(row[0], row[1], row[5]) for row in rows],
                         [("psnr", "64x48", "2.00"), ("float_ssim", "64x48", "2.00")])

    def test_records_that_do_not_compare(self):
        self.record("-m", "psnr")
        other = json.loads(self.read("out.json"))
        other["results"][0]["metrics"] = "ssim"
        self.write("other.json", json.dumps(other).encode())
        self.fails(MISMATCH, "in common", "--compare", "out.json", "other.json")
        self.fails(INPUT, "missing.json", "--compare", "out.json", "missing.json")
        good = json.loads(self.read("out.json"))
        for name in ("assay_bench", "version", "backend", "device", "results"):
            for value in (None, -3, []) if name != "results" else (None, -3, [{}], [3], [{"metrics": "psnr"}]):
                self.write("bad.json", json.dumps({**good, name: value}).encode())
                self.fails(INPUT, ["bad.json", "no record"], "--compare", "out.json", "bad.json")
        for text in (b"", b"{", b"[]", b"null", b"\xff"):
            self.write("bad.json", text)
            self.refuses(INPUT, ["bad.json", "no record"], "--compare", "bad.json", "out.json")

    def test_usage(self):
        for args in (["--size", "64"], ["--size", "0x5"], ["--size", "5x"], ["-b", "7"], ["-b", "8,,9"], ["-b17"],
                     ["-p", "421"],
                     ["--pairs", "7"], ["--pairs=257"], ["--seconds", "0"], ["--seconds", "x"], ["--seconds", "-1"],
                     ["--threads", "0"], ["--nonsense"], ["-Z"], ["file.y4m"], ["--json"], ["--help=1"],
                     ["--compare", "a"],
                     ["-m", "psnr", "--compare", "a", "b"], ["-m", ""], ["-m", "nonsense"], ["-m", "psnr:x=1"],
                     ["-p", "rgb", "-m", "float_ssim"]):
            self.refuses(USAGE, "", *args)
        self.refuses(USAGE, "nonsense", "--backend", "nonsense")
        self.refuses(DEVICE, "no device 1", "--device", "0,1", "--backend", "cpu")

    def test_files_are_not_overwritten(self):
        self.write("precious", b"notes\n")
        self.refuses(USAGE, ["precious", "--force"], *QUICK, "-m", "psnr", "--json", "precious")
        self.assertEqual(self.read("precious"), "notes\n")
        for how in ([], [], ["--force"]):
            self.passes(*QUICK, "-m", "psnr", "--json", "out.json", *how)

    def test_help(self):
        text = self.passes("--help").out
        self.assertEqual(self.passes("-h").out, text)
        for option in set(re.findall(r"(?m)^  (?:-\w, )?(--[a-z][a-z-]+[a-z])\b", text)):
            self.assertNotIn(f"called '{option}", self.refuses(USAGE, "", option, "--nothing").err)
        self.refuses(USAGE, "did you mean '--metric'?", "--metirc", "psnr")

    def test_backends(self):
        for backend in ("cuda", "vulkan", "opengl", "sycl"):
            self.refuses(USAGE, ["scalar", backend], "--backend", backend, "--cpu", "scalar")
        self.refuses(USAGE, "z80", "--cpu", "z80")


if __name__ == "__main__":
    main()
