/* SPDX-License-Identifier: BSD-2-Clause */
/* Andersson and others, "Visualizing Errors in Rendered High Dynamic Range Images", Eurographics 2021. */
#include "metrics/flip_exposures.h"

#include <stdbool.h>

#include "host/exact_math.h"

/* (a v^2 + b v) / (c v^2 + d v + e), and the v whose value is 0.85. ACES: K. Narkowicz' fit; its light is times 0.6.
 * Reinhard's v / (1 + v) has no coefficients here: it is of luminance. */
static const struct { double curve[5], at_85; } tones[FLIP_TONES] = {
    [FLIP_ACES] = {{0.6 * 0.6 * 2.51, 0.6 * 0.03, 0.6 * 0.6 * 2.43, 0.6 * 0.59, 0.14}, 2.1188723239873153},
    [FLIP_HABLE] = {{0.231683, 0.013791, 0.18, 0.3, 0.018}, 3.127749277955621},
    [FLIP_REINHARD] = {{0.0}, 17.0 / 3.0},
};

static bool flip_given(double exposure)
{
    return exposure < FLIP_FOUND;
}

int flip_exposures_find(const struct flip_exposures *asked, const assay_format *reference, struct flip_exposures *found,
                        struct assay_error *e)
{
    const double at = tones[asked->tone].at_85;
    *found = *asked;
    if (!flip_given(asked->start) && !(reference->light_largest > 0.0))
        return assay_fail(e, ASSAY_EUSAGE, "flip: the reference is black, or its format states no light: "
                          "flip=start_exposure=...:stop_exposure=... says at which exposures it is compared");
    if (!flip_given(asked->stop) && !(reference->light_median > 0.0))
        return assay_fail(e, ASSAY_EUSAGE, "flip: more than half of the reference is black, or its format states no "
                          "light: flip=stop_exposure=... says up to which exposure it is compared");
    found->start = flip_given(asked->start) ? asked->start : assay_log2(at / reference->light_largest);
    found->stop = flip_given(asked->stop) ? asked->stop : assay_log2(at / reference->light_median);
    if (!(found->start >= -FLIP_EXPOSURE_MOST && found->stop <= FLIP_EXPOSURE_MOST))
        return assay_fail(e, ASSAY_EUSAGE, "flip: exposures are -%d to %d, not %.4f to %.4f", FLIP_EXPOSURE_MOST,
                          FLIP_EXPOSURE_MOST, found->start, found->stop);
    if (found->start > found->stop)
        return assay_fail(e, ASSAY_EUSAGE, "flip: the start exposure %.4f is above the stop exposure %.4f",
                          found->start, found->stop);
    if (asked->count == 1)
        return assay_fail(e, ASSAY_EUSAGE, "flip: num_exposures is 2 or more, or 0");
    const int steps = (int)assay_ceil(found->stop - found->start);
    found->count = asked->count ? asked->count : steps > 2 ? steps : 2;
    return ASSAY_OK;
}

float flip_exposure_at(const struct flip_exposures *x, int i)
{
    return (float)((double)i / (x->count - 1));
}

float flip_exposure_gain(const struct flip_exposures *x, int i)
{
    return (float)assay_pow(2.0, x->start + i * (x->stop - x->start) / (x->count - 1));
}

void flip_tone_curve(int tone, float curve[5])
{
    for (unsigned i = 0; i < 5; i++)
        curve[i] = (float)tones[tone].curve[i];
}
