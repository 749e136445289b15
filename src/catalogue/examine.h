/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ASSAY_CATALOGUE_EXAMINE_H
#define ASSAY_CATALOGUE_EXAMINE_H

#include "selftest/proof.h"

/* The whole self-test: first every primitive on bit patterns, then every pass of the catalogue. `primitives` is false
 * for a device that runs the primitives as the scalar C that they would be compared with. Results are zero before the
 * call. */
int catalogue_examine(const struct selftest_device *device, bool primitives,
                      struct selftest_result result[KERNEL_VARIANTS], struct assay_error *e);

#endif
