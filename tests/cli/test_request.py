# SPDX-License-Identifier: BSD-2-Clause
"""assay run: a request has the reports of the command line that asks for the same. assay probe: what files are."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import unittest

from command import DIS, GATE, INPUT, MISMATCH, PASS, PROGRAM, REF, USAGE, Case, main, y4m


def request(encodes, **more):
    return {"assay": "request/1", "reference": {"file": REF}, "metrics": ["psnr"],
            "encodes": [encode if isinstance(encode, dict) else {"file": encode} for encode in encodes], **more}


class Requests(Case):
    def asks(self, what, *options):
        self.write("r.json", (what if isinstance(what, str) else json.dumps(what)).encode())
        return self.run_assay("run", "r.json", *options)

    def same(self, what, line):
        own = self.asks(what, "--json", "own.json", "--csv", "own.csv", "--reproducible")
        self.assertEqual(own.code, PASS, own.err)
        plain = self.passes(*line, "--json", "plain.json", "--csv", "plain.csv", "--reproducible")
        self.assertEqual((own.out, own.err), (plain.out, plain.err))
        for form in ("json", "csv"):
            self.assertEqual(self.read(f"own.{form}"), self.read(f"plain.{form}"))

    def test_reports_are_those_of_the_command_line(self):
        self.same(request([DIS]), ["-m", "psnr", REF, DIS])
        self.same(request([DIS], first=2, every=2, frames=5), ["-m", "psnr", "--first", "2", "--every", "2", "-n", "5",
                                                               REF, DIS])
        self.same(request([DIS, REF], metrics=["psnr", "float_ssim=enable_db=true"]),
                  ["-m", "psnr,float_ssim=enable_db=true", REF, DIS, REF])
        self.write("half.y4m", y4m(176, 100, 8))
        self.same(request(["half.y4m"], scale={"filter": "bicubic", "to": "176x100"}, allow=["rate", "sar", "length"]),
                  ["-m", "psnr", "--scale", "bicubic", "--scale-to", "176x100", "--allow-rate", "--allow-sar",
                   "--allow-length", REF, "half.y4m"])

    def test_what_json_forbids(self):
        """cJSON takes it, in requests and in results: numbers by strtod, all characters of strings, blanks up to 32."""
        self.passes("-q", "-m", "psnr", REF, DIS, "--json", "s.json")
        texts = {"request": json.dumps(request([DIS], frames=2)), "result": self.read("s.json")}
        numbers = {"request": '"frames": 2', "result": '"frameNum": 0'}
        bad = [("a number that begins with 0", v) for v in ("01", "-01", "00", "-00", "01.5", "00e1")]
        bad += [("a number without a digit on each side of its point", v)
                for v in ("1.", "-1.", "-.5", "1.e5", "0.", "0.e1")]
        bad += [("a control character", v) for v in ("\v2", "\f2", "\x01 2", "2\x1f")]
        strings = [("a control character", c) for c in "\t\n\r\v\x01\x1f"]
        strings += [("an escape of fewer than four digits", "\\u" + v) for v in ("12g4", " 123", "+123", "x", "")]
        strings += [("a character of the number 0", v) for v in ("\0", "\\u0000")]

        def check(kind, text, why):
            self.write("t.json", text.encode())
            with self.subTest(kind=kind, text=text[:90], why=why):
                args = ["run", "t.json"] if kind == "request" else ["report", "t.json", "--html", "t.html"]
                if why:
                    name = "the request" if kind == "request" else "t.json"
                    self.refuses(USAGE if kind == "request" else INPUT, f"{name}: has {why}", *args)
                else:
                    self.passes(*args)

        for kind, text in texts.items():
            name = numbers[kind].split(":")[0]
            for why, value in bad:
                check(kind, text.replace(numbers[kind], f"{name}: {value}", 1), why)
            for why, value in strings:
                check(kind, text.replace('"psnr', f'"{value}psnr', 1), why)
        for kind, said in (("request", "the request is no JSON object"),
                           ("result", "t.json: no report of scores: it is no JSON")):
            self.write("t.json", pathlib.Path(REF).read_bytes())
            args = ["run", "t.json"] if kind == "request" else ["report", "t.json", "--html", "t.html"]
            self.refuses(USAGE if kind == "request" else INPUT, said, *args)
        for more in ("10, 100.05, -0, -0.5, 0, 0e1, 1e05, 1E-05, 1.05e+007, 100, 0.00", "\t\n\r 5 \t",
                     '"01 1. .5 \\u0041 \\\\u12"', '"\\"", "01"', '"\\\\", 10'):
            check("result", texts["result"].replace("{", '{"unknown": [' + more + "],", 1), None)

    def test_each_encode_has_its_own_crop_and_name(self):
        side = {"file": DIS, "crop": "176x198+0+0", "skip": 1}
        what = request([side, {**side, "skip": 0, "name": "other"}], allow=["length"], frames=4)
        what["reference"]["crop"] = "176x198+0+0"
        done = self.asks(what, "--json", "r.out")
        self.assertEqual(done.code, PASS, done.err)
        names = [encode["name"] for encode in json.loads(self.read("r.out"))["encodes"]]
        self.assertEqual(names, ["dis", "other"])
        for number, skip in enumerate(("1", "0")):
            plain = self.passes("-m", "psnr", "-n", "4", "--allow-length", "--crop-ref", "176x198+0+0", "--crop-dis",
                                "176x198+0+0", "--skip-dis", skip, "--json", "p.out", REF, DIS)
            self.assertEqual(plain.code, PASS)
            self.assertEqual(json.loads(self.read("r.out"))["encodes"][number]["pooled_metrics"],
                             json.loads(self.read("p.out"))["pooled_metrics"])

    def prints(self, *line):
        """The request that a command line prints has its reports."""
        self.write("printed.json", self.passes(*line, "--print-request").out.encode())
        json.loads(self.read("printed.json"))
        own = self.run_assay("run", "printed.json", "--json", "own.json", "--csv", "own.csv", "--reproducible")
        plain = self.run_assay(*line, "--json", "plain.json", "--csv", "plain.csv", "--reproducible")
        self.assertEqual((own.code, own.out, own.err), (plain.code, plain.out, plain.err), line)
        for form in ("json", "csv"):
            self.assertEqual(self.read(f"own.{form}"), self.read(f"plain.{form}"), line)

    def test_a_command_line_prints_the_request_that_has_its_reports(self):
        self.write("half.y4m", y4m(176, 100, 8))
        self.write("long.y4m", y4m(352, 198, 9))
        self.write("r.yuv", bytes(range(256)) * 36)
        self.write("d.yuv", bytes(range(255, -1, -1)) * 36)
        raw = ["-w", "64", "-h", "32", "-p", "420", "-b", "8"]
        for line in (["-m", "psnr", REF, DIS], [REF, DIS, "-n", "2"],
                     ["-m", "psnr,float_ssim=enable_db=true", REF, DIS],
                     ["-m", "psnr", "-n", "3", "--first", "2", REF, DIS], ["-m", "psnr", "--every", "3", REF, DIS],
                     ["-m", "psnr", "--skip-ref", "1", "--skip-dis", "1", REF, DIS],
                     ["-m", "psnr", "--frames", "0.1s", REF, DIS], ["-m", "psnr", "--pair", "time", REF, DIS],
                     ["-m", "psnr", "--crop-ref", "64x64+8+8", "--crop-dis", "64x64+8+8", REF, DIS],
                     ["-m", "psnr", "--crop-ref", "8x8+0+0", "--crop-dis", "1=8x8+0+0", "--crop-dis", "9x9+0+0", REF,
                      DIS],
                     ["-m", "psnr", "--ref-colour", "bt709,full", "--dis-colour", "bt709,full", REF, DIS],
                     ["-m", "psnr", "--allow-length", "--allow-rate", "--allow-colour", REF, "long.y4m"],
                     ["-m", "psnr", "--scale", "bicubic", "--allow-rate", "--allow-sar", REF, "half.y4m"],
                     ["-m", "psnr", "--scale", "lanczos", "--scale-ref", "--allow-rate", REF, "half.y4m"],
                     ["-m", "psnr", "--scale", "spline", "--scale-to", "96x64", "--scale-siting", "tag", REF,
                      "half.y4m"],
                     ["-m", "psnr", "--threads", "1", "--cpu", "scalar", "--tile", "64x32", "--strip", "32",
                      "--in-flight", "2", "--backend", "cpu", REF, DIS],
                     ["-m", "psnr", REF, DIS, REF], ["--feature", "psnr", "--feature=float_ssim", REF, DIS, DIS],
                     ["-m", "psnr", "--skip-dis", "2=1", "--name", "2=other", "--allow-length", REF, DIS, DIS],
                     [*raw, "-m", "psnr", "r.yuv", "d.yuv"],
                     [*raw, "-m", "psnr", "--dis-format", "raw", "r.yuv", "d.yuv"],
                     ["-m", "psnr", "--matrix", "bt709", "--range", "limited", REF, DIS],
                     ["-m", "all", "-n", "1", REF, DIS]):
            self.prints(*line)
        for line, part in ((["--align", "auto", REF, DIS], "has no --align"), (["-", DIS], "not '-'"),
                           ([REF], "two inputs")):
            self.assertIn(part, self.run_assay(*line, "--print-request").err)

    def test_options_of_one_encode_of_several(self):
        self.write("d.yuv", pathlib.Path(DIS).read_bytes().split(b"FRAME\n", 1)[1].replace(b"FRAME\n", b""))
        crop = ["--crop-ref", "176x198+0+0"]
        done = self.passes("-m", "psnr", REF, DIS, "d.yuv", *crop, "--crop-dis", "1=176x198+0+0", "--crop-dis",
                           "2=176x198+0+0", "--width", "2=352", "--height", "2=198", "-p", "2=yuv420p", "--name",
                           "2=raw", "--skip-dis", "2=1", "--allow-length", "--allow-rate", "--allow-range",
                           "--dis-colour", "2=limited", "--json", "l.json")
        self.assertEqual([e["name"] for e in json.loads(self.read("l.json"))["encodes"]], ["dis", "raw"], done.err)
        self.passes("-m", "psnr", REF, DIS, *crop, "--crop-dis", "176x198+0+0", "--skip-dis", "1", "--allow-length",
                    "--json", "p.json")
        self.assertEqual(json.loads(self.read("l.json"))["encodes"][1]["pooled_metrics"],
                         json.loads(self.read("p.json"))["pooled_metrics"])
        for line, part in ((["--crop-dis", "3=8x8+0+0"], "there are 2 encodes"), (["--skip-dis", "0=1"], "1 to 16"),
                           (["--skip-dis", "2=x"], "--skip-dis takes"),
                           (["--skip-dis", "2=1s"], "a time is of all"), (["--name", "2="], "--name is that of an"),
                           (["-w", "2=8", "--height", "2=8", "-p", "2=yuv420p10le", "-b", "2=8"], "-b says 8"),
                           (["-w", "2=64"], "of encode 2, too"),
                           (["--skip-ref", "2=1"], "--skip-ref takes")):
            self.refuses(USAGE, part, REF, DIS, DIS, *line)

    def test_gates_and_failures_have_their_codes(self):
        self.assertEqual(self.asks(request([DIS]), "--fail-under", "psnr_y=90").code, GATE)
        self.assertEqual(self.asks(request(["none.y4m"])).code, INPUT)

    def test_what_is_wrong_is_named(self):
        for what, options, part in (
                (request([DIS]), ["-n", "3"], "from the request"), (request([DIS]), ["-m", "ssim"], "from the request"),
                (request([DIS]), ["-n", "0:01"], "from the request"),
                (request([DIS]), ["--crop-dis", "1=8x8+0+0"], "from the request"),
                (request([DIS]), ["--name", "x"], "from the request"),
                (request([{"file": DIS, "raw": {"width": 8, "height": 8, "pixel_format": "yuv420p10le",
                                                "bit_depth": 8}}]), [],
                 "encodes[0]: raw.pixel_format has 10 bits, and raw.bit_depth says 8"),
                (request([{"file": DIS, "raw": {"width": 8, "height": 8, "pixel_format": "yuv42"}}]), [],
                 "encodes[0]: raw.pixel_format takes"),
                (request([DIS]), [REF], "from the request"),
                (request([DIS], framse=3), [], "r.json: request: unknown field 'framse'; did you mean 'frames'?"),
                (request([]), [], "no encode"), ("{", [], "r.json: the request is no JSON object"),
                (request([DIS]), ["--jsno", "x"], "did you mean '--json'?"),
                (request([]), [], "r.json: the request has no encode"),
                (request([DIS]), ["--version"], "from the request"),
                (request([DIS]), ["--list-metrics"], "from the request"),
                (request([DIS]), ["--json", "r.json", "--force"], "'r.json' is one of the inputs"),
                (request([DIS, REF]), ["--json", "r.json", "--force"], "'r.json' is one of the inputs"),
                (request([{"file": DIS, "name": "../x"}]), ["--xml", "out/{name}.xml"], "leads to another folder"),
                (request([DIS], **{"device": {"threads": 1}, "device.threads": 2}), [],
                 "r.json: 'device.threads' is no name"),
                (request([{"file": DIS, "raw.width": 8}]), [], "'raw.width' is no name"),
                (request([DIS], scale={"to": "distorted"}), [], "needs --scale"),
                (request([DIS], rgb_range="full"), [], "--range is of the luma that --matrix makes"),
                (request([DIS], pair="time", every=2), [], "--every finds frames by their numbers"),
                (request([DIS], pair="time", first=2), [], "--first finds frames by their numbers"),
                (request([DIS], pair="time", device={"hwdec": "auto"}), [], "--pair time needs --hwdec off"),
                (request([DIS], pair="time"), ["--shard", "x.part"], "--shard finds frames by their numbers")):
            done = self.asks(what, *options)
            self.assertEqual(done.code, USAGE, done.err)
            self.assertIn(part, done.err)
        text = json.dumps(request([DIS]))[:-1]
        for more, part in (("metrics", '["all"' + ', "all"' * 199999 + "]"),
                           ("x", "1" + "".join(f', "x{i}": 1' for i in range(199999)))):
            self.assertEqual(self.asks(f'{text}, "{more}": {part}}}').code, USAGE)
        self.assertEqual(self.run_assay("run").code, USAGE)
        self.assertIn("usage: assay run", self.passes("run", "--help").out)


class Probes(Case):
    def test_what_is_seen_is_what_a_report_says(self):
        seen = json.loads(self.passes("probe", REF, DIS, "--json", "-").out)["files"]
        self.passes("-q", "-m", "psnr", "--json", "r.json", REF, DIS)
        said = json.loads(self.read("r.json"))["assay"]
        for side, file in zip(("reference", "distorted"), seen):
            self.assertIsNone(file["refused"])
            self.assertEqual((file["frames"], file["frames_exact"]), (8, True))
            for name in ("file", "bytes", "reader", "format", "size", "range", "color", "frame_rate", "field_order"):
                self.assertEqual(file[name], said[f"{side}_{name}"])
        text = self.passes("probe", REF, DIS).out
        self.assertEqual(text.count("  size                352x198\n"), 2)

    @unittest.skipUnless(shutil.which("ffmpeg") and os.environ.get("ASSAY_LIBAV"), "no libav, or no ffmpeg program")
    def test_colour_has_names(self):
        def seen(format, tags):
            subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25",
                            "-frames:v", "2", "-vf", f"format={format},setparams={tags}", "-c:v", "ffv1", "c.mkv"],
                           cwd=self.dir, check=True)
            file, = json.loads(self.passes("probe", "c.mkv", "--json", "-").out)["files"]
            self.assertIn(f"  color               {file['color']}\n", self.passes("probe", "c.mkv").out)
            return file["color"]
        hdr = "color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc"
        self.assertEqual(seen("yuv420p10le", hdr), "matrix bt2020, transfer pq, primaries bt2020")
        self.assertEqual(seen("yuv420p", "field_mode=auto"), "matrix untagged, transfer untagged, primaries untagged")
        self.assertEqual(seen("gray", "color_trc=iec61966-2-1"), "transfer srgb")

    def test_height(self):
        """-h alone is help. Beside a file it is the height, as for scoring."""
        self.write("d.yuv", bytes(64 * 48 * 3))
        lines = [self.passes("probe", "d.yuv", "-w", 64, name, 48, "-p", "yuv420p").out for name in ("-h", "--height")]
        self.assertEqual(lines[0], lines[1])
        self.assertIn("  size                64x48\n", lines[0])
        self.assertEqual(self.passes("probe", "-h").out, self.passes("probe", "--help").out)
        self.refuses(USAGE, "'-h', --height needs a value", "probe", "d.yuv", "-h")

    def test_two_depths(self):
        self.write("d.yuv", bytes(64 * 48 * 3))
        self.refuses(USAGE, ["10 bits", "-b says 8"], "probe", "d.yuv", "-w", 64, "--height", 48, "-p", "yuv420p10le",
                     "-b", 8)

    def test_what_would_be_refused_is_said_as_scoring_says_it(self):
        self.write("other.y4m", y4m(48, 32, 3))
        done = self.run_assay("probe", REF, "other.y4m", DIS, "--json", "p.json")
        self.assertEqual(done.code, MISMATCH)
        self.assertIn("other.y4m would be refused beside", done.err)
        refused = [file["refused"] for file in json.loads(self.read("p.json"))["files"]]
        self.assertEqual((refused[0], refused[2]), (None, None))
        self.assertIn(refused[1], self.run_assay(REF, "other.y4m").err)

    def test_what_is_stopped_leaves_no_part_of_a_list(self):
        os.mkfifo(self.dir / "fifo")
        for line in (["fifo"], [REF, "fifo", "--json", "p.json"]):
            with subprocess.Popen([PROGRAM, "probe", *line], cwd=self.dir, stderr=subprocess.PIPE, text=True) as probe:
                with open(self.dir / "fifo", "wb"): # it is being read
                    probe.terminate()
                    self.assertIn("stopped by SIGTERM", probe.communicate()[1])
            self.assertEqual(probe.returncode, 128 + signal.SIGTERM)
            self.assertFalse(os.path.exists(self.dir / "p.json"))

    def test_files_that_can_not_be_read_and_wrong_lines(self):
        done = self.run_assay("probe", REF, "none.y4m", DIS)
        self.assertEqual(done.code, INPUT)
        self.assertEqual(done.out.count("352x198"), 2)
        self.assertIn("none.y4m: can't be opened", done.err)
        done = self.run_assay("probe", REF, "none.y4m", "other.y4m", DIS, "--json", "p.json")
        self.assertEqual(done.code, INPUT)
        seen = json.loads(self.read("p.json"))["files"]
        self.assertEqual([file["file"] for file in seen], [REF, "none.y4m", "other.y4m", DIS])
        self.assertEqual([file.get("unread", "").partition(":")[0] for file in seen], ["", "none.y4m", "other.y4m", ""])
        done = self.run_assay("probe", REF, "-w", "352")
        self.assertEqual((done.code, "describe raw files" in done.err), (USAGE, True))
        self.write("r.yuv", bytes(16 * 8 * 3 // 2 * 2))
        self.assertIn("frames              2", self.passes("probe", "r.yuv", "-w", "16", "--height", "8", "-p",
                                                           "yuv420p").out)
        for line, part in (([], "a file is needed"), (["-", "-"], "standard input"), (["--jsno", REF], "'--json'"),
                           ([REF, "--json", REF], "would be overwritten")):
            done = self.run_assay("probe", *line)
            self.assertEqual(done.code, USAGE)
            self.assertIn(part, done.err)


if __name__ == "__main__":
    main()
