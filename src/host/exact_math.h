/* SPDX-License-Identifier: BSD-2-Clause */
/* Elementary functions for the host's combines. libm differs between systems, and a score may not. These functions give
 * the same bits on every machine, compiler and optimisation level: they use only + - * / and sqrt in IEEE double, in a
 * fixed order, without fma.
 *
 * Error: below 0.5 ULP + 2^-31 ULP. So the result is correctly rounded, except where the true value is within 2^-31 ULP
 * of a rounding boundary. Exact powers and exact ties of pow are rounded correctly too.
 * Special cases are those of C11 Annex F; a NaN is always the same NaN, whatever the argument's payload.
 * The caller has entered the library's floating-point environment (host/fpenv.h): round to nearest, denormals kept. */
#ifndef ASSAY_HOST_EXACT_MATH_H
#define ASSAY_HOST_EXACT_MATH_H

#include <stddef.h>
#include <stdint.h>

#include "host/bits.h"

#define ASSAY_PI 3.14159265358979323846

double assay_log(double x);
double assay_log2(double x);
double assay_log10(double x);
double assay_exp(double x);
double assay_pow(double x, double y);

/* Replaces each of n numbers by its assay_exp, faster than one by one. */
void assay_exp_each(double *x, size_t n);

/* IEEE square root, without the call into libm that a C compiler adds to sqrt() for errno's sake. */
double assay_sqrt(double x);

/* Exact; a zero result has the argument's sign. assay_round takes halves away from zero. */
double assay_floor(double x);
double assay_ceil(double x);
double assay_round(double x);

/* fmax and fmin are functions of libm to a C compiler. */
static inline double assay_max(double a, double b) { return a > b ? a : b; }
static inline double assay_min(double a, double b) { return a < b ? a : b; }

/* Compares two doubles, for qsort. */
static inline int assay_ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* 2^n for n from -1022 to 1023. */
static inline double assay_power_of_two(int n)
{
    return double_of_bits((uint64_t)(1023 + n) << 52);
}

#endif
