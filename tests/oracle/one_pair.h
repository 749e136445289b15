/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests need that compare the scores of single pairs with a definition. A session that fails ends the program. */
#ifndef ASSAY_TESTS_ONE_PAIR_H
#define ASSAY_TESTS_ONE_PAIR_H

#include <assay/assay.h>

#include "oracle.h"

/* The instruction sets that such a test runs at: NULL is the best one. */
enum { ONE_PAIR_LEVELS = 2 };
extern const char *const one_pair_level[ONE_PAIR_LEVELS];

/* 32 bits that look like noise, one for each v. */
static inline uint32_t one_pair_noise(uint32_t v)
{
    v ^= v >> 16;
    v *= 0x7feb352du;
    v ^= v >> 15;
    v *= 0x846ca68bu;
    return v ^ v >> 16;
}

/*
 * Makes frame `frame` of a side (0: reference, 1: distorted) of a made pair, in both forms. Contents: 0 noise, 1
 * stripes, 2 one sample on a flat picture, 3 black against white, 4 waves with noise on one side, 5 a step of 512 of
 * 65,535 on even frames, 6 noise that both sides have. The last one is ONE_PAIR_CONTENTS - 1.
 */
enum { ONE_PAIR_CONTENTS = 7 };
void one_pair_picture(struct oracle_picture *p, assay_picture *given, const assay_format *format, int content,
                      unsigned side, int frame);

/* Writes the scores of a metric, named with its options, of the pair at instruction set `level`: as many as it has
 * keys. */
void one_pair_scores(const char *metric, const char *level, const assay_format *format, const assay_picture pair[2],
                     double *scores);

#endif
