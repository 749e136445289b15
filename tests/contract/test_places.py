#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""docs/add-a-backend.md lists every file that names more than one backend, and no other. Tests and examples are left
out, and so are the backends' own folders and that page."""
import re
import sys
from pathlib import Path

BACKENDS = ('vulkan', 'opengl', 'sycl', 'cuda')
OWN = re.compile(r'(src/executors/(cpu|cuda|opengl|sycl|vulkan)|src/kernels/(cuda|shaders|sycl|modules)|tests|examples'
                 r'|bench)/|docs/add-a-backend.md$')
FOLDERS = ('src', 'include', 'tools', 'docs', 'packaging', '.ci')


def places(root):
    """Files that name the first and the last backend."""
    # Of the root not the logs and reports that a user leaves there.
    files = [f for f in root.iterdir() if f.is_file() and f.suffix in ('', '.md', '.txt', '.build')]
    for folder in FOLDERS:
        files += [f for f in (root / folder).rglob('*') if f.is_file() and '__pycache__' not in f.parts]
    found = set()
    for f in files:
        name = f.relative_to(root).as_posix()
        try:
            text = f.read_text().lower()
        except UnicodeDecodeError:
            continue
        if not OWN.match(name) and BACKENDS[0] in text and BACKENDS[-1] in text:
            found.add(name)
    return found


def listed(page):
    section = page.split('\n## Every place\n')[1].split('\n## ')[0]
    return set(re.findall(r'^\| `([^`]+)`', section, re.M))


def main():
    root = Path(sys.argv[1])
    found, page = places(root), listed((root / 'docs/add-a-backend.md').read_text())
    wrong = [f'{f} names backends, and docs/add-a-backend.md does not list it' for f in sorted(found - page)]
    wrong += [f'docs/add-a-backend.md lists {f}, which names no two backends' for f in sorted(page - found)]
    # What the test looks for exists: an empty answer would agree with an empty list.
    if 'src/executors/executors.c' not in found:
        wrong.append('src/executors/executors.c was not found')
    print('\n'.join(wrong) or f'{len(found)} places')
    return bool(wrong)


sys.exit(main())
