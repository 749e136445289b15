/* SPDX-License-Identifier: BSD-2-Clause */
/* One point of a rate-distortion curve: what a run, or its JSON report, says of the encode that it scored. */
#ifndef ASSAY_RESULTS_ENCODE_H
#define ASSAY_RESULTS_ENCODE_H

#include "results/report_read.h"

enum { ENCODE_FIGURES = 64 };

struct encode {
    const char *name;                /* borrowed, for messages */
    struct stored texts;             /* has those that follow */
    const char *reference, *configuration; /* its file and the metrics' options; NULL: not stated */
    const char *scale, *siting;      /* of a side that was scaled: the filter, and where chroma lay; NULL: not stated */
    const char *crop;                /* the part of the reference; NULL: the whole */
    uint32_t width, height;          /* 0: not stated */
    uint64_t frames, numbers;        /* how many frames were scored, and a digest of their numbers */
    double first;                    /* the reference's frame that has number 0; NaN: not stated */
    double kbps;                     /* NaN: not stated */
    char rate_of[16];                /* what has this rate: "video track", or "" */
    double figure[ENCODE_FIGURES];   /* pooled; NaN where the run has no such score */
    bool has[ENCODE_FIGURES];
};

/* Takes what is needed of a run. A figure is a gate without a limit (gate_figure). `name` is for messages. A failure
 * leaves *x empty. ASSAY_EINPUT: the run is incomplete, or has no frames. */
int encode_take(struct encode *x, const char *name, const struct stored *from, const struct gate *figure,
                uint32_t figures, struct assay_error *e);

void encode_free(struct encode *x);

/* encode_take of encode number `i` of a report, as report_file_take has it. */
int encode_of_report(struct encode *x, const struct report_file *r, uint32_t i, const char *name,
                     const struct gate *figure, uint32_t figures, struct assay_error *e);

/* Refuses (ASSAY_EMISMATCH) two runs that can't be points of one comparison: of other references, parts of them, sizes
 * or frames, scaled in two ways, or with other options of a metric that both have. Only file names of references are
 * compared: one file may be in different folders on different machines. `metric` limits the last comparison to metrics
 * of these names. */
int encodes_match(const struct encode *a, const struct encode *b, const char *const *metric, uint32_t metrics,
                  struct assay_error *e);

/* The metrics of a run with all of their options, as reports state them: "metric=option=value:...,metric=...". */
struct configuration_entry {
    const char *text;
    size_t length, name; /* bytes of the entry, and of its metric's name */
};

/* Takes the next entry from *at on, and moves *at behind it. False: there is none. */
bool configuration_next(const char **at, struct configuration_entry *x);

/* Whether a configuration has an entry; if not, *other is the last one of the same metric, or has no text. */
bool configuration_has(const char *configuration, const struct configuration_entry *x,
                       struct configuration_entry *other);

#endif
