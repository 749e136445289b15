/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pump hands queued frames to the executor, waits for the oldest one, and delivers scores in frame order. A session
 * of host frames has a thread of its own that runs it. A session whose frames lie on a device of the application has
 * none: the pump runs on the application's thread, inside the calls that submit a frame, drain, flush and close.
 */
#ifndef ASSAY_ENGINE_PUMP_H
#define ASSAY_ENGINE_PUMP_H

#include "engine/session.h"

/* Starts the session's own thread. */
int pump_start_thread(struct assay_session *s);

/* Writes a row of the session's scores, a value for each key, and returns its frame. An encode that ended before has
 * NaN. Called by the thread that pumps, or under the lock. */
uint64_t pump_row(const struct assay_session *s, uint64_t row, double *values);

/* Waits for every frame that was queued, ends the session's own thread, and gives back all pictures. */
void pump_stop(struct assay_session *s);

#endif
