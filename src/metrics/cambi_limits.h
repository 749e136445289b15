/* SPDX-License-Identifier: BSD-2-Clause */
/* What can be seen of a step of codes, for cambi: codes of 10 bits in limited range as a display shows them. */
#ifndef ASSAY_METRICS_CAMBI_LIMITS_H
#define ASSAY_METRICS_CAMBI_LIMITS_H

enum { CAMBI_BT1886, CAMBI_PQ };
enum { CAMBI_STEPS = 32 }; /* the largest step, in codes */

/* The largest code at which a step of `d` codes up is brighter by more than `threshold` of the code's own light; 0 when
 * there is none, 1023 when the brightest codes still are. */
int cambi_reach(int transfer, double threshold, int d);

/* The smallest code of at least `light` cd/m2; 0 when black is. */
int cambi_visible(int transfer, double light);

#endif
