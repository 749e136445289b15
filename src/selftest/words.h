/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adversarial pairs of 32-bit words for the primitives, each inside the domain that the primitive states. `set` picks a
 * kind of pair (any number is valid), `random` a pair of that kind, `index` runs over edge cases.
 */
#ifndef ASSAY_SELFTEST_WORDS_H
#define ASSAY_SELFTEST_WORDS_H

#include <stdint.h>

struct word_pair {
    uint32_t a, b;
};

uint32_t words_mix(uint32_t v); /* a hash: a change of any bit of v changes half of the result's bits on average */

/* 2^-60 <= |b| <= 2^60; a = 0, or 2^-76 <= |a| <= 2^100 and 2^-60 <= |a / b| <= 2^60. */
struct word_pair words_division(unsigned set, uint32_t random, uint32_t index);
/* a = 0 or 2^-100 <= a <= 2^100. */
struct word_pair words_roots(unsigned set, uint32_t random, uint32_t index);
/* Exponents from -62 to 62: no sum, no difference and no product is denormal or infinite. */
struct word_pair words_rounding(unsigned set, uint32_t random, uint32_t index);
/* Exponents from -30 to 30: no product of three is denormal or infinite. */
struct word_pair words_products(unsigned set, uint32_t random, uint32_t index);
/* a: a float below 2^31 in size. b: any integer. */
struct word_pair words_conversion(unsigned set, uint32_t random, uint32_t index);
/* Floats that compare oddly: zeros, infinities, quiet NaN, neighbours; no denormals. */
struct word_pair words_special(unsigned set, uint32_t random, uint32_t index);
/* a: patterns of denormals and zeros, of either sign. b: 2^-90 <= |b| <= 2^90. */
struct word_pair words_denormal(unsigned set, uint32_t random, uint32_t index);
/* Floats from 0 to 1: codes of 16 bits, and values halfway between two codes. Every eighth is outside: negative, above
 * 1, or NaN. */
struct word_pair words_parts(unsigned set, uint32_t random, uint32_t index);
/* Any words. */
struct word_pair words_any(unsigned set, uint32_t random, uint32_t index);

#endif
