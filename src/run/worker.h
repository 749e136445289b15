/* SPDX-License-Identifier: BSD-2-Clause */
/* assay_run: a thread that carries a request out. */
#ifndef ASSAY_RUN_WORKER_H
#define ASSAY_RUN_WORKER_H

#include "run/events.h"
#include "run/fields.h"
#include "run/walk.h"

struct assay_run {
    struct assay_request asked;
    struct walk walk;
    struct input_stop stop;
    struct events events; /* whose lock guards the results, too */
    struct assay_results results;
    pthread_t thread;
    bool begun;           /* the reference was opened: it is said once */
};

/* Encodes are numbers; ASSAY_NONE: none, or the reference. */

/* A note for each line of a text. */
void worker_note(assay_run *a, uint32_t encode, const char *code, const char *lines);
void worker_left_out(assay_run *a, const struct left_out *metrics);
void worker_say(assay_run *a, int kind, uint32_t encode, const char *text, const assay_format *format, int result);
/* An input was opened; `reader` may be "". */
void worker_opened(assay_run *a, uint32_t encode, const char *name, const char *reader, const assay_format *format,
                   const char *notice);
/* What has become of an encode, once. A run that is stopped has a code of the library's header. */
void worker_ended(assay_run *a, struct lane *l);

/* Compares the picture of each encode with that of the reference (worker_pictures.c). */
void worker_pictures(assay_run *a);

#endif
