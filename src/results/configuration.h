/* SPDX-License-Identifier: BSD-2-Clause */
/* The metrics of a run with all of their options, as reports state them: "metric=option=value:...,metric=...". */
#ifndef ASSAY_RESULTS_CONFIGURATION_H
#define ASSAY_RESULTS_CONFIGURATION_H

#include <stdbool.h>
#include <stddef.h>

struct configuration_entry {
    const char *text;
    size_t length, name; /* bytes of the entry, and of its metric's name */
};

/* Takes the next entry from *at on, and moves *at behind it. False: there is none. */
bool configuration_next(const char **at, struct configuration_entry *x);

bool configuration_same(const struct configuration_entry *a, const struct configuration_entry *b);
bool configuration_same_metric(const struct configuration_entry *a, const struct configuration_entry *b);

/* Whether a configuration has an entry; if not, *other is the last one of the same metric, or has no text. */
bool configuration_has(const char *configuration, const struct configuration_entry *x,
                       struct configuration_entry *other);

#endif
