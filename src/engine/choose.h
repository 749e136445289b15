/* SPDX-License-Identifier: BSD-2-Clause */
/* --backend auto: which device is the fastest for a session. */
#ifndef ASSAY_ENGINE_CHOOSE_H
#define ASSAY_ENGINE_CHOOSE_H

#include "selftest/prove.h"

struct choice {
    const char *backend;
    char device[16];  /* its number; "": the backend has one */
    char text[512];   /* what was chosen and why */
};

/* The CPU, or a GPU that is expected to be faster on this graph: devices that run on the CPU themselves are left to
 * those who name them, devices that fail the self-test are left out and named. */
int choose_device(const assay_config *config, const struct selftest_subject *subject, struct choice *out,
                  struct assay_error *e);

#endif
