/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device proves itself before it is used. At first use the arithmetic and the traps that drivers have fallen into, and every
 * kernel of the graph that is to run; what has passed is remembered (record.h), so that a later run tests only what is new to
 * it. The whole of it is for `assay doctor`.
 */
#ifndef ASSAY_SELFTEST_PROVE_H
#define ASSAY_SELFTEST_PROVE_H

#include "selftest/record.h"

/* Tests what `x`, an open executor, and the graph need (with `unpacks`, also what takes pictures from device memory) and what is
 * not known to pass. ASSAY_EDEVICE, with the kernel and the
 * first difference, when the device fails. Devices whose kernels are the library's own machine code are not tested here. */
int selftest_prove(const struct executor *x, const struct selftest_device *device, const struct graph *g, bool unpacks,
                   struct assay_error *e);

/* Tests the kernels of `result` and remembers the answers. */
int selftest_examine(const struct executor *x, const struct selftest_device *device, struct selftest_result *result, unsigned n,
                     struct assay_error *e);

/* What is remembered, all kernels together, and how many passed. */
enum selftest_state selftest_known(const struct selftest_identity *identity, unsigned *passed);

#endif
