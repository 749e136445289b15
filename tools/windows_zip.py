#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Puts what a build for Windows made into a zip, with the licences of what is linked into it and the manual as HTML.

    tools/windows_zip.py BUILD FOLDER [URL]

FOLDER/assay-VERSION-windows-x86_64.zip has the same bytes for the same build. With URL, where the zip will be,
FOLDER/winget has the manifests by which winget installs it.
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
SCHEMA = "1.6.0"
# The licences of the C runtime and of gcc's, which every program of mingw-w64 has in it.
RUNTIME = {"mingw-w64": "mingw-w64-x86-64-dev", "gcc-runtime": "gcc-mingw-w64-x86-64-posix-runtime"}


def contents(build, version):
    """Name in the zip: bytes."""
    files = {name: build / "src" / path for name, path in (
        ("assay.exe", "cli/assay.exe"), ("libassay-0.dll", "libassay-0.dll"),
        ("libassay-run-0.dll", "run/libassay-run-0.dll"), ("lib/libassay.dll.a", "libassay.dll.a"),
        ("lib/libassay-run.dll.a", "run/libassay-run.dll.a"))}
    files.update({path.name: path for folder, modules in (("input", "assay-libav*.dll"),
                                                          ("kernels/modules", "assay-*.dll"))
                  for path in sorted((build / "src" / folder).glob(modules))})
    files.update({f"include/assay/{path.name}": path for path in sorted((ROOT / "include/assay").glob("*.h"))})
    files.update({f"licences/{name}.txt": ROOT / name for name in ("LICENSE", "NOTICE")})
    options = json.loads((build / "meson-info/intro-buildoptions.json").read_text(encoding="utf-8"))
    folders = next(option["value"] for option in options if option["name"] == "pkg_config_path")
    for folder in folders:
        files.update({f"licences/{path.name}": path for path in
                      sorted((pathlib.Path(folder).parents[1] / "share/licenses").glob("*"))})
    files.update({f"licences/{name}.txt": pathlib.Path("/usr/share/doc", package, "copyright")
                  for name, package in RUNTIME.items()})
    made = {name: path.read_bytes() for name, path in files.items()}
    if "licences/cjson.txt" not in made:
        raise SystemExit("windows_zip: the licence of cJSON is not there: make its folder again (tools/cross_root.sh)")
    for name in ("assay", "assay-run"):
        text = (build / f"meson-private/{name}.pc").read_text(encoding="utf-8")
        text = re.sub(r"^prefix=.*", "prefix=${pcfiledir}/../..", text, flags=re.M)
        text = re.sub(r"^libdir=.*", "libdir=${prefix}/lib", text, flags=re.M)
        made[f"lib/pkgconfig/{name}.pc"] = re.sub(r"^\w+\.private:.*\n", "", text, flags=re.M).encode()  # in the DLL
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, ROOT / "tools/manual.py", folder], check=True)
        made.update({f"manual/{path.relative_to(folder).as_posix()}": path.read_bytes()
                     for path in sorted(pathlib.Path(folder).rglob("*")) if path.is_file()})
    return {f"assay-{version}-windows-x86_64/{name}": data for name, data in made.items()}


def manifests(version, url, digest):
    """Name of a file: its fields. An object is one item of a list."""
    name = "assay.assay"
    head = {"PackageIdentifier": name, "PackageVersion": version}
    return {
        f"{name}.yaml": {**head, "DefaultLocale": "en-US", "ManifestType": "version"},
        f"{name}.installer.yaml": {
            **head, "InstallerType": "zip", "NestedInstallerType": "portable",
            "NestedInstallerFiles": {"RelativeFilePath": f"assay-{version}-windows-x86_64\\assay.exe",
                                     "PortableCommandAlias": "assay"},
            "Installers": {"Architecture": "x64", "InstallerUrl": url, "InstallerSha256": digest},
            "ManifestType": "installer"},
        f"{name}.locale.en-US.yaml": {
            **head, "PackageLocale": "en-US", "Publisher": "the assay authors", "PackageName": "assay",
            "License": "BSD-2-Clause", "Moniker": "assay", "Copyright": "Copyright (c) 2026, the assay authors",
            "ShortDescription": "Video and image quality metrics with the same bits on every device",
            "ManifestType": "defaultLocale"}}


def yaml(fields):
    lines = []
    for key, value in fields.items():
        if isinstance(value, dict):
            items = [f"{name}: {json.dumps(text)}" for name, text in value.items()]
            lines += [f"{key}:", f"- {items[0]}", *(f"  {item}" for item in items[1:])]
        else:
            lines.append(f"{key}: {json.dumps(value)}")
    kind = fields["ManifestType"]
    return "\n".join([f"# yaml-language-server: $schema=https://aka.ms/winget-manifest.{kind}.{SCHEMA}.schema.json",
                      *lines, f"ManifestVersion: {SCHEMA}", ""])


def main():
    build, to, url = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None
    version = re.search(r"^  version: '(.*)',$", (ROOT / "meson.build").read_text(encoding="utf-8"), flags=re.M)[1]
    to.mkdir(parents=True, exist_ok=True)
    path = to / f"assay-{version}-windows-x86_64.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in contents(build, version).items():
            entry = zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, data)
    print(path)
    if url:
        digest = hashlib.sha256(path.read_bytes()).hexdigest().upper()
        (to / "winget").mkdir(exist_ok=True)
        for name, fields in manifests(version, url, digest).items():
            (to / "winget" / name).write_text(yaml(fields), encoding="utf-8")
        print(to / "winget")


if __name__ == "__main__":
    main()
