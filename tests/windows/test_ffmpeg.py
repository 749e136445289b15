#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Where the command for Windows looks for FFmpeg's DLLs, and where it does not: stand-ins say where they lie.

    test_ffmpeg.py WINDOWS MODULE-59 MODULE-61 -- COMPILER ...
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from wine import ROOT, place, program

SEPARATOR = sys.argv.index("--")
WINDOWS, *MODULES = (pathlib.Path(name).resolve() for name in sys.argv[1:SEPARATOR])
COMPILER = sys.argv[SEPARATOR + 1:]
del sys.argv[1:]
FOLDER = tempfile.TemporaryDirectory()
program(pathlib.Path(FOLDER.name), WINDOWS)
from command import INPUT, Case, main, y4m  # noqa: E402

# The numbers in the names of libavformat, libavcodec and libavutil.
MAJORS = {59: {"avutil": 57, "avcodec": 59, "avformat": 59}, 61: {"avutil": 59, "avcodec": 61, "avformat": 61}}


def stubs(major):
    """A folder with the DLLs of a version."""
    to = pathlib.Path(FOLDER.name) / str(major)
    if to.exists():
        return to
    to.mkdir()
    text = (ROOT / "src/input/libav_load.h").read_text(encoding="utf-8")
    beside = []
    for library, number in MAJORS[major].items():
        names = set(re.findall(rf"X\({library.upper()}, (\w+)\)", text)) | {f"{library}_here"}
        functions = " ".join(f"STUB({name})" for name in sorted(names))
        subprocess.run([*COMPILER, "-shared", f"-DFUNCTIONS={functions}", ROOT / "tests/windows/stub.c", "-o",
                        to / f"{library}-{number}.dll", f"-Wl,--out-implib,{to / library}.a", *beside, "-static"],
                       check=True)
        beside = [f"-DNEEDS={library}_here", to / f"{library}.a"]  # as FFmpeg's are: the next one needs this one
    return to


class FFmpeg(Case):
    def setUp(self):
        super().setUp()
        place(self, (WINDOWS, *MODULES))
        (self.dir / "now/ref.y4m").write_bytes(y4m())
        (self.dir / "now/a.mp4").write_bytes(bytes(1000))

    def put(self, major, folder):
        shutil.copytree(stubs(major), self.dir / folder, dirs_exist_ok=True)

    def loaded(self, path=(), ffmpeg=()):
        """(major, folder) of each of FFmpeg's DLLs that a run in the folder `now` loads, and what it says."""
        windows = ["Z:" + str(self.dir / name).replace("/", "\\") if name not in (".", "now") else name
                   for name in (*path, *ffmpeg)]
        done = subprocess.run(["wine", self.dir / "exe" / WINDOWS.name, "ref.y4m", "a.mp4"], cwd=self.dir / "now",
                              env={**os.environ, "WINEPATH": ";".join(windows[:len(path)]),
                                   "ASSAY_FFMPEG": ";".join(windows[len(path):])}, capture_output=True, text=True,
                              check=False)
        self.assertNotEqual(done.returncode, 0, done)
        found = re.findall(r"loaded .*\\(\w+)\\av([a-z]+)-(\d+)\.dll", done.stderr)
        return {(folder, library, int(number)) for folder, library, number in found}, done

    def all_of(self, major, folder):
        return {(folder, library[2:], number) for library, number in MAJORS[major].items()}

    def test_none(self):
        found, done = self.loaded()
        self.assertEqual(found, set())
        self.assertEqual(done.returncode, INPUT)
        for text in ("avformat-61.dll; avformat-59.dll; install FFmpeg 5 or 7", "gyan.dev", "ASSAY_FFMPEG",
                     "ffmpeg -i x.mp4 -f yuv4mpegpipe - | assay ref.y4m -"):
            self.assertIn(text, done.stderr)

    def test_never_the_current_folder(self):
        self.put(61, "now")
        for path, ffmpeg in (([], []), ([], ["."]), ([], ["now"]), (["."], [])):
            found, done = self.loaded(path, ffmpeg)
            self.assertEqual(found, set(), done)
            self.assertEqual(done.returncode, INPUT)

    def test_order(self):
        for folder in ("one", "two"):
            (self.dir / folder).mkdir()
        self.put(61, "two")
        self.assertEqual(self.loaded(["one", "two"])[0], self.all_of(61, "two"))
        self.put(61, "one")
        self.assertEqual(self.loaded(["one", "two"])[0], self.all_of(61, "one"))
        self.assertEqual(self.loaded(["one"], ["two"])[0], self.all_of(61, "two"))
        self.put(61, "exe")
        self.assertEqual(self.loaded(["one"], ["two"])[0], self.all_of(61, "exe"))

    def test_all_are_those_beside_avformat(self):
        self.put(61, "one")
        self.put(61, "two")
        (self.dir / "one/avformat-61.dll").unlink()
        self.assertEqual(self.loaded(["one", "two"])[0], self.all_of(61, "two"))

    def test_the_newest_of_two_versions(self):
        self.put(59, "exe")
        self.assertEqual(self.loaded()[0], self.all_of(59, "exe"))
        self.put(61, "one")
        self.assertEqual(self.loaded(["one"])[0], self.all_of(61, "one"))

    def test_what_is_no_dll(self):
        (self.dir / "one").mkdir()
        (self.dir / "one/avformat-59.dll").write_text("text", encoding="ascii")
        found, done = self.loaded(["one"])
        self.assertEqual(found, set())
        self.assertRegex(done.stderr, r"avformat-61\.dll; Z:.*\\one\\avformat-59\.dll: error \d+ of Windows; install")


if __name__ == "__main__":
    with FOLDER:
        main()
