/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stands in for the command that looks inside the library. What is left of the command links against libassay.so, of
 * which only the public functions can be seen: a use of anything else does not link.
 */
#include "cli/cli.h"
#include "cli/options.h"

const struct option_list cli_doctor_options = {0};

int cli_doctor(int argc, char **argv, struct assay_error *e)
{
    (void)argv;
    return assay_fail(e, ASSAY_EINTERNAL, "no doctor here, with %d arguments", argc);
}
