/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/cli.h"
int cli_merge(int argc, char **argv, struct assay_error *e)
{
    (void)argc; (void)argv;
    return assay_fail(e, ASSAY_EUSAGE, "merge needs parts");
}
