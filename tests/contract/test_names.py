# SPDX-License-Identifier: BSD-2-Clause
"""Host code addresses kernels by name: what names nothing, or something else, does not compile; no bare number is left.

    test_names.py ROOT FOLDER_OF_PASSES_GEN_H CC...
"""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT, GENERATED, CC = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]

PROGRAM = """
#include "metrics/metric.h"

struct options { bool flag; int count; double ratio; };
#define OPTIONS struct options

int metric(struct graph *g, graph_plane plane, double wide, const int64_t *frame, struct assay_error *e);
int metric(struct graph *g, graph_plane plane, double wide, const int64_t *frame, struct assay_error *e)
{
    (void)wide, (void)frame, (void)plane, (void)g, (void)e;
    %s
    return 0;
}
"""

HALVE = "graph_plane out; return halve_add(g, PASS_GRID(halve, 4, 4, %s), &out, e);"
DISPLAY = ("static const float matrix[%d] = {0}; graph_plane out; return linear_display_add(g, PASS(linear_display, "
           ".light = plane, .matrix = &matrix, .system_gamma = 0.0f, .gain = 1.0f, .most = 1.0f), &out, e);")
XYB = "graph_plane out; return %s_add(g, PASS(xyb, .light = plane, .width = %s, .height = 1), &out, e);"
OPTION = "static const struct metric_option row[] = {%s}; (void)row;"

COMPILES = {
    "every plane and parameter by name": HALVE % ".source = plane, .scale = 0.5f",
    "in another order": HALVE % ".scale = 0.5f, .source = plane",
    "an array of as many values": DISPLAY % 9,
    "the totals of a pass": "struct sse_at at = {0}; return (int)sse_totals(at, frame).squares.low;",
    "an option for a field of its type": OPTION % 'FLAG_OPTION(flag, "flag", false, "")',
}

FAILS = {
    "a name that the head does not have": HALVE % ".source = plane, .scales = 0.5f",
    "a parameter is missing": HALVE % ".source = plane",
    "a plane is missing": HALVE % ".scale = 0.5f",
    "a parameter is given twice": HALVE % ".scale = 0.5f, .scale = 1.0f",
    "values without names": HALVE % "plane, 0.5f",
    "a name and a value without one": HALVE % ".scale = 0.5f, plane",
    "a double for a float": HALVE % ".source = plane, .scale = wide",
    "a fraction for an integer": XYB % ("xyb", "wide"),
    "an array of too few values": DISPLAY % 8,
    "a request of another kernel": XYB % ("halve", "1"),
    "a total that the head does not name": "struct sse_at at = {0}; return (int)sse_totals(at, frame).square.low;",
    "totals of another kernel's pass": "struct moments_at at = {0}; return (int)sse_totals(at, frame).squares.low;",
    "extrema of a kernel that has none": "struct sse_at at = {0}; return (int)at.extrema;",
    "planes written by another kernel": "struct texel_planes_written out; return adm_dwt_add(g, PASS(adm_dwt, "
                                        ".source = plane, .scale = 1.0f, .offset = 0.0f), &out, e);",
    "an option for a field of another type": OPTION % 'FLAG_OPTION(count, "count", false, "")',
    "an option for no field": OPTION % 'FLAG_OPTION(flags, "flags", false, "")',
}

# A parameter by its number, and what asks for a pass of any kernel. The layers below the names have both; the self-test
# copies passes of any graph.
NUMBERED = re.compile(r"\bparam\[\s*\d+\s*\]\s*\.")
ANY_PASS = re.compile(r"\bgraph_add\(|\bstruct graph_pass_request\b")
BELOW = {"graph", "kernels"}


def compiles(body):
    """With no warning asked for: the headers alone see to it."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "metric.c"
        source.write_text(PROGRAM % body)
        includes = [f"-I{ROOT / 'src'}", f"-I{ROOT / 'include'}", f"-I{GENERATED}"]
        command = [*CC, "-std=c11", "-D_GNU_SOURCE", *includes, "-c", str(source), "-o", str(Path(folder) / "metric.o")]
        return subprocess.run(command, capture_output=True, text=True).returncode == 0


class Names(unittest.TestCase):
    def test_what_is_right_compiles(self):
        for what, body in COMPILES.items():
            with self.subTest(what):
                self.assertTrue(compiles(body))

    def test_what_is_wrong_does_not_compile(self):
        for what, body in FAILS.items():
            with self.subTest(what):
                self.assertFalse(compiles(body))

    def test_host_code_addresses_nothing_by_number(self):
        seen = 0
        for path in sorted((ROOT / "src").rglob("*.[ch]")):
            layer = path.relative_to(ROOT / "src").parts[0]
            if layer in BELOW:
                continue
            seen += 1
            text = path.read_text()
            found = {m[0] for m in NUMBERED.finditer(text)}
            found |= {m[0] for m in ANY_PASS.finditer(text) if layer != "selftest"}
            self.assertFalse(found, f"{path}: passes_gen.h has names for {found}")
        self.assertGreater(seen, 50)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
