#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The zip for Windows: what is in it fits together, what is built by it runs under wine, winget's manifests name it.

    test_zip.py BUILD COMPILER WINE
"""
import hashlib
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

from wine import QUIET, ROOT

SAMPLE = ROOT / "examples/sample"
URL = "https://example.org/downloads/assay.zip"
# What winget asks of each manifest, beside the fields of all of them.
ALL = {"PackageIdentifier", "PackageVersion", "ManifestType", "ManifestVersion"}
FIELDS = {"version": {"DefaultLocale"}, "installer": {"InstallerType", "Installers"},
          "defaultLocale": {"PackageLocale", "Publisher", "PackageName", "License", "ShortDescription"}}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.names, self.links, self.code, self.texts, self.open = set(), [], 0, [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key == "id":
                self.names.add(value)
            elif key in ("href", "src"):
                self.links.append(value)
        self.code += tag in ("pre", "code", "style")

    def handle_endtag(self, tag):
        self.code -= tag in ("pre", "code", "style")

    def handle_data(self, data):
        if not self.code:
            self.texts.append(data)


def manual(top):
    """Faults of the manual: links that lead nowhere, and marks of Markdown or roff that are left."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in top.rglob("*.html")}
    if len(pages) < 40 or top / "docs/assay.html" not in pages:
        yield f"{len(pages)} pages"
    for path, page in pages.items():
        for link in page.links:
            name, _, part = link.partition("#")
            leads = (path.parent / name).resolve() if name else path
            if "://" not in link and not leads.is_file() or part and leads in pages and \
                    part not in pages[leads].names:
                yield f"{path.name}: {link} leads nowhere"
        for left in re.findall(r".{,20}(?:\*\*|`|\]\(|\\f|^#+ |^\.[A-Z]{2}|^\|[ -]).{,20}", "".join(page.texts),
                               flags=re.M):
            yield f"{path.name}: has {left!r}"
        if page.code:
            yield f"{path.name}: code has no end"


def fields(text):
    """The fields of a manifest; an object in a list is one of them."""
    found = {}
    for key, value in re.findall(r"^(?:- |  )?(\w+): ?(.*)$", text, flags=re.M):
        found[key] = json.loads(value) if value.startswith('"') else value
    return found


def winget(folder, archive):
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.yaml"))]
    found = {fields(text)["ManifestType"]: fields(text) for text in texts}
    if set(found) != set(FIELDS):
        yield f"manifests: {sorted(found)}"
        return
    for kind, needed in FIELDS.items():
        for key in sorted((ALL | needed) - set(found[kind])):
            yield f"the manifest of the {kind} has no {key}"
        for key in ("PackageIdentifier", "PackageVersion", "ManifestVersion"):
            if found[kind][key] != found["version"][key]:
                yield f"manifests differ in {key}"
    given = found["installer"]
    names = zipfile.ZipFile(archive).namelist()
    if given["RelativeFilePath"].replace("\\", "/") not in names:
        yield f"{given['RelativeFilePath']} is not in the zip"
    if given["InstallerSha256"] != hashlib.sha256(archive.read_bytes()).hexdigest().upper():
        yield "another SHA-256"
    if (given["InstallerUrl"], given["Architecture"], given["NestedInstallerType"]) != (URL, "x64", "portable"):
        yield f"installer: {given}"
    version = re.search(r"-(\d[\d.]*)-windows", archive.name)[1]
    if found["version"]["PackageVersion"] != version:
        yield f"the version is not {version}"


def example(top, compiler, wine, folder):
    """A program that is built with the zip alone, and runs beside its DLLs."""
    where = {**os.environ, "PKG_CONFIG_LIBDIR": str(top / "lib/pkgconfig")}
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "assay-run"], env=where, stdout=subprocess.PIPE,
                           text=True, check=True).stdout.split()
    program = top / "score_files.exe"
    subprocess.run([*compiler, str(ROOT / "examples/score_files.c"), "-o", program, *flags], check=True)
    files = [SAMPLE / f"{side}.y4m" for side in ("ref", "dis", "dis")]
    for names, wanted in (([program, *files], (ROOT / "examples/score_files.txt").read_text(encoding="utf-8")),
                          ([top / "assay.exe", "--version"], None)):
        done = subprocess.run([wine, *names], capture_output=True, text=True, check=False, cwd=folder,
                              env={**os.environ, "WINEDEBUG": QUIET})
        if done.returncode or not done.stdout or wanted not in (None, done.stdout):
            yield f"{names[0].name}: code {done.returncode}, {done.stdout!r}, {done.stderr[-300:]!r}"


def main():
    build, *compiler, wine = sys.argv[1:]
    with tempfile.TemporaryDirectory() as at:
        folder = pathlib.Path(at)
        for name in ("one", "two"):
            subprocess.run([sys.executable, ROOT / "tools/windows_zip.py", build, folder / name, URL], check=True)
        archive, = (folder / "one").glob("*.zip")
        faults = [] if archive.read_bytes() == (folder / "two" / archive.name).read_bytes() else ["bytes vary"]
        zipfile.ZipFile(archive).extractall(folder)
        top = folder / archive.stem
        headers = {path.name for path in (top / "include/assay").iterdir()}
        if headers != {"assay.h", "floats.h", "gpu.h", "run.h"}:
            faults.append(f"headers: {sorted(headers)}")  # those of the two DLLs
        licences = {path.stem for path in (top / "licences").iterdir() if path.stat().st_size > 500}
        if licences != {"LICENSE", "NOTICE", "cjson", "mingw-w64", "gcc-runtime"}:
            faults.append(f"licences: {sorted(licences)}")
        faults += manual(top / "manual")
        faults += winget(folder / "one/winget", archive)
        faults += example(top, compiler, wine, folder)
        # A fault of each kind is seen.
        page = top / "manual/index.html"
        page.write_text(page.read_text(encoding="utf-8") + '<p>**left**<a href="nothing.html">', encoding="utf-8")
        if len(list(manual(top / "manual"))) != 2:
            faults.append("faults of the manual are not seen")
        archive.write_bytes(archive.read_bytes() + b"1")
        if list(winget(folder / "one/winget", archive)) != ["another SHA-256"]:
            faults.append("another zip is not seen")
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
