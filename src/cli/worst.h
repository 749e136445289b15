/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The worst frames of a run, looked at again: --frames-worst. When all frames are scored, the frames with the worst
 * values of one score are chosen. A second pass, a walk of its own (run/walk.h), scores those frames alone; it is asked
 * for one after the other, and has its planes and pictures. The scores of the second pass have to be those of the
 * first, bit for bit.
 */
#ifndef ASSAY_CLI_WORST_H
#define ASSAY_CLI_WORST_H

#include "cli/cli.h"

/* The first pass. */
struct worst_first {
    const struct scores *scores;
    const bool *hidden;     /* of each key: report_run.hidden */
    uint32_t key;           /* of `scores`: it chooses; set by worst_check */
    uint64_t end;           /* behind the last pair that was read; known behind the pass */
};

/* A frame of the second pass, until the next one is asked for. It was submitted last, so that its planes can be read
 * (assay_session_read_plane). */
struct worst_frame {
    uint64_t frame;
    uint64_t row;                /* of the first pass's scores */
    uint64_t rank;               /* 0: the worst */
    assay_session *session;
    const struct pair *pair;     /* a side's picture has the format pair_side */
    const struct picture *picture; /* [2] */
};

/* Sets run->key to the first score whose metric was asked for, and of which some values are better than others. False
 * where there is none. */
bool worst_key(struct worst_first *run);

/* Called before the inputs are opened. Fails where one can't be opened twice: what a pipe has given is gone. The
 * message names `option`. */
int worst_inputs(const struct cli *c, const char *option, struct assay_error *e);

/* Called before the first frame, when the session has started and run->scores has its keys. Sets run->key. Fails where
 * the score that chooses does not exist or has no better and worse values, and where heatmaps are asked for and no
 * metric has a map. Makes the folder of heatmaps. */
int worst_check(const struct cli *c, const struct pair *p, struct worst_first *run, struct assay_error *e);

/* The rows of the `most` worst frames of a run, the worst first: those whose score is NaN, then by the score; the
 * earlier one of equal frames first. Neighbours in the video are not taken together. Sets *n to how many there are. The
 * caller frees *row. */
int worst_choose(const struct worst_first *run, uint64_t most, uint64_t **row, uint64_t *n, struct assay_error *e);

/* The second pass over the frames of n rows, in any order, row[i] having the rank i. `planes`: intermediate planes are
 * kept, with the maps of the metrics. *z is closed in any case. */
struct second;
int second_open(struct second **z, const struct cli *c, const struct worst_first *first, const uint64_t *row,
                uint64_t n, bool planes, struct assay_error *e);
/* The next frame, in the order of the video. 1, 0 behind the last one, or a negative code: ASSAY_EINPUT where a score
 * is another one than in the first pass, or a frame is missing. */
int second_next(struct second *z, struct worst_frame *f, struct assay_error *e);
void second_close(struct second **z);

/* Chooses the worst frames, says which they are, and draws their heatmaps. */
int worst_draw(const struct cli *c, const struct worst_first *first, struct assay_error *e);

#endif
