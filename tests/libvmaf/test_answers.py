# SPDX-License-Identifier: BSD-2-Clause
"""The answers of every function, in wrong orders too, against those of libvmaf.

    test_answers.py PROBE LIBRARY REF.y4m DIS.y4m [REFERENCE]

REFERENCE is libvmaf's own library: then the recorded answers are checked against it, too."""
import pathlib
import subprocess
import sys

ANSWERS = pathlib.Path(__file__).resolve().parent / "answers.txt"


def answers(probe, library, *pair):
    done = subprocess.run([probe, library, *pair], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def recorded():
    """(libvmaf's line, assay's line) of each answer."""
    for line in ANSWERS.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        theirs, _, other = line.partition(" -> ")
        label = theirs.rpartition(" = ")[0]
        yield theirs, f"{label} = {other.partition(' # ')[0]}" if other else theirs


def compare(who, want, got):
    bad = [f"{w}\n  is: {g}" for w, g in zip(want, got) if w != g]
    if len(want) != len(got):
        bad.append(f"{len(got)} answers, not {len(want)}")
    if bad:
        sys.exit(f"{who}: {len(bad)} answers differ:\n" + "\n".join(bad[:20]))


def main():
    probe, library, ref, dis, *reference = sys.argv[1:]
    theirs, ours = zip(*recorded())
    compare("assay", ours, answers(probe, library, ref, dis))
    for path in reference:
        compare(path, theirs, answers(probe, path, ref, dis))
    # A comparison that sees nothing would pass as well.
    try:
        compare("a wrong answer", ours, [ours[0] + "1", *ours[1:]])
    except SystemExit:
        return
    sys.exit("the comparison sees no difference")


if __name__ == "__main__":
    main()
