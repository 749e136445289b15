/* SPDX-License-Identifier: BSD-2-Clause */
/* How the blocks of reference frames and of their partners go together. Included only in src/align. */
#ifndef ASSAY_ALIGN_MOMENTS_H
#define ASSAY_ALIGN_MOMENTS_H

#include "align/signature.h"

/* Sums over blocks of reference frames (x) and of distorted frames (y): below 2^63 for 2^24 frames. */
struct moments {
    uint64_t n, x, y, xx, yy, xy;
};

void moments_add(struct moments *m, const struct signature *reference, const struct signature *distorted);

/* The square of the correlation. -1 where one of the sides varies by less than a code around its mean. */
double moments_likeness(const struct moments *m);

/* The gain and the shift that bring the reference nearest to the distorted side: they undo another range or
 * brightness. There is one of each for all blocks. With one for each block a fade of a still picture would fit its own
 * next frame. */
struct line {
    double gain, shift;
};
struct line moments_line(const struct moments *m);
void line_apply(const struct line *l, struct signature *to, const struct signature *from);

#endif
