# SPDX-License-Identifier: BSD-2-Clause
"""tools/setup.sh on a machine whose apt is busy: programs in front of the PATH stand for apt-get and the like."""
import os
import subprocess
import unittest

from command import ROOT, Case, main

BUSY = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 321 (unattended-upgr)"


@unittest.skipUnless(os.access("/bin/sh", os.X_OK) and os.geteuid() == 0, "only root installs packages")
class Setup(Case):
    def program(self, name, text):
        path = self.dir / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\n" + text, encoding="utf-8")
        path.chmod(0o755)

    def setup_script(self, busy):
        """Runs setup.sh where nothing is installed and the first `busy` calls of apt-get find the lock taken."""
        self.program("dpkg-query", "exit 0\n")
        self.program("sleep", f"echo slept >> {self.dir}/sleeps\n")
        self.program("apt-get", f'echo "$@" >> {self.dir}/calls\n[ $(wc -l < {self.dir}/calls) -gt {busy} ] && exit 0\n'
                                f"echo '{BUSY}'\nexit 100\n")
        return subprocess.run([str(ROOT / "tools" / "setup.sh")], capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": f"{self.dir}/bin:{os.environ['PATH']}"}, timeout=600)

    def lines(self, name):
        path = self.dir / name
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def test_waits_for_the_lock(self):
        done = self.setup_script(busy=3)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.lines("sleeps")), 3)
        self.assertEqual(done.stderr.count("holds apt's lock"), 1, done.stderr)
        self.assertIn("(process 321 (unattended-upgr))", done.stderr)
        self.assertEqual(sum(" update" in call for call in self.lines("calls")), 4)
        self.assertEqual(sum(" install " in call for call in self.lines("calls")), 1)

    def test_does_not_wait_for_ever(self):
        done = self.setup_script(busy=10000)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("could not install", done.stderr)
        self.assertEqual(len(self.lines("sleeps")), 30)

    def test_does_not_wait_without_need(self):
        done = self.setup_script(busy=0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("lock", done.stderr)
        self.assertEqual(self.lines("sleeps"), [])


if __name__ == "__main__":
    main()
