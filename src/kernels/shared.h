/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers that kernel texts and host code must agree on. C, CUDA and GLSL read this file, so it has preprocessor
 * constants alone. Numbers of one kernel's interface are in its head instead; tools/kernel_names.py makes names of
 * them.
 */
#ifndef ASSAY_KERNELS_SHARED_H
#define ASSAY_KERNELS_SHARED_H

/* A float sum is held in limbs (SUM_F32): the unit of each is 2^-LIMB_BITS of the unit before it. */
#define LIMB_BITS 20
#define LIMB_SIZE 1048576.0f

/* Exact squares of floats (texel_float.k) are held in limbs of this many bits, the lowest first. */
#define TEXEL_LIMB_BITS 21

/* Transfer functions from code values to light (colour.h). */
#define CURVE_LINEAR 0
#define CURVE_SRGB 1   /* IEC 61966-2-1 */
#define CURVE_24 2     /* a power of 2.4: BT.1886 with a black of 0 */
#define CURVE_POWER 3  /* a power that a parameter gives */
#define CURVE_PQ 4
#define CURVE_HLG 5    /* light of the scene */
#define CURVE_PARAMETERS 6 /* seven numbers (linear_curve.k) */

/* How chroma is brought to the size of luma on an axis (linear_light.k): not at all, from the nearest sample, or by a
 * filter. The filter depends on the siting of chroma samples: on the even samples of luma, between them, or on the odd
 * ones. SITINGS combines both axes in one number. */
#define SITING_FULL 0
#define SITING_NEAREST 1
#define SITING_EVEN 2
#define SITING_BETWEEN 3
#define SITING_ODD 4 /* the y axis alone */
#define SITINGS(x, y) ((x) + 4 * (y))
#define SITING_X(sitings) ((sitings) & 3)
#define SITING_Y(sitings) ((sitings) >> 2)

/* SSIM's window (ssim.k): the grid is SSIM_TAPS - 1 smaller than the planes. */
#define SSIM_TAPS 11
/* The sums of ssim.k, as bits: the score l c s, contrast c and structure s, luminance l. */
#define SSIM_SCORE 1
#define SSIM_CONTRAST_STRUCTURE 2
#define SSIM_LUMINANCE 4

/* The window of the integer SSIM (ssim_int.k), from the centre outwards; a row of taps sums to 256. */
#define SSIM_INT_TAP_0 68
#define SSIM_INT_TAP_1 55
#define SSIM_INT_TAP_2 28
#define SSIM_INT_TAP_3 9
#define SSIM_INT_TAP_4 2

/* The nine values of a scale (adm.k), for the bands h, v, d each: the reference, its restored part, the added part. */
#define ADM_BANDS 3
#define ADM_VALUES 9

/* The tables of PSNR-HVS (psnr_hvs.k): sensitivity to the frequencies of a plane. */
#define HVS_LUMA 0
#define HVS_CB 1
#define HVS_CR 2

/* SSIMULACRA 2's errors (ssimulacra2.k). A term is the mean of an error (norm 0) or of its fourth power (norm 1);
 * S2_TERM is the bit of a term. */
#define S2_SSIM 0
#define S2_ARTEFACT 1
#define S2_DETAIL 2
#define S2_TERM(error, norm) (1 << ((error) + 3 * (norm)))

/* TALLIES on GPUs: words of the table of a tile. With a tile of 64 columns it holds the 80 codes that a reach of 40
 * takes, a group of 33 and what makes whole words, for every window. */
#define TALLY_WORDS 3968

/* CAMBI (cambi_mask.k, cambi.k): what is added to the code of a pixel where banding can't be seen, and the length of
 * the table of reciprocals: the pixels of the largest window, and 0. */
#define CAMBI_UNMASKED 32768
#define CAMBI_RECIPROCALS 4226

/* CAMBI: the weight of a step of d codes, 1 to 9. It grows with d. */
#define CAMBI_WEIGHT(d) \
    (1 + ((d) > 1 ? 1 : 0) + ((d) > 2 ? 1 : 0) + ((d) > 3 ? 1 : 0) + ((d) > 5 ? 1 : 0) + ((d) > 7 ? 1 : 0) \
     + ((d) > 11 ? 1 : 0) + ((d) > 15 ? 1 : 0) + ((d) > 22 ? 1 : 0))

/* SpEED's filters are symmetric. A window of radius 9 at most, with taps that are parameters, and the most taps there
 * are (speed_down.k); the largest radius of the local mean (speed_detail.k). A half has the tap in the middle, too. */
#define SPEED_RADIUS 9
#define SPEED_HALF 10
#define SPEED_MOST_TAPS 37
#define SPEED_MEAN_RADIUS 4
#define SPEED_MEAN_HALF 5
/* How SpEED scales a picture first, and the entries of a table for it (speed_steps.k). */
#define SPEED_NEAREST 0
#define SPEED_BILINEAR 1
#define SPEED_BICUBIC 2
#define SPEED_LANCZOS4 3
#define SPEED_STEPS 10

/* FLIP's taps (flip_seen.k): rows of a table, from the centre on, for y, x - y, y - z twice, and the Gaussian, edges
 * and points of y. How far the filters of each reach in a kernel of one pass. */
#define FLIP_FILTERS 7
#define FLIP_REACH_Y 5
#define FLIP_REACH_XY 6
#define FLIP_REACH_EDGE 9
#define FLIP_REACH 10       /* of y - z, and the largest */
#define FLIP_MOST_REACH 136 /* of kernels that loop over taps */

/* ColorVideoVDP: steps of a table of sensitivities (cvvdp_sensed.k). The high end of a row (cvvdp_reduce.k): symmetric;
 * that of an odd row, of an even one; that of an even row, of an odd one. */
#define CVVDP_STEPS 32
/* Sitings of chroma, the curve of codes and the primaries of light in one number (cvvdp_dkl.h). */
#define CVVDP_HOW(sitings, curve, wide) ((sitings) + 32 * (curve) + 256 * (wide))
#define CVVDP_SITINGS(how) ((how) & 31)
#define CVVDP_CURVE(how) (((how) >> 5) & 7)
#define CVVDP_IS_WIDE(how) ((how) >= 256)
#define CVVDP_TAIL_SAME 0
#define CVVDP_TAIL_MORE 1
#define CVVDP_TAIL_LESS 2

#endif
