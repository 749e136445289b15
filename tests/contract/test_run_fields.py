#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""docs/run.md, docs/request.schema.json and python/assay/_fields.py have the fields of the library's table.

    test_run_fields.py LIBRARY ROOT [--write]

--write makes them from the table."""
import ctypes
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True


class Field(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("name", "help", "type", "words", "fallback")] + [
        ("of_sides", ctypes.c_int), ("least", ctypes.c_uint64), ("most", ctypes.c_uint64),
        ("reserved", ctypes.c_uint32 * 8)]


def fields(library):
    call = ctypes.CDLL(library).assay_request_field
    call.argtypes = [ctypes.c_uint32, ctypes.POINTER(Field)]
    rows = []
    field = Field()
    while not call(len(rows), ctypes.byref(field)):
        rows.append({name: value.decode() if isinstance(value, bytes) else value
                     for name, value in ((n, getattr(field, n)) for n, _ in Field._fields_[:-1])})
    return rows


def version(library):
    call = ctypes.CDLL(library).assay_version
    call.restype = ctypes.c_char_p
    return call().decode()


def value_schema(row):
    text = {"type": "string", **({"enum": row["words"].split(", ")} if row["words"] else {})}
    if row["type"] == "integer":
        schema = {"type": "integer", "minimum": row["least"], "maximum": row["most"]}
    else:
        schema = {"type": "array", "items": text} if row["type"] == "list" else text
    return {"description": row["help"], **schema}


def object_schema(rows, **more):
    members = dict(more)
    for row in rows:
        *group, name = row["name"].split(".")
        at = members
        if group:
            at = members.setdefault(group[0], {"type": "object", "additionalProperties": False, "properties": {}})
            at = at["properties"]
        at[name] = value_schema(row)
    return {"type": "object", "additionalProperties": False, "properties": members}


def schema(rows):
    sides = [row for row in rows if row["of_sides"]]
    reference = object_schema([row for row in sides if row["name"] != "name"])
    encode = object_schema(sides)
    for side in (reference, encode):
        side["required"] = ["file"]
    whole = object_schema([row for row in rows if not row["of_sides"]], assay={"const": "request/1"},
                          reference=reference,
                          encodes={"type": "array", "minItems": 1, "maxItems": 16, "items": encode})
    whole["required"] = ["assay", "reference", "encodes"]
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A request of assay",
                       **whole}, indent=2) + "\n"


def table(rows):
    lines = ["| field | of | value | default | |", "|---|---|---|---|---|"]
    for row in rows:
        value = row["words"] or (f"{row['least']} to {row['most']}" if row["type"] == "integer" else "text")
        value = ("list: " if row["type"] == "list" else "") + value
        lines.append(f"| `{row['name']}` | {'a side' if row['of_sides'] else 'the request'} | {value} | "
                     f"{row['fallback'] or ''} | {row['help']} |")
    return "\n".join(lines) + "\n"


def main():
    rows = fields(sys.argv[1])
    root = pathlib.Path(sys.argv[2])
    docs = root / "docs"
    sys.path.insert(0, str(root / "tools"))
    import python_fields
    page = (docs / "run.md").read_text(encoding="utf-8")
    stated = re.search(r"(?m)^\| field \|.*\n(?:\|.*\n)+", page)[0]
    wanted = {docs / "request.schema.json": schema(rows), docs / "run.md": page.replace(stated, table(rows)),
              root / "python/assay/_fields.py": python_fields.module(rows, version(sys.argv[1]))}
    for path, text in wanted.items():
        if sys.argv[3:] == ["--write"]:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            sys.exit(f"{path.name} does not have the fields of src/run/field_table.c: {sys.argv[0]} --write makes it")


if __name__ == "__main__":
    main()
