/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader of JSON reports: assay's, on one encode or on several, those of parts of a run (--shard), and libvmaf's.
 * Their text is not trusted. What a report of a whole run lacks is not stated. A part is read strictly: the type and
 * range of every member are checked, none may be missing, repeated or unknown, and the scores are those that their
 * digests were made of.
 */
#ifndef ASSAY_RESULTS_REPORT_READ_H
#define ASSAY_RESULTS_REPORT_READ_H

#include "results/results.h"

struct report_file {
    const char *path;  /* borrowed, for messages */
    char *own;         /* its text, of one that was read from a file */
    void *root;        /* cJSON */
    uint32_t encodes;  /* of a report on several; 0: it is on one */
    struct report_file_encode {
        const char *name, *file;
        const char *failed; /* why it was not scored to its end; NULL: it was */
        int exit_code;      /* of a run of it alone */
        const void *of; /* cJSON */
    } encode[ASSAY_ENCODES];
};

/* A failure leaves the report empty. */
int report_file_read(struct report_file *r, const char *path, struct assay_error *e);
int report_file_parse(struct report_file *r, const char *path, const char *text, size_t size, struct assay_error *e);
void report_file_free(struct report_file *r);

/* The results of encode number `i`, from 0; 0 of a report on one. `name` is for messages, and borrowed. A failure
 * leaves them empty. ASSAY_EINPUT: it is no report. An encode that failed at once has no scores. */
int report_file_take(const struct report_file *r, uint32_t i, const char *name, struct stored *s,
                     struct assay_error *e);

/* Refuses (ASSAY_EINPUT) a report on several encodes. */
int report_file_only(const struct report_file *r, struct assay_error *e);

/* The results of a report on one encode: of a text, or, where it is NULL, of the file. */
int stored_read(struct stored *s, const char *path, const char *text, size_t size, struct assay_error *e);

#endif
