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

/* Chooses the CPU, or a GPU that is expected to be faster on this graph. A device that itself runs on the CPU is never
 * chosen. A device that fails the self-test is not chosen, and the text names it. */
int choose_device(const assay_config *config, const struct selftest_subject *subject, struct choice *out,
                  struct assay_error *e);

#endif
