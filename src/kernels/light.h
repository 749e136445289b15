/* SPDX-License-Identifier: BSD-2-Clause */
/* Light of pictures of floats, which may be above 1. */
#ifndef ASSAY_KERNELS_LIGHT_H
#define ASSAY_KERNELS_LIGHT_H

#include "kernels/exact.h"

/* 0, or LIGHT_LEAST to LIGHT_MOST. A NaN is 0. */
FN f32 light_limit(f32 v) { return sel_f32(v > LIGHT_LEAST, min_f32(v, F32(LIGHT_MOST)), F32(0.0f)); }

#endif
