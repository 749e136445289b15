/* SPDX-License-Identifier: BSD-2-Clause */
/* 128-bit integers, in which limbs are joined and the totals of whole videos are summed. gcc and clang have them on
 * 64-bit machines. */
#ifndef ASSAY_HOST_INT128_H
#define ASSAY_HOST_INT128_H

#include <stdint.h>

__extension__ typedef __int128 assay_i128;
__extension__ typedef unsigned __int128 assay_u128;

/* The nearest double, ties to even, as both compilers convert. A function of its own makes these conversions
 * visible. */
static inline double i128_to_double(assay_i128 v)
{
    return (double)v;
}

#endif
