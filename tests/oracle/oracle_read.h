/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of files for the oracle's programs, through the library's readers. */
#ifndef ASSAY_TESTS_ORACLE_READ_H
#define ASSAY_TESTS_ORACLE_READ_H

#include "input/input.h"
#include "oracle.h"

/* Ends the program. */
_Noreturn void oracle_fail(const char *text);

void oracle_picture_new(struct oracle_picture *p, const assay_format *f);
void oracle_picture_free(struct oracle_picture *p);

/* True when a picture was read, false at the end of the stream. */
bool oracle_picture_read(struct oracle_picture *p, struct input *in);

#endif
