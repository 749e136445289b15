/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a device takes for a frame, from what was measured once: its cost per frame, per byte of the planes, and per work item
 * of each kernel. Good enough to tell a device that is twice as fast; results never depend on it.
 */
#ifndef ASSAY_ENGINE_RATES_H
#define ASSAY_ENGINE_RATES_H

#include "selftest/record.h"

/* Measures what the record lacks of the kernels of the graph, and saves it. `device` opens what the record is of. */
int rates_measure(const struct selftest_device *device, const struct graph *g, struct selftest_record *r,
                     struct assay_error *e);

/* Seconds per frame: all parts one after the other, though a device with frames in flight overlaps them. */
double rates_predict(const struct selftest_record *r, const struct graph *g);

#endif
