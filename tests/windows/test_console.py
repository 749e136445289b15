#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The command for Windows in a console: progress, colours, and Ctrl-C, which ends a run early.

    test_console.py WINDOWS INTERRUPT
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from wine import program, shown

WINDOWS, INTERRUPT = (str(pathlib.Path(sys.argv.pop(1)).resolve()) for _ in range(2))
FOLDER = tempfile.TemporaryDirectory()
program(pathlib.Path(FOLDER.name), WINDOWS)
from command import PROGRAM, Case, OnTerminal, main, y4m  # noqa: E402

FRAMES = 3


class Console(Case):
    def setUp(self):
        super().setUp()
        self.ref, self.dis = self.pair(width=24, height=20, frames=FRAMES + 5)

    def test_progress(self):
        code, seen = OnTerminal([PROGRAM, "-m", "psnr", "--csv", "NUL", self.ref, self.dis], cwd=self.dir,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL).finish()
        self.assertEqual(code, 0, seen)
        self.assertRegex(shown(seen).replace(" ", ""), rf"\x1b\[36m\d/{FRAMES + 5}frames\d+%[\d.]+frames/s.*\x1b\[0m")

    def test_ctrl_c_keeps_what_is_scored(self):
        size = len(y4m(width=24, height=20, frames=FRAMES))
        code, seen = OnTerminal(["wine", INTERRUPT, self.dis, str(size), "a.csv.part-*", str(1 + FRAMES), WINDOWS, "-q",
                                 "-m", "psnr", "--csv", "a.csv", "--json", "a.json", "--shard", "part.json", self.ref,
                                 "-"], cwd=self.dir, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL).finish()
        self.assertEqual(code, 130, shown(seen))
        self.assertIn("assay: stopped by SIGINT", shown(seen))
        report = json.loads(self.read("a.json"))
        self.assertEqual(len(report["frames"]), FRAMES)
        self.assertEqual(len(self.read("a.csv").splitlines()), 1 + FRAMES)
        self.assertIs(report["assay"]["incomplete"], True)
        self.assertIn("SIGINT", report["assay"]["reason"])
        self.assertEqual(sorted(path.name for path in self.dir.glob("*a*")), ["a.csv", "a.json"])


if __name__ == "__main__":
    with FOLDER:
        main()
