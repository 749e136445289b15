#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`make dist` gives the same bytes twice: the source of the newest commit and no other file, and with licences the
libraries that the build found.

check_dist.py ROOT BUILD
"""
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile


def made(root, build, folder):
    names = subprocess.run([root / "tools/make_dist.sh", build, folder], check=True, capture_output=True,
                           text=True).stdout.split()
    return [pathlib.Path(name) for name in names]


def main():
    root, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    if subprocess.run(["git", "-C", root, "rev-parse", "HEAD"], capture_output=True).returncode:
        print("not a checkout of git: make dist is for those")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folders = [pathlib.Path(folder, name) for name in "ab"]
        (archive, sbom), again = (made(root, build, folder) for folder in folders)
        for first, second in zip((archive, sbom), again):
            assert first.read_bytes() == second.read_bytes(), f"{first.name} differs from one run to the next"
        with tarfile.open(archive) as tar:
            held = {name.partition("/")[2] for name in tar.getnames() if not tar.getmember(name).isdir()}
        listed = subprocess.run(["git", "-C", root, "ls-tree", "-r", "--name-only", "HEAD"], check=True,
                                capture_output=True, text=True).stdout.split("\n")
        assert held - {""} == set(listed) - {""}, held ^ set(listed)
        document = json.loads(sbom.read_text(encoding="utf-8"))
    named = {package["name"]: package for package in document["packages"]}
    assert document["spdxVersion"] == "SPDX-2.3" and document["documentNamespace"].startswith("urn:spdx:assay-")
    assert named["assay"]["licenseDeclared"] == "BSD-2-Clause" and "libcjson" in named, sorted(named)
    identifiers = {package["SPDXID"] for package in document["packages"]} | {"SPDXRef-DOCUMENT"}
    assert len(identifiers) == len(named) + 1
    for relation in document["relationships"]:
        assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= identifiers, relation
    for package in named.values():
        assert package["versionInfo"] and package["licenseDeclared"], package
    print(f"{len(held)} files, {len(named) - 1} libraries")
    return 0


if __name__ == "__main__":
    sys.exit(main())
