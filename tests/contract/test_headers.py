#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The public headers have one way of errors, room in every structure, and structures of a stated size.

test_headers.py ROOT CC...

A function that can fail returns an int. It says why in a buffer, its last two arguments `char *error, size_t
error_size`, or through the object that is its first argument: a session or a device, whose last error can be asked. A
query that can only be given an index or a name that is none has no text. A structure has a member `reserved`; those
that are a value, and will never have another member, are listed. Programs that were built before rely on the sizes.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HEADERS = ("assay", "floats", "gpu", "run")
OBJECTS = ("assay_session *session", "assay_gpu *gpu")
# An int that is no result, or a result whose only reason is an index or a name that is none.
QUERIES = {
    "assay_metric_of_colour", "assay_metric_of_light", "assay_metric_slow", "assay_metric_output",
    "assay_metric_option", "assay_model_feature", "assay_model_predict", "assay_session_key_direction",
    "assay_session_key_feature", "assay_session_aggregate_direction", "assay_request_field", "assay_run_next",
    "assay_results_state", "assay_results_key_direction", "assay_results_key_feature", "assay_results_value",
    "assay_results_pool", "assay_results_compare"}
VALUES = {"assay_total", "assay_channel_figures", "assay_rectangle"}
SIZES = {  # in bytes, with pointers and long of 64 bits
    "assay_format": 232, "assay_output": 48, "assay_option": 376, "assay_feature": 64, "assay_device": 104,
    "assay_config": 192, "assay_picture": 96, "assay_buffer": 88, "assay_reader": 184, "assay_read_end": 280,
    "assay_total": 16, "assay_plane": 152, "assay_plane_file": 48, "assay_pass": 96, "assay_frame_times": 72,
    "assay_work": 128, "assay_channel_figures": 40, "assay_image_figures": 328, "assay_float_light": 72,
    "assay_float_image": 104, "assay_vulkan_device": 72, "assay_opengl_context": 40, "assay_cuda_context": 40,
    "assay_sycl_queue": 40, "assay_gpu_handles": 88, "assay_rectangle": 16, "assay_vulkan_image": 88,
    "assay_opengl_image": 40, "assay_cuda_image": 112, "assay_gpu_image": 152, "assay_gpu_options": 56,
    "assay_field": 96, "assay_event": 112, "assay_comparison": 104, "assay_rate_point": 40, "assay_bdrate": 104,
}


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def functions(text):
    """(result, name, arguments) of every public function."""
    for result, name, arguments in re.findall(r"ASSAY_API ([\w ]+[ *]+)(\w+)\((.*?)\);", text, flags=re.S):
        yield result.strip(), name, [" ".join(a.split()) for a in arguments.split(",")]


def check_errors(text):
    for result, name, arguments in functions(text):
        buffer = arguments[-2:] == ["char *error", "size_t error_size"]
        by_object = arguments[0] in OBJECTS
        if any("error" in a for a in arguments) and not buffer:
            yield f"{name}: a buffer for the error is the last two arguments, `char *error, size_t error_size`"
        if buffer and result != "int":
            yield f"{name}: a function with a buffer for the error returns an int"
        if result == "int" and not buffer and not by_object and name not in QUERIES:
            yield f"{name}: says its error neither in a buffer nor through a session or a device"
        if result == "int" and (buffer or by_object) and name in QUERIES:
            yield f"{name}: is listed as a query, and has an error"


def structures(text):
    for body, name in re.findall(r"typedef struct \w+ \{(.*?)\n\} (\w+);", text, flags=re.S):
        yield name, body


def check_structures(text):
    for name, body in structures(text):
        room = re.search(r"uint(32|64)_t reserved\[(\d+)\];", body)
        if not room and name not in VALUES:
            yield f"{name}: has no member `reserved`"
        elif room and int(room[1]) * int(room[2]) < 96:
            yield f"{name}: `reserved` has less than 12 bytes"
        if name not in SIZES:
            yield f"{name}: has no stated size"


def check_sizes(root, compiler):
    code = "".join(f"#include <assay/{h}.h>\n" for h in HEADERS) + "#ifdef __LP64__\n" + "".join(
        f'_Static_assert(sizeof({name}) == {size}, "{name}");\n' for name, size in SIZES.items()) + "#endif\n"
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "sizes.c"
        source.write_text(code, encoding="utf-8")
        done = subprocess.run([*compiler, "-std=c11", "-fsyntax-only", f"-I{root}/include", source],
                              capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else [done.stderr]


def notices():
    """Each breach, made in turn, is found."""
    bad = ("ASSAY_API int assay_new_function(const char *name);",
           "ASSAY_API int assay_new_function(const char *name, char *why, size_t error_size);",
           "ASSAY_API void assay_new_function(char *error, size_t error_size);")
    unseen = [line for line in bad if not list(check_errors(line))]
    unseen += [text for text in ("typedef struct x {\n    int y;\n} assay_new;",
                                 "typedef struct x {\n    uint32_t reserved[2];\n} assay_new;")
               if len(list(check_structures(text))) != 2]
    return [f"a breach goes unseen: {text}" for text in unseen]


def main():
    root, compiler = pathlib.Path(sys.argv[1]), sys.argv[2:]
    text = "".join(without_comments((root / f"include/assay/{h}.h").read_text(encoding="utf-8")) for h in HEADERS)
    names = {name for _, name, _ in functions(text)} | {name for name, _ in structures(text)}
    found = notices() + list(check_errors(text)) + list(check_structures(text))
    found += [f"{name}: is in no header" for name in (QUERIES | VALUES | set(SIZES)) - names]
    found += check_sizes(root, compiler)
    print("\n".join(found) if found else f"{len(names)} functions and structures hold to the rules")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
