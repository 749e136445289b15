/* SPDX-License-Identifier: BSD-2-Clause */
/* 128-bit integers: limbs are joined and whole videos summed in them (gcc and clang on 64-bit machines have them). */
#ifndef ASSAY_HOST_INT128_H
#define ASSAY_HOST_INT128_H

#include <stdint.h>

__extension__ typedef __int128 assay_i128;
__extension__ typedef unsigned __int128 assay_u128;

/* The nearest double, ties to even: the conversion that both compilers emit, named here so that it stands out. */
static inline double i128_to_double(assay_i128 v)
{
    return (double)v;
}

#endif
