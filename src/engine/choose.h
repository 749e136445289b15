/* SPDX-License-Identifier: BSD-2-Clause */
/* --backend auto: which device is the fastest for a session. */
#ifndef ASSAY_ENGINE_CHOOSE_H
#define ASSAY_ENGINE_CHOOSE_H

#include "selftest/prove.h"

struct choice {
    const char *backend;
    char device[16];  /* the device's number; "": the backend has one device */
    char text[512];   /* the choice and its reason */
};

/* Chooses the CPU, or a GPU that is expected to be faster on this graph. It never chooses a GPU device that itself runs
 * on the CPU, nor a device that fails the self-test; the text names the failed device. */
int choose_device(const assay_config *config, const struct selftest_subject *subject, struct choice *out,
                  struct assay_error *e);

#endif
