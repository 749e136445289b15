/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time that a device takes for a frame of a session. It comes from one measurement: the session's passes on a small
 * and on a larger frame give a cost per frame and a cost per pixel. The estimate is good enough to find a device that
 * is twice as fast. Scores never depend on it.
 */
#ifndef ASSAY_ENGINE_RATES_H
#define ASSAY_ENGINE_RATES_H

#include "selftest/prove.h"

/* Estimates seconds per frame of the subject. Missing entries of `x`'s record are measured and saved; `device` opens
 * executors like x. The estimate adds the times of uploads and passes, although a device with several frames in flight
 * overlaps them. */
int rates_seconds(const struct executor *x, const struct selftest_device *device,
                  const struct selftest_subject *subject, double *seconds, struct assay_error *e);

#endif
