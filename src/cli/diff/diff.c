/* SPDX-License-Identifier: BSD-2-Clause */
/* assay diff A.json B.json */
#include <string.h>

#include "cli/cli.h"
#include "results/compare.h"

int cli_diff(const struct cli *c, struct assay_error *e)
{
    for (unsigned i = 0; i < 2; i++)
        if (!strcmp(c->q.path[i], "-"))
            return assay_fail(e, ASSAY_EUSAGE, "diff does not take '-'; /dev/stdin is standard input");
    return reports_compare(c->q.path[0], c->q.path[1], c->quiet ? NULL : stdout, e);
}
