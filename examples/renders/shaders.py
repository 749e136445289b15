#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""shaders.py GLSLC OUT SHADER...: a C header with each shader as SPIR-V (NAME_spirv) and as text (NAME_text)."""
import subprocess
import sys
import tempfile
from pathlib import Path

glslc, out, shaders = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
header = ['#include <stdint.h>\n']
for shader in map(Path, shaders):
    name = shader.suffix[1:]
    with tempfile.NamedTemporaryFile(suffix='.spv') as module:
        subprocess.run([glslc, '-o', module.name, shader], check=True)
        words = memoryview(Path(module.name).read_bytes()).cast('I')
    header.append(f'static const uint32_t {name}_spirv[] = {{{",".join(map(hex, words))}}};\n')
    header.append(f'static const char {name}_text[] = {{{",".join(map(str, shader.read_bytes()))},0}};\n')
out.write_text(''.join(header))
