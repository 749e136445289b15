/* SPDX-License-Identifier: BSD-2-Clause */
/* assay diff A.json B.json */
#include "cli/cli.h"
#include "report/compare.h"

int cli_diff(const struct cli *c, struct assay_error *e)
{
    return reports_compare(c->q.path[0], c->q.path[1], c->quiet ? NULL : stdout, e);
}
