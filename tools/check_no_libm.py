#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Fails if an object or archive calls libm: what makes a score may not depend on a system's mathematical library.

    tools/check_no_libm.py [--nm NM] FILE...

Looks at undefined symbols only, in their float, long double and GNU __*_finite spellings. The names are those of
C11's math.h, complex.h and fenv.h functions and the common extensions, whether or not libm computes them exactly: an
exact one (floor, fma) may be an instruction on one machine and a call on another, but it has no place in a score path
either, where host/exact_math.h has what is needed.
"""
import re
import subprocess
import sys

NAMES = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi drem erf erfc exp exp10 exp2 expm1 fabs fdim
feclearexcept fegetenv fegetround feholdexcept feraiseexcept fesetenv fesetround feupdateenv floor fma fmax fmin fmod
frexp gamma hypot ilogb j0 j1 jn ldexp lgamma lgamma_r llrint llround log log10 log1p log2 logb lrint lround modf
nearbyint nextafter nexttoward pow pow10 powi remainder remquo rint round roundeven scalb scalbln scalbn significand
sin sincos sinh sinpi sqrt tan tanh tgamma trunc y0 y1 yn
cabs cacos carg casin catan ccos cexp clog cpow csin csqrt ctan
""".split()
BASE = "(?:%s)" % "|".join(NAMES)
LIBM = re.compile(r"^(?:%s[fl]?|__%s[fl]?_finite|__pow[sdx]f2|_ZGV\w+_%s[fl]?)$" % (BASE, BASE, BASE))


def undefined(nm, path):
    done = subprocess.run([nm, "-u", "-P", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit("check_no_libm: %s can't read %s: %s" % (nm, path, done.stderr.strip()))
    member = path
    for line in done.stdout.splitlines():
        if line.endswith("]:") or line.endswith(":"):
            member = line[:-1]
        elif line.strip():
            yield member, line.split()[0].split("@")[0]


def main():
    arguments, nm = sys.argv[1:], "nm"
    if arguments[:1] == ["--nm"]:
        nm, arguments = arguments[1], arguments[2:]
    if not arguments:
        sys.exit("usage: check_no_libm.py [--nm NM] FILE...")
    found = [(m, s) for path in arguments for m, s in undefined(nm, path) if LIBM.match(s)]
    for member, symbol in found:
        print("%s calls libm: %s" % (member, symbol))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
