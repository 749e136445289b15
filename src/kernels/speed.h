/* SPDX-License-Identifier: BSD-2-Clause */
/* An index of SpEED's scaled pictures (speed_steps.k, speed_samples.k). */
#ifndef ASSAY_KERNELS_SPEED_H
#define ASSAY_KERNELS_SPEED_H

/* Reflected once at each end. A picture that is large enough to be scored needs no more; tests have smaller ones. */
FN i32 speed_mirror(i32 i, int n)
{
    i32 low = sel_i32(i < I32(0), I32(0) - i, i);
    i32 both = sel_i32(low > I32(n - 1), I32(2 * (n - 1)) - low, low);
    return max_i32(min_i32(both, I32(n - 1)), I32(0));
}

#endif
