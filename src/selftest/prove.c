/* SPDX-License-Identifier: BSD-2-Clause */
#include "selftest/prove.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selftest/cases.h"

enum selftest_state selftest_known(const struct selftest_identity *identity, unsigned *passed)
{
    struct selftest_record r;
    bool failed = false;
    selftest_record_load(&r, identity);
    *passed = 0;
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++) {
        *passed += r.state[k] == SELFTEST_PASSED;
        failed |= r.state[k] == SELFTEST_FAILED;
    }
    return failed ? SELFTEST_FAILED : *passed ? SELFTEST_PASSED : SELFTEST_NOT_RUN;
}

int selftest_examine(const struct executor *x, const struct selftest_device *device, struct selftest_result *result, unsigned n,
                     struct assay_error *e)
{
    const struct selftest_identity identity = selftest_identity_of(x);
    const int rc = selftest_run(device, result, n, e);
    struct selftest_record r;
    if (rc)
        return rc;
    selftest_record_load(&r, &identity); /* now: somebody else may have added to it */
    for (unsigned i = 0; i < n; i++)
        r.state[result[i].kernel] = (uint8_t)result[i].state;
    selftest_record_save(&r);
    return ASSAY_OK;
}

/* The kernels that have yet to pass. */
static unsigned needed(const struct selftest_record *r, const struct graph *g, bool unpacks, struct selftest_result *result)
{
    bool wanted[KERNEL_VARIANTS] = {false};
    unsigned n = 0;
    for (graph_pass p = 0; p < g->passes; p++)
        wanted[g->pass[p].kernel] = true;
    for (unsigned type = 0; unpacks && type < SAMPLE_TYPES; type++)
        if (assay_kernel_variant[KERNEL_UNPACK][type] >= 0)
            wanted[assay_kernel_variant[KERNEL_UNPACK][type]] = true;
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++)
        if ((wanted[k] || case_at_first_use(k)) && r->state[k] != SELFTEST_PASSED)
            result[n++].kernel = (uint16_t)k;
    return n;
}

static int refuse(const struct executor *x, const struct selftest_result *result, unsigned n, struct assay_error *e)
{
    unsigned first = n, failed = 0;
    char more[64] = "";
    for (unsigned i = 0; i < n; i++) {
        if (result[i].state != SELFTEST_FAILED)
            continue;
        first = first < n ? first : i;
        failed++;
    }
    if (!failed)
        return ASSAY_OK;
    if (failed > 1)
        snprintf(more, sizeof more, " (and %u more: assay doctor)", failed - 1);
    return assay_fail(e, ASSAY_EDEVICE, "%s: %.127s is refused, it failed the self-test: %s: %s%s", x->ops->name, x->device,
                      assay_kernel_info[result[first].kernel].name, result[first].text, more);
}

int selftest_prove(const struct executor *x, const struct selftest_device *device, const struct graph *g, bool unpacks,
                   struct assay_error *e)
{
    if (!x->ops->modules)
        return ASSAY_OK;
    const struct selftest_identity identity = selftest_identity_of(x);
    struct selftest_result *result = calloc(KERNEL_VARIANTS, sizeof *result);
    struct selftest_record *r = malloc(sizeof *r);
    int rc = result && r ? ASSAY_OK : assay_fail_memory(e, "the self-test");
    if (!rc) {
        selftest_record_load(r, &identity);
        const unsigned n = needed(r, g, unpacks, result);
        if (n)
            rc = selftest_examine(x, device, result, n, e);
        if (!rc)
            rc = refuse(x, result, n, e);
    }
    free(result);
    free(r);
    return rc;
}
