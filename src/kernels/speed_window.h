/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The taps of SpEED's windows: SPEED_TAP(k) is tap k of `taps`. They are parameters, listed from the outside to the
 * middle; with SPEED_PICKED they are in the plane `table`, and SPEED_TAPS, which begins a kernel, copies them to tile
 * memory. SPEED_STEP: elements from one window to the next; SPEED_START: how far before its place a window begins.
 */
#ifndef SPEED_PICKED
#define SPEED_PICKED 0
#endif
#if SPEED_PICKED
#define SPEED_STEP taps
#define SPEED_START 0
#define SPEED_TAP(k) TLDN(tap, 0, k, x, 0, 0, y)
#define SPEED_TAPS \
    EACH(x, y, taps, 1) \
        TST(tap, 0, x, 0, y, LD(table, 0, x, 0, y)); \
    END_EACH \
    SYNC
#else
#define SPEED_STEP 16
#define SPEED_START radius
#define SPEED_TAP(k) PARAM_AT_F32(tap, (k) <= radius ? (k) : taps - 1 - (k))
#define SPEED_TAPS int radius = (taps - 1) / 2;
#endif
