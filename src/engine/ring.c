/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/lead.h"
#include "host/format.h"
#include "host/light.h"
#include "host/system.h"

/* Describes those planes of a format whose bit is set in `which` at `memory` + `at`, rows at multiples of 64 bytes.
 * Returns where the next plane can begin. `memory` may be NULL. */
static size_t place(const assay_format *f, struct kernel_plane to[INPUT_PLANES], unsigned which, void *memory,
                    size_t at)
{
    for (uint32_t p = 0; p < INPUT_PLANES; p++) {
        struct kernel_plane *k = &to[p];
        if (!(which >> p & 1))
            continue;
        k->width = (int32_t)assay_format_plane_width(f, p);
        k->height = (int32_t)assay_format_plane_height(f, p);
        k->stride = (ptrdiff_t)((format_row_bytes(f, p) + 63) / 64 * 64);
        if (memory && k->width)
            k->data = (char *)memory + at;
        at += (size_t)k->stride * (size_t)k->height;
    }
    return at;
}

/* The planes of a pair in one block, those that passes read first: the others take no memory until somebody writes
 * them, and a large plane lies in large pages. */
static size_t place_pair(const struct assay_session *s, struct frame_slot *slot, void *memory)
{
    size_t at = 0;
    for (unsigned unread = 0; unread < 2; unread++)
        for (unsigned side = 0; side < s->sides; side++)
            at = place(&s->side[side].held, slot->own[side],
                       unread ? ~(unsigned)s->side[side].reads : s->side[side].reads, memory, at);
    return at;
}

/* Allocates the session's own planes of a slot. */
static int own_memory(struct assay_session *s, struct frame_slot *slot)
{
    bool needed = false;
    for (unsigned side = 0; side < s->sides; side++)
        needed |= !s->side[side].on_device;
    if (slot->memory || !needed)
        return ASSAY_OK;
    const size_t bytes = place_pair(s, slot, NULL);
    slot->memory = s->executor->ops->host_alloc(s->executor, (uint32_t)(slot - s->slot), bytes);
    if (!slot->memory)
        return assay_fail(&s->error, ASSAY_EINTERNAL, "out of memory for a frame pair of %zu bytes", bytes);
    place_pair(s, slot, slot->memory);
    return ASSAY_OK;
}

/* The planes that the application writes pictures to which are converted. */
static int given_memory(struct assay_session *s, struct frame_slot *slot)
{
    for (unsigned side = 0; side <= s->encodes; side++) {
        const assay_format *f = &s->side[side].given;
        if (s->side[side].recode.equal || slot->given_memory[side])
            continue;
        slot->given_memory[side] = memory_aligned(64, place(f, slot->given[side], ~0u, NULL, 0));
        if (!slot->given_memory[side])
            return assay_fail_memory(&s->error, "a picture that is converted");
        place(f, slot->given[side], ~0u, slot->given_memory[side], 0);
    }
    return ASSAY_OK;
}

static int refuse_slots(struct assay_session *s, uint32_t devices, const struct executor_room *room)
{
    const uint32_t asked = s->config.frames_in_flight ? s->config.frames_in_flight : 1, more = s->history + 2 * s->lead;
    const uint64_t slots = (asked + more + devices - 1) / devices, fit = room->free / room->slot * devices;
    char before[48] = "";
    if (more)
        snprintf(before, sizeof before, " and %u before them", more);
    return assay_fail(&s->error, ASSAY_EDEVICE, "%s: %u frame%s in flight%s need%s %llu MiB%s and %llu MiB are free: "
                      "%llu would fit (frames_in_flight, --in-flight)", s->executor->device, asked,
                      asked > 1 ? "s" : "", before, asked > 1 || more ? "" : "s",
                      (unsigned long long)((room->slot * slots + (1 << 20) - 1) >> 20),
                      devices > 1 ? " on each device" : "", (unsigned long long)(room->free >> 20),
                      (unsigned long long)(fit > more ? fit - more : 0));
}

/* Limits the slots to those that fit the device's memory. A number that the application asked for is refused when it
 * does not fit. */
static int limit_slots(struct assay_session *s, uint32_t devices)
{
    const struct executor_ops *ops = s->executor->ops;
    const uint32_t each = s->slots / devices, least = (s->history + 2 * s->lead + devices) / devices;
    struct executor_room room;
    if (!ops->room)
        return ASSAY_OK;
    TRY(ops->room(s->executor, s->graph, &room, &s->error));
    const uint64_t most = room.free / room.slot;
    if (s->config.frames_in_flight || most < least)
        return each <= most ? ASSAY_OK : refuse_slots(s, devices, &room);
    /* Leaves a sixteenth to drivers, which round sizes up and load code, unless no frame could run then. */
    uint64_t fit = (room.free - room.free / 16) / room.slot;
    fit = fit < least ? least : fit;
    if (each > fit)
        s->slots = (uint32_t)fit * devices;
    return ASSAY_OK;
}

/* Notes which planes are read, and returns their bytes in a pair. */
static uint64_t look_at_planes(struct assay_session *s)
{
    uint64_t bytes = 0;
    for (unsigned side = 0; side < s->sides; side++) {
        const assay_format *f = &s->side[side].held;
        for (unsigned p = 0; p < INPUT_PLANES; p++)
            if (session_reads(s, side, p)) {
                s->side[side].reads |= (uint8_t)(1u << p);
                bytes += (uint64_t)format_row_bytes(f, p) * assay_format_plane_height(f, p);
            }
    }
    return bytes;
}

/* Pairs that are filled beside those that are computed. Where a device has its own memory, that limits them. In the
 * host's memory large pairs are few: a CPU scores one at a time, or one in each group of threads, and the next one is
 * there in time while reading one takes longer than waking the thread that reads it. */
static uint32_t pairs_ahead(const struct assay_session *s, uint64_t pair_bytes)
{
    enum { MOST_BYTES = 48 << 20 };
    const uint32_t asked = s->config.prefetch_frames ? s->config.prefetch_frames : 1;
    const uint64_t fit = pair_bytes ? MOST_BYTES / pair_bytes : asked;
    return s->executor->ops->room || fit >= asked ? asked : fit ? (uint32_t)fit : 1;
}

/* Zeros for the planes of a frame before the sequence: all rows are one. */
static void make_zeros(struct assay_session *s)
{
    for (unsigned side = 0; side < s->sides; side++)
        for (uint32_t p = 0; p < INPUT_PLANES; p++)
            s->nothing[side][p] = (struct kernel_plane){
                .data = s->zeros, .width = (int32_t)assay_format_plane_width(&s->side[side].held, p),
                .height = (int32_t)assay_format_plane_height(&s->side[side].held, p)};
}

/* Page-locking a slot's memory takes as long as scoring ten pairs: few frames are over before more slots pay. */
enum { SHORT_RUN = 64, SHORT_SLOTS = 4 };

int ring_init(struct assay_session *s)
{
    const uint64_t pair_bytes = look_at_planes(s);
    struct executor *x = s->executor;
    if (x->ops->depth)
        x->depth = x->ops->depth(x, s->graph);
    const uint32_t in_flight = s->config.frames_in_flight, ahead = s->config.prefetch_frames;
    if (in_flight > SESSION_SLOTS || ahead > SESSION_SLOTS)
        return assay_fail(&s->error, ASSAY_EUSAGE, "%u frames %s: at most %d",
                          in_flight > SESSION_SLOTS ? in_flight : ahead,
                          in_flight > SESSION_SLOTS ? "in flight" : "ahead", SESSION_SLOTS);
    for (unsigned side = 0; side < s->sides; side++)
        s->history = s->graph->history[side] > s->history ? s->graph->history[side] : s->history;
    const bool short_run = s->config.frames && s->config.frames < SHORT_RUN && x->ops->room;
    const uint32_t devices = x->devices ? x->devices : 1, few = SHORT_SLOTS * devices,
                   fill = x->depth + pairs_ahead(s, pair_bytes),
                   usual = s->source.frames ? s->source.frames : short_run && fill > few ? few : fill;
    s->slots = in_flight ? in_flight : usual;
    s->lead = s->graph->mirrored;
    s->slots += s->history + 2 * s->lead;
    if (!in_flight && s->slots < s->config.least_frames)
        s->slots = s->config.least_frames;
    /* Each device gets the same number of frames. */
    s->slots = (s->slots + devices - 1) / devices * devices;
    TRY(limit_slots(s, devices));
    s->room = s->slots - s->history - 2 * s->lead;
    s->in_turn = in_flight || s->config.least_frames;
    s->slot = calloc(s->slots, sizeof *s->slot);
    s->order = calloc(s->slots + 1, sizeof *s->order);
    s->zeros = calloc(FORMAT_MAX_SIDE + 1, sizeof(float));
    make_zeros(s);
    if (!s->slot || !s->order || !s->zeros)
        return assay_fail_memory(&s->error, "the frame slots");
    lead_begin(s);
    return ASSAY_OK;
}

static const assay_picture none;

static void give_back(assay_picture *picture)
{
    if (picture->release)
        picture->release(picture->opaque);
    picture->release = NULL;
}

void ring_offer(struct assay_session *s, uint32_t slot, unsigned side, const assay_picture *picture)
{
    pthread_mutex_lock(&s->lock); /* a reader of an encode that has ended may come late */
    assay_picture before = s->slot[slot].offered[side];
    s->slot[slot].offered[side] = *picture;
    pthread_mutex_unlock(&s->lock);
    give_back(&before);
}

void ring_free(struct assay_session *s)
{
    for (uint32_t i = 0; s->slot && i < s->slots; i++) {
        if (s->slot[i].memory)
            s->executor->ops->host_free(s->executor, i, s->slot[i].memory);
        for (unsigned side = 0; side < SESSION_SIDES; side++) {
            memory_aligned_free(s->slot[i].given_memory[side]);
            ring_offer(s, i, side, &none);
        }
    }
    free(s->slot);
    free(s->order);
    s->slot = NULL;
    s->order = NULL;
}

int ring_failed(struct assay_session *s)
{
    if (s->run_error.code)
        s->error = s->run_error;
    return s->run_error.code;
}

/* Returns the slot for pair number `taken`. Pairs go round the devices. A pair gets the first free slot of its device,
 * so slots that are not needed to keep the devices busy never get memory: page-locking the memory of a pair of 1080p
 * takes as long as scoring ten pairs. A slot is always free, because the pairs in use are consecutive and fewer than
 * the slots. */
static uint32_t free_slot(const struct assay_session *s)
{
    const uint32_t devices = s->executor->devices ? s->executor->devices : 1;
    uint32_t number = (uint32_t)(s->taken % devices);
    if (s->in_turn)
        return (uint32_t)(s->taken % s->slots);
    while (s->slot[number].used)
        number += devices;
    return number;
}

struct frame_slot *ring_take(struct assay_session *s)
{
    const uint32_t number = free_slot(s);
    s->order[s->taken++ % (s->slots + 1)] = number;
    s->slot[number].used = true;
    return &s->slot[number];
}

/* Takes back the slots of the last `pairs` pairs that were taken and not queued. */
static void untake(struct assay_session *s, uint32_t pairs)
{
    for (uint64_t pair = s->taken - pairs; pair < s->taken; pair++)
        for (unsigned side = 0; side <= s->encodes; side++)
            ring_offer(s, ring_slot(s, pair), side, &none);
    pthread_mutex_lock(&s->lock);
    while (pairs--)
        s->slot[ring_slot(s, --s->taken)].used = false;
    pthread_mutex_unlock(&s->lock);
}

/* Whether as many slots are taken and not done as can be. Called under the lock. */
static bool is_full(const struct assay_session *s) { return s->taken - s->done >= s->room + lead_room(s); }

/* Waits for a free slot. */
static int next_slot(struct assay_session *s, struct frame_slot **slot)
{
    pthread_mutex_lock(&s->lock);
    while (!s->run_error.code && is_full(s))
        pthread_cond_wait(&s->changed, &s->lock);
    const int rc = ring_failed(s);
    if (!rc)
        *slot = ring_take(s);
    pthread_mutex_unlock(&s->lock);
    return rc;
}

/* Sets where the planes of earlier frames are. Slots are queued in the order in which they were taken. */
static void link_earlier(struct assay_session *s, struct frame_slot *slot)
{
    for (uint32_t back = 1; back <= s->history; back++) {
        const bool there = back <= s->length;
        const uint32_t number = ring_slot(s, s->queued - (there ? back : s->length));
        slot->inputs.before[GRAPH_OR_FIRST + back - 1] = s->slot[number].inputs.plane;
        slot->inputs.held[GRAPH_OR_FIRST + back - 1] = number + 1;
        slot->inputs.before[back - 1] = there ? s->slot[number].inputs.plane : s->nothing;
        slot->inputs.held[back - 1] = there ? number + 1 : 0;
        const uint64_t all = s->length + s->led; /* a pair that leads in may find none so far back, and has no scores */
        const uint32_t image = ring_slot(s, s->queued - (back <= all ? back : all));
        slot->inputs.before[GRAPH_OR_MIRRORED + back - 1] = s->slot[image].inputs.plane;
        slot->inputs.held[GRAPH_OR_MIRRORED + back - 1] = image + 1;
    }
}

int ring_blank(struct assay_session *s, uint32_t encode)
{
    struct session_encode *own = &s->encode[encode];
    const assay_format *held = &s->side[encode + 1].held;
    own->blank_memory = calloc(1, place(held, own->blank, ~0u, NULL, 0));
    if (!own->blank_memory)
        return assay_fail_memory(&s->error, "a blank picture");
    place(held, own->blank, ~0u, own->blank_memory, 0);
    return ASSAY_OK;
}

/* Passes that an executor does not leave out see a picture of zeros for an encode that has ended: kernels take any code
 * of the format. Its earlier pictures are not the session's any more. */
static void leave_out_ended(const struct assay_session *s, struct frame_slot *slot)
{
    slot->without = slot->inputs.without = s->ended;
    for (uint32_t k = 0; k < s->encodes; k++) {
        if (!(s->ended >> k & 1))
            continue;
        memcpy(slot->inputs.plane[k + 1], s->encode[k].blank, sizeof s->encode[k].blank);
        slot->inputs.taken[k + 1] = false;
    }
}

void ring_pass_on(struct assay_session *s, struct frame_slot *slot)
{
    link_earlier(s, slot);
    leave_out_ended(s, slot);
    s->length += !slot->leads;
    pthread_mutex_lock(&s->lock);
    s->queued++;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

void ring_queue(struct assay_session *s, struct frame_slot *slot, uint64_t frame, bool neighbour)
{
    slot->frame = s->last_frame = frame;
    slot->neighbour = neighbour;
    slot->leads = false;
    s->any_frame = true;
    if (!s->leading)
        ring_pass_on(s, slot);
    else if (++s->waiting > s->lead)
        lead_end(s);
}

int ring_check_left(struct assay_session *s)
{
    if (s->ended + 1 < UINT64_C(1) << s->encodes)
        return ASSAY_OK;
    return assay_fail(&s->error, ASSAY_EUSAGE, "every encode of the session has ended");
}

int ring_check_number(struct assay_session *s, uint64_t frame)
{
    TRY(ring_check_left(s));
    if (!s->any_frame || frame > s->last_frame)
        return ASSAY_OK;
    return assay_fail(&s->error, ASSAY_EUSAGE, "frame %llu is submitted after frame %llu", (unsigned long long)frame,
                      (unsigned long long)s->last_frame);
}

static int refuse_host_frames(struct assay_session *s)
{
    if (s->running)
        return ASSAY_OK;
    return assay_fail(&s->error, ASSAY_EUSAGE, "this session was started for frames on a device");
}

static assay_buffer buffer_of(const struct kernel_plane plane[INPUT_PLANES], uint32_t slot)
{
    assay_buffer b = {.slot = slot};
    for (unsigned p = 0; p < INPUT_PLANES; p++) {
        b.plane[p] = plane[p].data;
        b.stride[p] = plane[p].stride;
    }
    return b;
}

void ring_buffer(const struct assay_session *s, uint32_t slot, unsigned side, assay_buffer *to)
{
    const bool equal = s->side[side].recode.equal, forms = !side && s->sides > s->encodes + 1;
    *to = buffer_of(equal ? s->slot[slot].own[side] : s->slot[slot].given[side], slot);
    to->lends = equal && !forms && !s->executor->ops->room; /* a device copies from memory that host_alloc made */
}

/* The session's own planes of a side of a slot that passes read; the others are NULL. */
static assay_buffer buffer_of_inputs(const struct assay_session *s, uint32_t slot, unsigned side)
{
    assay_buffer b = buffer_of(s->slot[slot].own[side], slot);
    for (unsigned p = 0; p < INPUT_PLANES; p++)
        if (!(s->side[side].reads >> p & 1))
            b.plane[p] = NULL;
    return b;
}

/* Brings a picture of the application to the form of a side of a slot. */
static void recode_side(const struct assay_session *s, uint32_t slot, unsigned side, const assay_picture *from)
{
    const assay_buffer to = buffer_of_inputs(s, slot, side);
    recode_picture(&s->side[side].recode, from, &to);
}

/* Makes the other forms of the reference of its picture. */
static void make_forms(const struct assay_session *s, uint32_t slot, const assay_picture *reference)
{
    for (unsigned form = s->encodes + 1; form < s->sides; form++)
        recode_side(s, slot, form, reference);
}

/* The picture of a side that was offered, or lies in the buffer which ring_buffer gave out. */
static assay_picture written(const struct assay_session *s, uint32_t slot, unsigned side)
{
    assay_picture picture = s->slot[slot].offered[side];
    assay_buffer b;
    if (picture.release)
        return picture;
    ring_buffer(s, slot, side, &b);
    memcpy(picture.plane, b.plane, sizeof picture.plane);
    memcpy(picture.stride, b.stride, sizeof picture.stride);
    return picture;
}

void ring_convert(struct assay_session *s, uint32_t slot, unsigned side)
{
    const assay_picture from = written(s, slot, side);
    if (!s->side[side].recode.equal)
        recode_side(s, slot, side, &from);
    if (!side)
        make_forms(s, slot, &from);
}

bool session_reads(const struct assay_session *s, unsigned side, unsigned plane)
{
    const struct graph *g = s->graph;
    const bool form = side > s->encodes, converted = !form && !s->side[side].recode.equal;
    if (g->keep || s->source.bring || s->side[side].on_device || converted || (!side && s->sides > s->encodes + 1))
        return true;
    for (graph_plane i = 0; i < g->planes; i++)
        if (g->plane[i].input && !g->plane[i].table && g->plane[i].side == side && g->plane[i].component == plane)
            return true;
    return false;
}

int session_take(struct assay_session *s, assay_buffer *ref, assay_buffer *dis)
{
    struct frame_slot *slot;
    TRY(refuse_host_frames(s));
    TRY(ring_check_left(s));
    TRY(next_slot(s, &slot));
    memset(slot->filled, 0, sizeof slot->filled);
    int rc = own_memory(s, slot);
    if (!rc)
        rc = given_memory(s, slot);
    if (rc) {
        untake(s, 1); /* no other thread takes slots */
        return rc;
    }
    ring_buffer(s, (uint32_t)(slot - s->slot), 0, ref);
    for (unsigned k = 0; k < s->encodes; k++) {
        dis[k] = (assay_buffer){.slot = ref->slot};
        if (!(s->ended >> k & 1))
            ring_buffer(s, ref->slot, k + 1, &dis[k]);
    }
    s->held++;
    return ASSAY_OK;
}

bool session_has_room(struct assay_session *s)
{
    pthread_mutex_lock(&s->lock);
    const bool room = !is_full(s);
    pthread_mutex_unlock(&s->lock);
    return room;
}

bool session_all_taken(const struct assay_session *s)
{
    return s->held + s->waiting + (s->leading ? s->lead : 0) >= s->room + lead_room(s);
}

int session_take_picture(struct assay_session *s, uint32_t slot, unsigned side, const struct device_picture *picture,
                         struct assay_error *e)
{
    return s->executor->ops->take(s->executor, slot, side, picture, e);
}

static int check_use(struct assay_session *s, uint64_t frame, int use)
{
    if (use < ASSAY_UNUSED || use > ASSAY_NEIGHBOUR)
        return assay_fail(&s->error, ASSAY_EUSAGE,
                          "a pair is committed as ASSAY_UNUSED, _SCORED or _NEIGHBOUR, not as %d",
                          use);
    return use == ASSAY_UNUSED ? ASSAY_OK : ring_check_number(s, frame);
}

/* Whether a side is that of an encode that has ended. */
static bool has_ended(const struct assay_session *s, unsigned side) { return side && s->ended >> (side - 1) & 1; }

/* Fails if a code of the first pair, in a plane that a pass reads, is above the largest of its depth. Later pairs are
 * not checked: a program that puts codes into the high bits of words does so in each picture. */
static int check_codes(struct assay_session *s, uint64_t frame, unsigned side, const assay_picture *picture)
{
    const assay_format *f = &s->side[side].given;
    const bool looks = !s->any_frame && f->bit_depth > 8 && f->bit_depth < 16;
    size_t x;
    for (unsigned p = 0; looks && p < INPUT_PLANES; p++) {
        const char *row = s->side[side].reads >> p & 1 ? picture->plane[p] : NULL;
        for (uint32_t y = 0; row && y < assay_format_plane_height(f, p); y++, row += picture->stride[p])
            if (!format_codes_fit(row, assay_format_plane_width(f, p), f->bit_depth, &x))
                return assay_fail(&s->error, ASSAY_EINPUT, "frame %llu: the %s picture has a code above %u, the "
                                  "largest of %u bits, in plane %u at %zu,%u", (unsigned long long)frame,
                                  side ? "distorted" : "reference", (1u << f->bit_depth) - 1, f->bit_depth, p, x, y);
    }
    return ASSAY_OK;
}

/* Fails if a picture has a code above the largest of its depth (check_codes), or a float that is not finite. */
static int check_picture(struct assay_session *s, uint64_t frame, unsigned side, const assay_picture *picture)
{
    const assay_format *f = &s->side[side].given;
    struct light_planes p = {.width = f->width, .height = f->height};
    if (has_ended(s, side))
        return ASSAY_OK;
    if (!format_is_float(f))
        return check_codes(s, frame, side, picture);
    for (unsigned i = 0; i < INPUT_PLANES; i++) {
        p.plane[i] = assay_format_plane_width(f, i) ? picture->plane[i] : NULL;
        p.stride[i] = picture->stride[i];
    }
    const struct light_wild wild = light_find_wild(&p);
    if (!wild.samples)
        return ASSAY_OK;
    return assay_fail(&s->error, ASSAY_EINPUT, "frame %llu: %llu samples of the %s picture are not finite, the first "
                      "is in plane %u at %u,%u", (unsigned long long)frame, (unsigned long long)wild.samples,
                      side ? "distorted" : "reference", wild.plane, wild.x, wild.y);
}

/* Reads a side of a pair where its picture is. */
static void lend(const struct assay_session *s, struct frame_slot *slot, unsigned side, const assay_picture *from)
{
    const assay_format *f = &s->side[side].held;
    slot->lent[side] = *from;
    for (uint32_t p = 0; p < INPUT_PLANES; p++) {
        if (!assay_format_plane_width(f, p))
            continue;
        union { const void *in; void *out; } data = {.in = from->plane[p]}; /* inputs are only read */
        slot->inputs.plane[side][p] = (struct kernel_plane){.data = data.out, .stride = from->stride[p],
                                                            .width = (int32_t)assay_format_plane_width(f, p),
                                                            .height = (int32_t)assay_format_plane_height(f, p)};
    }
}

int session_commit(struct assay_session *s, uint64_t frame, int use)
{
    const uint32_t number = ring_slot(s, s->taken - s->held);
    int rc = check_use(s, frame, use);
    for (unsigned side = 0; !rc && use != ASSAY_UNUSED && side <= s->encodes; side++) {
        const assay_picture picture = has_ended(s, side) ? none : written(s, number, side);
        rc = check_picture(s, frame, side, &picture);
    }
    if (rc && s->reading) /* readers fill pairs: the end of reading takes them back */
        return rc;
    if (use == ASSAY_UNUSED || rc) {
        untake(s, s->held);
        s->held = 0;
        return rc;
    }
    struct frame_slot *slot = &s->slot[number];
    for (unsigned side = 0; side <= s->encodes; side++)
        if (!slot->filled[side] && !has_ended(s, side))
            ring_convert(s, number, side);
    s->held--;
    memcpy(slot->inputs.plane, slot->own, sizeof slot->own);
    for (unsigned side = 0; side < s->sides; side++)
        slot->inputs.taken[side] = s->side[side].on_device;
    for (unsigned side = 0; side <= s->encodes; side++) {
        if (!has_ended(s, side) && slot->offered[side].release) {
            lend(s, slot, side, &slot->offered[side]);
            slot->offered[side] = none;
        }
        ring_offer(s, number, side, &none); /* what is left is of an encode that has ended */
    }
    ring_queue(s, slot, frame, use == ASSAY_NEIGHBOUR);
    return ASSAY_OK;
}

static bool is_read_in_place(const struct assay_session *s, unsigned side, const assay_picture *picture)
{
    return picture->release && s->side[side].recode.equal;
}

int session_queue(struct assay_session *s, uint64_t frame, const assay_picture *ref, const assay_picture *dis,
                  bool neighbour)
{
    struct frame_slot *slot;
    bool copied = s->sides > s->encodes + 1;
    TRY(refuse_host_frames(s));
    TRY(ring_check_number(s, frame));
    for (unsigned side = 0; side <= s->encodes; side++)
        TRY(check_picture(s, frame, side, side ? &dis[side - 1] : ref));
    TRY(next_slot(s, &slot));
    for (unsigned side = 0; side <= s->encodes; side++)
        copied |= !has_ended(s, side) && !is_read_in_place(s, side, side ? &dis[side - 1] : ref);
    const int rc = copied ? own_memory(s, slot) : ASSAY_OK;
    if (rc) {
        untake(s, 1);
        return rc;
    }
    const uint32_t number = (uint32_t)(slot - s->slot);
    memcpy(slot->inputs.plane, slot->own, sizeof slot->own);
    for (unsigned side = 0; side <= s->encodes; side++) {
        const assay_picture *from = side ? &dis[side - 1] : ref;
        if (has_ended(s, side))
            continue;
        slot->lent[side] = *from;
        if (is_read_in_place(s, side, from))
            lend(s, slot, side, from);
        else
            recode_side(s, number, side, from);
    }
    make_forms(s, number, ref);
    ring_queue(s, slot, frame, neighbour);
    return ASSAY_OK;
}

/* Gives back each side's picture of the frame `history` frames before frame `count`, the last frame that may look at
 * it. */
static void release_behind(struct assay_session *s, uint64_t count)
{
    for (unsigned side = 0; side <= s->encodes; side++)
        if (count >= s->graph->history[side])
            give_back(&s->slot[ring_slot(s, count - s->graph->history[side])].lent[side]);
}

void ring_release_side(struct assay_session *s, unsigned side)
{
    for (uint32_t i = 0; s->slot && i < s->slots; i++)
        give_back(&s->slot[i].lent[side]);
}

void ring_release_all(struct assay_session *s)
{
    for (unsigned side = 0; side <= s->encodes; side++)
        ring_release_side(s, side);
}

void ring_finish(struct assay_session *s, const struct assay_error *e)
{
    release_behind(s, s->done);
    pthread_mutex_lock(&s->lock);
    if (e->code && !s->run_error.code)
        s->run_error = *e;
    if (s->done >= s->history)
        s->slot[ring_slot(s, s->done - s->history)].used = false;
    s->done++;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}
