/* SPDX-License-Identifier: BSD-2-Clause */
#include "one_pair.h"

#include <stdio.h>
#include <stdlib.h>

const char *const one_pair_level[ONE_PAIR_LEVELS] = {"scalar", NULL};

static void check(assay_session *s, int rc)
{
    if (!rc)
        return;
    fprintf(stderr, "one pair: %s\n", assay_session_error(s));
    exit(99);
}

void one_pair_scores(const char *metric, const char *level, const assay_format *format, const assay_picture pair[2],
                     double *scores)
{
    const assay_config config = {.cpu_level = level, .threads = 2};
    uint64_t frame;
    assay_session *s;
    if (assay_session_new(&s, &config, NULL, 0))
        exit(99);
    check(s, assay_session_add_metric(s, metric));
    check(s, assay_session_start(s, format));
    check(s, assay_session_submit(s, 0, &pair[0], &pair[1]));
    check(s, assay_session_flush(s));
    if (assay_session_poll(s, &frame, scores) != 1)
        exit(99);
    assay_session_close(&s);
}
