/* SPDX-License-Identifier: BSD-2-Clause */
/* The offset of every frame: the path of least cost. Included only in src/align. */
#ifndef ASSAY_ALIGN_PATH_H
#define ASSAY_ALIGN_PATH_H

#include "align/align.h"

enum { FLOOR = SIGNATURE_BLOCKS * 4 }; /* a distance that rounding may make */

/* Two sides that are compared. The reference's signatures are on the distorted side's scale, if `noise` is not 0. */
struct sides {
    const struct signature *reference, *distorted;
    uint64_t frames[2];
    int64_t least, most; /* offsets */
    uint32_t noise;      /* the distance of two frames that show the same; 0: not known */
};

/* Whether reference frame n has a distorted frame at an offset. */
static inline bool sides_have(const struct sides *s, uint64_t n, int64_t offset)
{
    return (int64_t)n + offset >= 0 && (uint64_t)((int64_t)n + offset) < s->frames[1];
}

static inline uint32_t sides_distance(const struct sides *s, uint64_t n, int64_t offset)
{
    return signature_distance(&s->reference[n], &s->distorted[(int64_t)n + offset]);
}

/* Sets offset[n] of each reference frame. Where the picture tells nothing, the offset stays as it is around. */
int path_find(const struct sides *s, int32_t *offset, struct assay_error *e);

#endif
