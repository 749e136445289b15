/* SPDX-License-Identifier: BSD-2-Clause */
/* --ref-colour and --dis-colour state the colour of a side whose tags are missing or wrong. */
#include "cli/cli.h"
#include "host/colour_words.h"

int colour_parse(void *to, char *text, uint64_t side, struct assay_error *e)
{
    ((struct cli *)to)->q.colour[side] = text;
    return colour_words_check(side ? "--dis-colour" : "--ref-colour", text, e);
}
