# SPDX-License-Identifier: BSD-2-Clause
"""The command line itself: what it says of itself, and what it refuses."""
import re

from command import DEVICE, DIS, REF, USAGE, Case, main


class Usage(Case):
    def test_help_names_every_exit_code(self):
        result = self.passes("--help")
        self.assertEqual(result.err, "")
        for code in range(7):
            self.assertRegex(result.out, rf"\b{code} [a-z]")

    def test_version(self):
        self.assertRegex(self.passes("--version").out, r"^assay \d+\.\d+\.\d+\n$")
        self.assertEqual(self.passes("-v").out, self.passes("--version").out)

    def test_nothing_and_half(self):
        self.refuses(USAGE, "two inputs")
        self.refuses(USAGE, "two inputs", REF)
        self.refuses(USAGE, "more than two", REF, DIS, "third.y4m")

    def test_unknown_option(self):
        self.refuses(USAGE, "--no-such-thing", REF, DIS, "--no-such-thing")
        self.refuses(USAGE, "-Z", REF, DIS, "-Z")

    def test_missing_and_surplus_values(self):
        self.refuses(USAGE, "--json", REF, DIS, "--json")
        self.refuses(USAGE, "--quiet=yes", REF, DIS, "--quiet=yes")

    def test_dashes_and_underscores(self):
        for spelling in ("--skip-ref=1", "--skip_ref=1", "--frame_skip_ref=1"):
            self.passes("-m", "psnr", REF, DIS, spelling, "--skip-dis", "1")

    def test_vmaf_words(self):
        result = self.passes("--reference", REF, "--distorted", DIS, "--feature", "psnr", "--frame_cnt", "2")
        self.assertIn("psnr_y", result.out)
        self.assertIn("2 frames", result.out)

    def test_file_that_looks_like_an_option(self):
        ref = self.write("-ref.y4m", (self.dir / REF).read_bytes())
        self.passes("-m", "psnr", "--", ref, DIS)

    def test_counts(self):
        for option in ("--frames", "--every", "--threads", "--in-flight", "--skip-ref", "--skip-dis"):
            for value in ("-1", "x", "", "1.5", "1e3", "99999999999999999999999", " 1", "+1", "0x10"):
                self.refuses(USAGE, option, REF, DIS, f"{option}={value}")
        for option in ("--frames", "--every", "--threads", "--in-flight"):
            self.refuses(USAGE, option, REF, DIS, f"{option}=0")

    def test_precision(self):
        for value in ("18", "-1", "many", "", "MAX"):
            self.refuses(USAGE, "--precision", REF, DIS, f"--precision={value}")

    def test_tile(self):
        for value in ("64", "0x8", "8x0", "x", "8x", "axb", "8x8x8", "99999x1"):
            self.refuses(USAGE, "--tile", REF, DIS, f"--tile={value}")

    def test_gates(self):
        for gate in ("psnr_y", "psnr_y=", "psnr_y=high", "=3", "psnr_y.p101=3", "psnr_y.average=3", "psnr_y=nan"):
            self.refuses(USAGE, "--fail-under", REF, DIS, "--fail-under", gate)

    def test_metrics(self):
        self.refuses(USAGE, "no_metric", REF, DIS, "-m", "no_metric")
        self.refuses(USAGE, "missing", REF, DIS, "-m", "")
        self.refuses(USAGE, "missing", REF, DIS, "-m", "psnr,,float_psnr")
        self.refuses(USAGE, "psnr_y", REF, DIS, "-m", "psnr,psnr")

    def test_metric_options(self):
        self.refuses(USAGE, ["psnr", "no_such"], REF, DIS, "-m", "psnr=no_such=1")
        self.refuses(USAGE, "twice", REF, DIS, "-m", "psnr=enable_mse=true:enable_mse=false")
        self.refuses(USAGE, "true or false", REF, DIS, "-m", "psnr=enable_mse=maybe")
        for value in ("nan", "inf", "-1", "", "1e999", "0x1p3", "1,5"):
            self.refuses(USAGE, "min_sse" if "," not in value else "", REF, DIS, "-m", f"psnr=min_sse={value}")

    def test_backend(self):
        self.refuses(DEVICE, "quantum", REF, DIS, "--backend", "quantum")
        self.refuses(DEVICE, "z80", REF, DIS, "--cpu", "z80")

    def test_two_reports_to_one_place(self):
        self.refuses(USAGE, "a.json", REF, DIS, "--json", "a.json", "--xml", "a.json")

    def test_raw_needs_all_four(self):
        for options in (["-w", "32"], ["-w", "32", "-h", "24"], ["-w", "32", "-h", "24", "-p", "420"]):
            self.refuses(USAGE, "all four", REF, DIS, *options)
        self.refuses(USAGE, "--pixel-format", REF, DIS, "-p", "410")
        for depth in ("7", "17", "0", "eight"):
            self.refuses(USAGE, "--bitdepth", REF, DIS, "-b", depth)
        for size in ("0", "65536", "-3", "999999999999"):
            self.refuses(USAGE, "--width", REF, DIS, "-w", size)

    def test_both_from_standard_input(self):
        self.refuses(USAGE, "standard input", "-", "-")

    def test_list_of_metrics(self):
        text = self.passes("--list-metrics").out
        for name in ("psnr", "float_psnr", "float_moment"):
            self.assertRegex(text, rf"(?m)^{name}: ")
        self.assertTrue(re.search(r"(?m)^ +min_sse=0 .*: ", text), text)


if __name__ == "__main__":
    main()
