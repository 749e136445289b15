/* SPDX-License-Identifier: BSD-2-Clause */
/* Codes of one depth as codes of a larger one that stand for the same value. */
#ifndef ASSAY_HOST_DEPTH_H
#define ASSAY_HOST_DEPTH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Depths are 8 to 16 bits. Limited range: the code times 2^(to - from), exactly (ITU-R BT.709, BT.2020). Full range: 0
 * to 2^from - 1 become 0 to 2^to - 1, in proportion, to the nearest integer, which never is a tie: 8 to 16 bits is
 * exactly times 257. Chroma of full range is in proportion around its zero, 2^(depth - 1), and not below 0.
 */
uint16_t depth_code(uint32_t code, uint32_t from, uint32_t to, bool full, bool chroma);

#endif
