/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The filters of scaling: for each sample of a scaled row or column, where its taps lie among the samples of the
 * source, and the taps. They are integers, equal to those that ffmpeg's `scale` filter makes with
 * flags=NAME+accurate_rnd+bitexact (docs/scaling.md).
 */
#ifndef ASSAY_SCALE_TAPS_H
#define ASSAY_SCALE_TAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "host/error.h"

enum scale_filter { SCALE_BILINEAR, SCALE_BICUBIC, SCALE_LANCZOS, SCALE_SPLINE, SCALE_FILTERS };

extern const char *const scale_filter_name[SCALE_FILTERS];

/* SCALE_FILTERS when no filter has that name. */
enum scale_filter scale_filter_from_name(const char *name);

enum {
    SCALE_ONE_ACROSS = 16384, /* the sum of the taps of a row's filter */
    SCALE_ONE_DOWN = 4096,    /* of a column's */
    SCALE_CENTRED = 128,      /* a sample's middle, in 1/256 of it */
    SCALE_MOST_TAPS = 168,    /* the reference filters otherwise with more */
    SCALE_MOST_SIDE = 8192,   /* samples of a side; larger ones were not compared with the reference */
};

/* A direction of a plane. */
struct scale_axis {
    uint32_t from, to;       /* samples before and after */
    int32_t from_at, to_at;  /* where samples lie, in 1/256 of a sample: SCALE_CENTRED, or where chroma is sited */
};

struct scale_taps {
    uint32_t outputs, taps;  /* taps of each output */
    int32_t *first;          /* [output]: the source's sample that the first tap is for */
    int16_t *tap;            /* [output * taps + k]: of sample first + k, which is one of the source's */
};

/* Makes the taps of a direction. `one` is their sum. Fails where the reference was not seen to be equal: too many taps,
 * or taps that hang on the last bits of a sine. With `any` such taps are made all the same, for tests of devices. */
int scale_taps_make(struct scale_taps *t, enum scale_filter filter, const struct scale_axis *axis, int32_t one,
                    bool any, struct assay_error *e);
void scale_taps_free(struct scale_taps *t);

#endif
