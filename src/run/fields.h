/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of requests, and requests as JSON. */
#ifndef ASSAY_RUN_FIELDS_H
#define ASSAY_RUN_FIELDS_H

#include <assay/run.h>

#include "run/request.h"

struct cJSON;

/* A request as JSON, and what it asks for. Strings of `encode` belong to `root`. */
struct asked {
    struct cJSON *root;
    struct request encode[ASSAY_ENCODES];
    const char *name[ASSAY_ENCODES]; /* NULL: none was given */
    uint32_t encodes;
};

/* Takes the request from a->root; `whole`: everything is there that a run needs. */
int asked_take(struct asked *a, bool whole, struct assay_error *e);

struct assay_request {
    struct asked asked;
};

#endif
