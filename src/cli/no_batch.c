/* SPDX-License-Identifier: BSD-2-Clause */
/* assay batch on Windows, which has no fork(2), and on macOS, which has no locks of open files. */
#include "cli/batch/batch.h"
#include "cli/options.h"

const struct option_list batch_option_list = {0};

int cli_batch(int argc, char **argv, struct assay_error *e)
{
    (void)argc, (void)argv;
    return assay_fail(e, ASSAY_EUSAGE, "assay batch is there on Linux alone; assay REFERENCE DISTORTED scores a pair");
}
