/* SPDX-License-Identifier: BSD-2-Clause */
/* Contrast sensitivity of the wavelet's bands: how visible a coefficient of 1 is at a scale and a viewing distance. */
#ifndef ASSAY_METRICS_ADM_CSF_H
#define ASSAY_METRICS_ADM_CSF_H

enum adm_csf_mode { ADM_CSF_WATSON, ADM_CSF_BARTEN, ADM_CSF_NATIVE };

struct adm_viewing {
    double distance; /* in heights of the display */
    int height;      /* of the display, in pixels */
};

enum adm_band { ADM_BAND_HV, ADM_BAND_D };

/* Scale 0 is the finest of four. `gain` scales Barten's curve and nothing else. Modes that don't exist are Watson's, as in the
 * reference. Rounded to float where the reference does, because a score's seventh digit shows it. */
float adm_csf(int mode, unsigned scale, enum adm_band band, struct adm_viewing viewing, double gain);

#endif
