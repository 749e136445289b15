/* SPDX-License-Identifier: BSD-2-Clause */
/* Options between text ("name=value:name=value") and the struct of a metric, by the metric's table. */
#ifndef ASSAY_METRICS_OPTIONS_H
#define ASSAY_METRICS_OPTIONS_H

#include "metrics/metric.h"

/* Sets the defaults, then what `text` says. Refuses unknown and repeated names, bad numbers, NaN and values out of
 * range. */
int options_parse(const struct metric_ops *ops, void *options, const char *text, struct assay_error *e);

/* The option that the first `length` bytes of `text` name, by its name or its short name; NULL: none. */
const struct metric_option *options_find(const struct metric_ops *ops, const char *text, size_t length);

/* Writes a value of an option as "true", "3", "bt709" or the shortest decimal that reads back. `text` holds
 * NUMBER_TEXT_SIZE bytes. Of a text: its default. */
const char *options_value(const struct metric_option *option, double v, char *text);

/* Writes the value that the option has in `options`. */
const char *options_print(const struct metric_option *option, const void *options, char *text);

/* Writes what libvmaf adds to a key into METRIC_KEY_SIZE bytes: "_alias_value" for each option that changes the key
 * and differs from its default, in the order of their names. A flag is "_alias" alone, a value has 6 digits. */
int options_key_tail(const struct metric *m, char *text, struct assay_error *e);

#endif
