/* SPDX-License-Identifier: BSD-2-Clause */
/* What became of one job of `assay batch`, as one line of text: a process that scores hands it to the one that started
 * it, and the state file keeps it. Numbers are texts that read back exactly. */
#ifndef ASSAY_CLI_OUTCOME_H
#define ASSAY_CLI_OUTCOME_H

#include "results/results.h"

struct outcome_figure {
    char *name;                  /* "vmaf.mean", or the key of a figure of the whole run */
    char text[NUMBER_TEXT_SIZE]; /* its value; "inf", "-inf" and "nan" too */
};

/* Texts are never NULL in an outcome that outcome_start or outcome_parse made. */
struct outcome {
    uint64_t job;                /* a digest of what was asked for */
    int code;                    /* exit code */
    char *reason;                /* why the code is not 0, in one line; or "" */
    char *notices;               /* what the run told the user, a line each; or "" */
    uint64_t frames;             /* scored */
    uint32_t width, height;      /* of what was compared; 0: not known */
    char bytes[NUMBER_TEXT_SIZE], seconds[NUMBER_TEXT_SIZE], kbps[NUMBER_TEXT_SIZE]; /* of the encode; "": not known */
    bool edited;                 /* of one that was read: the line is not as outcome_text wrote it */
    uint32_t figures;
    struct outcome_figure *figure;
};

/* Frees the outcome and makes it one of `code`. */
int outcome_start(struct outcome *o, uint64_t job, int code, const char *reason, struct assay_error *e);

/*
 * Takes what a run has found. Of each score that the table shows: the mean and the end at which it is bad, that is p5
 * and min, or p95 and max where lower is better. Sets code and reason to the result of the gates.
 */
int outcome_take(struct outcome *o, const struct scores *s, const struct report_run *run, const struct gate *gate,
                 uint32_t gates, struct assay_error *e);

/* Writes the line, without a newline. The caller frees *text. */
int outcome_text(const struct outcome *o, char **text, struct assay_error *e);

/* Reads a line, which is not trusted. False when outcome_text has not written it; the outcome is empty then. *memory is
 * set when it was the memory that did not suffice. */
bool outcome_parse(struct outcome *o, const char *text, size_t size, bool *memory);

void outcome_free(struct outcome *o);

#endif
