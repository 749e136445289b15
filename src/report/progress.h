/* SPDX-License-Identifier: BSD-2-Clause */
/* One line on a terminal that says how far a run is. On anything that is not a terminal it does nothing. */
#ifndef ASSAY_REPORT_PROGRESS_H
#define ASSAY_REPORT_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
    FILE *stream;     /* NULL: nothing is shown */
    bool colour;
    uint64_t total;   /* frames; 0: not known */
    uint64_t start;   /* of clock_ns */
    double shown;     /* seconds from the start to when the line was last written */
    int width;        /* columns that the line on the screen takes */
};

/* Shows a line on `stream` if that is a terminal. Colour follows NO_COLOR and TERM=dumb. */
void progress_start(struct progress *p, FILE *stream, uint64_t total);
/* Writes the line anew, unless the last time was less than a tenth of a second ago. */
void progress_update(struct progress *p, uint64_t done);
/* Removes the line, so that other text can follow; a later update shows it again. */
void progress_erase(struct progress *p);

/* The line itself, plain, at most `size` - 1 characters: "120/480 frames   25 %  231.4 frames/s  0:02 left". */
int progress_line(char *text, size_t size, uint64_t done, uint64_t total, double seconds);

#endif
