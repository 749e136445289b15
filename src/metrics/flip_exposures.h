/* SPDX-License-Identifier: BSD-2-Clause */
/* The exposures at which FLIP looks at pictures of high dynamic range. */
#ifndef ASSAY_METRICS_FLIP_EXPOSURES_H
#define ASSAY_METRICS_FLIP_EXPOSURES_H

#include <assay/assay.h>

#include "host/error.h"

enum flip_tone { FLIP_ACES, FLIP_HABLE, FLIP_REINHARD, FLIP_TONES };

/* Exposures are powers of two that light is multiplied by. FLIP_FOUND: found from the reference's light. */
enum { FLIP_EXPOSURE_MOST = 63, FLIP_FOUND = 100, FLIP_MOST_EXPOSURES = 200 };

struct flip_exposures {
    double start, stop;
    int count; /* 0: found from both */
    int tone;  /* enum flip_tone */
};

/* Finds what `asked` leaves open. Fails where the reference's light does not say it, and for a range that is none. */
int flip_exposures_find(const struct flip_exposures *asked, const assay_format *reference, struct flip_exposures *found,
                        struct assay_error *e);

/* What light is multiplied by at exposure i, and where that is between the first one and the last, 0 to 1. */
float flip_exposure_gain(const struct flip_exposures *x, int i);
float flip_exposure_at(const struct flip_exposures *x, int i);

/* The coefficients of a tone mapper (kernels/flip_exposed.k); zeros of Reinhard's. */
void flip_tone_curve(int tone, float curve[5]);

#endif
