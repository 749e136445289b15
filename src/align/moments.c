/* SPDX-License-Identifier: BSD-2-Clause */
#include "align/moments.h"

void moments_add(struct moments *m, const struct signature *reference, const struct signature *distorted)
{
    for (unsigned i = 0; i < SIGNATURE_BLOCKS; i++) {
        const uint64_t x = reference->block[i], y = distorted->block[i];
        m->x += x;
        m->y += y;
        m->xx += x * x;
        m->yy += y * y;
        m->xy += x * y;
    }
    m->n += SIGNATURE_BLOCKS;
}

/* Means, variances and covariance of the blocks. */
struct spread {
    double x, y, xx, yy, xy;
};

static struct spread spread_of(const struct moments *m)
{
    const double n = m->n ? (double)m->n : 1;
    struct spread s = {.x = (double)m->x / n, .y = (double)m->y / n};
    s.xx = (double)m->xx / n - s.x * s.x;
    s.yy = (double)m->yy / n - s.y * s.y;
    s.xy = (double)m->xy / n - s.x * s.y;
    return s;
}

static const double code_squared = (double)SIGNATURE_CODE * SIGNATURE_CODE;

double moments_likeness(const struct moments *m)
{
    const struct spread s = spread_of(m);
    return s.xx < code_squared || s.yy < code_squared ? -1 : s.xy > 0 ? s.xy * s.xy / (s.xx * s.yy) : 0;
}

struct line moments_line(const struct moments *m)
{
    const struct spread s = spread_of(m);
    struct line l = {1, 0};
    if (s.xx >= code_squared)
        l.gain = s.xy / s.xx;
    l.gain = l.gain < 0.25 ? 0.25 : l.gain > 4 ? 4 : l.gain;
    l.shift = s.y - l.gain * s.x;
    return l;
}

void line_apply(const struct line *l, struct signature *to, const struct signature *from)
{
    for (unsigned i = 0; i < SIGNATURE_BLOCKS; i++) {
        const double v = l->gain * from->block[i] + l->shift + 0.5;
        to->block[i] = (uint16_t)(v < 0 ? 0 : v > 65535 ? 65535 : v);
    }
}
