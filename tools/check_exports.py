#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A DLL exports the functions of its public headers, all of them and nothing else, and a module what kernels/module.h
names. A program, without headers, exports nothing.

    tools/check_exports.py OBJDUMP DLL HEADER ...       says what the DLL exports beside them, and fails
    tools/check_exports.py --list LIST HEADER ...       writes the list (.def) that the linker makes the DLL by
"""
import re
import subprocess
import sys
from pathlib import Path


def functions(headers):
    return {name for header in headers for name in
            re.findall(r'^(?:ASSAY_API [^;(]*?(?=\w+\()|#define MODULE_SYMBOL )(\w+)',
                       Path(header).read_text(encoding='utf-8'), flags=re.M)}


def main():
    objdump, dll, *headers = sys.argv[1:]
    declared = functions(headers)
    if objdump == '--list':
        Path(dll).write_text('EXPORTS\n' + ''.join(f'    {name}\n' for name in sorted(declared)), encoding='ascii')
        return
    shown = subprocess.run([objdump, '-p', dll], capture_output=True, text=True, check=True).stdout
    exported = set(re.findall(r'^\t\[ *\d+\] (?:\+base\[ *\d+\] +\w+ )?([A-Za-z_]\w*)$', shown, flags=re.M))
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
