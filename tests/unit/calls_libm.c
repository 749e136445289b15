/* SPDX-License-Identifier: BSD-2-Clause */
/* What tools/check_no_libm.py has to find. Never linked into anything. */
#include <math.h>

double calls_libm(double x);

double calls_libm(double x)
{
    return log10(x);
}
