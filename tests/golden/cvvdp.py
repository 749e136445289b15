#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cvvdp against golden/cvvdp of the shared data folder: an evaluation in double, and the reference program's figures.

    cvvdp.py ASSAY [--backend NAME] [--only TEXT] [--large]

- Pictures and videos are within 1e-5 JOD of double, and within 2e-4 of the reference program, on displays with PQ
  within 1e-3, whose curve it has in float. Identical ones have exactly 10.
- A video is scored in two parts, too, whose figures merge to those of the whole.
- Videos are padded as the program padded them, replicated or symmetrically.
- Pictures of one channel are left out, which the reference program takes for coloured ones (docs/metrics/cvvdp.md).

Without --large pictures of more than 100,000 pixels are left out. Skipped where the folder is absent."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import golden  # noqa: E402
import pictures  # noqa: E402

DOUBLE, PROGRAM, PROGRAM_PQ, LARGE = 1e-5, 2e-4, 1e-3, 100000
READ = {}


def noise(rows, amount, seed):
    """Each sample plus a number of -amount to amount, by a linear congruential generator."""
    out, state = [], seed
    for row in rows:
        line = []
        for pixel in row:
            codes = []
            for v in pixel:
                state = (state * 1664525 + 1013904223) & 0xffffffff
                codes.append(min(255, max(0, v + (state >> 16) % (2 * amount + 1) - amount)))
            line.append(tuple(codes))
        out.append(line)
    return out


def made(words):
    kind, w, h, numbers = words[0], int(words[1]), int(words[2]), [int(v) for v in words[3:]]
    if kind == "flat":
        return [[tuple(numbers)] * w for _ in range(h)]
    if kind == "checker":
        return [[((x // numbers[0] + y // numbers[0] + numbers[1]) % 2 * 255,) * 3 for x in range(w)]
                for y in range(h)]
    if kind == "bars":
        return [[(200, 40, 60) if (x // 3 + numbers[0]) % 2 else (40, 160, 60) for x in range(w)] for _ in range(h)]
    return None


def side(data, text):
    """Rows of pixels of 8 bits; None for what this test does not make."""
    first, *steps = text.split("|")
    if first.startswith("made:"):
        rows = made(first.split(":")[1:])
    else:
        if first not in READ:
            content = (data / first).read_bytes()
            READ[first] = pictures.read_png(content)[2] if content[24:26] == b"\x08\x02" else None
        rows = READ[first]
    for step in steps:
        name, *words = step.split(":")
        n = [int(v) for v in words]
        if rows is None:
            return None
        if name == "crop":
            rows = [row[n[0]:n[0] + n[2]] for row in rows[n[1]:n[1] + n[3]]]
        elif name == "noise":
            rows = noise(rows, *n)
        elif name == "quant":
            rows = [[tuple(min(255, (v + n[0] // 2) // n[0] * n[0]) for v in p) for p in row] for row in rows]
        else:
            return None
    return rows


def frame_of(case, which, frame):
    options = case["options"]
    x, y, dx, dy = options["pan"]
    steps = options.get("steps", [1])
    return (case[which].replace("{x}", str(x + frame * dx)).replace("{y}", str(y + frame * dy))
            .replace("{f}", str(frame + 1)).replace("{step}", str(steps[frame % len(steps)])))


def planes(rows):
    """Of gbrp."""
    return b"".join(bytes(p[c] for row in rows for p in row) for c in (1, 2, 0))


def run(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit("%s: %s" % (" ".join(map(str, words)), done.stderr))
    return done.stdout


def picture_jod(program, backend, case, rows, folder):
    for name in ("ref", "dis"):
        (folder / (name + ".png")).write_bytes(pictures.png([[v for p in row for v in p] for row in rows[name][0]]))
    out = run(program, "image", folder / "ref.png", folder / "dis.png", "-q", "--backend", backend, "-m",
              "cvvdp=display=%s:transfer=display" % case["options"]["display"], "--json", "-", "--precision", "max")
    return json.loads(out)["pairs"][0]["metrics"]["cvvdp"]


def video_jod(program, backend, case, rows, folder):
    """The figure of the sequence, and that of two parts."""
    o, words = case["options"], []
    for name in ("ref", "dis"):
        (folder / (name + ".gbr")).write_bytes(b"".join(planes(r) for r in rows[name]))
    words += [folder / "ref.gbr", folder / "dis.gbr", "-p", "gbrp", "-b", 8, "-w", case["width"], "-h", case["height"],
              "-q", "--backend", backend, "--precision", "max", "-m",
              "cvvdp=display=%s:transfer=display:fps=%r:padding=%s" % (o["display"], o["fps"],
                                                                       o.get("padding", "replicate"))]
    jod = json.loads(run(program, *words, "--json", "-"))["aggregate_metrics"]["cvvdp"]
    if o["frames"] < 3:
        return jod, jod
    for name, part in (("a", ("--frames", 2)), ("b", ("--first", 2))):
        run(program, *words, *part, "--shard", folder / name, "--force")
    merged = json.loads(run(program, "merge", "-q", folder / "b", folder / "a", "--json", "-", "--precision", "max"))
    return jod, merged["aggregate_metrics"]["cvvdp"]


def compare(options, case, data, folder):
    """What is wrong, and the distance to double; None: this test does not make the case."""
    video, rows = "frames" in case["options"], {}
    for name in ("ref", "dis"):
        texts = [frame_of(case, name, f) for f in range(case["options"]["frames"])] if video else [case[name]]
        rows[name] = [side(data, text) for text in texts]
        if any(r is None for r in rows[name]):
            return None, 0.0
    wrong = []
    if video:
        jod, merged = video_jod(options.program, options.backend, case, rows, folder)
        if merged != jod:
            wrong.append("two parts have %r, and the whole %r" % (merged, jod))
    else:
        jod = picture_jod(options.program, options.backend, case, rows, folder)
    off = abs(jod - case["oracle"])
    program = PROGRAM_PQ if case["options"]["display"].endswith("_pq") else PROGRAM
    if not off <= DOUBLE:
        wrong.append("%r, and double has %r" % (jod, case["oracle"]))
    if not abs(jod - case["reference"]) <= program:
        wrong.append("%r, and the program has %r" % (jod, case["reference"]))
    if case["ref"] == case["dis"] and jod != 10:
        wrong.append("identical ones have %r" % jod)
    return wrong, off


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--only", default="", help="part of a case's name")
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    shared = golden.shared_folder()
    figures = shared / "golden" / "cvvdp" / "figures.json"
    if not figures.exists():
        return golden.SKIP
    compared, wrong, worst = 0, [], {}
    with tempfile.TemporaryDirectory() as folder:
        for case in json.loads(figures.read_text())["cases"]:
            name = case["name"]
            large = case["width"] * case["height"] > LARGE
            if name.startswith("grey_") or options.only not in name or (large and not options.large):
                continue
            found, off = compare(options, case, shared / "data", pathlib.Path(folder))
            if found is None:
                continue
            worst[name] = off
            wrong += ["%s: %s" % (name, w) for w in found]
            compared += 1
    for name in sorted(worst, key=worst.get, reverse=True)[:20]:
        print("%-36s %.2e" % (name, worst[name]))
    print("%d cases compared" % compared)
    print("\n".join(wrong[:40]))
    return 1 if wrong or compared < (1 if options.only else 50) else 0


if __name__ == "__main__":
    sys.exit(main())
