#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The built-in VMAF models: from libvmaf's JSON to src/models/models.txt, and from there to C.

models.py convert FOLDER OUT    reads the file of each model of MODELS in FOLDER (libvmaf's folder `model`), writes the
                                text models.txt
models.py compile TEXT OUT      writes the C tables that src/models/built_in.c reads; the build runs this

models.txt has three kinds of blocks. Numbers are the decimals of the JSON files, whose nearest doubles count.
    rows N                    N lines: the elements of support vectors, of machines of as many features as a line has
                              elements. Machines share most of them.
    svr NUMBER                a support vector machine; equal ones of several models stand once
    gamma G, rho R, bound C   its parameters
    features F                the number of its features, and so the rows that it counts in
    vectors M                 then its M vectors in their order, several on a line: "+ROW" and "-ROW" have the
                              coefficients C and -C, "V@ROW" has V
    model NAME                a model
    size HEIGHT OTHER         height of the pictures that it was made for, and the model for those of the other height
                              ("-": none)
    clip LOW HIGH             bounds of the score
    transform P0 P1 P2 RULE   coefficients of the score transform ("-": absent), and out_gte_in, out_lte_in or "-".
                              Behind them "on" where the model itself turns it on
    chroma P                  the parameter of the chroma correction; of models that have one
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

# A model: its height, the model for pictures of the other height, and the folder of its file.
V1, HFR = "vmaf_v1.0.16", "vmaf_v1.0.16_hfr"
MODELS = {
    "vmaf_v0.6.1": (1080, "vmaf_4k_v0.6.1", "."), "vmaf_v0.6.1neg": (1080, "vmaf_4k_v0.6.1neg", "."),
    "vmaf_4k_v0.6.1": (2160, "vmaf_v0.6.1", "."), "vmaf_4k_v0.6.1neg": (2160, "vmaf_v0.6.1neg", "."),
    "vmaf_b_v0.6.3": (1080, "vmaf_4k_v0.6.1", "."), "vmaf_float_v0.6.1": (1080, "vmaf_float_4k_v0.6.1", "."),
    "vmaf_float_v0.6.1neg": (1080, "vmaf_4k_v0.6.1neg", "."), "vmaf_float_4k_v0.6.1": (2160, "vmaf_float_v0.6.1", "."),
    "vmaf_float_b_v0.6.3": (1080, "vmaf_float_4k_v0.6.1", "."),
    **{name + tail: (height, other and name + other, name) for name in (V1, HFR) for tail, height, other in (
        ("_3d0h", 1080, "_1d5h_2160"), ("_5d0h", 1080, None), ("_1d5h_2160", 2160, "_3d0h"),
        ("_3d0h_2160", 2160, "_3d0h"))},
}

BOUND = "4"   # libsvm's parameter C, the largest coefficient; most have it

HEAD = """\
# Parameters of VMAF models, as figures: made by tools/models.py, which states the format, from the JSON files of the
# same names in the folder model/ of Netflix's libvmaf (https://github.com/Netflix/vmaf).
# Copyright 2016-2026 Netflix, Inc. Licensed under BSD-2-Clause-Patent (https://opensource.org/licenses/BSDplusPatent).
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


def read_svr(text, features, rows):
    """The text of libsvm as lines of models.txt. Adds to the rows of its number of features."""
    head, _, body = text.partition("SV\n")
    value = dict(line.split(" ", 1) for line in head.splitlines())
    assert value["svm_type"] == "nu_svr" and value["kernel_type"] == "rbf" and value["nr_class"] == "2", value
    vectors, known = [], rows.setdefault(features, {})
    for coefficient, *elements in map(str.split, body.splitlines()):
        row = ["0"] * features
        for element in elements:
            index, number = element.split(":")
            row[int(index) - 1] = short(number)
        number = known.setdefault(" ".join(row), len(known))
        vectors.append({BOUND: f"+{number}", f"-{BOUND}": f"-{number}"}.get(coefficient, f"{coefficient}@{number}"))
    assert len(vectors) == int(value["total_sv"])
    return [f"gamma {value['gamma']}", f"rho {value['rho']}", f"bound {BOUND}", f"features {features}",
            f"vectors {len(vectors)}", *wrapped(vectors)]


def options_of(feature):
    def value(v):
        return str(v).lower() if isinstance(v, bool) else v if isinstance(v, str) else f"{float(v):g}"
    return ":".join(f"{name}={value(v)}" for name, v in feature.items()) or "-"


def transform_of(model):
    t = model.get("score_transform")
    if not t:
        return None
    rules = [rule for rule in ("out_gte_in", "out_lte_in") if t.get(rule) == "true"]
    assert set(t) <= {"p0", "p1", "p2", "out_gte_in", "out_lte_in", "enabled"} and len(rules) <= 1
    return "transform " + " ".join([str(t.get(p, "-")) for p in ("p0", "p1", "p2")] + (rules or ["-"])
                                   + ["on"] * t.get("enabled", False))


def model_lines(name, models, svrs, rows):
    first = models[0]
    height, other, _ = MODELS[name]
    lines = [f"model {name}", f"size {height} {other or '-'}", "clip " + " ".join(str(v) for v in first["score_clip"])]
    lines += filter(None, [transform_of(first)])
    if "chroma_correction_parameter" in first:
        lines.append(f"chroma {first['chroma_correction_parameter']}")
    features = first["feature_names"]
    lines.append("features " + " ".join(features))
    lines.append("options " + " ".join(options_of(o) for o in first.get("feature_opts_dicts", [{}] * len(features))))
    for model in models:
        assert model["norm_type"] == "linear_rescale"
        for shared in ("score_clip", "score_transform", "feature_names", "feature_opts_dicts",
                       "chroma_correction_parameter"):
            assert model.get(shared) == first.get(shared), shared
        number = svrs.setdefault(tuple(read_svr(model["model"], len(features), rows)), len(svrs))
        pairs = zip(model["slopes"], model["intercepts"])
        lines.append(f"predictor {number} " + " ".join(f"{s} {i}" for s, i in pairs))
    return lines


def convert(folder, out):
    svrs, rows, lines = {}, {}, []
    for name, (_, _, place) in MODELS.items():
        text = (pathlib.Path(folder) / place / (name + ".json")).read_text(encoding="utf-8")
        file = json.loads(text, parse_float=decimal.Decimal)
        models = [file] if "model_dict" in file else [file[str(i)] for i in range(len(file))]
        lines += model_lines(name, [model["model_dict"] for model in models], svrs, rows)
    blocks = [line for known in rows.values() for line in (f"rows {len(known)}", *known)]
    blocks += [line for svr, number in svrs.items() for line in (f"svr {number}", *svr)]
    pathlib.Path(out).write_text(HEAD + "\n".join(blocks + lines) + "\n", encoding="utf-8")


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
        self.first = {}  # of a number of features: the place of its rows among the words, and how many there are
        self.vectors, self.coefficients = [], []
        self.names, self.options, self.numbers, self.predictors = [], [], [], []

    def rows(self, lines):
        features = len(lines[0].split())
        assert features not in self.first
        self.first[features] = len(self.words), len(lines)
        for line in lines:
            row = [word(text, self.others) for text in line.split()]
            assert len(row) == features
            self.words += [f"0x{w:08x}" for w in row]

    def svr(self, lines):
        head = dict(next(lines).split() for _ in ("gamma", "rho", "bound", "features", "vectors"))
        first, rows = self.first[int(head["features"])]
        self.svrs.append(f"{{{first}, {len(self.vectors)}, {len(self.coefficients)}, {head['features']}, "
                         f"{head['vectors']}, {bits(head['gamma'])}, {bits(head['rho'])}, {bits(head['bound'])}}}")
        count = len(self.vectors)
        for text in " ".join(lines).split():
            value, at, row = text.partition("@")
            number = int(row) if at else int(text[1:])
            assert number < min(NEGATIVE, rows)
            self.vectors.append(f"0x{number | (STATED if at else NEGATIVE if text[0] == '-' else 0):04x}")
            self.coefficients += [bits(value)] if at else []
        assert len(self.vectors) - count == int(head["vectors"])

    def model(self, name, lines):
        m = {"transform": "- - - -", "chroma": "0"}
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
        height, other = m["size"].split()
        self.models.append(
            f'{{"{name}", "{"" if other == "-" else other}", {height}, {len(features)}, {at[0]}, {at[1]}, {first}, '
            f'{len(self.predictors) - first}, {bits(low)}, {bits(high)}, {bits(m["chroma"])}, '
            f'{{{", ".join(str(int(c != "-")) for c in p[:3])}}}, '
            f'{{{", ".join(bits("0" if c == "-" else c) for c in p[:3])}}}, '
            f'{int(p[3] == "out_lte_in")}, {int(p[3] == "out_gte_in")}, {int(p[-1] == "on")}}}')


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
