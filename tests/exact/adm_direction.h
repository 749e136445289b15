/* SPDX-License-Identifier: BSD-2-Clause */
/* The direction test of the integer ADM, as the kernels of an instruction set make it. */
#ifndef ASSAY_TESTS_ADM_DIRECTION_H
#define ASSAY_TESTS_ADM_DIRECTION_H

#include <stdint.h>

/* A multiple of every number of lanes. */
enum { ADM_DIRECTION_BLOCK = 1024 };

struct adm_direction_level {
    const char *name;
    /* v: o_h, o_v, t_h, t_v of each; yes: 1 where the directions are the same, else 0 */
    void (*of_16)(const int32_t v[4][ADM_DIRECTION_BLOCK], int32_t *yes);
    void (*of_32)(const int32_t v[4][ADM_DIRECTION_BLOCK], int32_t *yes);
};

extern const struct adm_direction_level adm_direction_scalar, adm_direction_sse4, adm_direction_avx2,
    adm_direction_avx512, adm_direction_neon, adm_direction_sabotaged;

#endif
