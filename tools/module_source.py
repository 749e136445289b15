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
#if defined _WIN32
#define SEEN __declspec(dllexport)
#define SECTION ".section .rdata, \\"dr\\"\\n"
#define OBJECT ""
#define END ".text\\n"
#else
#define SEEN __attribute__((visibility("default")))
#define SECTION ".section .rodata\\n"
#define OBJECT ".hidden module_code\\n.type module_code, %object\\n"
#define END ".size module_code, . - module_code\\n.previous\\n"
#endif
__asm__(SECTION ".balign 16\\n"
        ".globl module_code\\n" OBJECT
        "module_code:\\n"
        ".incbin \\"{block.resolve()}\\"\\n"
        END);
extern const char module_code[];
#define CODE module_code

static const {content_type} content = {content};

extern SEEN const struct module MODULE_SYMBOL;
SEEN const struct module MODULE_SYMBOL = {{
    .kernels = KERNEL_DIGEST, .digest = 0x{digest}u, .content = &content}};
''', encoding='utf-8')
