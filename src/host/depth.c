/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/depth.h"

uint16_t depth_code(uint32_t code, uint32_t from, uint32_t to, bool full, bool chroma)
{
    const int64_t own = (1 << from) - 1, whole = (1 << to) - 1;
    const int64_t zero = chroma ? 1 << (from - 1) : 0, new_zero = chroma ? 1 << (to - 1) : 0;
    if (!full)
        return (uint16_t)(code << (to - from));
    /* `own` is odd, so that there are no halves. A division rounds what is below 0 to 0 or less. */
    const int64_t v = (2 * ((int64_t)code - zero) * whole + own + 2 * own * new_zero) / (2 * own);
    return (uint16_t)(v < 0 ? 0 : v);
}

const char *depth_rule(bool full)
{
    return full ? "samples with fewer bits are scaled, the largest to the largest"
                : "samples with fewer bits are shifted left";
}
