#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints what assay is made of and stands on, as SPDX 2.3 in JSON: this source, and the libraries that a build found.

sbom.py BUILD    BUILD is a folder that meson configured; the libraries and versions are those of its configuration

The same build folder and the same commit give the same bytes. The time is that of the newest commit, or
SOURCE_DATE_EPOCH.
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Libraries that programs and modules are linked with or load, by the names of their files of pkg-config.
# (name, licence, whether it is loaded when it is needed and may be absent)
LIBRARIES = {
    "libcjson": ("MIT", False), "libpng": ("libpng-2.0", False),
    "libavformat": ("LGPL-2.1-or-later", True), "libavcodec": ("LGPL-2.1-or-later", True),
    "libavutil": ("LGPL-2.1-or-later", True), "libjpeg": ("IJG", True), "libwebp": ("BSD-3-Clause", True),
    "libwebpdemux": ("BSD-3-Clause", True), "libavif": ("BSD-2-Clause", True), "libjxl": ("BSD-3-Clause", True),
    "libtiff-4": ("libtiff", True), "OpenEXR": ("BSD-3-Clause", True), "vulkan": ("Apache-2.0", True),
    "egl": ("MIT", True), "vapoursynth": ("LGPL-2.1-or-later", True)}
# What only the build or the tests use.
TOOLS = {"threads", "cmocka", "m", "dl", "gl", "appleframeworks"}
# What newer versions of meson list besides: a library of OpenEXR's, and what this tree declares, by a number.
PARTS = re.compile(r"OpenEXRCore|dep\d+")


def commit():
    found = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%H %ct"], capture_output=True, text=True)
    return found.stdout.split() if found.returncode == 0 and found.stdout else ["unknown", "0"]


def package(ident, name, version, licence, comment):
    return {"SPDXID": f"SPDXRef-{ident}", "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence,
            "copyrightText": "NOASSERTION", "comment": comment}


def document(build):
    project = json.loads((build / "meson-info/intro-projectinfo.json").read_text(encoding="utf-8"))
    dependencies = json.loads((build / "meson-info/intro-dependencies.json").read_text(encoding="utf-8"))
    revision, stamp = commit()
    created = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", stamp)), datetime.timezone.utc)
    packages = [package("assay", project["descriptive_name"], project["version"], "BSD-2-Clause",
                        f"commit {revision}")]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                  "relatedSpdxElement": "SPDXRef-assay"}]
    found = {}
    for entry in dependencies:
        if entry["name"] in LIBRARIES:
            found[entry["name"]] = entry["version"]
        elif entry["name"] not in TOOLS and not PARTS.fullmatch(entry["name"]):
            raise SystemExit(f"sbom: '{entry['name']}' is no library that tools/sbom.py knows the licence of")
    for name in sorted(found):
        licence, optional = LIBRARIES[name]
        ident = "lib-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)
        packages.append(package(ident, name, found[name], licence,
                                "loaded when it is needed" if optional else "linked"))
        relations.append({"spdxElementId": "SPDXRef-assay", "relatedSpdxElement": f"SPDXRef-{ident}",
                          "relationshipType": "OPTIONAL_DEPENDENCY_OF" if optional else "DEPENDS_ON"})
        if optional:  # X OPTIONAL_DEPENDENCY_OF Y: X is the dependency
            relations[-1]["spdxElementId"], relations[-1]["relatedSpdxElement"] = f"SPDXRef-{ident}", "SPDXRef-assay"
    name = f"assay-{project['version']}"
    unique = hashlib.sha256(json.dumps([revision, packages], sort_keys=True).encode()).hexdigest()[:32]
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
            "documentNamespace": f"urn:spdx:{name}:{unique}",
            "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: assay-sbom"]},
            "packages": packages, "relationships": relations}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: sbom.py BUILD")
    json.dump(document(pathlib.Path(sys.argv[1])), sys.stdout, indent=2)
    print()
