/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of the library's sessions whose failures become a struct assay_error. */
#ifndef ASSAY_RUN_SESSION_H
#define ASSAY_RUN_SESSION_H

#include "results/results.h"

/* Copies a session's error text to `e` and returns `rc`, the result of the call on the session. 0 is no failure. */
int session_failed(const assay_session *s, int rc, struct assay_error *e);

/* For those who write no files that options of metrics ask for: refuses a session that asks for them. */
int session_refuse_files(assay_session *s, struct assay_error *e);

/* assay_session_new; *s is NULL after a failure. */
int session_make(assay_session **s, const assay_config *config, struct assay_error *e);

/* Makes a session with the metrics that the configuration of stored results names, and plans it (whole.c). */
int stored_plan(assay_session **s, const struct stored *whole, struct assay_error *e);
/* Sets the directions of the scores, their metrics and what tables hide: by the keys of a session from number `first`
 * on, `n` of them. Of others the metrics' tables tell the directions; `strict` refuses them (ASSAY_EINPUT). */
int stored_describe(struct stored *x, const assay_session *session, uint32_t first, uint32_t n, bool strict,
                    struct assay_error *e);

/* Sets the figures of the whole run to those of a session's encode. */
int stored_aggregates(struct stored *x, assay_session *s, uint32_t encode, struct assay_error *e);

/* Makes such a session of merged results, and sets directions and, from the totals, the figures of the whole run. The
 * session has the scores, too. */
int stored_whole(assay_session **s, struct stored *whole, struct assay_error *e);

#endif
