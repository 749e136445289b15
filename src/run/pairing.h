/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --pair time: each reference picture is paired with the distorted picture that is on display at its time. The thread
 * that reads the reference says when its pictures are shown. The thread that reads the distorted side waits for that,
 * and keeps two pictures: the one on display and the one behind it.
 */
#ifndef ASSAY_RUN_PAIRING_H
#define ASSAY_RUN_PAIRING_H

#include "run/pair.h"

struct pairing;

/* Called when the two inputs are open and behind the pictures that are skipped. Refuses inputs without times. */
int pairing_open(struct pairing **out, struct pair *p, struct assay_error *e);
void pairing_close(struct pairing **g);

/* Called by the thread that reads the reference, in order, after a picture was read; and when there is none any more,
 * for whatever reason. `time` is in nanoseconds, or SCORES_NO_TIME. */
int pairing_reference(struct pairing *g, int64_t time, struct assay_error *e);
void pairing_reference_ended(struct pairing *g);

/* Writes the distorted picture that is on display with reference picture number `i`, from 0 and in order. 1; 0: the
 * distorted side has ended before it, or both have ended; or negative. Where the reference alone has ended, the result
 * is 1 and nothing is written. */
int pairing_read(struct pairing *g, uint64_t i, const assay_buffer *to, struct assay_error *e);

/* The number of the distorted picture that was read for reference picture `i`, from 0. Any thread may call this. */
uint64_t pairing_partner(struct pairing *g, uint64_t i);

/* Called behind the last read. Counts the picture that was on display last. */
void pairing_finish(struct pairing *g);

/* Ends every waiting. Called before the threads that read are joined. */
void pairing_abandon(struct pairing *g);

/* How the two were paired, in one line: "paired by time: 240 reference frames with 120 distorted ones, ..." */
void pairing_text(const struct pair_figures *f, char *text, size_t size);

#endif
