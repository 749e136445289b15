#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A DLL exports the functions of its public headers, all of them and nothing else; or, without headers, nothing.

    tools/check_exports.py OBJDUMP DLL HEADER ...
"""
import re
import subprocess
import sys
from pathlib import Path


def main():
    objdump, dll, *headers = sys.argv[1:]
    shown = subprocess.run([objdump, '-p', dll], capture_output=True, text=True, check=True).stdout
    exported = set(re.findall(r'^\t\[ *\d+\] (?:\+base\[ *\d+\] +\w+ )?([A-Za-z_]\w*)$', shown, flags=re.M))
    declared = {name for header in headers for name in
                re.findall(r'^ASSAY_API [^;(]*?(\w+)\(', Path(header).read_text(encoding='utf-8'), flags=re.M)}
    for name in sorted(exported - declared):
        print(f'{dll} exports {name}, which no header declares')
    for name in sorted(declared - exported):
        print(f'{dll} does not export {name}, which a header declares')
    systems = set(re.findall(r'DLL Name: (\S+)', shown))
    for name in sorted(systems):
        if name.lower() not in {'kernel32.dll', 'msvcrt.dll', 'ucrtbase.dll', 'libassay-0.dll', 'shell32.dll'} and \
                not name.startswith('api-ms-win-'):
            print(f'{dll} needs {name}')
            declared.add(name)
    print(f'{len(exported)} functions are exported')
    sys.exit(0 if exported == declared and systems else 1)


if __name__ == '__main__':
    main()
