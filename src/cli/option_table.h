/* SPDX-License-Identifier: BSD-2-Clause */
/* All options of the commands whose arguments cli_parse takes. */
#ifndef ASSAY_CLI_OPTION_TABLE_H
#define ASSAY_CLI_OPTION_TABLE_H

#include "cli/options.h"
#include "run/fields.h"

/* LIBVMAF: an option of libvmaf's command, whose names may be cut short as by getopt. */
enum { OPTION_LIBVMAF = 1 << COMMANDS };

const struct option_list *cli_options(void);

#endif
