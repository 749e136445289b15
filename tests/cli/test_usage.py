# SPDX-License-Identifier: BSD-2-Clause
"""The command line itself: what it says of itself, and what it refuses."""
import json
import pathlib
import re

from command import DEVICE, DIS, REF, USAGE, Case, main


class Usage(Case):
    def test_help_names_every_exit_code(self):
        result = self.passes("--help")
        self.assertEqual(result.err, "")
        for code in range(7):
            self.assertRegex(result.out, rf"\b{code} [a-z]")

    def test_help_of_each_command(self):
        self.assertEqual(self.passes("help").out, self.passes("--help").out)
        self.assertEqual(self.passes("-h").out, self.passes("--help").out)
        listed = re.search(r"the options of (\w+(?:,\s+\w+)*) or (\w+)\n", self.passes("help").out)
        commands = [c["command"] for c in json.loads(self.passes("--list-options-json").out)]
        self.assertEqual(sorted(["", *re.split(r",\s+", listed[1]), listed[2]]), sorted(commands))
        texts = set()
        for command in ("image", "merge", "parity", "batch", "doctor"):
            text = self.passes(command, "--help").out
            self.assertIn(f"usage: assay {command} ", text)
            self.assertLess(len(text.splitlines()), 120)
            self.assertEqual(self.passes("help", command).out, text)
            self.assertEqual(self.passes(command, "-h").out, text)
            texts.add(text)
            for option in set(re.findall(r"(?m)^  (?:-\w, )?(--[a-z][a-z-]+[a-z])\b", text)):
                err = self.refuses(USAGE, "", command, option, "--nothing").err
                self.assertNotIn(f"called '{option}", err)
                self.assertNotIn(f"'{option}' is", err)
        self.assertEqual(len(texts), 5)
        for command in ("image", "parity"):
            self.assertIn("of assay image psnr and diff, of assay parity all",
                          " ".join(self.passes("help", command).out.split()))

    def test_height_is_not_help(self):
        """A height that a script left out may not end in success."""
        self.refuses(USAGE, ["'-h', --height", "value"], "-w", "10", "-p", "420", "-b", "8", "a.yuv", "b.yuv", "-h")
        self.refuses(USAGE, "'-h' needs a value", "-w", "10", "-h", "-p", "420", "-b", "8", "a.yuv", "b.yuv")

    def test_did_you_mean(self):
        for args, word in ((["-m", "pnsr"], "psnr"), (["-m", "ms_ssim"], "float_ms_ssim"),
                           (["-m", "ssimulacra"], "ssimulacra2"), (["-m", "psnr=enable_ms=true"], "enable_mse"),
                           (["--jsn", "x"], "--json"), (["--fail_undr=psnr_y=3"], "--fail-under"),
                           (["--skip_reff=1"], "--skip-ref"), (["-m", "PSNR"], "psnr"), (["-m", "Vmaf"], "vmaf"),
                           (["-m", "vmaf_neg"], "vmaf=version=vmaf_v0.6.1neg"),
                           (["-m", "vmaf_v0.6.1"], "vmaf=version=vmaf_v0.6.1"),
                           (["-m", "VMAF_4K"], "vmaf=version=vmaf_4k_v0.6.1"), (["-ss", "2"], "--first")):
            self.refuses(USAGE, f"; did you mean '{word}'?", REF, DIS, *args)
        self.refuses(USAGE, "did you mean '--heatmap'?", "image", "a.png", "b.png", "--heatmp", "x")
        self.refuses(USAGE, "did you mean '--backend'?", "doctor", "--bakend", "cpu")
        for args in (["imgae", "a.png", "b.png"], ["iamge"], ["help", "imag"]):
            self.refuses(USAGE, "did you mean 'image'?", *args)
        self.refuses(USAGE, "did you mean 'merge'?", "megre", "a.json", "b.json", "c.json")
        for args in (["-m", "wadiqam"], ["-m", "quality"], ["--no-such-thing"]):
            self.assertNotIn("did you mean", self.refuses(USAGE, "", REF, DIS, *args).err)
        self.assertNotIn("did you mean", self.refuses(USAGE, "two inputs", REF).err)

    def test_metrics_by_name(self):
        """`help psnr` and `--list-metrics psnr` show that metric alone."""
        both = self.passes("help", "psnr").out
        self.assertRegex(both, r"\Apsnr: .*\n(    .*\n)+\Z")
        self.assertIn("    enable_mse=", both)
        self.assertEqual(self.passes("--list-metrics", "psnr").out, both)
        self.assertEqual(self.passes("--list-metrics", "psnr", "ssim").out, both + self.passes("help", "ssim").out)
        listed = json.loads(self.passes("--list-metrics-json", "ssim", "psnr").out)
        self.assertEqual([m["name"] for m in listed], ["ssim", "psnr"])
        self.refuses(USAGE, "did you mean 'psnr'?", "--list-metrics", "pnsr")
        self.refuses(USAGE, "did you mean 'psnr'?", "help", "PSNR")

    def test_one_thing_in_place_of_scores(self):
        """The last one counted, and the others were passed over."""
        things = ["--list-metrics", "--list-metrics-json", "--list-devices", "--list-devices-json", "--version",
                  "--list-options-json", "--print-request"]
        for first in things:
            for second in things:
                if first != second:
                    self.refuses(USAGE, f"'{second}' and an option in front of it contradict each other", first, second)
        self.assertEqual(self.passes("--list-metrics", "--list-metrics").out, self.passes("--list-metrics").out)
        self.assertEqual(self.passes("--list-metrics", "--help").out, self.passes("--help").out)
        self.passes("vmaf", "--version", "--help")

    def test_a_file_that_begins_with_a_dash(self):
        for name in ("-dash.y4m", "-ash.y4m", "--dash.y4m"):
            self.write(name, pathlib.Path(DIS).read_bytes())
            self.refuses(USAGE, f"'./{name}' names the file", "-m", "psnr", REF, name)
            self.passes("-q", "-m", "psnr", REF, f"./{name}")
            self.passes("-q", "-m", "psnr", "--", REF, name)

    def test_a_value_that_looks_like_an_option(self):
        for option in ("--json", "-m", "--heatmap", "--frames", "--shard", "--fail-under"):
            self.refuses(USAGE, [f"'{option}' needs a value", "'-q'"], REF, DIS, option, "-q")
            self.refuses(USAGE, [f"'{option}' needs a value", "'--xml'"], REF, DIS, option, "--xml", "x")
        self.assertEqual(list(self.dir.iterdir()), [])
        self.passes("-m", "psnr", REF, DIS, "--json=-q.json")
        self.assertTrue((self.dir / "-q.json").exists())
        self.assertIn('"psnr_y"', self.passes("-m", "psnr", REF, DIS, "--json", "-").out)

    def test_version(self):
        self.assertRegex(self.passes("--version").out, r"^assay \d+\.\d+\.\d+\n$")
        self.assertEqual(self.passes("-v").out, self.passes("--version").out)

    def test_nothing_and_half(self):
        self.refuses(USAGE, "two inputs")
        self.refuses(USAGE, "two inputs", REF)
        self.refuses(USAGE, "more than two", "parity", REF, DIS, "third.y4m", "--backends", "cpu,cpu:scalar")

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
        self.refuses(USAGE, "quantum", REF, DIS, "--backend", "quantum")
        self.refuses(USAGE, "z80", REF, DIS, "--cpu", "z80")
        self.refuses(USAGE, "quantum", "--list-devices", "--backend", "quantum")
        for backend in ("cuda", "vulkan", "opengl", "sycl"):
            self.refuses(USAGE, ["scalar", backend], REF, DIS, "--backend", backend, "--cpu", "scalar")
            self.refuses(USAGE, "--cpu", "doctor", "--backend", backend, "--cpu", "scalar")
        self.refuses(USAGE, "quantum", "doctor", "--backend", "quantum")
        self.refuses(USAGE, "z80", "doctor", "--cpu", "z80")
        for tile in ("17x4", "16x5", "8x4", "16x2", "48x20"):
            self.refuses(USAGE, "tile", REF, DIS, "--tile", tile)

    def test_the_luma_of_rgb(self):
        """Options that have no effect are refused, or a line says so."""
        for size in ("limited", "full"):
            self.refuses(USAGE, ["--range", "--matrix", "--ref-colour"], REF, DIS, "--range", size)
        told = "--matrix bt709 is for RGB, and changes nothing of these pictures"
        self.assertIn(told, self.passes("-m", "psnr", "--matrix", "bt709", "--json", "a.json", REF, DIS).err)
        self.assertIn(told, json.loads(self.read("a.json"))["assay"]["notices"])
        rgb = self.write("rgb.raw", bytes(range(256)) * 12)
        raw = ["-w", 32, "-h", 32, "-p", "rgb24", rgb, rgb]
        self.assertNotIn("--matrix", self.passes("-m", "psnr", "--matrix", "bt709", "--range", "full", *raw).err)

    def test_two_reports_to_one_place(self):
        self.refuses(USAGE, "a.json", REF, DIS, "--json", "a.json", "--xml", "a.json")

    def test_what_is_given_twice(self):
        """An option that takes one value is refused a second time, by whichever of its names. Others add up."""
        for args in ("--heatmap a --heatmap b", "--shard a --shard=a", "--precision 3 --precision max",
                     "--thumbnails 1 --thumbnails 2", "--first 1 --first 1s", "-n 1 --frame-cnt 2", "-w 8 --width 9",
                     "--skip-ref 1 --frame_skip_ref 2", "--crop-dis 1=8x8+0+0 --crop-dis 1=8x8+2+2",
                     "--scale-to 8x8 --scale-to 9x9", "--name a --name b", "--frames-worst 1 --frames-worst 2"):
            with self.subTest(args):
                self.refuses(USAGE, "is given twice", *args.split(), REF, DIS)
        for args in ("batch --summary a --summary b", "probe -w 8 -w 9 a", "doctor --cpu scalar --cpu scalar",
                     "parity --backends cpu,cpu:scalar --backends cpu:scalar,cpu"):
            self.refuses(USAGE, "is given twice", *args.split())
        self.refuses(USAGE, "'c.y4m' would take the place of", REF, DIS, "-r", "c.y4m")
        self.passes("-q", "-m", "psnr", "-m", "float_ssim", "--json", "a", "--json", "b", "--crop-dis", "8x8+0+0",
                    "--crop-dis", "1=16x16+0+0", "--crop-ref", "16x16+0+0", "-q", REF, DIS)
        self.passes("vmaf", "-qn", "-r", "c.y4m", "-r", REF, "-d", DIS, "--feature", "psnr", "--threads", "2",
                    "--threads", "1", "--frame_cnt", "9", "--frame_cnt", "1", "-o", "a", "-o", "b") # the last one

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
