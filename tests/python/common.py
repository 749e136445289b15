# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of the Python package share. $ASSAY is the command, $ASSAY_LIBRARY the library."""
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIP = 77
for module in ("numpy",):
    if importlib.util.find_spec(module) is None:
        print(f"skipped: {module} is not installed")
        sys.exit(SKIP)

import numpy as np

import assay

ROOT = pathlib.Path(__file__).resolve().parents[2]
REF, DIS = ROOT / "examples/sample/ref.y4m", ROOT / "examples/sample/dis.y4m"
PROGRAM = os.environ["ASSAY"]


def command(*arguments):
    """(exit code, the command's lines on standard error without their "assay: ")."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    return done.returncode, [line.removeprefix("assay: ") for line in done.stderr.splitlines()]


def pictures(path):
    """The planes of each picture of a Y4M of 4:2:0 with 8 bits."""
    data = path.read_bytes()
    end = data.index(b"\n")
    width, height = (int(word[1:]) for word in data[:end].decode().split()[1:3])
    sizes = [(height, width)] + 2 * [((height + 1) // 2, (width + 1) // 2)]
    at, found = end + 1, []
    while at < len(data):
        at = data.index(b"\n", at) + 1
        planes = []
        for rows, columns in sizes:
            planes.append(np.frombuffer(data, np.uint8, rows * columns, at).reshape(rows, columns))
            at += rows * columns
        found.append(tuple(planes))
    return found


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="assay-python-"))
        self.addCleanup(shutil.rmtree, self.dir)

    def find_command(self):
        """Puts the command into the PATH."""
        before = os.environ["PATH"]
        os.environ["PATH"] = f"{os.path.dirname(PROGRAM)}:{before}"
        self.addCleanup(os.environ.__setitem__, "PATH", before)

    def report(self, *arguments):
        """The command's report, at full precision."""
        path = self.dir / "report.json"
        code, lines = command("-q", "--reproducible", "--precision", "max", "--json", path, *arguments)
        self.assertEqual(code, 0, lines)
        return json.loads(path.read_text(encoding="utf-8"))

    def same(self, encode, report):
        """Every score, pool and aggregate of an encode is that of a report, bit for bit."""
        rows = report["frames"]
        self.assertEqual(list(encode.frames), [row["frameNum"] for row in rows])
        self.assertEqual({*encode, *encode.features}, {*rows[0]["metrics"]})
        for key in rows[0]["metrics"]:
            self.assertEqual(encode[key].tolist(), [row["metrics"][key] for row in rows], key)
        for key, pools in report["pooled_metrics"].items():
            for pool, value in pools.items():
                self.assertEqual(encode.pool(key, pool), value, (key, pool))
        self.assertEqual(encode.aggregates, report.get("aggregate_metrics", {}))

    def fails(self, kind, line, function, *arguments, **keywords):
        with self.assertRaises(kind) as caught:
            function(*arguments, **keywords)
        self.assertIn(line, str(caught.exception))
        return caught.exception
