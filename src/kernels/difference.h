/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ASSAY_KERNELS_DIFFERENCE_H
#define ASSAY_KERNELS_DIFFERENCE_H

/* The size of the difference of two samples, at most 65535: the larger less the smaller. A driver's compiler for the
 * H200 got max(before, max(d, -d)) wrong: it took -d in place of the size of d (CUDA 13.0, driver 580). */
FN i32 difference_size(i32 a, i32 b)
{
    return max_i32(a, b) - min_i32(a, b);
}

#endif
