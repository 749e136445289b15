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

struct align_sides {
    struct signatures signatures[2];
    bool whole[2];     /* the end of the file was seen */
    int64_t frames[2]; /* of the whole file; -1: not known */
    char name[2][256]; /* in messages */
};

/* Reads the luma of both files, each with a thread of its own, and makes their signatures. */
int align_read(struct align_sides *a, const struct request *q, const struct align_window *w, struct assay_error *e);
void align_sides_free(struct align_sides *a);

/* The options that leave out the first frames so that the frames of one offset are pairs: "--skip-ref 3 --skip-dis 1".
 * `text` holds ALIGN_TEXT bytes. */
enum { ALIGN_TEXT = 96 };
void align_skips(const struct align_window *w, int64_t offset, uint64_t skip[2]);
const char *align_options(const uint64_t skip[2], char *text);

/* Those options, and --allow-length where the files may have different lengths behind the frames that are left out. */
const char *align_advice(const struct request *q, const struct align_sides *a, const uint64_t skip[2], char *text);

/* Whether a shift that nobody has asked for is worth a line. */
bool align_hint_wanted(const struct request *q);

/* How far the two files lie shifted at a frame, or, with `frame` UINT64_MAX, in all of the first frames; and what
 * compares the same frames. 0: not at all, or not certain. */
int64_t align_shift_at(const struct request *q, uint64_t frame, char advice[ALIGN_TEXT]);

/* "the distorted side seems to be shown 3 frames later: --skip-dis 3, ..." */
enum { ALIGN_SHIFT = 320 };
void align_shift_text(char text[ALIGN_SHIFT], int64_t offset, const char *advice);

#endif
