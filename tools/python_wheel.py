#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes the wheel of the Python package, with the libraries and the command inside: one for every Python 3.

python_wheel.py BUILD OUT     of the build folder BUILD, as it is, into the folder OUT; prints the wheel's path

It is a build backend, too (pyproject.toml): `pip install .` configures and builds build-wheel/ first, and
`pip install --config-settings build=BUILD .` takes BUILD as it is.

The wheel's tag states the lowest glibc that it runs on: the newest version of a symbol that anything inside asks for.
Libraries that not every system has, libcjson for example, are put beside ours with their licences. The modules that
decode images stay apart: each asks for its own library, and a system without it can't read such images.
"""
import argparse
import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
# What every system of the tag has (PEP 600).
SYSTEM = re.compile(r"(libc|libm|libdl|libpthread|librt|libz|libgcc_s|libstdc\+\+|ld-linux-[\w-]+)\.so\.\d+")
OURS = ("libassay.so.0", "libassay-run.so.0")
MODULE = re.compile(r"libassay-(?!run).*\.so\.0")
MACHINES = {"x86-64": "x86_64", "aarch64": "aarch64"}
METADATA = """\
Metadata-Version: 2.1
Name: assay
Version: {version}
Summary: Video and image quality metrics with the same bits on every device
License: BSD-2-Clause
Classifier: Programming Language :: Python :: 3
Classifier: Operating System :: POSIX :: Linux
Classifier: Typing :: Typed
Requires-Python: >=3.9
Requires-Dist: numpy>=1.21
Description-Content-Type: text/markdown

{description}"""
SCRIPT = """\
#!python
import importlib.util
import os
import sys

folder = os.path.dirname(importlib.util.find_spec("assay").origin)
os.execv(os.path.join(folder, "bin", "assay"), ["assay", *sys.argv[1:]])
"""


# Without what pip sets for a backend: meson is a program of the system's Python.
ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}


def run(*command, out=subprocess.PIPE):
    return subprocess.run([str(word) for word in command], check=True, text=True, stdout=out, cwd=ROOT,
                          env=ENVIRONMENT).stdout


def options(build):
    return {row["name"]: row["value"] for row in json.loads(run("meson", "introspect", build, "--buildoptions"))}


def needed(path):
    return re.findall(r"NEEDED +(\S+)", run("objdump", "-p", path))


def glibc(path):
    """The newest version of glibc that a file asks for, as (2, 34)."""
    said = run("objdump", "-T", path)
    if "GLIBC_PRIVATE" in said:
        sys.exit(f"python_wheel: {path} asks for private symbols of glibc")
    return max((tuple(map(int, v)) for v in re.findall(r"GLIBC_(\d+)\.(\d+)", said)), default=(2, 0))


def licence_of(library):
    """The licence of a library of Debian's, from its package."""
    said = run("dpkg-query", "-S", library.resolve()) if shutil.which("dpkg-query") else ""
    package = said.split(":")[0]
    path = pathlib.Path("/usr/share/doc") / package / "copyright"
    if not package or not path.exists():
        sys.exit(f"python_wheel: {library} goes into the wheel, and its licence is not found")
    return package, path


def carried(files):
    """Libraries that not every system has, and that these files need: {name: path}. They need no further ones."""
    found = {}
    for path in files:
        where = dict(re.findall(r"(\S+) => (\S+)", run("ldd", path)))
        for name in needed(path):
            if name not in OURS and not SYSTEM.fullmatch(name):
                found[name] = pathlib.Path(where[name])
    for path in found.values():
        odd = [name for name in needed(path) if not SYSTEM.fullmatch(name) and name not in found]
        if odd:
            sys.exit(f"python_wheel: {path} needs {odd}")
    return found


def contents(build, root):
    """{name in the wheel: path}, and the tag of the platform."""
    stated = options(build)
    prefix, libdir, bindir = (pathlib.PurePath(stated[name]) for name in ("prefix", "libdir", "bindir"))
    if libdir.is_absolute() or bindir != pathlib.PurePath("bin"):
        sys.exit(f"python_wheel: {build} was configured with folders that a wheel can't have: {libdir}, {bindir}")
    run("meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", root)
    installed = root / prefix.relative_to("/")
    files = {"assay/bin/assay": installed / bindir / "assay"}
    for path in sorted((installed / libdir).glob("*.so.0")):
        if path.name in OURS or MODULE.fullmatch(path.name):
            files[f"assay/{libdir}/{path.name}"] = path
    strict = [path for name, path in files.items() if not MODULE.fullmatch(path.name)]
    if len(strict) != 1 + len(OURS):
        sys.exit(f"python_wheel: {build} has not built {' and '.join(OURS)}")
    for name, path in carried(strict).items():
        package, licence = licence_of(path)
        files[f"assay/{libdir}/{name}"] = path
        files[f"{info()}/licenses/{package}"] = licence
    binaries = [path for name, path in files.items() if name.startswith("assay/")]
    version = max(map(glibc, binaries))
    machine = MACHINES[re.search(r"file format elf64-(?:little)?(\S+)", run("objdump", "-f", strict[0]))[1]]
    for path in sorted((ROOT / "python/assay").glob("*py*")):
        if path.suffix == ".py" or path.name == "py.typed":
            files[f"assay/{path.name}"] = path
    for name in ("LICENSE", "NOTICE"):
        files[f"{info()}/licenses/{name}"] = ROOT / name
    return files, f"manylinux_{version[0]}_{version[1]}_{machine}"


def version_of():
    return re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text(encoding="utf-8"))[1]


def info():
    return f"assay-{version_of()}.dist-info"


def texts(tag):
    """The files of the wheel that are made here."""
    description = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    return {f"{info()}/METADATA": METADATA.format(version=version_of(), description=description),
            f"{info()}/WHEEL": f"Wheel-Version: 1.0\nGenerator: assay\nRoot-Is-Purelib: false\nTag: {tag}\n",
            f"assay-{version_of()}.data/scripts/assay": SCRIPT}


def write(path, members):
    """Writes a wheel: equal members make equal bytes."""
    record = ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content, mode in sorted(members) + [(f"{info()}/RECORD", None, 0o644)]:
            if content is None:
                content = (record + f"{name},,\n").encode()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(content)}\n"
            member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            member.external_attr = (0o100000 | mode) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(member, content)


def make(build, out):
    out = pathlib.Path(out)
    build = pathlib.Path(build).resolve()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="assay-wheel-") as folder:
        files, platform = contents(build, pathlib.Path(folder))
        tag = f"py3-none-{platform}"
        members = [(name, path.read_bytes(), 0o755 if name.startswith("assay/bin/") else 0o644)
                   for name, path in files.items()]
        members += [(name, text.encode(), 0o755 if "/scripts/" in name else 0o644)
                    for name, text in texts(tag).items()]
        path = out / f"assay-{version_of()}-{tag}.whl"
        write(path, members)
    return path


def get_requires_for_build_wheel(config_settings=None):
    """Of a build backend: nothing of Python's is needed."""
    del config_settings
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Of a build backend."""
    del config_settings
    folder = pathlib.Path(metadata_directory) / info()
    folder.mkdir()
    (folder / "METADATA").write_text(texts("")[f"{info()}/METADATA"], encoding="utf-8")
    return folder.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Of a build backend."""
    del metadata_directory
    build = (config_settings or {}).get("build")
    if build is None:
        build = ROOT / "build-wheel"
        if not (build / "build.ninja").exists():
            run("meson", "setup", build, "--buildtype=release", "--libdir=lib", "-Dcubins=release", out=None)
        targets = json.loads(run("meson", "introspect", build, "--targets"))
        run("ninja", "-C", build, *(os.path.relpath(path, build) for target in targets if target["installed"]
                                    for path in target["filename"]), out=None)
    return make(build, wheel_directory).name


def main(about=__doc__, made=make):
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args()
    print(made(arguments.build, arguments.out))


if __name__ == "__main__":
    main()
