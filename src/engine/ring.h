/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring of frame slots. The application's thread takes and queues slots; the thread that runs the pump
 * (engine/pump.h) finishes them. A slot is free, taken, queued, on the device, free again.
 */
#ifndef ASSAY_ENGINE_RING_H
#define ASSAY_ENGINE_RING_H

#include "engine/session.h"

/* Decides how many slots there are and allocates them. The executor is open. */
int ring_init(struct assay_session *s);

/* Frees the slots and the planes that the session made for them. Nothing is lent any more. */
void ring_free(struct assay_session *s);

/* The pump's first failure, copied to the session's error for the caller; ASSAY_OK when there is none. Under the lock
 * while another thread runs the pump. */
int ring_failed(struct assay_session *s);

/* The slot of pair number `pair`, one of those that are taken or among the last `slots` that were. */
static inline uint32_t ring_slot(const struct assay_session *s, uint64_t pair)
{
    return s->order[pair % (s->slots + 1)];
}

/* Takes the next slot; there is a free one. Under the lock while another thread runs the pump. */
struct frame_slot *ring_take(struct assay_session *s);

/* The session's own planes of a side of a slot that was taken. */
void ring_buffer(const struct assay_session *s, uint32_t slot, unsigned side, assay_buffer *to);

/* Whether `frame` is larger than the number before it. */
int ring_check_number(struct assay_session *s, uint64_t frame);

/* Queues the slot that was taken last and whose `inputs` are filled in, but for the planes of earlier frames. */
void ring_queue(struct assay_session *s, struct frame_slot *slot, uint64_t frame, bool neighbour);

/* The oldest frame that is not finished is finished: gives back what no later frame looks at, and frees its slot. `e`
 * holds the first failure so far, if there is one. */
void ring_finish(struct assay_session *s, const struct assay_error *e);

/* Gives back every picture that is still lent: no frame is in flight, and none that comes looks at them. */
void ring_release_all(struct assay_session *s);

#endif
