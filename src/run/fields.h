/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of requests, and requests as JSON. */
#ifndef ASSAY_RUN_FIELDS_H
#define ASSAY_RUN_FIELDS_H

#include <assay/run.h>

#include "run/request.h"

struct cJSON;

/* How a field is taken. The comments say what `offset` is that of; of a field of sides it is that of the first. */
enum field_how {
    TAKE_TEXT, /* const char * */
    TAKE_WORD, /* an int or an enumeration: `least` for the first word, one more for the next */
    TAKE_U32, TAKE_U64,
    TAKE_CALL, /* calls `call` */
    TAKE_LIST, /* calls `call` for each member */
};

/* A value that a request gets; `what` is what messages call the field. */
struct field_value {
    struct request *q;
    unsigned side;
    const char *what, *text;
    struct assay_error *e;
};

/* A row of the table: a field of a request, and the command's option that sets it. */
struct field {
    const char *name, *help;
    enum field_how how;
    size_t offset, stride;
    int (*call)(const struct field_value *v);
    const char *words, *fallback;
    bool of_sides;
    uint64_t least, most;
    bool unchecked; /* the command leaves it to the library to refuse words */
    bool moment;    /* a number of frames, in the place of which the command takes a time */
    /* Of the command. Of a field of sides the second option sets the distorted side; NULL: the first sets both. */
    const char *option[2], *also[2];
    char letter[2];
    const char *argument;  /* "N" */
    const char *section;   /* of the help and the manual; NULL: "Inputs" */
};

enum { FIELDS_MOST = 40 };

/* NULL behind the last one, or for a name that no field has. */
const struct field *field_at(uint32_t index);
const struct field *field_find(const char *name, bool of_sides);

/* Takes a value from its text, of a list one member. `checked`: words are looked at. */
int field_take(const struct field *f, struct request *q, unsigned side, const char *what, const char *text,
               bool checked, struct assay_error *e);
/* The number of a field of TAKE_U32 or TAKE_U64. */
uint64_t field_get(const struct field *f, const struct request *q, unsigned side);
void field_put(const struct field *f, struct request *q, unsigned side, uint64_t number);

/* The help of each difference that may be allowed. */
extern const char *const field_allow[ALLOWS];

/* A request as JSON, and what it asks for. Strings of `encode` belong to `root`. */
struct assay_request {
    struct cJSON *root;
    struct request encode[ASSAY_ENCODES];
    const char *name[ASSAY_ENCODES]; /* NULL: none was given */
    uint32_t encodes;
};

/* Takes the request from a->root; `whole`: everything is there that a run needs. */
int asked_take(struct assay_request *a, bool whole, struct assay_error *e);

#endif
