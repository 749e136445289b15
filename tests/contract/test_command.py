#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""docs/add-a-command.md lists every place of src/cli that names `assay probe`, with its lines, and names only
functions and files that there are.

test_command.py ROOT"""
import re
import sys
from pathlib import Path

COMMAND = "probe"


def lines_of(text):
    """Lines that name the command, and those of an entry of a table that begins with its name."""
    count, inside = 0, False
    for line in text.splitlines():
        inside = inside or line.lstrip().startswith(f'{{"{COMMAND}",')
        count += inside or re.search(rf"(?<![a-z]){COMMAND}(?![a-z])", line) is not None
        inside = inside and not line.endswith("},")
    return count


def places(root):
    own = root / "src/cli" / COMMAND
    found = {f.relative_to(root).as_posix(): len(f.read_text().splitlines()) for f in own.iterdir()}
    for f in (root / "src/cli").rglob("*"):
        if f.is_file() and own not in f.parents and lines_of(f.read_text()):
            found[f.relative_to(root).as_posix()] = lines_of(f.read_text())
    return found


def main():
    root = Path(sys.argv[1])
    page = (root / "docs/add-a-command.md").read_text()
    section = page.split("\n## 4. Every place\n")[1]
    found = places(root)
    listed = {name: int(n) for name, n in re.findall(r"(?m)^\| `([^`]+)` \| (\d+) \|", section)}
    wrong = [f"{name}: {found.get(name)} lines, and the page says {listed.get(name)}"
             for name in sorted(found.keys() | listed.keys()) if found.get(name) != listed.get(name)]
    beside = sum(n for name, n in found.items() if not name.startswith(f"src/cli/{COMMAND}/"))
    if f"costs {beside} lines beside its own" not in section.replace("\n", " "):
        wrong.append(f"a command costs {beside} lines beside its own, and the page says another number")
    sources = "".join(f.read_text() for f in (root / "src").rglob("*.[ch]"))
    names = set(re.findall(r"\b([a-z]+_[a-z_]+)\(", page))
    names |= set(re.findall(r"`(?:struct |enum )?([a-z]+_[a-z_]+)`", page))
    wrong += [f"there is no {name}" for name in sorted(names) if not re.search(rf"\b{name}\b", sources)]
    wrong += [f"there is no file {f}" for f in sorted(set(re.findall(r"`((?:src|docs|tests|tools)/[\w./]+)`", page)))
              if not (root / f).exists()]
    # What the test looks for exists: an empty answer would agree with an empty list.
    if len(names) < 15 or len(found) < 5:
        wrong.append(f"only {len(names)} names and {len(found)} places were found")
    print("\n".join(wrong) or f"{len(found)} places, {len(names)} names")
    return bool(wrong)


sys.exit(main())
