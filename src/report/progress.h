/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows how far a run is. On a terminal this is one line that is rewritten; elsewhere nothing, or a line a minute. */
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

/* A unit that makes the line of libvmaf's command: "12 frames | 80.25 FPS". */
extern const char PROGRESS_VMAF[];

/* Shows progress on `stream` if that is a terminal, or `anyway`. Colour follows NO_COLOR and TERM=dumb. */
void progress_start(struct progress *p, FILE *stream, bool anyway, uint64_t total, const char *unit);
/* Writes the line, unless it was written less than 0.1 s ago on a terminal, or less than 60 s ago elsewhere. */
void progress_update(struct progress *p, uint64_t done);
/* Whether progress_update would write the line now. */
bool progress_due(struct progress *p);
/* Writes a text of the caller in place of the line. It is cut to the width of a terminal. */
void progress_show(struct progress *p, const char *text);
/* Removes the line, so that other text can follow; a later update shows it again. */
void progress_erase(struct progress *p);

/* Formats the line without colour in at most `size` - 1 characters: "120/480 frames   25 %  231.4 frames/s  0:02 left".
 * If `done` exceeds an estimated total, the total is taken as not known. */
int progress_line(char *text, size_t size, uint64_t done, uint64_t total, const char *unit, double seconds);

/* Formats a duration: "0:42", "1:05:00", "120 h". Returns its length. */
int progress_duration(char *text, size_t size, double seconds);

/* The columns of a terminal; 80 where a stream is none, or does not say. */
unsigned progress_columns(FILE *stream);

/* How far a run is, for another process that shares this memory. */
struct progress_count {
    _Atomic uint64_t done, total; /* total 0: not known */
};
/* From here on the runs of this process are counted in *to as well. */
void progress_share(struct progress_count *to);

#endif
