#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""python/assay/_abi.py has the headers' structures, numbers and functions.

    test_abi.py ROOT CC..."""
import ctypes
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile

HEADERS = ("assay", "floats", "gpu", "run")
TYPES = {"int": ctypes.c_int, "unsigned": ctypes.c_uint, "uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64,
         "int64_t": ctypes.c_int64, "size_t": ctypes.c_size_t, "ptrdiff_t": ctypes.c_ssize_t,
         "double": ctypes.c_double, "void": None}


def load(path):
    spec = importlib.util.spec_from_file_location("abi", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["abi"] = module
    spec.loader.exec_module(module)
    return module


def names(abi):
    """Every size, offset and number that the C program prints and that the package has."""
    found = {}
    for name, structure in abi.STRUCTURES.items():
        found[f"sizeof({name})"] = ctypes.sizeof(structure)
        for field, kind in structure._fields_:
            found[f"offsetof({name}, {field})"] = getattr(structure, field).offset
            found[f"sizeof((({name} *)0)->{field})"] = ctypes.sizeof(kind)
    for name, structure in abi.WITH_UNIONS.items():
        found[f"sizeof({name})"] = ctypes.sizeof(structure)
        found[f"offsetof({name}, cuda)"] = structure.of.offset
    found["offsetof(assay_gpu_image, rectangle)"] = abi.GpuImage.rectangle.offset
    return {**found, **abi.NUMBERS}


def printed(root, compiler, expressions):
    """What C says that these are."""
    lines = "".join(f'    printf("%lld\\n", (long long)({text}));\n' for text in expressions)
    code = "".join(f"#include <assay/{h}.h>\n" for h in HEADERS) + (
        f"#include <stdio.h>\nint main(void)\n{{\n{lines}    return 0;\n}}\n")
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder) / "abi.c", pathlib.Path(folder) / "abi"
        source.write_text(code, encoding="utf-8")
        subprocess.run([*compiler, "-std=c11", f"-I{root}/include", source, "-o", program], check=True)
        return [int(line) for line in subprocess.run([program], capture_output=True, text=True,
                                                     check=True).stdout.split()]


def fields_of(text):
    """The number of members of each structure."""
    for body, name in re.findall(r"typedef struct \w+ \{(.*?)\n\} (\w+);", text, flags=re.S):
        yield name, sum(len(line.split(",")) for line in body.split(";") if line.strip())


def ctype(abi, text):
    """The ctypes type of a C declaration, with or without a name behind it."""
    text = re.sub(r"\bconst\b", "", text).strip()
    stars = text.count("*")
    base = text.replace("*", " ").split()[0]
    if "(*" in text:
        return ctypes.c_void_p
    if base == "char":
        return ctypes.c_char_p if stars == 1 else ctypes.POINTER(ctypes.c_char_p)
    if base == "void" or (base.startswith("assay_") and base not in {**abi.STRUCTURES, **abi.WITH_UNIONS}):
        return {0: None, 1: ctypes.c_void_p, 2: ctypes.POINTER(ctypes.c_void_p)}[stars]
    kind = {**TYPES, **abi.STRUCTURES, **abi.WITH_UNIONS}.get(base)
    return kind if not stars else ctypes.POINTER(kind)


def check_functions(abi, text):
    # Where the package has another type with reason.
    other = {("assay_request_text", "result"): "the caller frees it", ("assay_floats_to_codes", 2): "an array",
             ("assay_floats_to_codes", 3): "an array", ("assay_session_start_gpu", 4): "NULL alone"}
    declared = {name: (result, re.split(r",(?![^(]*\))", arguments)) for result, name, arguments in re.findall(
        r"ASSAY_API ([\w ]+[ *]+)(\w+)\(((?:[^()]|\([^()]*\))*)\);", text)}
    for name, (result, arguments) in abi.FUNCTIONS.items():
        if name not in declared:
            yield f"{name}: is in no header"
            continue
        wanted = [a for a in declared[name][1] if a.strip() != "void"]
        if len(wanted) != len(arguments):
            yield f"{name}: {len(arguments)} arguments, not {len(wanted)}"
        if ctype(abi, declared[name][0]) is not result and (name, "result") not in other:
            yield f"{name}: the result is {result}"
        for number, (ours, theirs) in enumerate(zip(arguments, wanted)):
            kind = ctypes.POINTER(ctypes.c_char) if "char *error" in theirs else ctype(abi, " ".join(theirs.split()))
            if kind is not ours and (name, number) not in other:
                yield f"{name}: argument {number} is {ours}, and {theirs.strip()} in the header"


def check_numbers(abi, text):
    """Enumerations that the package has whole."""
    for prefix in ("ASSAY_EVENT_", "ASSAY_LAYOUT_", "ASSAY_RANGE_", "ASSAY_CHROMA_", "ASSAY_SCALE_"):
        for name in set(re.findall(rf"\b{prefix}[A-Z0-9_]+(?=[ ,=])", text)) - set(abi.NUMBERS):
            yield f"{name}: is missing"


def main():
    root, compiler = pathlib.Path(sys.argv[1]), sys.argv[2:]
    abi = load(root / "python/assay/_abi.py")
    text = re.sub(r"/\*.*?\*/", " ", "".join((root / f"include/assay/{h}.h").read_text(encoding="utf-8")
                                             for h in HEADERS), flags=re.S)
    ours = names(abi)
    found = [f"{name}: {value}, and {said} in C" for (name, value), said in
             zip(ours.items(), printed(root, compiler, ours)) if value != said]
    members = dict(fields_of(text))
    found += [f"{name}: {len(s._fields_)} members, not {members.get(name)}" for name, s in abi.STRUCTURES.items()
              if len(s._fields_) != members.get(name)]
    found += [*check_functions(abi, text), *check_numbers(abi, text)]
    # Each breach, made in turn, is found.
    abi.FUNCTIONS = {"assay_run_cancel": (None, (ctypes.c_int,)), "assay_none": (None, ())}
    if len(list(check_functions(abi, text))) != 2:
        found.append("a breach goes unseen")
    print("\n".join(found) if found else f"{len(ours)} sizes, offsets and numbers are the headers'")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
