# SPDX-License-Identifier: BSD-2-Clause
"""What the scripts share that derive constants of src/kernels/constants.txt."""
import sys
from fractions import Fraction

TOLERANCE = 1e-8  # relative: at most a third of half a unit in the last place of a float


def stated_constants():
    """Name and text of every constant in the file that the command line names."""
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = [line.split("#")[0].split() for line in file]
    return {words[0]: words[1] for words in lines if words}


def value(text):
    """Exact for decimal numbers, however many digits they have."""
    return float(Fraction(text))


def check(lines, bounds):
    """Prints the error of each approximation (name, error, bound) and, without a file on the command line, the
    constants (name, value). With one, compares them with it. Returns whether anything is off."""
    failed = 0
    for name, error, bound in bounds:
        print(f"# {name}: {error:.2g}, bound {bound:g}")
        failed |= error > bound
    if len(sys.argv) < 2:
        width = max(len(name) for name, _ in lines)
        for name, constant in lines:
            print(f"{name:{width}} {float(constant)!r}")
        return failed
    stated = stated_constants()
    for name, constant in lines:
        if name not in stated or abs(value(stated[name]) - float(constant)) > TOLERANCE * abs(float(constant)):
            print(f"{name} is {stated.get(name)}, should be {float(constant)!r}")
            failed = 1
    return failed
