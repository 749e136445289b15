/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests set and read of the stand-in for SYCL; the module that is built with it exports it. */
#ifndef ASSAY_TESTS_FAKE_SYCL_H
#define ASSAY_TESTS_FAKE_SYCL_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fake_sycl {
    unsigned devices;
    unsigned others;            /* before them, devices that the module has no kernels for */
    bool software, usm;         /* what devices say of themselves */
    size_t memory, local_bytes; /* of a device; of a work-group */
    unsigned calls, fail_at;    /* the call of this number throws; 0: none */
    const char *failed;         /* its name */
    unsigned grouped, alone;    /* kernels that were given with work-groups; without */
    unsigned allocations;       /* that were not given back */
    bool lost;                  /* a queue was destroyed with commands that nobody had waited for */
};

extern __attribute__((visibility("default"))) struct fake_sycl fake_sycl;

#ifdef __cplusplus
}
#endif

#endif
