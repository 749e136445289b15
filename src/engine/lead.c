/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/lead.h"

#include "engine/ring.h"

void lead_begin(struct assay_session *s)
{
    if (!s->lead || s->leading)
        return;
    pthread_mutex_lock(&s->lock);
    for (uint32_t i = 0; i < s->lead; i++)
        ring_take(s);
    pthread_mutex_unlock(&s->lock);
    s->leading = true;
    s->led = 0;
}

/* The pair of a sequence of n that stands `back` pairs before the first. */
static uint64_t mirrored(uint64_t back, uint64_t n)
{
    if (n == 1)
        return 0;
    const uint64_t at = back % (2 * (n - 1));
    return at < n ? at : 2 * (n - 1) - at;
}

void lead_end(struct assay_session *s)
{
    if (!s->waiting)
        return;
    const uint64_t first = s->queued + s->lead;
    for (uint32_t back = s->lead; back; back--) {
        struct frame_slot *slot = &s->slot[ring_slot(s, s->queued)];
        const struct frame_slot *like = &s->slot[ring_slot(s, first + mirrored(back, s->waiting))];
        slot->inputs = like->inputs; /* ring_pass_on sets those of earlier frames */
        slot->frame = like->frame;
        slot->leads = true;
        ring_pass_on(s, slot);
        s->led++;
    }
    s->leading = false;
    for (; s->waiting; s->waiting--)
        ring_pass_on(s, &s->slot[ring_slot(s, s->queued)]);
}
