/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ASSAY_CATALOGUE_EXAMINE_H
#define ASSAY_CATALOGUE_EXAMINE_H

#include "selftest/proof.h"

/* The whole self-test: every primitive on bit patterns (unless `primitives` is false: where the device runs them as the
 * scalar C that it would be compared with), then every pass of the catalogue. Results are zero before. */
int catalogue_examine(const struct selftest_device *device, bool primitives,
                      struct selftest_result result[KERNEL_VARIANTS], struct assay_error *e);

#endif
