/* SPDX-License-Identifier: BSD-2-Clause */
/* assay align, --align auto, and the line about a pair that looks shifted. */
#ifndef ASSAY_CLI_ALIGN_H
#define ASSAY_CLI_ALIGN_H

#include "align/align.h"
#include "cli/cli.h"

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
int align_read(struct align_sides *a, const struct cli *c, const struct align_window *w, struct assay_error *e);
void align_sides_free(struct align_sides *a);

/* The options that leave out the first frames so that the frames of one offset are pairs: "--skip-ref 3 --skip-dis 1".
 * `text` holds ALIGN_TEXT bytes. */
enum { ALIGN_TEXT = 96 };
void align_skips(const struct align_window *w, int64_t offset, uint64_t skip[2]);
const char *align_options(const uint64_t skip[2], char *text);

/* The same with --allow-length, where the files may have different lengths behind the frames that are left out. */
const char *align_advice(const struct cli *c, const struct align_sides *a, const uint64_t skip[2], char *text);

/* Of two files whose lengths differ: what to do where their first frames certainly lie shifted; else "". */
enum { ALIGN_LENGTHS = 320 };
void align_lengths(const struct cli *c, char text[ALIGN_LENGTHS]);

/* Why an offset is not certain, and what a user can do; the offsets of the result count from the window's skips. */
enum { ALIGN_REASON = 320 };
const char *align_reason(const struct align_result *r, const struct align_window *w, char *text);

/* "reference frames 100 and 200 to 201 are dropped, distorted frame 12 is repeated", cut short where there are many. */
const char *align_changes(const struct align_result *r, const struct align_window *w, char *text, size_t size);

#endif
