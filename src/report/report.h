/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reporter writes a report: each frame as soon as it is scored, and at the end the pools, the aggregates and the
 * description of the run. Shapes and names are libvmaf's (docs/output.md). One more block holds assay's additions.
 */
#ifndef ASSAY_REPORT_REPORT_H
#define ASSAY_REPORT_REPORT_H

#include "results/file.h"
#include "results/results.h"

enum report_kind { REPORT_JSON, REPORT_XML, REPORT_CSV, REPORT_SUB, REPORT_PLOT, REPORT_PLOT_PNG,
                   REPORT_HTML, REPORT_XPSNR };

/* What a report of a kind is written as. */
enum file_form report_file_form(enum report_kind kind);

/* The option of a report that is on one encode, "--xml"; NULL: a report of this kind may be on several. */
const char *report_of_one(enum report_kind kind);

struct reporter;

/* `path` "-" is stdout. `precision` is the number of decimals (0 to 17), or REPORT_SHORTEST for the shortest decimal
 * that reads back exactly, or REPORT_HEX, or, of REPORT_HTML, REPORT_DEFAULT. The keys of the scores are
 * borrowed until reporter_finish or reporter_abandon. A failure leaves *out NULL. */
int reporter_open(struct reporter **out, enum report_kind kind, const char *path, int precision,
                  const struct stored *x, struct assay_error *e);
/* Writes a row. The frame has been written with write(2) when this returns: a reader of
 * the file sees it, and a full disk is reported. */
int reporter_frame(struct reporter *r, const struct scores *s, uint64_t row, struct assay_error *e);
/* Writes the tail and closes the file, which reports a full disk. Always frees the reporter and sets *r to NULL. */
int reporter_finish(struct reporter **r, const struct stored *x, struct assay_error *e);
/* All of it at once, of scores that are complete. */
int reporter_write(enum report_kind kind, const char *path, int precision, const struct stored *x,
                   struct assay_error *e);
/* Closes the file without a tail, after an internal error. */
void reporter_abandon(struct reporter **r);

/* A report on several encodes of one reference: JSON, CSV, HTML or a plot, whose shapes docs/output.md has. It is
 * opened to see that it can be written, and written at the end. reporter_finish_joint always frees it and sets *r to
 * NULL. A report that has a column for each score leaves those of an encode without the score empty. */
int reporter_open_joint(struct reporter **out, enum report_kind kind, const char *path, int precision,
                        struct assay_error *e);
int reporter_finish_joint(struct reporter **r, const struct stored *encode, uint32_t encodes, struct assay_error *e);

/* Prints the table of scores, at most 80 columns wide. `precision` is as in reporter_open, or REPORT_DEFAULT, which
 * chooses the decimals by the size of the values. ASSAY_EINTERNAL when the stream can't be written. */
enum { REPORT_DEFAULT = -2 };
int report_table(void *stream /* FILE* */, const struct stored *x, int precision);

/* Prints a row for each encode, on lines of at most `width` columns, with "-" for a score that the encode lacks. Scores
 * that do not fit follow in further tables with the same rows. ASSAY_EINTERNAL when the stream can't be written, or
 * without memory. */
int report_ladder_table(void *stream /* FILE* */, const char *reference, const struct stored *encode,
                        uint32_t encodes, int precision, int width);

#endif
