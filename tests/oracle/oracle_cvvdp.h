/* SPDX-License-Identifier: BSD-2-Clause */
/* ColorVideoVDP as its paper and reference program (0.5.6) define it, in double, of a display with sRGB's primaries. */
#ifndef ASSAY_TESTS_ORACLE_CVVDP_H
#define ASSAY_TESTS_ORACLE_CVVDP_H

#include "oracle.h"

struct oracle_cvvdp_display {
    double ppd, peak, black, reflected; /* pixels of a degree, cd/m2 */
};

/* The JOD of `frames` frames of light, three images each, which is 1 at the display's peak and 0 at its black. One
 * frame is a picture. `symmetric`: the frames before the first one are those behind it. */
double oracle_cvvdp(struct oracle_image (*ref)[3], struct oracle_image (*dis)[3], int frames, double fps,
                    bool symmetric, const struct oracle_cvvdp_display *display);

#endif
