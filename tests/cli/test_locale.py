# SPDX-License-Identifier: BSD-2-Clause
"""The locale never matters: same bytes out, same numbers in.

A locale that writes 0,5 is compiled into the test's folder when `localedef` has its source. $LOCALE_HOST is an
application that sets the locale and uses the library.
"""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from command import DIS, REF, USAGE, Case, main
from test_models import model

NAME = "de_DE.UTF-8"
HOST = os.environ.get("LOCALE_HOST", "")


def compile_locale():
    folder = tempfile.mkdtemp(prefix="assay-locale-")
    try:
        subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", f"{folder}/{NAME}"], capture_output=True,
                       check=False)
        env = {**os.environ, "LOCPATH": folder, "LC_ALL": NAME}
        if subprocess.run([HOST], env=env, capture_output=True, text=True, check=False).stdout.startswith("point ,"):
            return folder
    except OSError:
        pass
    shutil.rmtree(folder, ignore_errors=True)
    return None


FOLDER = compile_locale()


@unittest.skipUnless(FOLDER, "no locale with a decimal comma can be made")
class Locale(Case):
    GERMAN = {"LOCPATH": FOLDER or "", "LC_ALL": NAME, "LANGUAGE": "en"}

    def test_same_bytes(self):
        for args in (["--json", "-", "-q"], ["--xml", "-", "-q"], ["--csv", "-", "-q"], ["--sub", "-", "-q"],
                     ["--precision", "max", "--json", "-", "-q"]):
            out = [self.passes("-m", "psnr=min_sse=0.5,float_moment", "--reproducible", "--fail-under",
                               "psnr_y.p2.5=0.5",
                               *args, REF, DIS, env=env) for env in ({"LC_ALL": "C"}, self.GERMAN)]
            self.assertEqual((out[0].out, out[0].err), (out[1].out, out[1].err))

    def test_numbers_are_read_with_a_point(self):
        self.refuses(USAGE, "0,5", "-m", "psnr", REF, DIS, "--fail-under", "psnr_y=0,5", env=self.GERMAN)

    def test_models_are_read_with_a_point(self):
        """In the thread of an application that has set its locale, where C's own functions write 0,5."""
        self.write("one.json", json.dumps(model(1)).encode())
        plain, german = (subprocess.run([HOST, f"vmaf=path={self.dir}/one.json"], env={**os.environ, **env},
                                        capture_output=True, text=True, check=True).stdout.split("\n", 1)
                         for env in ({"LC_ALL": "C"}, self.GERMAN))
        self.assertEqual((plain[0], german[0]), ("point .", "point ,"))
        self.assertRegex(plain[1], "(?m)^vmaf [0-9a-f]{16}$")
        self.assertEqual(plain[1], german[1])

    def test_notes_and_messages_have_a_point(self):
        for metric, text in (("cvvdp=still", "Lblack=0.2, Lrefl=0.3979"), ("flip=ppd=0.5", "and this is 0.5")):
            plain, german = (subprocess.run([HOST, metric], env={**os.environ, **env}, capture_output=True, text=True,
                                            check=False).stdout.split("\n", 1)
                             for env in ({"LC_ALL": "C"}, self.GERMAN))
            self.assertEqual((plain[0], german[0]), ("point .", "point ,"))
            self.assertIn(text, plain[1])
            self.assertEqual(plain[1], german[1])

    def test_application_with_its_own_locale(self):
        plain, german = (subprocess.run([HOST], env={**os.environ, **env}, capture_output=True, text=True,
                                        check=True).stdout
                         for env in ({"LC_ALL": "C"}, self.GERMAN))
        self.assertTrue(plain.startswith("point .\n"), plain)
        self.assertTrue(german.startswith("point ,\n"), german)
        self.assertIn("min_sse=0.5", plain)
        self.assertEqual(plain.split("\n", 1)[1], german.split("\n", 1)[1])


if __name__ == "__main__":
    try:
        main()
    finally:
        if FOLDER:
            shutil.rmtree(FOLDER, ignore_errors=True)
