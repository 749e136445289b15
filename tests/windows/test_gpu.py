#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The command for Windows on GPUs: Vulkan by the loader of wine, which passes calls on to this machine's, and no CUDA.

    test_gpu.py WINDOWS DEVICES LIBASSAY MODULE ...

Mesa's software device computes. Its scores have the bits of the CPU. wine has Vulkan only where it has a display: the
test starts one, and a wine of its own on it.
"""
import atexit
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from wine import place, program

WINDOWS, DEVICES, LIBASSAY, *MODULES = (pathlib.Path(name).resolve() for name in sys.argv[1:])
del sys.argv[1:]
FOLDER = tempfile.TemporaryDirectory()
SERVER = subprocess.Popen(["Xvfb", "-displayfd", "1", "-nolisten", "tcp"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
atexit.register(SERVER.kill)
os.environ.update(DISPLAY=":" + SERVER.stdout.readline().decode().strip(), WINEPREFIX=FOLDER.name + "/wine",
                  WINEDLLOVERRIDES="mscoree,mshtml=")  # or wine asks on the display whether to install them
atexit.register(subprocess.run, ["wineserver", "-k"], check=False, env=dict(os.environ))
program(pathlib.Path(FOLDER.name), WINDOWS)
from command import DEVICE, SKIP, Case, main, y4m  # noqa: E402

SOFTWARE = sorted(pathlib.Path("/usr/share/vulkan/icd.d").glob("lvp_icd*.json"))


class Gpu(Case):
    def setUp(self):
        super().setUp()
        place(self, (WINDOWS, *MODULES))
        for name, noise in (("ref", 0), ("dis", 9)):
            (self.dir / "now" / f"{name}.y4m").write_bytes(y4m(width=96, height=80, frames=3, noise=noise))

    def start(self, *arguments, drivers=SOFTWARE):
        """A run in the folder `now`, on these drivers of Vulkan."""
        names = ":".join(map(str, drivers)) or "/nowhere.json"
        return subprocess.run(["wine", self.dir / "exe" / WINDOWS.name, *arguments], cwd=self.dir / "now",
                              capture_output=True, text=True, check=False,
                              env={**os.environ, "VK_DRIVER_FILES": names, "VK_ICD_FILENAMES": names})

    def refused(self, text, *arguments, **more):
        done = self.start(*arguments, "ref.y4m", "dis.y4m", **more)
        self.assertEqual(done.returncode, DEVICE, done)
        self.assertIn(text, done.stderr)
        self.assertEqual(done.stdout, "")

    def test_vulkan_has_the_bits_of_the_cpu(self):
        reports = {}
        for backend in ("cpu", "vulkan"):
            done = self.start("-q", "-m", "psnr,ssim", "--backend", backend, "--csv",
                              f"{backend}.csv", "--precision", "max", "--json", f"{backend}.json", "ref.y4m", "dis.y4m")
            self.assertEqual(done.returncode, 0, done)
            reports[backend] = (self.dir / "now" / f"{backend}.csv").read_bytes()
            self.assertEqual(len(reports[backend].splitlines()), 1 + 3)
            assay = json.loads((self.dir / "now" / f"{backend}.json").read_text(encoding="utf-8"))["assay"]
            self.assertEqual(assay["backend"], backend)
        self.assertIn("llvmpipe", assay["device"])
        self.assertEqual(reports["cpu"], reports["vulkan"])

    def test_list(self):
        found = {device["backend"]: device for device in json.loads(self.start("--list-devices-json").stdout)}
        self.assertIs(found["vulkan"]["usable"], True)
        self.assertIn("llvmpipe", found["vulkan"]["device"])
        self.assertEqual(found["cuda"]["missing"], "CUDA: no driver (nvcuda.dll can't be opened)")
        self.assertIn("OpenGL", found["opengl"]["missing"])

    def test_modules_lie_beside_the_library(self):
        """A program in another folder finds the library in WINEPATH, as it would in PATH."""
        (self.dir / "program").mkdir()
        shutil.copy(DEVICES, self.dir / "program")
        shutil.copy(LIBASSAY, self.dir / "exe")
        names = str(SOFTWARE[0])
        done = subprocess.run(["wine", self.dir / "program" / DEVICES.name], cwd=self.dir / "now", capture_output=True,
                              text=True, check=False, env={
                                  **os.environ, "VK_DRIVER_FILES": names, "VK_ICD_FILENAMES": names,
                                  "WINEPATH": "Z:" + str(self.dir / "exe").replace("/", "\\")})
        self.assertEqual(done.returncode, 0, done)
        self.assertRegex(done.stdout, "(?m)^vulkan: llvmpipe")
        self.assertRegex(done.stdout, r"(?m)^cuda: CUDA: no driver \(nvcuda\.dll can't be opened\)")

    def test_no_driver(self):
        self.refused("CUDA: no driver (nvcuda.dll can't be opened)", "--backend", "cuda")
        self.refused("Vulkan: ", "--backend", "vulkan", drivers=())

    def test_modules_lie_beside_the_program(self):
        for module in MODULES:
            name = module.name.split("-")[1]
            (self.dir / "exe" / module.name).rename(self.dir / "now" / module.name)
            self.refused(f"this build has no {module.name}", "--backend", name)

    def test_a_module_of_another_build(self):
        data = (self.dir / "exe/assay-cuda-0.dll").read_bytes()
        (self.dir / "exe/assay-vulkan-0.dll").write_bytes(data.replace(b"assay_module_", b"assay_mobile_"))
        self.refused("assay-vulkan-0.dll is refused, it is of another build of assay", "--backend", "vulkan")
        (self.dir / "exe/assay-vulkan-0.dll").write_text("text", encoding="ascii")
        self.refused(" of Windows", "--backend", "vulkan")


if __name__ == "__main__":
    if not SOFTWARE:
        print("Mesa's software device is not installed")
        sys.exit(SKIP)
    with FOLDER:
        main()
