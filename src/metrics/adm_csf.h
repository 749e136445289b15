/* SPDX-License-Identifier: BSD-2-Clause */
/* Contrast sensitivity: how visible a wavelet coefficient of 1 is, by scale, band and viewing distance. */
#ifndef ASSAY_METRICS_ADM_CSF_H
#define ASSAY_METRICS_ADM_CSF_H

#include <stdbool.h>

enum adm_csf_mode { ADM_CSF_WATSON, ADM_CSF_BARTEN, ADM_CSF_NATIVE };

/* The integer metric's modes beside the first two: Barten's and Watson's curves blended, and a later fit of that. */
enum adm_csf_blend { ADM_CSF_BLEND = 2, ADM_CSF_BLEND_MAE = 3 };

struct adm_viewing {
    double distance; /* in heights of the display */
    int height;      /* of the display, in pixels */
};

enum adm_band { ADM_BAND_HV, ADM_BAND_D };

/* Scale 0 is the finest of four. `gain` multiplies Barten's curve alone. A mode that does not exist is Watson's,
 * as in libvmaf. Values are rounded to float where libvmaf rounds them, because the seventh digit of a score
 * shows it. */
float adm_csf(int mode, unsigned scale, enum adm_band band, struct adm_viewing viewing, double gain);

/* The factor of a blend, which exists for six viewing distances. False: not for this one. */
bool adm_csf_blend(int mode, unsigned scale, enum adm_band band, struct adm_viewing viewing, float *factor);

#endif
