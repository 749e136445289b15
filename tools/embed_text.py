#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Text files as C strings: the style sheet and the script of the HTML report.

embed_text.py OUT NAME=FILE ...   writes `const char NAME[]` for each file, and NAME_digest: its SHA-256 as a
                                  Content-Security-Policy names a script
"""
import base64
import hashlib
import pathlib
import sys


def literal(line):
    return '    "' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"\n'


def main():
    out = ["/* Written by tools/embed_text.py; do not edit. */\n"]
    for argument in sys.argv[2:]:
        name, path = argument.split("=", 1)
        text = pathlib.Path(path).read_text(encoding="ascii")
        if "</" in text or "?" "?" in text:
            sys.exit(f"embed_text: {path}: </ could end the element that it stands in, and ?? is a trigraph")
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        out += [f"extern const char {name}[], {name}_digest[];\n", f"const char {name}[] =\n",
                *map(literal, text.splitlines()), ";\n", f'const char {name}_digest[] = "sha256-{digest}";\n']
    pathlib.Path(sys.argv[1]).write_text("".join(out), encoding="ascii")


if __name__ == "__main__":
    main()
