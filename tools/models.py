#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The built-in VMAF models: from libvmaf's JSON to src/models/models.txt, and from there to C.

models.py convert FOLDER OUT    reads FOLDER/NAME.json for each NAME of MODELS (libvmaf's folder `model`), writes the
                                text models.txt
models.py compile TEXT OUT      writes the C tables that src/models/built_in.c reads; the build runs this

models.txt has three kinds of blocks. Numbers are the decimals of the JSON files, whose nearest doubles count.
    rows N                    N lines: the elements of support vectors. Machines share most of them.
    svr NUMBER                a support vector machine; equal ones of several models stand once
    gamma G, rho R, bound C   its parameters
    vectors M                 then its M vectors in their order, several on a line: "+ROW" and "-ROW" have the
                              coefficients C and -C, "V@ROW" has V
    model NAME                a model
    size HEIGHT               height of the pictures that it was made for
    clip LOW HIGH             bounds of the score
    transform P0 P1 P2 RULE   coefficients of the score transform ("-": absent), and out_gte_in, out_lte_in or "-"
    features NAME...          libvmaf's names of the features
    options TEXT...           for each feature its options as NAME=VALUE:NAME=VALUE, or "-"
    predictor SVR S I s i...  a machine, slope and intercept of the score and of each feature. The first is the model
                              itself, those behind it are the members of a collection.
"""
import decimal
import json
import pathlib
import struct
import sys

# The name of a model and the height of the pictures that it was made for.
MODELS = {"vmaf_v0.6.1": 1080, "vmaf_v0.6.1neg": 1080, "vmaf_4k_v0.6.1": 2160, "vmaf_4k_v0.6.1neg": 2160,
          "vmaf_b_v0.6.3": 1080, "vmaf_float_v0.6.1": 1080, "vmaf_float_v0.6.1neg": 1080,
          "vmaf_float_4k_v0.6.1": 2160, "vmaf_float_b_v0.6.3": 1080}

FEATURES = 6  # of each of these models
BOUND = "4"   # libsvm's parameter C, the largest coefficient; most have it

HEAD = """\
# Parameters of VMAF models, as figures: made by tools/models.py, which states the format, from the JSON files of the
# same names in the folder model/ of Netflix's libvmaf (https://github.com/Netflix/vmaf).
# Copyright 2016-2020 Netflix, Inc. Licensed under BSD-2-Clause-Patent (https://opensource.org/licenses/BSDplusPatent).
"""


# ---- libvmaf's JSON to models.txt

def short(number):
    """A decimal without the zero before its point: fewer bytes, the same value."""
    text = str(number)
    for sign in ("", "-"):
        if text.startswith(sign + "0."):
            text = sign + text[len(sign) + 1:]
    return text


def wrapped(items, indent="", width=118):
    lines, line = [], indent
    for item in items:
        if line != indent and len(line) + len(item) + 1 > width:
            lines.append(line)
            line = indent
        line += (" " if line != indent else "") + item
    return lines + [line]


def read_svr(text, rows):
    """The text of libsvm as lines of models.txt. Adds to `rows`."""
    head, _, body = text.partition("SV\n")
    value = dict(line.split(" ", 1) for line in head.splitlines())
    assert value["svm_type"] == "nu_svr" and value["kernel_type"] == "rbf" and value["nr_class"] == "2", value
    vectors = []
    for coefficient, *elements in map(str.split, body.splitlines()):
        row = ["0"] * FEATURES
        for element in elements:
            index, number = element.split(":")
            row[int(index) - 1] = short(number)
        number = rows.setdefault(" ".join(row), len(rows))
        vectors.append({BOUND: f"+{number}", f"-{BOUND}": f"-{number}"}.get(coefficient, f"{coefficient}@{number}"))
    assert len(vectors) == int(value["total_sv"])
    return [f"gamma {value['gamma']}", f"rho {value['rho']}", f"bound {BOUND}", f"vectors {len(vectors)}",
            *wrapped(vectors)]


def options_of(feature):
    def value(v):
        return str(v).lower() if isinstance(v, bool) else f"{float(v):g}"
    return ":".join(f"{name}={value(v)}" for name, v in feature.items()) or "-"


def transform_of(model):
    t = model.get("score_transform")
    if not t:
        return None
    rules = [rule for rule in ("out_gte_in", "out_lte_in") if t.get(rule) == "true"]
    assert set(t) <= {"p0", "p1", "p2", "out_gte_in", "out_lte_in"} and len(rules) <= 1
    return "transform " + " ".join([str(t.get(p, "-")) for p in ("p0", "p1", "p2")] + (rules or ["-"]))


def model_lines(name, models, svrs, rows):
    first = models[0]
    lines = [f"model {name}", f"size {MODELS[name]}", "clip " + " ".join(str(v) for v in first["score_clip"])]
    lines += filter(None, [transform_of(first)])
    lines.append("features " + " ".join(first["feature_names"]))
    lines.append("options " + " ".join(options_of(o) for o in first.get("feature_opts_dicts",
                                                                        [{}] * len(first["feature_names"]))))
    for model in models:
        assert model["norm_type"] == "linear_rescale" and "chroma_correction_parameter" not in model
        for shared in ("score_clip", "score_transform", "feature_names", "feature_opts_dicts"):
            assert model.get(shared) == first.get(shared), shared
        number = svrs.setdefault(tuple(read_svr(model["model"], rows)), len(svrs))
        pairs = zip(model["slopes"], model["intercepts"])
        lines.append(f"predictor {number} " + " ".join(f"{s} {i}" for s, i in pairs))
    return lines


def convert(folder, out):
    svrs, rows, lines = {}, {}, []
    for name in MODELS:
        text = (pathlib.Path(folder) / (name + ".json")).read_text(encoding="utf-8")
        file = json.loads(text, parse_float=decimal.Decimal)
        models = [file] if "model_dict" in file else [file[str(i)] for i in range(len(file))]
        lines += model_lines(name, [model["model_dict"] for model in models], svrs, rows)
    blocks = [line for svr, number in svrs.items() for line in (f"svr {number}", *svr)]
    pathlib.Path(out).write_text(HEAD + "\n".join([f"rows {len(rows)}", *rows] + blocks + lines) + "\n",
                                 encoding="utf-8")


# ---- models.txt to C

# An element of a row is a word: bit 31 is the sign, bits 0 to 26 are digits, bits 27 to 30 index POWERS, the negated
# power of ten. OTHER: the digits index a table of doubles. A vector is a word of 16 bits: bits 0 to 13 are its row; its
# coefficient is the bound, or with NEGATIVE the negated one, or with STATED the next of a table of doubles.
POWERS = list(range(10)) + [22]
OTHER = 15
NEGATIVE, STATED = 1 << 14, 1 << 15


def bits(text):
    return f"0x{struct.unpack('<Q', struct.pack('<d', float(text)))[0]:016x}"


def word(text, others):
    sign, digits, exponent = decimal.Decimal(text).as_tuple()
    mantissa = int("".join(map(str, digits)))
    while exponent > 0:
        mantissa, exponent = mantissa * 10, exponent - 1
    if not mantissa:
        return 0
    if mantissa < 1 << 27 and -exponent in POWERS and float(text) == (-1) ** sign * mantissa / 10.0 ** -exponent:
        return sign << 31 | POWERS.index(-exponent) << 27 | mantissa
    return OTHER << 27 | others.setdefault(bits(text), len(others))


def quoted(text):
    return f'"{text}"'


class Tables:
    def __init__(self):
        self.words, self.others, self.svrs, self.models = [], {}, [], []
        self.vectors, self.coefficients = [], []
        self.names, self.options, self.numbers, self.predictors = [], [], [], []

    def rows(self, lines):
        for line in lines:
            row = [word(text, self.others) for text in line.split()]
            assert len(row) == FEATURES
            self.words += [f"0x{w:08x}" for w in row]

    def svr(self, lines):
        head = dict(next(lines).split() for _ in ("gamma", "rho", "bound", "vectors"))
        self.svrs.append(f"{{{len(self.vectors)}, {len(self.coefficients)}, {head['vectors']}, {bits(head['gamma'])}, "
                         f"{bits(head['rho'])}, {bits(head['bound'])}}}")
        count = len(self.vectors)
        for text in " ".join(lines).split():
            value, at, row = text.partition("@")
            number = int(row) if at else int(text[1:])
            assert number < min(NEGATIVE, len(self.words) // FEATURES)
            self.vectors.append(f"0x{number | (STATED if at else NEGATIVE if text[0] == '-' else 0):04x}")
            self.coefficients += [bits(value)] if at else []
        assert len(self.vectors) - count == int(head["vectors"])

    def model(self, name, lines):
        m = {"transform": "- - - -"}
        first = len(self.predictors)
        at = len(self.names), len(self.numbers)
        for line in lines:
            key, _, rest = line.partition(" ")
            if key != "predictor":
                m[key] = rest
                continue
            svr, *numbers = rest.split()
            self.predictors.append(svr)
            self.numbers += [bits(n) for n in numbers]
        features, options = m["features"].split(), m["options"].split()
        assert len(features) == len(options)
        self.names += map(quoted, features)
        self.options += [quoted("" if o == "-" else o) for o in options]
        p = m["transform"].split()
        low, high = m["clip"].split()
        self.models.append(
            f'{{"{name}", {m["size"]}, {len(features)}, {at[0]}, {at[1]}, {first}, {len(self.predictors) - first}, '
            f'{bits(low)}, {bits(high)}, {{{", ".join(str(int(c != "-")) for c in p[:3])}}}, '
            f'{{{", ".join(bits("0" if c == "-" else c) for c in p[:3])}}}, '
            f'{int(p[3] == "out_lte_in")}, {int(p[3] == "out_gte_in")}}}')


def blocks(lines):
    """(kind, name, lines) of each block."""
    block = None
    for line in lines:
        kind, _, rest = line.partition(" ")
        if kind in ("rows", "svr", "model"):
            if block:
                yield block
            block = (kind, rest, [])
        else:
            block[2].append(line)
    yield block


def compile_text(text, out):
    lines = pathlib.Path(text).read_text(encoding="utf-8").splitlines()
    t = Tables()
    for kind, name, rest in blocks(line for line in lines if not line.startswith("#")):
        if kind == "rows":
            t.rows(rest)
        elif kind == "svr":
            assert int(name) == len(t.svrs)
            t.svr(iter(rest))
        else:
            t.model(name, rest)

    def table(kind, name, items):
        return f"const {kind} {name}[] = {{\n" + "\n".join(wrapped([f"{item}," for item in items], "    ")) + "\n};\n"
    pathlib.Path(out).write_text(
        "/* Made by tools/models.py from src/models/models.txt, which states the source and licence of the figures. */\n"
        '#include "models/built_in.h"\n\n'
        + table("uint32_t", "built_in_words", t.words) + table("uint64_t", "built_in_others", list(t.others) or ["0"])
        + table("uint16_t", "built_in_vectors", t.vectors)
        + table("uint64_t", "built_in_coefficients", t.coefficients)
        + table("struct built_in_svr", "built_in_svrs", t.svrs) + table("char *const", "built_in_names", t.names)
        + table("char *const", "built_in_options", t.options) + table("uint64_t", "built_in_numbers", t.numbers)
        + table("uint32_t", "built_in_predictors", t.predictors)
        + table("struct built_in_model", "built_in_models", t.models)
        + f"const uint32_t built_in_count = {len(t.models)};\n", encoding="utf-8")


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("convert", "compile"):
        sys.exit(__doc__)
    (convert if sys.argv[1] == "convert" else compile_text)(sys.argv[2], sys.argv[3])


if __name__ == "__main__":
    main()
