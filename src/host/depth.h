/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts codes to a larger depth. The new code stands for the same value. */
#ifndef ASSAY_HOST_DEPTH_H
#define ASSAY_HOST_DEPTH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Depths are 8 to 16 bits. Limited range: the code times 2^(to - from), which is exact (ITU-R BT.709, BT.2020). Full
 * range: 0 to 2^from - 1 are scaled to 0 to 2^to - 1 and rounded to the nearest integer. There are no ties, and 8 to 16
 * bits is exactly times 257. Chroma of full range is scaled around its zero, 2^(depth - 1), and is not below 0.
 */
uint16_t depth_code(uint32_t code, uint32_t from, uint32_t to, bool full, bool chroma);

/* The rule of a range in words. */
const char *depth_rule(bool full);

#endif
