/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a device takes for a frame of a session, from what was measured once: the session's passes on a small frame
 * and on a larger one give a cost per frame and one per pixel. Good enough to tell a device that is twice as fast;
 * results never depend on it.
 */
#ifndef ASSAY_ENGINE_RATES_H
#define ASSAY_ENGINE_RATES_H

#include "selftest/prove.h"

/* Seconds per frame of the subject. What `x`'s record lacks is measured and saved; `device` opens others like x.
 * Uploads and passes one after the other, though a device with frames in flight overlaps them. */
int rates_seconds(const struct executor *x, const struct selftest_device *device,
                  const struct selftest_subject *subject, double *seconds, struct assay_error *e);

#endif
