# SPDX-License-Identifier: BSD-2-Clause
"""The C source of a module (src/kernels/module.h): its code as a file beside it, which the assembler reads, and what
describes the code. A C array of a megabyte takes a compiler seconds."""
import hashlib
from pathlib import Path


def write(path, includes, content_type, content, code):
    """`content` is an initialiser of content_type, in which CODE is the first byte of `code`."""
    path = Path(path)
    block = path.with_suffix('.bin')
    block.write_bytes(code)
    digest = hashlib.sha256(content.encode() + code).hexdigest()[:16]
    path.write_text(f'''/* Written by tools/module_source.py; do not edit. */
#include "kernels/module.h"
#include "kernels_digest.h"
{includes}
__asm__(".section .rodata\\n"
        ".balign 16\\n"
        ".globl module_code\\n.hidden module_code\\n.type module_code, %object\\n"
        "module_code:\\n"
        ".incbin \\"{block.resolve()}\\"\\n"
        ".size module_code, . - module_code\\n"
        ".previous\\n");
extern const char module_code[];
#define CODE module_code

static const {content_type} content = {content};

extern const struct module MODULE_SYMBOL;
__attribute__((visibility("default"))) const struct module MODULE_SYMBOL = {{
    .kernels = KERNEL_DIGEST, .digest = 0x{digest}u, .content = &content}};
''', encoding='utf-8')
