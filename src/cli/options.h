/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of a command line, as a table: "--name value", "--name=value", "-n value", "-nvalue". */
#ifndef ASSAY_CLI_OPTIONS_H
#define ASSAY_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "results/json_write.h"

/* How an option handles its value. The comments begin with the C type of the field that it sets. */
enum option_kind {
    OPTION_FLAG,   /* bool: sets true, takes no value */
    OPTION_PICK,   /* int: sets `least`, takes no value */
    OPTION_STRING, /* const char *: the value, one of `words` where there are some */
    OPTION_U32,    /* uint32_t: a whole number from `least` to `most` */
    OPTION_U64,    /* uint64_t: a whole number from `least` to `most` */
    OPTION_CALL,   /* no field: calls `call` with the value and `least` */
    OPTION_ADD,    /* as OPTION_CALL; given again, it adds to what is there. The others are refused a second time */
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
    const char *field;     /* of a request, which it sets; NULL: it is the command's own */
    const char *argument;  /* what texts call the value, "N" */
    const char *section;   /* of the help and of the manual */
    const char *help;      /* a line; NULL: that of the row before, of which this is another form */
    const char *fallback;  /* the default, where the line does not name it */
    bool hidden;           /* another name, which texts leave out */
};

/* Parts of a row: its section, what texts call the value, and the line of help. */
#define IN(in, value, line) .section = in, .argument = value, .help = line
#define INPUTS(value, line) IN("Inputs", value, line)
#define METRICS(value, line) IN("Metrics", value, line)
#define RESULTS(value, line) IN("Results", value, line)
#define MACHINE(value, line) IN("Machine", value, line)
#define OTHER(value, line) IN("Other", value, line)

struct option_list {
    const struct option *option;
    size_t n;
    /* Of a command that has the table to itself. `help`: what lists them, "assay doctor --help". `word` takes an
     * argument that is no option, and all behind "--"; NULL: there is none. */
    const char *help;
    int (*word)(void *to, char *text, struct assay_error *e);
    /* Sets the option that argv[*i] is, as option_set does; NULL: one of the table. */
    int (*set)(void *to, int argc, char **argv, int *i, struct assay_error *e);
};

/* What --help says of the options that one of `commands` takes, or of all for 0; of a section, or of all for NULL. */
void option_help(const struct option_list *l, unsigned commands, const char *section, FILE *out);
/* The same for programs, as the members of a list of JSON. */
void option_json(const struct option_list *l, unsigned commands, struct json *j);

/* The option that an argument names, or NULL: the first row with this name that one of `commands` takes, else the first
 * row with this name. *value points to the value inside the argument, or is NULL where the argument has none. */
const struct option *option_find(const struct option_list *l, unsigned commands, char *argument, char **value);

/* Sets the field of option `o`, which is argv[*i]. If the option takes a value and `value` is NULL, the value is
 * argv[*i + 1], and *i moves there. Such a value may not begin with a dash: it would be the next option, after a
 * forgotten value. "-" alone is a value. l: the table; NULL where the last one of several counts, as for getopt. */
int option_set(const struct option_list *l, const struct option *o, void *to, int argc, char **argv, int *i,
               char *value, struct assay_error *e);

/* Fails for an argument that is no option of the table. The message offers the closest name among the options that one
 * of `commands` takes, or among all if `commands` is 0. `help` is the command that lists them: "assay image --help". */
int option_unknown(const struct option_list *l, unsigned commands, const char *argument, const char *help,
                   struct assay_error *e);

/* Parses a command line of options, and of words. */
int option_parse(const struct option_list *l, void *to, int argc, char **argv, struct assay_error *e);

/* Parses the n bytes at `text` as a whole number from `least` to `most`. `what` names the option in the message. */
int option_count(const char *what, const char *text, size_t n, uint64_t least, uint64_t most, uint64_t *out,
                 struct assay_error *e);
int option_u32(const char *what, const char *text, size_t n, uint32_t least, uint32_t most, uint32_t *out,
               struct assay_error *e);

/* Whether a text is a time of a video: "12.5s", "1:30", "0:01:30.5", with at most 9 decimals. Sets its nanoseconds,
 * unless `ns` is NULL. */
bool option_time(const char *text, uint64_t *ns);

#endif
