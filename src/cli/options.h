/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of a command line, as a table: "--name value", "--name=value", "-n value", "-nvalue". */
#ifndef ASSAY_CLI_OPTIONS_H
#define ASSAY_CLI_OPTIONS_H

#include <stddef.h>

#include "host/error.h"

/* What an option does with its value. The C type in front is that of the field that it sets. */
enum option_kind {
    OPTION_FLAG,   /* bool: sets true, takes no value */
    OPTION_PICK,   /* int: sets `least`, takes no value */
    OPTION_STRING, /* const char *: the value */
    OPTION_U32,    /* uint32_t: a whole number from `least` to `most` */
    OPTION_U64,    /* uint64_t: a whole number from `least` to `most` */
    OPTION_WORD,   /* int: `least` for the first word of `words`, `least` + 1 for the second, and so on */
    OPTION_CALL,   /* no field: calls `call` with the value and `least` */
};

/* A row of a table. `to` is the structure whose fields the options set. */
struct option {
    const char *name;  /* without the dashes in front; dashes within may be given as underscores */
    char letter;       /* 0: none */
    enum option_kind kind;
    unsigned commands; /* for the owner of the table: a bit for each command that takes the option */
    size_t offset;     /* of the field */
    uint64_t least, most;
    const char *words; /* "limited, full" */
    int (*call)(void *to, char *value, uint64_t least, struct assay_error *e);
};

/* The option that an argument is, or NULL. *value is what is attached to it, or NULL: part of the argument. */
const struct option *option_find(const struct option *options, size_t n, char *argument, char **value);

/* Sets the field of the option that argv[*i] is. Where `value` is NULL and the option takes one, it is argv[*i + 1],
 * and *i moves there. A value of its own that begins with a dash is refused: it is an option whose value was
 * forgotten. "-" alone is a value. */
int option_set(const struct option *o, void *to, int argc, char **argv, int *i, char *value,
               struct assay_error *e);

/* Fails for an argument that is no option of the table, with the closest name of those that one of `commands` takes,
 * or of all where that is 0. `help` is the command that prints what there is: "assay image --help". */
int option_unknown(const struct option *options, size_t n, unsigned commands, const char *argument, const char *help,
                   struct assay_error *e);

/* Sets what a whole command line says that has nothing but options of the table. */
int option_set_all(const struct option *options, size_t n, void *to, int argc, char **argv, const char *help,
                   struct assay_error *e);

/* A whole number of `n` digits from `least` to `most`; `what` takes it, for the message. */
int option_count(const char *what, const char *text, size_t n, uint64_t least, uint64_t most, uint64_t *out,
                 struct assay_error *e);
int option_u32(const char *what, const char *text, size_t n, uint32_t least, uint32_t most, uint32_t *out,
               struct assay_error *e);

#endif
