# SPDX-License-Identifier: BSD-2-Clause
"""Which instruction sets the Makefile asks for: tools/configure.sh with a program that stands for meson."""
import os
import shutil
import subprocess
import unittest

from command import ROOT, Case, main

MESON = """#!/bin/sh
echo "$@" >>"$CALLS"
mkdir -p "$BUILD/src/kernels"
: >"$BUILD/build.ninja"
case "$*" in
    *cpu_levels=native*) echo 'meson with -Dcpu_levels=all' >"$BUILD/src/kernels/levels_gen.h" ;;
    *cpu_levels=all*) : >"$BUILD/src/kernels/levels_gen.h" ;;
esac
"""


class Configure(Case):
    def setUp(self):
        super().setUp()
        self.build, self.calls = self.dir / "build", self.dir / "calls"
        (self.dir / "bin").mkdir()
        (self.dir / "bin" / "meson").write_text(MESON, encoding="utf-8")
        (self.dir / "bin" / "meson").chmod(0o755)

    def configure(self, levels, *prefix, ci=""):
        """What meson was asked for: "native", "all", "" for neither, None where it was not called."""
        self.calls.write_text("", encoding="utf-8")
        env = {**os.environ, "PATH": f"{self.dir}/bin:{os.environ['PATH']}", "CI": ci, "CALLS": str(self.calls),
               "BUILD": str(self.build)}
        subprocess.run([str(ROOT / "tools" / "configure.sh"), str(self.build), levels, *prefix], check=True, env=env,
                       timeout=600)
        calls = self.calls.read_text(encoding="utf-8").splitlines()
        self.assertLessEqual(len(calls), 1)
        return calls[0].partition("-Dcpu_levels=")[2].partition(" ")[0] if calls else None

    def test_a_new_folder(self):
        for levels, ci, asked in (("any", "", "native"), ("all", "", "all"), ("any", "true", "all"),
                                  ("all", "true", "all")):
            with self.subTest(levels=levels, ci=ci):
                shutil.rmtree(self.build, ignore_errors=True)
                self.assertEqual(self.configure(levels, ci=ci), asked)
                self.assertIsNone(self.configure(levels, ci=ci))

    def test_all_are_added_to_some_and_stay(self):
        self.assertEqual(self.configure("any"), "native")
        self.assertEqual(self.configure("all"), "all")
        self.assertIn("--reconfigure", self.calls.read_text(encoding="utf-8"))
        self.assertIsNone(self.configure("any"))
        self.assertIsNone(self.configure("all"))

    def test_ci_adds_all(self):
        self.assertEqual(self.configure("any"), "native")
        self.assertEqual(self.configure("any", ci="true"), "all")

    def test_new_packages_change_no_levels(self):
        self.configure("any")
        (self.build / ".packages").write_text("others", encoding="utf-8")
        self.assertEqual(self.configure("any"), "")
        self.assertIn("--reconfigure", self.calls.read_text(encoding="utf-8"))

    def test_prefix(self):
        self.configure("any")
        self.assertEqual(self.configure("any", "/opt/p"), "")
        self.assertIn("configure", self.calls.read_text(encoding="utf-8").split())
        self.assertIsNone(self.configure("any", "/opt/p"))
        self.assertEqual(self.configure("all", "/opt/q"), "all")
        self.assertIn("-Dprefix=/opt/q", self.calls.read_text(encoding="utf-8"))

    @unittest.skipUnless(shutil.which("make"), "meson was called without make")
    def test_goals(self):
        for goals, levels in ((["score"], "any"), ([], "all"), (["all"], "all"), (["test"], "any"),
                              (["install"], "all"), (["score", "test"], "any"), (["all", "test"], "all")):
            done = subprocess.run(["make", "-n", "-C", str(ROOT), "BUILD=" + str(self.build), *goals], check=True,
                                  capture_output=True, text=True, timeout=600)
            line = next(x for x in done.stdout.splitlines() if x.startswith("tools/configure.sh"))
            self.assertEqual(line.split()[1:], [str(self.build), levels], goals)


if __name__ == "__main__":
    main()
