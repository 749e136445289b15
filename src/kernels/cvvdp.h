/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ColorVideoVDP's steps that its kernels share. Channels are achromatic, red-green, yellow-violet, and of video the
 * transient achromatic one: CVVDP_CHANNELS is 3 or 4. Planes between kernels are stacked layers, one for each channel:
 *
 *   level      a level of the pyramid
 *   sensed     of the reference, at a band: contrast times sensitivity, and behind that the sensitivities
 *   pair       of both sides, at a band: the sizes of differences, and behind them the smaller of both sizes
 */
#ifndef ASSAY_KERNELS_CVVDP_H
#define ASSAY_KERNELS_CVVDP_H

#include "kernels/power.h"

#if ROWS != 2 && ROWS != 4
#error "cvvdp.h: a strip begins at an even row"
#endif

/* v[0] to v[n - 1] become their log2: of positive normal numbers, within 2^-24 of its size and 2.2e-7. */
#define CVVDP_LOG2(v, n) \
    { \
        i32 exponent[n]; \
        f32 fraction[n], part[n]; \
        FOR(of, n) { exponent[of] = log2_exponent(v[of]); fraction[of] = log2_fraction(v[of], exponent[of]); } \
        LOG2_SHORT_POLYNOMIALS(part, fraction, n) \
        FOR(of, n) { \
            v[of] = to_f32(exponent[of]) + (fraction[of] * LOG2_E + (fraction[of] * fraction[of]) * part[of]); \
        } \
    }

/* v[0] to v[n - 1] become 2^v, within a relative 3e-7; of v below -125 and above 126 that of these. The sum with
 * WHOLE_NUMBERS is rounded to a whole number, whose bits it ends with. */
#define CVVDP_EXP2(v, n) \
    { \
        f32 whole[n], power[n]; \
        FOR(of, n) { \
            v[of] = min_f32(max_f32(v[of], F32(CVVDP_LOWEST)), F32(CVVDP_HIGHEST)); \
            whole[of] = v[of] + WHOLE_NUMBERS; \
        } \
        FOR(of, n) { v[of] = v[of] - (whole[of] - WHOLE_NUMBERS); } \
        EXP2_SHORT_POLYNOMIALS(power, v, n) \
        FOR(of, n) { v[of] = bits_f32(f32_bits(power[of]) + shl_u32(f32_bits(whole[of]), 23)); } \
    }

/* Lights become the places of a table of sensitivities that hold them: numbers of its steps. */
#define CVVDP_SENSITIVITY_PLACES(light, n, scale, offset) \
    CVVDP_LOG2(light, n) \
    FOR(of, n) { light[of] = min_f32(max_f32(light[of] * scale + offset, F32(0.0f)), F32(CVVDP_TABLE_LAST)); }

/* s[c] = the sensitivity of channel c at a place of the table. */
#define CVVDP_SENSITIVITIES(s, table, place) \
    { \
        i32 step = min_i32(i32_from_f32(place), I32(CVVDP_STEPS - 2)); \
        f32 part = place - to_f32(step); \
        FOR(chan, CVVDP_CHANNELS) { \
            f32 low = LDG(table, step, I32(chan)); \
            s[chan] = low + part * (LDG(table, step + 1, I32(chan)) - low); \
        } \
        CVVDP_EXP2(s, CVVDP_CHANNELS) \
    }

/* Rows of the level below that a strip takes: that of its first row and those above and behind. */
#define CVVDP_BELOW (ROWS / 2 + 2)

/* Row i of a strip, between two rows of the level below or upon one, from v of CVVDP_BELOW of them. */
#define CVVDP_BETWEEN(v, i) \
    (((i) & 1) == 1 ? 0.5f * v[(i) / 2 + 1] + 0.5f * v[(i) / 2 + 2] \
                    : (CVVDP_FAR * v[(i) / 2] + CVVDP_NEAR * v[(i) / 2 + 1]) + CVVDP_FAR * v[(i) / 2 + 2])

/* wave[c * ROWS + i] = what layer c of `level` has beyond the level below in row i of the strip, over the light of that
 * level, which is at least 0.01 and which light[i] becomes. The next level is twice as coarse: an item between two of
 * its items is their mean, one upon them has a tenth of both neighbours. */
#define CVVDP_WAVES(wave, light, level, below, x, y) \
    { \
        mask odd_column = (XPOS(x) & 1) == 1; \
        f32 to_left = sel_f32(odd_column, F32(0.0f), F32(CVVDP_FAR)); \
        f32 to_here = sel_f32(odd_column, F32(0.5f), F32(CVVDP_NEAR)); \
        f32 to_right = sel_f32(odd_column, F32(0.5f), F32(CVVDP_FAR)); \
        int rows_below = PLANE_H(below) / CVVDP_CHANNELS; \
        f32 over_light[ROWS]; \
        FOR(chan, CVVDP_CHANNELS) { \
            f32 across[CVVDP_BELOW]; \
            FOR(along, CVVDP_BELOW) { \
                f32 at_near = LD_CHROMA_LAYER(below, chan, rows_below, 1, 0, 0, x, 1, along - 1, along - 1, y); \
                f32 at_left = LD_CHROMA_LAYER(below, chan, rows_below, 1, -1, -1, x, 1, along - 1, along - 1, y); \
                f32 at_right = LD_CHROMA_LAYER(below, chan, rows_below, 1, 1, 1, x, 1, along - 1, along - 1, y); \
                across[along] = (to_left * at_left + to_here * at_near) + to_right * at_right; \
            } \
            FOR(down, ROWS) { \
                f32 behind = CVVDP_BETWEEN(across, down); \
                if (chan == 0) { \
                    light[down] = max_f32(behind, F32(CVVDP_LEAST_LIGHT)); \
                    over_light[down] = div_rn(F32(1.0f), light[down]); \
                } \
                f32 beyond = LD_LAYER(level, chan, GRID_H, TILE_X, x, TILE_Y + down, y) - behind; \
                wave[chan * ROWS + down] = min_f32(beyond * over_light[down], F32(CVVDP_MOST_WAVE)); \
            } \
        } \
    }

#endif
