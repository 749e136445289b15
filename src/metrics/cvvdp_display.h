/* SPDX-License-Identifier: BSD-2-Clause */
/* The display of ColorVideoVDP: what light its codes become, how many of its pixels a degree has, and the sensitivity
 * to contrast at its frequencies. */
#ifndef ASSAY_METRICS_CVVDP_DISPLAY_H
#define ASSAY_METRICS_CVVDP_DISPLAY_H

#include "metrics/metric.h"

/* The most bands, the coarsest level one of them, and the channels of video. Pictures have the first three. */
enum { CVVDP_BANDS = 16, CVVDP_CHANNELS = 4, CVVDP_NAME = 64 };

/* Pixels of a degree. */
static const double CVVDP_LEAST_PPD = 1.0, CVVDP_MOST_PPD = 1000.0;

/* The fields of the reference's files of displays. What is NaN is not given. */
struct cvvdp_display {
    char name[CVVDP_NAME];
    int curve;         /* CURVE_* */
    bool wide;         /* primaries of BT.2020; else those of BT.709 */
    double across, down, distance, diagonal, fov; /* pixels, metres, inches, degrees */
    double peak, contrast, black, ambient, reflectivity, exposure;
    double ppd;
};

/* Finds a display: in the file at `path`, or where that is empty among those that this program knows. */
int cvvdp_display_find(const char *name, const char *path, struct cvvdp_display *d, struct assay_error *e);

int cvvdp_display_read(const char *name, const char *path, struct cvvdp_display *d, struct assay_error *e);

/* Makes what the fields above leave open: the pixels of a degree, black. Fails where the display can't be. */
int cvvdp_display_settle(struct cvvdp_display *d, struct assay_error *e);

/* cd/m2 that the room adds to every pixel. */
double cvvdp_reflected(const struct cvvdp_display *d);

/* Parameters of kernels: light of the curve, cut to low to high, plus `added`, times `gain` is light in cd/m2. The
 * matrix is that to DKL and the gain. */
struct cvvdp_light {
    float low, high, added, gain, matrix[9];
    float system_gamma; /* of HLG: light is multiplied by its luminance to this power first; else 0 */
};
struct cvvdp_light cvvdp_light_of(const struct cvvdp_display *d);

/* The bands of a picture, of which the last is the coarsest level, and their frequencies in cycles of a degree. */
uint32_t cvvdp_bands(double ppd, uint32_t width, uint32_t height, double frequency[CVVDP_BANDS]);

/* log10 of the sensitivity of a channel at a frequency, at CVVDP_STEPS steps of light; and at a light, between them. */
void cvvdp_csf_row(unsigned channel, double frequency, double row[CVVDP_STEPS]);
double cvvdp_csf_at(const double row[CVVDP_STEPS], double light);
double cvvdp_csf_scale(void);  /* steps of log10 of light */
double cvvdp_csf_offset(void); /* the step of light 1 */

/* The taps of the channels in time, from the middle of the window on, and how many: the window has 2 n - 1 frames. */
enum { CVVDP_TAPS = GRAPH_AGES / 2 + 1 };
uint32_t cvvdp_taps(double fps, float tap[CVVDP_TAPS][CVVDP_CHANNELS]);

#endif
