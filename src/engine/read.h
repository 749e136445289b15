/* SPDX-License-Identifier: BSD-2-Clause */
/* assay_session_read: threads of each side fill the ring's slots. The caller's thread takes the slots first and queues
 * them when they are filled. */
#ifndef ASSAY_ENGINE_READ_H
#define ASSAY_ENGINE_READ_H

#include "engine/ring.h"

/* The session is started, has no slot taken and does not read. */
int session_read_begin(struct assay_session *s, const assay_reader *reader, uint64_t first, uint64_t end);
int session_read_next(struct assay_session *s, uint32_t milliseconds, uint64_t *pair, int *use);
void session_read_stop(struct assay_session *s, assay_read_end *result);

#endif
