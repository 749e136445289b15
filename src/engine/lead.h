/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pairs that lead a sequence in, where a metric takes it as mirrored at its first frame: before frame 0 stand frames 1,
 * 2 and so on, and a video that is shorter than that goes back and forth. Their slots are taken when a sequence begins,
 * before those of its own pairs, which wait until the last one that is mirrored is there or the sequence ends. Then the
 * slots get the planes of the pairs that they mirror, and all are queued. Nothing is scored of a pair that leads in.
 */
#ifndef ASSAY_ENGINE_LEAD_H
#define ASSAY_ENGINE_LEAD_H

#include "engine/session.h"

/* Takes the slots, if metrics look at such pairs. No pair is taken and not done, and none waits. */
void lead_begin(struct assay_session *s);

/* Queues the pairs that lead in, and those that wait, if any does. Called when the last one that is mirrored is there,
 * and before the sequence ends. */
void lead_end(struct assay_session *s);

/* Slots that can be taken and not done beside session.room. */
static inline uint32_t lead_room(const struct assay_session *s) { return s->leading ? 2 * s->lead : 0; }

#endif
