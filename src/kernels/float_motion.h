/* SPDX-License-Identifier: BSD-2-Clause */
/* The blur of float_motion, in libvmaf's order: a window of five taps (outer, inner, centre, inner, outer), added up
 * tap by tap from the first. Taps of 0 make the window of three taps and of one. The taps sum to at most 1.0000001. */
#ifndef KERNELS_FLOAT_MOTION_H
#define KERNELS_FLOAT_MOTION_H

/* Of a sum of differences that are at most 256.4 in size each: times 2^11 they are below 2^20. */
#define FMOTION_SCALE FMOTION_2P11

FN f32 fmotion_window(f32 a, f32 b, f32 c, f32 d, f32 e, float outer, float inner, float centre)
{
    return (((a * outer + b * inner) + c * centre) + d * inner) + e * outer;
}

/* A sample on the 8-bit scale, minus 128; for STRIPS over tiles that begin two columns and two rows early. */
#define FMOTION_SAMPLE(plane, i)                                                                                       \
    (to_f32(LDB(plane, REFLECT101, REFLECT101, TILE_X - 2, x, TILE_Y - 2 + (i), y)) * scale - FMOTION_MIDDLE)

#endif
