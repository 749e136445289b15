/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of the library's sessions whose failures become a struct assay_error. */
#ifndef ASSAY_RUN_SESSION_H
#define ASSAY_RUN_SESSION_H

#include "host/error.h"

/* Copies a session's error text to `e` and returns `rc`, the result of the call on the session. 0 is no failure. */
int session_failed(const assay_session *s, int rc, struct assay_error *e);

/* assay_session_new; *s is NULL after a failure. */
int session_make(assay_session **s, const assay_config *config, struct assay_error *e);

#endif
