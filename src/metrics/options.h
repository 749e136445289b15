/* SPDX-License-Identifier: BSD-2-Clause */
/* "opt=val:opt=val" into an options struct, by the metric's table. */
#ifndef ASSAY_METRICS_OPTIONS_H
#define ASSAY_METRICS_OPTIONS_H

#include "metrics/metric.h"

/* Sets defaults, then what `text` says. Unknown names, repeated names, bad numbers, NaN and values out of range are refused. */
int options_parse(const struct metric_ops *ops, void *options, const char *text, struct assay_error *e);

/* A value of an option as text: "true", "3", "bt709", or the shortest decimal that reads back. `text` holds NUMBER_TEXT_SIZE bytes. */
const char *options_value(const struct metric_option *option, double v, char *text);

/* The same of the value that it has in `options`. */
const char *options_print(const struct metric_option *option, const void *options, char *text);

/* What libvmaf adds to a key: for each option of the key that differs from its default, in the order of their names, "_alias_value"
 * (values with 6 digits), or "_alias" for a flag. Empty at defaults. `text` holds METRIC_KEY_SIZE bytes. */
int options_key_tail(const struct metric *m, char *text, struct assay_error *e);

#endif
