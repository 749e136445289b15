/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of sessions share: clips of any format in exact-size memory, and whole runs with their bits. */
#ifndef ASSAY_TESTS_SESSION_TEST_H
#define ASSAY_TESTS_SESSION_TEST_H

#include <assay/assay.h>
#include <stdbool.h>

enum { CLIP_FRAMES = 16, OUTCOME_KEYS = 96 };

/* Where many ways must have the same bits, a build with a sanitizer tries one in SESSION_ONE_IN: a session takes thirty
 * times as long there, and what the sanitizer looks for shows in each. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SESSION_ONE_IN = 6 };
#else
enum { SESSION_ONE_IN = 1 };
#endif
/* Whether tests of what is scored are left out, whichever threads score it: ThreadSanitizer finds nothing in them that
 * it does not find in the others, and they take most of its time. */
#ifdef __SANITIZE_THREAD__
enum { SESSION_THREADS_ALONE = 1 };
#else
enum { SESSION_THREADS_ALONE = 0 };
#endif

struct clip_picture {
    unsigned char *plane[3];
    ptrdiff_t stride[3];
};

/* `frames` pairs; a plane's memory ends with its last sample, so that a sanitizer sees every
 * byte that is read too many. */
struct clip {
    assay_format format;
    unsigned frames;
    struct clip_picture picture[CLIP_FRAMES][2];
};

assay_format format_of(assay_layout layout, uint32_t depth, uint32_t width, uint32_t height);

/* A textured picture that changes from frame to frame, and the same with noise of up to `noise` codes (0: identical
 * pairs). `pad` bytes lie between rows; odd numbers make rows of 16-bit samples unaligned. */
void clip_open(struct clip *c, const assay_format *format, unsigned frames, unsigned noise, size_t pad);
void clip_close(struct clip *c);
assay_picture clip_view(const struct clip *c, unsigned frame, unsigned side);
/* Has a picture of the clip read where it is, and counts it in *lent until it is back. False: `to` lends nothing. */
bool clip_lend(assay_session *s, unsigned side, const assay_buffer *to, const struct clip *c, unsigned frame,
               unsigned clip_side, unsigned *lent);
uint32_t clip_sample(const struct clip *c, unsigned frame, unsigned side, uint32_t plane, uint32_t x, uint32_t y);

/* How a clip is handed to a session. None of these choices may change a bit. */
enum feed { FEED_COPY, FEED_RELEASE, FEED_TAKE, FEED_LEND, FEEDS };
struct how {
    assay_config config;
    const char *metrics;  /* separated by blanks; "*": all others that the format allows; NULL: all of them */
    enum feed feed;
    bool callback;        /* else polled */
    unsigned flush_every; /* 0: only at the end */
};

struct outcome {
    int rc;               /* of the call that failed first */
    char error[512];
    uint32_t keys, rows, aggregates;
    char key[OUTCOME_KEYS][64];
    uint64_t frame[CLIP_FRAMES];
    double value[CLIP_FRAMES][OUTCOME_KEYS], aggregate[16];
    unsigned released;    /* pictures */
    unsigned lent;        /* pictures that are not released yet */
    assay_work work;
};

/* Scores a whole clip. Uses no assertions, so that any thread may call it. */
void score(const struct how *how, const struct clip *c, struct outcome *out);

/* Asserts that two runs succeeded with the same keys and the same bits. */
void same_outcome(const struct outcome *a, const struct outcome *b);

#endif
