/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the frames of a pair lie shifted. */
#ifndef ASSAY_RUN_ALIGN_H
#define ASSAY_RUN_ALIGN_H

#include "align/align.h"
#include "run/pair.h"

/* The frames of the two files that are looked at. */
struct align_window {
    uint64_t skip[2]; /* frames of each file that are left out */
    uint64_t frames;  /* of each file behind those, at most; 0: all */
    uint32_t search;
};

/* What was looked at, and what came of it. Indices of the result count from the frames that the window begins with. */
struct align_look {
    struct align_window window;
    struct signatures signatures[2];
    bool whole[2];     /* the end of the file was seen */
    int64_t frames[2]; /* of the whole file; -1: not known */
    char name[2][256]; /* in messages */
    struct align_result found;
};

/* Reads the luma of both files, each with a thread of its own, makes their signatures, and finds the offset. */
int align_look(struct align_look *a, const struct request *q, const struct align_window *w, struct assay_error *e);
void align_look_free(struct align_look *a);

/* The options that leave out the first frames so that the frames of one offset are pairs: "--skip-ref 3 --skip-dis 1".
 * `text` holds ALIGN_TEXT bytes. `from`: frames of each file in front of those that the offset counts from. */
enum { ALIGN_TEXT = 96 };
void align_skips(const uint64_t from[2], int64_t offset, uint64_t skip[2]);
const char *align_options(const uint64_t skip[2], char *text);

/* Those options, and --allow-length where the files may have different lengths behind the frames that are left out. */
const char *align_advice(const struct request *q, const struct align_look *a, const uint64_t skip[2], char *text);

/* Whether the two files certainly lie shifted at a frame, or, with `frame` UINT64_MAX, in all of the first frames, and
 * the request wants a line about it that nobody has asked for: "the distorted side seems to be shown 3 frames later:
 * --skip-dis 3, ..." */
enum { ALIGN_SHIFT = 320 };
bool align_shift(const struct request *q, uint64_t frame, char text[ALIGN_SHIFT]);

#endif
