#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The wheel: made twice with equal bytes, installed into fresh environments and used there, where nothing of the clone
or of the build folder is found.

    check_wheel.py BUILD ROOT"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

BUILD, ROOT = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
SKIP = 77
USE = """
import assay, sys
found = assay.score(sys.argv[1], sys.argv[2], metrics="psnr")
print(assay.__file__, repr(found.pool("psnr_y")))
"""


def run(*command, **keywords):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, **keywords)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def made(folder):
    said = run(sys.executable, ROOT / "tools/python_wheel.py", BUILD, folder)
    return pathlib.Path(said.splitlines()[-1])


def check_tag(wheel, folder):
    """Every symbol of glibc that anything inside asks for is of the version in the tag or older; one is of it."""
    stated = tuple(map(int, re.search(r"manylinux_(\d+)_(\d+)_", wheel.name).groups()))
    newest = (0, 0)
    with zipfile.ZipFile(wheel) as archive:
        if archive.testzip():
            sys.exit(f"{archive.testzip()} is damaged")
        archive.extractall(folder)
    for path in folder.rglob("*"):
        if path.is_file() and path.read_bytes()[:4] == b"\x7fELF":
            for version in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", run("readelf", "-V", path)):
                newest = max(newest, tuple(map(int, version)))
    if newest != stated:
        sys.exit(f"{wheel.name}: the newest symbols are of glibc {newest}")


def check_use(environment, program):
    """What was installed scores, from a folder of its own."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "ASSAY", "LD_"))}
    sample = ROOT / "examples/sample"
    pair = (sample / "ref.y4m", sample / "dis.y4m")
    said = run(environment / "bin/python", "-c", USE, *pair, cwd=environment, env=clean).split()
    if not said[0].startswith(str(environment)):
        sys.exit(f"{said[0]} is not what was installed")
    report = environment / "report.json"
    for command in ([environment / "bin/assay"], [environment / "bin/python", "-m", "assay"]):
        run(*command, "-q", "-m", "psnr", "--precision", "max", "--json", report, *pair, cwd=environment, env=clean)
        mean = re.search(r'"pooled_metrics".*?"mean": ([\d.]+)', report.read_text(encoding="utf-8"), flags=re.S)[1]
        if mean != said[1]:
            sys.exit(f"{command}: {mean}, and {said[1]} in Python")
    names = run("ldd", program(environment), cwd=environment, env=clean)
    if str(BUILD) in names or "not found" in names:
        sys.exit(f"what was installed uses the build folder, or lacks a library:\n{names}")


def library(environment):
    return next(environment.rglob("libassay-run.so.0"))


def main():
    try:
        import numpy
        import pip
        import venv
    except ImportError as error:
        print(f"skipped: {error}")
        return SKIP
    del numpy, pip
    with tempfile.TemporaryDirectory(prefix="assay-wheel-") as name:
        folder = pathlib.Path(name).resolve()
        first, second = made(folder / "1"), made(folder / "2")
        if first.name != second.name or first.read_bytes() != second.read_bytes():
            sys.exit("the wheel has other bytes when it is made again")
        check_tag(first, folder / "inside")
        for number, what in enumerate(([first], ["--no-build-isolation", "--config-settings", f"build={BUILD}", ROOT],
                                       ["--config-settings", f"build={BUILD}", ROOT])):
            environment = folder / f"environment{number}"
            venv.create(environment, system_site_packages=True, symlinks=True, with_pip=True)
            run(environment / "bin/python", "-m", "pip", "install", "--no-index", "--disable-pip-version-check",
                *what, cwd=folder)
            check_use(environment, library)
        print(first.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
