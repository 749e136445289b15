/* SPDX-License-Identifier: BSD-2-Clause */
/* The header line of a Y4M stream. */
#ifndef ASSAY_INPUT_Y4M_HEADER_H
#define ASSAY_INPUT_Y4M_HEADER_H

#include <stdbool.h>

#include "host/error.h"

struct y4m_header {
    assay_format format;
    bool alpha; /* an 8-bit plane of luma's size follows the three others */
};

/* `tags` are the n bytes between the magic and the newline. `name` is the file in messages. */
int y4m_header_parse(struct y4m_header *h, const unsigned char *tags, size_t n, const char *name,
                     struct assay_error *e);

#endif
