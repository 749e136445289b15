/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of a command line: "--name value", "--name=value", "-n value" and "-nvalue". */
#ifndef ASSAY_CLI_OPTIONS_H
#define ASSAY_CLI_OPTIONS_H

#include "host/error.h"

struct option_name {
    const char *name; /* without the dashes in front; dashes in it may be given as underscores */
    char letter;      /* 0: none */
    int id;
};

/* The id of the option that an argument is, or -1. *value is what is attached to it, or NULL. */
int option_find(const struct option_name *names, size_t n, const char *argument, const char **value);

/* Where *value is NULL, takes the argument behind argv[*i] for it. */
int option_value(int argc, char **argv, int *i, const char **value, struct assay_error *e);

/* A whole number of `n` digits from `least` to `most`; `what` takes it, for the message. */
int option_count(const char *what, const char *text, size_t n, uint64_t least, uint64_t most, uint64_t *out,
                 struct assay_error *e);
int option_u32(const char *what, const char *text, size_t n, uint32_t least, uint32_t most, uint32_t *out,
               struct assay_error *e);

#endif
