#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""CMake finds libassay where the shared library is installed. Where it is not, as in a build with
-Ddefault_library=static, CMake refuses the package and says why, and does not fail later over a file that is not there.

check_cmake.py PACKAGING VERSION: the folder in which meson made the files of CMake
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROJECT = """cmake_minimum_required(VERSION 3.13)
project(find NONE)
set(CMAKE_SIZEOF_VOID_P 8) # as with a language: the package is for 64 bits
find_package(assay {} REQUIRED)
if(NOT TARGET assay::assay)
  message(FATAL_ERROR "no target")
endif()
"""


def main():
    made, version = pathlib.Path(sys.argv[1]), sys.argv[2]
    if not shutil.which("cmake"):
        print("no cmake here")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        source, libraries = pathlib.Path(folder, "source"), pathlib.Path(folder, "lib")
        package = libraries / "cmake" / "assay"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(PROJECT.format(version), encoding="utf-8")
        package.mkdir(parents=True)
        for name in ("assay-config.cmake", "assay-config-version.cmake"):
            shutil.copy(made / name, package)

        def find(build):
            return subprocess.run(["cmake", "-S", source, "-B", pathlib.Path(folder, build), f"-Dassay_DIR={package}"],
                                  capture_output=True, text=True, check=False)

        absent = find("absent")
        assert absent.returncode, "CMake finds a library that is not there"
        said = " ".join(absent.stderr.split()) # CMake breaks lines
        assert "has no libassay.so.0: pkg-config" in said, absent.stderr
        (libraries / "libassay.so.0").touch()
        present = find("present")
        assert not present.returncode, present.stderr
    print("CMake finds the shared library, and refuses a package without one")
    return 0


if __name__ == "__main__":
    sys.exit(main())
