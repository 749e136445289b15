/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The worst frames of a run, looked at again: --frames-worst, and small pictures for the HTML report. When all frames
 * are scored, the frames with the worst values of one score are chosen. A second pass, a walk of its own (run/walk.h),
 * scores those frames alone; it is asked for one after the other, and has its planes and pictures. The scores of the
 * second pass have to be those of the first, bit for bit.
 */
#ifndef ASSAY_CLI_WORST_H
#define ASSAY_CLI_WORST_H

#include "cli/cli.h"

/* The first pass. */
struct worst_first {
    struct stored *of;
    uint32_t key;           /* of its scores: it chooses; set by worst_check */
    uint64_t end;           /* behind the last pair that was read; known behind the pass */
};

/* Called before the inputs are opened. Fails where one can't be opened twice: what a pipe has given is gone. The
 * message names `option`. */
int worst_inputs(const struct cli *c, const char *option, struct assay_error *e);

/* Called before the first frame, when the session has started and the scores have keys. Sets run->key. Fails where
 * the score that chooses does not exist or has no better and worse values, and where heatmaps are asked for and no
 * metric has a map. Makes the folder of heatmaps. */
int worst_check(const struct cli *c, const struct pair *p, struct worst_first *run, struct assay_error *e);

/* Chooses the worst frames, says which they are, and draws their heatmaps. */
int worst_draw(const struct cli *c, const struct worst_first *first, struct assay_error *e);

/* ---- small pictures for the HTML report ---- */

/* How many a report shows: at most, of a video, and of the pairs of `assay image`. */
enum { THUMBS_MOST = 50, THUMBS_FRAMES = 5, THUMBS_IMAGES = 20 };
static inline uint32_t thumbs_default(enum cli_command command)
{
    return command == COMMAND_IMAGE ? THUMBS_IMAGES : THUMBS_FRAMES;
}

/* Whether a report shows the worst frames. */
bool thumbs_wanted(const struct cli *c);

/* Chooses the worst frames of a run by the first score that was asked for and has better and worse values, none
 * within a second of another one where the run is long enough. Then makes their pictures, in the results' memory.
 * Where the inputs can't be read again, the results say why, and that is no failure: the run has its scores.
 * `no_pictures`: not NULL, the reason why none are made. `run` needs no key. Fails where a signal ends the second pass,
 * where a device fails, and without memory. */
int thumbs_make(const struct cli *c, struct worst_first *run, const char *no_pictures, struct assay_error *e);

#endif
