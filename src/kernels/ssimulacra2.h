/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by SSIMULACRA 2's kernels: the filter, and the errors of an item from blurred sums and differences. */
#ifndef ASSAY_KERNELS_SSIMULACRA2_H
#define ASSAY_KERNELS_SSIMULACRA2_H

/* The nine taps around v[i + 4]. */
FN f32 s2_taps(f32 centre, f32 p1, f32 p2, f32 p3, f32 p4)
{
    return (((S2_TAP_0 * centre + S2_TAP_1 * p1) + S2_TAP_2 * p2) + S2_TAP_3 * p3) + S2_TAP_4 * p4;
}
#define S2_TAPS(v, i) s2_taps(v[(i) + 4], v[(i) + 3] + v[(i) + 5], v[(i) + 2] + v[(i) + 6], v[(i) + 1] + v[(i) + 7], \
    v[i] + v[(i) + 8])

/* 1 - (1 - (mu1 - mu2)^2) (2 cov + C2) / (var1 + var2 + C2), from the means and mean squares of a + b and a - b. With V
 * = var(a - b), 2 cov = var1 + var2 - V and var1 + var2 = (var(a + b) + V) / 2. So the error is D + (1 - D) V / (var1 +
 * var2 + C2) with D = (mu1 - mu2)^2. No term cancels where the pictures are alike. Variances are positive but for
 * rounding; below 2^-50 they count as 0 (a quotient of that size does not show in the sums). */
FN f32 s2_error(f32 sum, f32 difference, f32 sum_squares, f32 difference_squares)
{
    f32 square = difference * difference;
    f32 variance = difference_squares - square;
    f32 both = 0.5f * ((sum_squares - sum * sum) + variance) + S2_C2;
    f32 ratio = sel_f32(variance > S2_SMALLEST, div_rn(variance, both), F32(0.0f));
    return max_f32(square + (1.0f - square) * ratio, F32(0.0f));
}

/* (1 + |b - mu2|) / (1 + |a - mu1|) - 1 from a + b and a - b less their means. Half the sum of the two is the edge of
 * a, half the difference the edge of b. */
FN f32 s2_gain(f32 sum, f32 difference)
{
    return abs_f32(0.5f * (sum - difference)) - abs_f32(0.5f * (sum + difference));
}
FN f32 s2_edge(f32 gain, f32 sum, f32 difference) { return div_rn(gain, 1.0f + abs_f32(0.5f * (sum + difference))); }

FN f32 s2_fourth(f32 v)
{
    f32 square = v * v;
    return square * square;
}

#endif
