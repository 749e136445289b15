/* SPDX-License-Identifier: BSD-2-Clause */
/* How far a run is: one line on a terminal, which is written anew; elsewhere nothing, or a line a minute. */
#ifndef ASSAY_REPORT_PROGRESS_H
#define ASSAY_REPORT_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
    FILE *stream;     /* NULL: nothing is shown */
    const char *unit; /* "frames" */
    bool terminal, colour;
    uint64_t total;   /* units; 0: not known. It may be an estimate */
    uint64_t start;   /* of clock_ns */
    double shown;     /* seconds from the start to when the line was last written */
    int width;        /* columns that the line on the screen takes */
};

/* Shows progress on `stream` if that is a terminal, or `anyway`. Colour follows NO_COLOR and TERM=dumb. */
void progress_start(struct progress *p, FILE *stream, bool anyway, uint64_t total, const char *unit);
/* Writes the line, unless the last time was less than a tenth of a second ago; a minute where it is no terminal. */
void progress_update(struct progress *p, uint64_t done);
/* Removes the line, so that other text can follow; a later update shows it again. */
void progress_erase(struct progress *p);

/* The line itself, plain, at most `size` - 1 characters: "120/480 frames   25 %  231.4 frames/s  0:02 left". More than
 * an estimated total is shown as if the total were not known. */
int progress_line(char *text, size_t size, uint64_t done, uint64_t total, const char *unit, double seconds);

#endif
