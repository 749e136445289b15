/* SPDX-License-Identifier: BSD-2-Clause */
/* What a user types behind -m and --fail-under: metrics with their options, and gates. Every metric that parses must
 * print options that parse to the same again. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/options.h"
#include "report/report.h"

static void round_trip(const struct metric *m)
{
    char text[4096], value[64];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", m->ops->name);
    char separator = '=';
    for (uint32_t i = 0; i < m->ops->n_options; i++) {
        const char *printed = options_print(&m->ops->options[i], m->options, value);
        if (!*printed)
            continue;
        const bool rest = m->ops->options[i].type == OPTION_REST; /* has its names */
        n += (size_t)snprintf(text + n, sizeof text - n, "%c%s%s%s", separator, rest ? "" : m->ops->options[i].name,
                              rest ? "" : "=", printed);
        separator = ':';
    }
    struct metric *again;
    struct assay_error e = {0};
    if (metric_new(&again, text, &e))
        abort();
    if (m->ops->given) /* the text states all of them */
        memcpy((char *)again->options + m->ops->given, (char *)m->options + m->ops->given, sizeof(uint64_t));
    if (memcmp(again->options, m->options, m->ops->options_size))
        abort();
    metric_free(&again);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char text[512];
    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    struct metric *m;
    struct assay_error e = {0};
    if (!metric_new(&m, text, &e)) {
        round_trip(m);
        metric_free(&m);
    } else if (!e.text[0]) {
        abort(); /* a refusal says why */
    }
    struct gate gate;
    e = (struct assay_error){0};
    if (gate_parse(&gate, text, size & 1, &e) && !e.text[0])
        abort();
    return 0;
}
