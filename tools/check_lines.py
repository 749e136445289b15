#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Lines of at most 120 columns, files of at most 800 lines, C functions of at most 80, and one spelling of "can't":
what CONTRIBUTING.md states.

check_lines.py ROOT            every text file that git knows under ROOT, or all of them where ROOT is no repository
check_lines.py ROOT --broken   makes a file that breaks each of these in turn, and fails when one goes unseen

Not checked: what can't be broken (a word, a row of a table or a command in Markdown, a line of text in one string),
test vectors and data.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

COLUMNS, LINES, FUNCTION = 120, 800, 80
ENDINGS = {".c", ".h", ".k", ".py", ".sh", ".md", ".build"}
NAMES = {"Makefile", "run", "meson_options.txt"}
DATA = re.compile(r"tests/(unit/data|bits|golden/libvmaf|fuzz/corpus)/|LICENSE")


def texts(root):
    """Paths of the files to check, relative to root."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        paths = [pathlib.Path(name) for name in listed.stdout.split("\0") if name]
    else:
        paths = [path.relative_to(root) for path in pathlib.Path(root).rglob("*") if path.is_file()]
        paths = [path for path in paths if not path.parts[0].startswith("build")]
    for path in paths:
        if (path.suffix in ENDINGS
            or path.name in NAMES) and not DATA.search(path.as_posix()) and (root / path).exists():
            yield path


OTHER_SPELLING = re.compile(r"\bcan ?not\b(?! *\()")  # functions may be called so
STRING = re.compile(r""" *f?"(\\.|[^"\\])*"[,;)]*""")


def may_be_wide(path, line):
    """A word, a row of a table or a command in Markdown, or a line of text in one string."""
    if path.suffix == ".md" and line.startswith(("|", "    ")):
        return True
    return " " not in line.strip().removeprefix("# ").removeprefix("* ") or bool(STRING.fullmatch(line))


def functions(lines):
    """C functions: the line of the opening brace in column 0, and the number of lines that are more than a string."""
    begin = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            begin = number
        elif line == "}" and begin:
            yield begin, sum(not STRING.fullmatch(text) for text in lines[begin - 1:number])
            begin = None


def faults(root, path):
    lines = (root / path).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS and not may_be_wide(path, line):
            yield f"{path}:{number}: {len(line)} columns"
        if OTHER_SPELLING.search(line):
            yield f"{path}:{number}: can't is spelled in another way"
    if path.suffix != ".md" and len(lines) > LINES:
        yield f"{path}: {len(lines)} lines"
    if path.suffix in (".c", ".h", ".k"):
        for number, length in functions(lines):
            if length > FUNCTION:
                yield f"{path}:{number}: a function of {length} lines"


def check(root):
    return [fault for path in sorted(texts(root)) for fault in faults(root, path)]


def notices():
    """Each breach, made in turn, is found, and what is just allowed is not."""
    body = ["    int x;"] * (FUNCTION - 2)
    good = {"a.c": ["x" * 60 + " " + "y" * (COLUMNS - 61), "int f(void)", "{", *body, "}",
                    *(["can" "not(); /* can't */"] * (LINES - FUNCTION - 2))]}
    bad = [{"a.c": ["x" * 60 + " " + "y" * (COLUMNS - 60)]}, {"a.py": ["#"] * (LINES + 1)},
           {"a.h": ["{", *body, "    x;", "}"]}, {"a.md": ["It can" "not be."]},
           {"a.c": ['"can' ' not be read"']}]
    for files, expected in [(good, 0)] + [(files, 1) for files in bad]:
        with tempfile.TemporaryDirectory() as folder:
            for name, lines in files.items():
                (pathlib.Path(folder) / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
            found = check(pathlib.Path(folder))
            if len(found) != expected:
                sys.exit(f"check_lines: {len(found)} faults in a tree of {expected}: {found}")


def main():
    root = pathlib.Path(sys.argv[1])
    if sys.argv[2:] == ["--broken"]:
        notices()
        return 0
    found = check(root)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
