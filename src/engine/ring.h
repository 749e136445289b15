/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring of frame slots. The application's thread takes and queues slots. The thread that runs the pump
 * (engine/pump.h) finishes them. A slot's states: free, taken, queued, on the device, free again.
 */
#ifndef ASSAY_ENGINE_RING_H
#define ASSAY_ENGINE_RING_H

#include "engine/session.h"

/* Chooses the number of slots and allocates them. The executor is open. */
int ring_init(struct assay_session *s);

/* Frees the slots and the planes that the session made for them. No picture is lent any more. */
void ring_free(struct assay_session *s);

/* Copies the pump's first failure to the session's error for the caller; ASSAY_OK when there is none. Called under the
 * lock while another thread runs the pump. */
int ring_failed(struct assay_session *s);

/* The slot of pair number `pair`, which is taken or one of the last `slots` pairs that were taken. */
static inline uint32_t ring_slot(const struct assay_session *s, uint64_t pair)
{
    return s->order[pair % (s->slots + 1)];
}

/* Takes the next slot. At least one is free. Called under the lock while another thread runs the pump. */
struct frame_slot *ring_take(struct assay_session *s);

/* Where a picture of a side of a slot that was taken is written to. */
void ring_buffer(const struct assay_session *s, uint32_t slot, unsigned side, assay_buffer *to);

/* Has that picture read where it is, in the place of one that was offered before. The side's buffer lends. By any
 * thread. */
void ring_offer(struct assay_session *s, uint32_t slot, unsigned side, const assay_picture *picture);

/* Brings the picture in those planes to the form that the kernels read, where the two sides differ in form. By any
 * thread. */
void ring_convert(struct assay_session *s, uint32_t slot, unsigned side);

/* Fails where every encode has ended. */
int ring_check_left(struct assay_session *s);

/* Checks that an encode is left, and that `frame` is larger than the last frame number. */
int ring_check_number(struct assay_session *s, uint64_t frame);

/* Queues the first slot that was taken and not queued, or has it wait for the pairs that lead the sequence in. The
 * caller has filled in its `inputs` except the planes of earlier frames. */
void ring_queue(struct assay_session *s, struct frame_slot *slot, uint64_t frame, bool neighbour);

/* Queues that slot, which waits for nothing. */
void ring_pass_on(struct assay_session *s, struct frame_slot *slot);

/* Finishes the oldest frame: gives back the pictures that no later frame looks at, and frees its slot. `e` holds the
 * first failure so far, if any. */
void ring_finish(struct assay_session *s, const struct assay_error *e);

/* Makes the picture of zeros that stands in for an encode that ends. */
int ring_blank(struct assay_session *s, uint32_t encode);

/* Gives back the pictures of a side that are still lent. No frame is in flight. */
void ring_release_side(struct assay_session *s, unsigned side);

/* Gives back every picture that is still lent. No frame is in flight, and no later frame looks at them. */
void ring_release_all(struct assay_session *s);

#endif
