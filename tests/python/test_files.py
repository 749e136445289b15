#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The package `assay` with files: the scores, lines and reports of the command; runs, and how they end."""
import asyncio
import gc
import gzip
import io
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import unittest
import warnings

from common import DIS, PROGRAM, REF, ROOT, Case, command

import numpy as np

import assay
from assay._held import Held
from assay._html import curve

QUICK = {"metrics": "psnr"}


class Scores(Case):
    def test_a_pair_has_the_commands_bits(self):
        metrics = "vmaf,psnr=enable_apsnr=true,float_ms_ssim,xpsnr,motion"
        with self.assertWarnsRegex(assay.AssayWarning, "vmaf_v0.6.1 is for 1080p"):
            results = assay.score(REF, DIS, metrics=metrics)
        self.same(results[0], self.report("-m", metrics, REF, DIS))
        self.assertIs(results["vmaf"], results[0]["vmaf"])
        self.assertEqual(results["vmaf"].dtype, np.float64)
        self.assertEqual(results.times.tolist()[:2], [0, 0.033333333])
        self.assertEqual(results[0].name, "dis")
        self.assertFalse(results["vmaf"].flags.writeable)
        values = results["psnr_y"]
        self.assertEqual(results.worst("psnr_y", 3), [int(f) for f in np.argsort(values)[:3]])
        self.assertEqual(results.pool("psnr_y", "max", 3, 4), values[3])
        self.assertTrue(np.isnan(results.pool("psnr_y", first=8)))
        # nothing counts from the end, and no bit is dropped
        for says, call in (("first is 0 to", lambda: results.pool("psnr_y", first=-1)),
                           ("end is 0 to", lambda: results.pool("psnr_y", end=-1)),
                           ("end is 0 to", lambda: results.pool("psnr_y", end=2**64 + 6)),
                           ("first is a whole number", lambda: results.pool("psnr_y", first=0.5)),
                           ("count is 0 to", lambda: results.worst("psnr_y", -1)),
                           ("encode is 0 to", lambda: results.write(self.dir / "never.json", encode=-1)),
                           ("decimals is -1 to 17", lambda: results.write(self.dir / "never.json", decimals=2**32))):
            self.fails(assay.UsageError, says, call)
        self.fails(assay.UsageError, "'middle' is no pool", results.pool, "psnr_y", "middle")
        self.fails(assay.UsageError, "no worst frame", results.worst, "integer_motion2")
        self.fails(KeyError, "no key 'psnr'; there are vmaf, psnr_y", lambda: results["psnr"])
        self.assertIn("enable_apsnr=true", results[0].fact("configuration"))
        self.assertIsNone(results[0].fact("nothing"))
        self.assertIn("8 frames", repr(results))

    def test_the_default_metrics_are_the_commands(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.same(assay.score(str(REF), DIS)[0], self.report(REF, DIS))

    def test_bytes_and_file_objects(self):
        """They have the scores of the file, and messages and results call them by a name."""
        expected = self.report("-m", "psnr", REF, DIS)
        data = DIS.read_bytes()
        with open(DIS, "rb") as own, open(DIS, "rb", buffering=0) as raw, gzip.open(self.packed(data)) as packed:
            for side in (data, bytearray(data), memoryview(data), io.BytesIO(data), own, raw, packed):
                with self.subTest(side=type(side).__name__):
                    self.same(assay.score(REF, side, metrics="psnr")[0], expected)
        reading, writing = os.pipe()
        feeder = threading.Thread(target=lambda: (os.fdopen(writing, "wb").write(data)))
        feeder.start()
        with os.fdopen(reading, "rb") as pipe:
            self.same(assay.score(REF.read_bytes(), pipe, metrics="psnr")[0], expected)
        feeder.join()
        with open(self.packed(b"before" + data, plain=True), "rb") as file:
            file.read(6)
            results = assay.score(REF, [file, data, DIS], metrics="psnr")
        self.assertEqual([encode.name for encode in results], ["packed", "encode 1", "dis"])
        self.same(results[0], expected)
        self.same(results[1], expected)
        raw_input = assay.Input(data[data.index(b"FRAME\n") + 6:][:352 * 198], raw_width=352, raw_height=198,
                                raw_pixel_format="gray", format="raw")
        self.assertEqual(assay.score(raw_input, raw_input, metrics="psnr")["psnr_y"].tolist(), [60])
        self.assertEqual(assay.probe(data).width, 352)

    def packed(self, data, plain=False):
        path = self.dir / "packed.gz"
        path.write_bytes(data if plain else gzip.compress(data, 1))
        return path

    def test_file_objects_that_are_refused(self):
        error = self.fails(assay.InputError, "the encode: is neither Y4M nor ", assay.score, REF, b"nothing",
                           metrics="psnr")
        self.assertNotIn("/proc", str(error))
        with open(DIS, encoding="latin-1") as text:
            self.fails(assay.UsageError, 'open it with "rb"', assay.score, REF, text)
        self.fails(assay.UsageError, "can't be pickled", pickle.dumps, assay.Request(REF, b"nothing"))
        self.fails(assay.UsageError, "not float", assay.score, REF, 1.0)
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(5):
            assay.score(REF, DIS.read_bytes(), metrics="psnr", frames=1)
        gc.collect()
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)

    def test_a_ladder_has_the_commands_bits(self):
        inputs = [assay.Input(DIS, name="a", crop="176x198+0+0"), assay.Input(REF, crop="176x198+0+0")]
        results = assay.score(assay.Input(REF, crop="176x198+0+0"), inputs, metrics=["psnr", "ssim"], frames=5)
        options = ["-m", "psnr,ssim", "--crop-ref", "176x198+0+0", "--crop-dis", "176x198+0+0", "--frames", "5"]
        report = self.report(*options, REF, DIS, REF)
        self.assertEqual([encode.name for encode in results], ["a", "ref"])
        for encode, theirs in zip(results, report["encodes"]):
            self.assertEqual({key: encode.pool(key) for key in encode},
                             {key: pools["mean"] for key, pools in theirs["pooled_metrics"].items()})
        self.same(results[0], self.report(*options, REF, DIS))
        self.assertEqual(results.encode("ref")["psnr_y"].tolist(), [60] * 5)
        self.fails(assay.UsageError, "there are 2 encodes", results.pool, "psnr_y")
        self.fails(KeyError, "no encode 'b'", results.encode, "b")

    def test_reports_have_the_commands_bytes(self):
        # FFmpeg's libraries, which another run has loaded, are no part of this one's
        self.fails(assay.InputError, "README.md: is neither", assay.score, REF, ROOT / "README.md")
        results = assay.score(REF, DIS, **QUICK)
        for form in ("json", "csv", "xml", "sub"):
            own, path = self.dir / f"own.{form}", self.dir / f"theirs.{form}"
            results.write(own, decimals=6)
            command("-q", "--reproducible", "--precision", 6, f"--{form}", path, "-m", "psnr", REF, DIS)
            self.assertEqual(own.read_bytes(), path.read_bytes(), form)
        self.assertEqual(json.loads(results.to_json()), self.report("-m", "psnr", REF, DIS))
        for frames in (5, 8, 9):
            own = json.loads(assay.score(REF, DIS, frames=frames, **QUICK).to_json())
            self.assertEqual(own, self.report("-m", "psnr", "--frames", frames, REF, DIS))
            self.assertEqual(own["assay"]["distorted_bitrate_kbps"] is None, frames <= 8)
        self.fails(assay.UsageError, "is one of the inputs", results.write, REF, "json")
        self.fails(assay.UsageError, "does not end in one of .json", results.write, self.dir / "x.txt")
        self.fails(assay.InternalError, "", results.write, "/dev/null/x.json")

    def test_notebooks(self):
        results = assay.score(REF, [DIS, self.dir / "<b>"], check=False, metrics="psnr,motion")
        page = results._repr_html_()
        self.assertIn(f"<tr><th>psnr_y</th><td>{results[0].pool('psnr_y'):.3f}</td>", page)
        self.assertNotIn("integer_motion2", page)  # it has no worst frame
        self.assertIn("&lt;b&gt;", page)
        self.assertNotIn("<b>", page)
        self.assertEqual(page.count("<table>"), 2)
        points = re.findall(r'points="([^"]*)"', page)[0].split()
        self.assertEqual((len(points), points[0]), (8, "0.0,1.0"))  # the first frame has the highest value
        gaps = curve(np.array([1, 2, np.nan, 3, 3, np.inf]))
        self.assertEqual(len(re.findall("<polyline", gaps)), 2)
        self.assertEqual(curve(np.full(3, np.inf)), "")
        dips = np.ones(5000)
        dips[1234] = 0
        self.assertIn(",35.0", curve(dips))
        dips[::4] = np.inf  # frames that are identical
        self.assertIn(",35.0", curve(dips))
        peaks = np.zeros(5000)
        peaks[1234] = 1
        self.assertIn(",1.0", curve(peaks, -1))

    def test_files_of_this_process_have_their_names(self):
        held = Held()
        held.shown += [("/proc/self/fd/5", "a.y4m"), ("/proc/self/fd/50", "the encode")]
        self.assertEqual(held.say("/proc/self/fd/50: against /proc/self/fd/5: x"), "the encode: against a.y4m: x")


class Requests(Case):
    def test_fields_are_those_of_the_table(self):
        request = assay.Request(assay.Input(REF, skip=np.int64(1)), [DIS], metrics=("psnr", "ssim"),
                                allow="length,depth", scale="bicubic", threads=2, backend="cpu")
        self.assertEqual(request.to_dict(), {
            "assay": "request/1", "reference": {"file": str(REF), "skip": 1}, "encodes": [{"file": str(DIS)}],
            "metrics": ["psnr", "ssim"], "allow": ["length", "depth"], "scale": {"filter": "bicubic"},
            "device": {"threads": 2, "backend": "cpu"}})
        again = pickle.loads(pickle.dumps(request))
        self.assertEqual(again.to_dict(), request.to_dict())
        self.assertEqual(eval(repr(request), {"Request": assay.Request}).to_dict(), request.to_dict())

    def test_what_is_wrong_is_refused_by_name(self):
        for line, keywords in {
                "allow takes size, length": {"allow": "sise"},
                "every is a whole number from 1": {"every": 0},
                "device.threads is a whole number": {"threads": True},
                "first is a whole number": {"first": "1"},
                "scale.to takes 'reference', 'distorted' or WxH": {"scale_to": "big"},
                "metrics is a list of texts": {"metrics": [1]},
                "character of the number 0": {"metrics": "a\0b"}}.items():
            self.fails(assay.UsageError, line, assay.Request, REF, DIS, **keywords)
        self.fails(TypeError, "metric", assay.Request, REF, DIS, metric="psnr")
        self.fails(assay.UsageError, "reference: crop takes WxH+X+Y", assay.Request, assay.Input(REF, crop="1"), DIS)
        self.fails(assay.UsageError, "unknown field 'metric'", assay.Request.from_json,
                   '{"assay": "request/1", "metric": 1}')
        self.fails(assay.UsageError, "file is a path", assay.score, "-", DIS)
        self.fails(assay.UsageError, "more than 16 encodes", assay.score, REF, [DIS] * 17)
        self.fails(assay.UsageError, "not int", assay.score, REF, 3)
        self.fails(assay.UsageError, "not int", assay.score, 3, REF)


class Errors(Case):
    def same_line(self, kind, *arguments, options=(), **keywords):
        """The exception has the command's line and exit code."""
        error = self.fails(kind, "", assay.score, *arguments, **keywords)
        code, lines = command("-q", *options, *arguments)
        self.assertEqual(error.exit_code, code)
        self.assertIn(str(error), lines)
        return error

    def test_kinds_with_the_commands_line(self):
        damaged = self.dir / "damaged.y4m"
        damaged.write_bytes(DIS.read_bytes()[:-1000])
        self.same_line(assay.InputError, REF, self.dir / "none.y4m")
        self.same_line(assay.UsageError, REF, DIS, metrics="psnrr", options=["-m", "psnrr"])
        error = self.same_line(assay.InputError, REF, damaged, metrics="psnr", options=["-m", "psnr"])
        self.assertEqual(len(error.results["psnr_y"]), 7)
        self.assertIsInstance(error, assay.AssayError)
        half = self.dir / "half.y4m"
        half.write_bytes(DIS.read_bytes().replace(b"F30:1", b"F25:1", 1))
        self.assertEqual(self.fails(assay.MismatchError, "", assay.score, REF, half, metrics="psnr").exit_code, 5)

    def test_an_encode_that_fails_keeps_its_failure(self):
        results = assay.score(REF, [self.dir / "none.y4m", DIS], check=False, **QUICK)
        self.assertIsInstance(results[0].error, assay.InputError)
        self.assertIs(type(results.error), assay.InputError)
        self.assertIsNone(results[1].error)
        self.assertEqual(len(results[1]["psnr_y"]), 8)
        error = self.fails(assay.InputError, "none.y4m", assay.score, REF, [self.dir / "none.y4m", DIS], **QUICK)
        self.assertEqual(error.results[1]["psnr_y"].tolist(), results[1]["psnr_y"].tolist())


class Runs(Case):
    def waiting(self):
        """A request whose encode is a pipe into which nobody writes any more, behind three frames."""
        pipe = self.dir / f"pipe{len(list(self.dir.iterdir()))}"
        os.mkfifo(pipe)
        end = os.open(pipe, os.O_RDWR)
        self.addCleanup(os.close, end)
        data = DIS.read_bytes()
        first = data.index(b"\n") + 1
        size = (len(data) - first) // 8
        writer = threading.Thread(target=os.write, args=(end, data[:first + 3 * size]), daemon=True)
        writer.start()
        return assay.Request(REF, pipe, metrics="psnr")

    def test_events(self):
        with assay.Run(assay.Request(REF, [DIS, self.dir / "none"], **QUICK)) as run:
            events = list(run)
        kinds = [event.kind for event in events]
        self.assertEqual(kinds.count("ended"), 2)
        opened = [event.format for event in events if event.kind == "opened"]
        self.assertEqual((opened[0].width, opened[0].height, opened[0].layout, opened[0].rate),
                         (352, 198, "420", (30, 1)))
        rows = [(event.first, event.end) for event in events if event.kind == "frames" and event.encode == 0]
        self.assertEqual((rows[0][0], rows[-1][1]), (0, 8))
        failed = [event.error for event in events if event.error]
        self.assertEqual([type(error) for error in failed], [assay.InputError])
        self.assertTrue(run.over)
        self.assertIsNone(run.next(10))
        self.assertEqual(len(run.results[0]["psnr_y"]), 8)

    def test_probe(self):
        raw = self.dir / "a.yuv"
        raw.write_bytes(bytes(64 * 48 * 3))
        self.assertEqual(assay.probe(REF), assay.Format(352, 198, 8, "420", "limited", chroma_location="center",
                                                        rate=(30, 1), sar=(1, 1)))
        found = assay.probe(assay.Input(raw, raw_width=64, raw_height=48, raw_pixel_format="yuv420p10le"))
        self.assertEqual((found.bit_depth, found.shapes()), (10, ((48, 64), (24, 32), (24, 32))))
        self.fails(assay.InputError, f"{raw}: is neither Y4M nor", assay.probe, raw)
        self.fails(assay.InputError, "none: can't be opened: No such file", assay.probe, self.dir / "none")

    def test_cancel_keeps_what_is_scored(self):
        run = assay.Run(self.waiting())
        while not any(event and event.kind == "frames" for event in [run.next(1)]):
            self.assertFalse(run.over)
        self.assertTrue(run.results[0].going)
        run.cancel()
        results = run.wait()
        self.assertIsInstance(results.error, assay.Cancelled)
        self.assertGreaterEqual(len(results["psnr_y"]), 1)
        whole = assay.score(REF, DIS, **QUICK)["psnr_y"]
        self.assertEqual(results["psnr_y"].tolist(), whole[:len(results["psnr_y"])].tolist())

    def test_the_end_of_the_interpreter(self):
        """A run goes on, and a thread waits for it: both end."""
        request = self.waiting()
        done = subprocess.run([sys.executable, "-c", "import assay, sys, threading\n"
                               "run = assay.Run(assay.Request.from_json(sys.argv[1]))\n"
                               "threading.Thread(target=run.wait, daemon=True).start()\n"
                               "run.next(1)\n", request.to_json()], timeout=60, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_results_outlive_their_run(self):
        with assay.Run(assay.Request(REF, DIS, **QUICK)) as run:
            run.wait()
        results = run.results
        del run
        self.assertEqual(len(results["psnr_y"]), 8)

    def test_interrupts(self):
        # in a function of Python, and while the library waits
        def interrupt(*_):
            signal.raise_signal(signal.SIGINT)
        error = self.fails(assay.Interrupted, "interrupted", assay.score, REF, DIS, progress=interrupt, **QUICK)
        self.assertIsInstance(error, KeyboardInterrupt)
        self.assertLessEqual(len(error.results), 8)
        run = self.waiting()
        pipe = run.to_dict()["encodes"][0]["file"]
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        error = self.fails(assay.Interrupted, "", assay.score, REF, pipe, **QUICK)
        self.assertGreaterEqual(len(error.results["psnr_y"]), 1)
        self.assertIsInstance(error.results.error, assay.Cancelled)

    def test_progress(self):
        said = []
        assay.score(REF, DIS, progress=lambda *now: said.append(now), **QUICK)
        self.assertEqual(said[-1][:2], (8, 8))
        self.fails(ZeroDivisionError, "", assay.score, REF, DIS, progress=lambda *_: 1 / 0, **QUICK)

    def test_threads(self):
        # one waits for ever, the others go on: nothing of Python is held meanwhile
        stuck = assay.Run(self.waiting())
        waiting = threading.Thread(target=stuck.wait)
        waiting.start()
        found = []
        threads = [threading.Thread(target=lambda: found.append(assay.score(REF, DIS, **QUICK)["psnr_y"].tolist()))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [assay.score(REF, DIS, **QUICK)["psnr_y"].tolist()] * 4)
        stuck.cancel()
        waiting.join()

    def test_await(self):
        async def both():
            runs = [assay.Run(assay.Request(REF, DIS, **QUICK)) for _ in range(2)]
            return await asyncio.gather(*runs)

        async def given_up():
            run = assay.Run(self.waiting())
            task = asyncio.ensure_future(asyncio.wait_for(run, 0.1))
            try:
                await task
            except asyncio.TimeoutError:
                return run.results.error
        self.assertEqual([len(results["psnr_y"]) for results in asyncio.run(both())], [8, 8])
        self.assertIsInstance(asyncio.run(given_up()), assay.Cancelled)


class Processes(Case):
    def child(self, function):
        """What a function says in a process that is forked from this one."""
        out, into = os.pipe()
        pid = os.fork()
        if not pid:
            said = b"nothing"
            try:
                said = str(function()).encode()
            except BaseException as error:
                said = f"{type(error).__name__}: {error}".encode()
            finally:
                os.write(into, said)
                os._exit(0)
        os.close(into)
        said = os.read(out, 10000).decode()
        os.close(out)
        os.waitpid(pid, 0)
        return said

    def test_forks(self):
        whole = assay.score(REF, DIS, **QUICK)
        self.assertIn("UsageError: this run is of the process that was forked", self.child(lambda: whole["psnr_cb"]))
        self.assertEqual(self.child(lambda: assay.score(REF, DIS, **QUICK).pool("psnr_y")), str(whole.pool("psnr_y")))
        pipe = self.dir / "pipe"
        os.mkfifo(pipe)
        end = os.open(pipe, os.O_RDWR)
        with assay.Run(assay.Request(REF, pipe)):
            said = self.child(lambda: assay.score(REF, DIS, **QUICK))
            self.assertIn("UsageError: this process was forked while another run", said)
        os.close(end)
        self.fails(assay.DeviceError, "", assay.score, REF, DIS, backend="cuda", device="no such device")
        self.assertIn("forked after a GPU was used", self.child(lambda: assay.score(REF, DIS, backend="cuda")))

    def test_messages_of_libav_behind_the_end_of_the_library(self):
        """A program that unloads the library goes on to use FFmpeg's libraries, which keep the library's handler."""
        unknown = self.dir / "unknown"
        unknown.write_bytes(bytes(4096))
        program = """
import _ctypes, ctypes, sys, assay
try:
    assay.probe(sys.argv[1])
except assay.InputError:
    pass
_ctypes.dlclose(assay._library.C._handle)
with open("/proc/self/maps") as maps:
    paths = {line.split()[-1] for line in maps if "/libavutil.so" in line}
for path in paths:
    ctypes.CDLL(path).av_log(None, 16, b"a message of the program's own\\n")
print(len(paths), flush=True)
"""
        done = subprocess.run([sys.executable, "-c", program, unknown], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout[1:]), (0, "\n"), done.stderr)
        if done.stdout == "0\n":
            self.skipTest("the machine has no libav")

    def test_the_module_is_the_command(self):
        environment = {**os.environ, "PATH": os.path.dirname(PROGRAM)}
        done = subprocess.run([sys.executable, "-m", "assay", "-q", "-m", "psnr", REF, "none.y4m"], env=environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, [done.stderr.removeprefix("assay: ").strip()]),
                         command("-q", "-m", "psnr", REF, "none.y4m"))

    def test_a_library_that_is_not_there(self):
        for stated, line in ((self.dir, "can't be loaded"), ("libm.so.6", "is of another version than this package")):
            done = subprocess.run([sys.executable, "-c", "import assay"], capture_output=True, text=True, check=False,
                                  env={**os.environ, "ASSAY_LIBRARY": str(stated)})
            self.assertIn("ImportError: assay: ", done.stderr)
            self.assertIn(line, done.stderr)


if __name__ == "__main__":
    unittest.main()
