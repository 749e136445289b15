/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that share the work of a frame on the host: the parts that metrics state (metric_ops.part). */
#ifndef ASSAY_ENGINE_CREW_H
#define ASSAY_ENGINE_CREW_H

#include "engine/session.h"

/* Starts the threads, where a metric has several parts and the session may use several threads. */
int crew_start(struct assay_session *s);

/* Runs every part of every metric for a frame's totals, but for the encodes whose bit is set in `without`, and returns
 * when all are done. Without a crew the caller's thread runs them one after the other. */
void crew_run(const struct assay_session *s, const int64_t *totals, uint32_t without);

#endif
