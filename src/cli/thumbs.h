/* SPDX-License-Identifier: BSD-2-Clause */
/* The worst frames of a run for the HTML report, with small pictures of them, by the second pass of worst.h. */
#ifndef ASSAY_CLI_THUMBS_H
#define ASSAY_CLI_THUMBS_H

#include "cli/worst.h"

/* How many a report shows: at most, of a video, and of the pairs of `assay image`. */
enum { THUMBS_MOST = 50, THUMBS_FRAMES = 5, THUMBS_IMAGES = 20 };
static inline uint32_t thumbs_default(bool of_images)
{
    return of_images ? THUMBS_IMAGES : THUMBS_FRAMES;
}

struct thumbs {
    struct report_worst *worst;
    uint32_t n;
    char text[1024]; /* what the report says of the pictures */
};

/* Whether a report shows the worst frames. */
bool thumbs_wanted(const struct cli *c);

/* Chooses the worst frames of a run by the first score that was asked for and has better and worse values, none
 * within a second of another one where the run is long enough. Then the pictures are made. Where the inputs can't be
 * read again, t->text says why, and that is no failure: the run has its scores. `no_pictures`: not NULL, the reason
 * why none are made. `run` needs no key. Fails where a signal ends the second pass, a device fails, and where there
 * is no memory. thumbs_free is called in any case. */
int thumbs_make(struct thumbs *t, const struct cli *c, struct worst_first *run, const char *no_pictures,
                struct assay_error *e);
void thumbs_show(const struct thumbs *t, struct report_run *run);
void thumbs_free(struct thumbs *t);

#endif
