/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values by name and index: those that the session computed, those that were imported and those that were predicted, in
 * columns in the order in which libvmaf gets them. Any thread may call the functions below, but for those of the struct
 * itself.
 */
#ifndef ASSAY_LIBVMAF_STORE_H
#define ASSAY_LIBVMAF_STORE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "host/scores.h"

struct store_column {
    char *name;      /* as libvmaf keeps it: "VMAF_integer_feature_adm2_score" */
    char *key;       /* in reports */
    bool at_end;     /* the values are there behind the last picture only, as in libvmaf */
    size_t capacity;
    double *value;   /* scores_no_value() where there is none */
};

struct store {
    pthread_mutex_t lock;
    struct store_column *column;
    unsigned columns;
    bool ended;      /* the last picture was seen: columns `at_end` are there */
};

void store_init(struct store *s);
void store_free(struct store *s);

/* Adds an empty column, unless there is one of this name. Returns 0 or -ENOMEM. */
int store_name(struct store *s, const char *name, bool at_end);

/* Adds a value, and the column where there is none of this name. 0, -EINVAL where there is a value already, or
 * -ENOMEM. */
int store_set(struct store *s, const char *name, unsigned index, double value);

/* Whether there is a value, which becomes *value. */
bool store_get(struct store *s, const char *name, unsigned index, double *value);

/* The last picture was seen. Columns `at_end` come behind those that are there. */
void store_end(struct store *s);

/* What a call pools over: the indices from `low` to `high` that `step` divides. */
struct store_range {
    unsigned low, high, step;
};

/* Pools a column. 0, or -EINVAL where an index has no value. No index at all: NaN. */
int store_pool(struct store *s, const char *name, enum pool pool, struct store_range range, double *value);

/* Copies the rows that `step` divides and that have a value in any column. The scores borrow *key, which the caller
 * frees behind them. 0 or -ENOMEM. */
int store_rows(struct store *s, unsigned step, struct scores *scores, const char ***key);

#endif
