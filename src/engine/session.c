/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/session.h"

#include <stdlib.h>
#include <string.h>

#include "executors/several/several.h"
#include "host/clock.h"
#include "host/format.h"
#include "host/fpenv.h"
#include "selftest/prove.h"

/* Integer weights of luma in 2^-16, of full-range RGB; they sum to 2^16 exactly. */
static const struct { const char *name; int32_t weight[3]; } rgb_matrix[] = {
    {"bt709", {13933, 46871, 4732}},  /* 0.2126 0.7152 0.0722, ITU-R BT.709 */
    {"bt601", {19595, 38470, 7471}},  /* 0.299 0.587 0.114, ITU-R BT.601 */
};

static int rgb_conversion(struct metric_pair *pair, const assay_config *config, struct assay_error *e)
{
    for (unsigned i = 0; i < sizeof rgb_matrix / sizeof rgb_matrix[0]; i++) {
        if (strcmp(config->rgb_matrix, rgb_matrix[i].name))
            continue;
        const uint32_t depth = pair->format.bit_depth, peak = (1u << depth) - 1, span = 219u << (depth - 8);
        const bool limited = config->rgb_range == ASSAY_RANGE_LIMITED;
        pair->rgb_to_luma = pair->has_luma = true;
        pair->rgb_offset = limited ? (int32_t)(16u << (depth - 8)) : 0;
        for (unsigned c = 0; c < 3; c++) {
            const int64_t w = rgb_matrix[i].weight[c];
            pair->rgb_weight[c] = (int32_t)(limited ? (w * span + peak / 2) / peak : w);
        }
        return ASSAY_OK;
    }
    return assay_fail(e, ASSAY_EUSAGE, "no RGB matrix is called '%s' (bt709, bt601)", config->rgb_matrix);
}

int session_pair(struct metric_pair *pair, const assay_config *config, const assay_format *format, struct assay_error *e)
{
    *pair = (struct metric_pair){.format = *format, .has_luma = format->layout != ASSAY_LAYOUT_RGB};
    if (!format->width || !format->height || format->width > 65535 || format->height > 65535)
        return assay_fail(e, ASSAY_EUSAGE, "pictures are 1x1 to 65535x65535, not %ux%u", format->width, format->height);
    if (format->bit_depth < 8 || format->bit_depth > 16)
        return assay_fail(e, ASSAY_EUSAGE, "samples have 8 to 16 bits, not %u", format->bit_depth);
    if (format->layout <= ASSAY_LAYOUT_UNKNOWN || format->layout > ASSAY_LAYOUT_RGB)
        return assay_fail(e, ASSAY_EUSAGE, "the pictures' layout is not stated");
    if (format->alpha > 1 || (format->gamma && (format->gamma < 12500 || format->gamma > 1000000)))
        return assay_fail(e, ASSAY_EUSAGE, "alpha is 0 or 1 and gamma 0 or 12500 to 1000000, not %u and %u", format->alpha, format->gamma);
    if (format->layout == ASSAY_LAYOUT_RGB && config->rgb_matrix)
        return rgb_conversion(pair, config, e);
    return ASSAY_OK;
}

/* ---- start ------------------------------------------------------------------------------------------------------ */

static int unique_key(const struct assay_session *s, const char *key, struct assay_error *e)
{
    for (uint32_t i = 0; i < s->n_keys; i++)
        if (!strcmp(s->key[i], key))
            return assay_fail(e, ASSAY_EUSAGE, "two metrics would both write '%s'", key);
    return ASSAY_OK;
}

static int collect_keys(struct assay_session *s)
{
    uint32_t keys = 1, aggregates = 1;
    for (uint32_t i = 0; i < s->metrics; i++) {
        keys += s->metric[i]->n_keys;
        aggregates += s->metric[i]->n_aggregates;
        s->n_accumulators += s->metric[i]->n_accumulators;
    }
    s->key = calloc(keys, sizeof *s->key);
    s->aggregate_key = calloc(aggregates, sizeof *s->aggregate_key);
    s->accumulator = calloc(s->n_accumulators + 1, sizeof *s->accumulator);
    s->unused = calloc(s->n_accumulators + 1, sizeof *s->unused);
    if (!s->key || !s->aggregate_key || !s->accumulator || !s->unused)
        return assay_fail_memory(&s->error, "the scores");
    for (uint32_t i = 0; i < s->metrics; i++) {
        const struct metric *m = s->metric[i];
        for (uint32_t k = 0; k < m->n_keys; k++) {
            const int rc = unique_key(s, m->keys[k], &s->error);
            if (rc)
                return rc;
            s->key[s->n_keys++] = m->keys[k];
        }
        for (uint32_t k = 0; k < m->n_aggregates; k++)
            s->aggregate_key[s->n_aggregates++] = m->aggregates[k];
    }
    const int rc = sequence_init(&s->sequence, s->metric, s->metrics, &s->error);
    return rc ? rc : scores_init(&s->scores, s->n_keys, s->key, &s->error);
}

static int build_graph(struct assay_session *s)
{
    s->graph = graph_new(&s->error);
    if (!s->graph)
        return ASSAY_EINTERNAL;
    s->graph->bring = s->source.bring;
    s->graph->bring_opaque = s->source.opaque;
    for (uint32_t i = 0; i < s->metrics; i++) {
        struct metric *m = s->metric[i];
        int rc = m->ops->allows(&s->pair, m->options, &s->error);
        struct metric_build b = {.graph = s->graph, .pair = &s->pair, .metric = m, .error = &s->error};
        if (!rc)
            rc = m->ops->build(&b);
        if (rc)
            return rc;
    }
    s->graph->keep = s->config.keep_planes != 0;
    return graph_seal(s->graph, &s->error);
}

/* The executor that a configuration names; opened again for the self-test. */
static int open_named(void *opaque, struct executor **out, struct assay_error *e)
{
    const assay_config *c = opaque;
    const struct executor_config config = {.device = c->device, .threads = c->threads, .level = c->cpu_level,
                                           .tile_w = c->tile_width, .tile_h = c->tile_height, .band_h = c->band_height};
    const char *backend = c->backend ? c->backend : "cpu";
    for (unsigned i = 0; assay_executors[i]; i++)
        if (!strcmp(assay_executors[i]->name, backend))
            return executor_open(out, assay_executors[i], &config, e);
    return assay_fail(e, ASSAY_EDEVICE, "this build has no backend '%s'", backend);
}

static int choose(struct assay_session *s)
{
    if (s->config.device)
        return assay_fail(&s->error, ASSAY_EUSAGE, "a device can be named when its backend is, not with auto");
    const int rc = choose_device(&s->config, s->graph, &s->choice, &s->error);
    s->config.backend = s->choice.backend;
    s->config.device = *s->choice.device ? s->choice.device : NULL;
    return rc;
}

static int open_executor(struct assay_session *s)
{
    const int chosen = s->config.backend && !strcmp(s->config.backend, "auto") ? choose(s) : ASSAY_OK;
    if (chosen)
        return chosen;
    const struct selftest_device device = {open_named, &s->config};
    const int rc = open_named(&s->config, &s->executor, &s->error);
    if (rc)
        return rc;
    const bool takes = s->on_device[0] || s->on_device[1];
    if (takes && !s->executor->ops->take)
        return assay_fail(&s->error, ASSAY_EDEVICE, "pictures in a device's memory can't be scored on %s%s", s->executor->ops->name,
                          s->executor->devices ? " of several devices" : "");
    return selftest_prove(s->executor, &device, s->graph, takes, &s->error);
}

/* The session's own planes of a slot, one allocation: rows start at multiples of 64 bytes. */
static int own_memory(struct assay_session *s, struct frame_slot *slot)
{
    if (slot->memory || (s->on_device[0] && s->on_device[1]))
        return ASSAY_OK;
    const assay_format *f = &s->pair.format;
    size_t bytes = 0;
    for (int pass = 0; pass < 2; pass++) {
        size_t at = 0;
        for (unsigned side = 0; side < 2; side++)
            for (uint32_t p = 0; p < INPUT_PLANES; p++) {
                struct kernel_plane *k = &slot->own[side][p];
                k->width = (int32_t)assay_format_plane_width(f, p);
                k->height = (int32_t)assay_format_plane_height(f, p);
                k->stride = (ptrdiff_t)((format_row_bytes(f, p) + 63) / 64 * 64);
                if (pass && k->width)
                    k->data = (char *)slot->memory + at;
                at += (size_t)k->stride * (size_t)k->height;
            }
        bytes = at;
        if (!pass && !(slot->memory = s->executor->ops->host_alloc(s->executor, (uint32_t)(slot - s->slot), bytes)))
            return assay_fail(&s->error, ASSAY_EINTERNAL, "out of memory for a frame pair of %zu bytes", bytes);
    }
    return ASSAY_OK;
}

/* Writes the configuration into `size` bytes and returns its length, like snprintf. */
static size_t print_configuration(const struct assay_session *s, char *to, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < s->metrics; i++) {
        const struct metric *m = s->metric[i];
        for (uint32_t o = 0; o <= m->ops->n_options; o++) { /* the name, then the options */
            char value[64];
            const size_t left = used < size ? size - used : 0;
            const int n = !o ? snprintf(left ? to + used : NULL, left, "%s%s", i ? "," : "", m->ops->name)
                             : snprintf(left ? to + used : NULL, left, "%c%s=%s", o > 1 ? ':' : '=',
                                        m->ops->options[o - 1].name, metric_option_value(m, o - 1, value));
            used += n > 0 ? (size_t)n : 0;
        }
    }
    return used;
}

/* What metrics took for granted, likewise: "name: note" each, a line feed between. */
static size_t print_notes(const struct assay_session *s, char *to, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < s->metrics; i++) {
        const struct metric *m = s->metric[i];
        const size_t left = used < size ? size - used : 0;
        const int n = m->note[0] ? snprintf(left ? to + used : NULL, left, "%s%s: %s", used ? "\n" : "", m->ops->name, m->note) : 0;
        used += n > 0 ? (size_t)n : 0;
    }
    return used;
}

static int describe(struct assay_session *s)
{
    const size_t notes = print_notes(s, NULL, 0) + 1;
    s->notes = malloc(notes);
    if (!s->notes)
        return assay_fail_memory(&s->error, "the notes");
    *s->notes = 0;
    print_notes(s, s->notes, notes);
    const size_t size = print_configuration(s, NULL, 0) + 1;
    s->configuration = malloc(size);
    if (!s->configuration)
        return assay_fail_memory(&s->error, "the configuration");
    print_configuration(s, s->configuration, size);
    return ASSAY_OK;
}

static void *run(void *opaque);
static int collect_inlined(struct assay_session *s, uint64_t leave);
static int end_inlined(struct assay_session *s);

static int start_runner(struct assay_session *s)
{
    pthread_attr_t attr;
    if (pthread_attr_init(&attr))
        return assay_fail_memory(&s->error, "the session's thread");
    pthread_attr_setstacksize(&attr, EXECUTOR_STACK);
    s->running = s->started = !pthread_create(&s->runner, &attr, run, s);
    pthread_attr_destroy(&attr);
    return s->running ? ASSAY_OK : assay_fail(&s->error, ASSAY_EINTERNAL, "can't start the session's thread");
}

int session_may_start(struct assay_session *s)
{
    if (s->started || s->graph || s->executor)
        return assay_fail(&s->error, ASSAY_EUSAGE, "a session is started once; one whose start failed is closed");
    return s->metrics ? ASSAY_OK : assay_fail(&s->error, ASSAY_EUSAGE, "no metric was added");
}

int session_plan(struct assay_session *s, const assay_format *format)
{
    int rc = session_pair(&s->pair, &s->config, format, &s->error);
    if (!rc)
        rc = build_graph(s);
    if (!rc)
        rc = collect_keys(s);
    return rc ? rc : describe(s);
}

/* The slots, and the executor made ready for them. */
static int prepare(struct assay_session *s)
{
    if (s->config.frames_in_flight > SESSION_SLOTS)
        return assay_fail(&s->error, ASSAY_EUSAGE, "%u frames in flight: at most %d", s->config.frames_in_flight, SESSION_SLOTS);
    s->history = s->graph->history[0] > s->graph->history[1] ? s->graph->history[0] : s->graph->history[1];
    s->slots = s->config.frames_in_flight ? s->config.frames_in_flight : s->executor->depth + (s->ahead ? s->ahead : 1);
    s->slots += s->history;
    if (!s->config.frames_in_flight && s->slots < s->least_slots)
        s->slots = s->least_slots;
    const uint32_t devices = s->executor->devices ? s->executor->devices : 1; /* each gets as many frames as the others */
    s->slots = (s->slots + devices - 1) / devices * devices;
    s->room = s->slots - s->history;
    s->slot = calloc(s->slots, sizeof *s->slot);
    if (!s->slot)
        return assay_fail_memory(&s->error, "the frame slots");
    return s->executor->ops->prepare(s->executor, s->graph, s->slots, &s->error);
}

int session_start(struct assay_session *s, const assay_format *format)
{
    int rc = session_plan(s, format);
    if (!rc)
        rc = open_executor(s);
    if (!rc)
        rc = prepare(s);
    return rc ? rc : start_runner(s);
}

int session_start_inlined(struct assay_session *s, const assay_format *format, struct executor *x,
                          const struct selftest_device *device)
{
    s->executor = x;
    int rc = session_plan(s, format);
    if (!rc)
        rc = selftest_prove(x, device, s->graph, s->on_device[0] || s->on_device[1], &s->error);
    if (!rc)
        rc = prepare(s);
    s->started = s->inlined = !rc;
    return rc;
}

void session_aggregates(const struct assay_session *s, uint64_t frames, const assay_i128 *accumulators, double *aggregates)
{
    struct assay_fpenv saved;
    assay_fpenv_enter(&saved);
    for (uint32_t i = 0; i < s->metrics; i++) {
        const struct metric *m = s->metric[i];
        if (m->n_aggregates)
            m->ops->finish(m, frames, accumulators, aggregates);
        aggregates += m->n_aggregates;
        accumulators += m->n_accumulators;
    }
    assay_fpenv_leave(&saved);
}

const char *session_accumulator_name(const struct assay_session *s, uint32_t i, char *text)
{
    uint32_t m = 0;
    for (; i >= s->metric[m]->n_accumulators; m++)
        i -= s->metric[m]->n_accumulators;
    snprintf(text, SESSION_NAME, "%s.%s", s->metric[m]->ops->name, s->metric[m]->accumulators[i]);
    return text;
}

/* ---- the caller's side of the ring -------------------------------------------------------------------------------- */

static int failed(struct assay_session *s)
{
    if (s->run_error.code)
        s->error = s->run_error;
    return s->run_error.code;
}

/* Waits for a free slot. */
static int next_slot(struct assay_session *s, struct frame_slot **slot)
{
    pthread_mutex_lock(&s->lock);
    while (!s->run_error.code && s->taken - s->done == s->room)
        pthread_cond_wait(&s->changed, &s->lock);
    const int rc = failed(s);
    if (!rc) {
        *slot = &s->slot[s->taken % s->slots];
        s->taken++;
    }
    pthread_mutex_unlock(&s->lock);
    return rc;
}

/* Where the planes of earlier frames lie. Slots are queued in the order in which they go round. */
static void link_earlier(const struct assay_session *s, struct frame_slot *slot)
{
    for (uint32_t age = 1; age <= s->history; age++) {
        const uint64_t back = age < s->length ? age : s->length;
        const uint32_t number = (uint32_t)((s->queued - back) % s->slots);
        memcpy(slot->inputs.before[age - 1], s->slot[number].inputs.plane, sizeof slot->inputs.plane);
        slot->inputs.held[age - 1] = number + 1;
    }
}

/* After link_earlier. */
static void queue_slot(struct assay_session *s, struct frame_slot *slot, uint64_t frame, bool neighbour)
{
    slot->frame = s->last_frame = frame;
    slot->neighbour = neighbour;
    s->any_frame = true;
    s->length++;
    pthread_mutex_lock(&s->lock);
    s->queued++;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static int check_frame(struct assay_session *s, uint64_t frame)
{
    if (!s->any_frame || frame > s->last_frame)
        return ASSAY_OK;
    return assay_fail(&s->error, ASSAY_EUSAGE, "frame %llu is submitted after frame %llu", (unsigned long long)frame,
                      (unsigned long long)s->last_frame);
}

static int refuse_host_frames(struct assay_session *s)
{
    return s->inlined ? assay_fail(&s->error, ASSAY_EUSAGE, "this session was started for frames on a device") : ASSAY_OK;
}

int session_take(struct assay_session *s, assay_buffer *ref, assay_buffer *dis)
{
    struct frame_slot *slot;
    int rc = refuse_host_frames(s);
    if (!rc)
        rc = next_slot(s, &slot);
    if (!rc && (rc = own_memory(s, slot)))
        s->taken--; /* nobody else takes slots */
    if (rc)
        return rc;
    assay_buffer *const to[2] = {ref, dis};
    for (unsigned side = 0; side < 2; side++)
        for (unsigned p = 0; p < INPUT_PLANES; p++) {
            to[side]->plane[p] = slot->own[side][p].data;
            to[side]->stride[p] = slot->own[side][p].stride;
        }
    s->held++;
    return ASSAY_OK;
}

bool session_has_room(struct assay_session *s)
{
    pthread_mutex_lock(&s->lock);
    const bool room = s->taken - s->done < s->room;
    pthread_mutex_unlock(&s->lock);
    return room;
}

uint32_t session_taken(const struct assay_session *s)
{
    return (uint32_t)((s->taken - 1) % s->slots);
}

int session_take_picture(struct assay_session *s, uint32_t slot, unsigned side, const struct device_picture *picture,
                         struct assay_error *e)
{
    return s->executor->ops->take(s->executor, slot, side, picture, e);
}

static int check_use(struct assay_session *s, uint64_t frame, int use)
{
    if (use < ASSAY_UNUSED || use > ASSAY_NEIGHBOUR)
        return assay_fail(&s->error, ASSAY_EUSAGE, "a pair is committed as ASSAY_UNUSED, _SCORED or _NEIGHBOUR, not as %d", use);
    return use == ASSAY_UNUSED ? ASSAY_OK : check_frame(s, frame);
}

int session_commit(struct assay_session *s, uint64_t frame, int use)
{
    const int rc = check_use(s, frame, use);
    if (use == ASSAY_UNUSED || rc) {
        pthread_mutex_lock(&s->lock);
        s->taken -= s->held;
        pthread_mutex_unlock(&s->lock);
        s->held = 0;
        return rc;
    }
    struct frame_slot *slot = &s->slot[(s->taken - s->held) % s->slots];
    s->held--;
    memcpy(slot->inputs.plane, slot->own, sizeof slot->own);
    memcpy(slot->inputs.taken, s->on_device, sizeof s->on_device);
    link_earlier(s, slot);
    queue_slot(s, slot, frame, use == ASSAY_NEIGHBOUR);
    return ASSAY_OK;
}

static void copy_picture(const assay_format *f, struct kernel_plane to[INPUT_PLANES], const assay_picture *from)
{
    for (uint32_t p = 0; p < INPUT_PLANES; p++) /* what the format lacks has no rows */
        for (int32_t y = 0; y < to[p].height; y++)
            memcpy((char *)to[p].data + (ptrdiff_t)y * to[p].stride,
                   (const char *)from->plane[p] + (ptrdiff_t)y * from->stride[p], format_row_bytes(f, p));
}

static void lend(const assay_format *f, struct kernel_plane to[INPUT_PLANES], const assay_picture *from)
{
    for (uint32_t p = 0; p < INPUT_PLANES; p++) {
        if (!assay_format_plane_width(f, p))
            continue;
        union { const void *in; void *out; } data = {.in = from->plane[p]}; /* inputs are only read */
        to[p] = (struct kernel_plane){.data = data.out, .stride = from->stride[p],
                                      .width = (int32_t)assay_format_plane_width(f, p),
                                      .height = (int32_t)assay_format_plane_height(f, p)};
    }
}

static void give_back(assay_picture *picture)
{
    if (picture->release)
        picture->release(picture->opaque);
    picture->release = NULL;
}

int session_queue(struct assay_session *s, uint64_t frame, const assay_picture *ref, const assay_picture *dis, bool neighbour)
{
    const assay_format *f = &s->pair.format;
    const assay_picture *const from[2] = {ref, dis};
    struct frame_slot *slot;
    int rc = refuse_host_frames(s);
    if (!rc)
        rc = check_frame(s, frame);
    if (!rc)
        rc = next_slot(s, &slot);
    if (rc)
        return rc;
    const bool copies = !ref->release || !dis->release;
    if (copies && (rc = own_memory(s, slot))) {
        s->taken--;
        return rc;
    }
    for (unsigned side = 0; side < 2; side++) {
        slot->lent[side] = *from[side];
        if (from[side]->release)
            lend(f, slot->inputs.plane[side], from[side]);
        else {
            copy_picture(f, slot->own[side], from[side]);
            memcpy(slot->inputs.plane[side], slot->own[side], sizeof slot->own[side]);
        }
    }
    link_earlier(s, slot);
    queue_slot(s, slot, frame, neighbour);
    return ASSAY_OK;
}

int session_drain(struct assay_session *s)
{
    if (s->inlined) {
        const int rc = s->source.opaque ? s->source.ready(s->source.opaque, &s->error) : ASSAY_OK;
        return rc ? rc : collect_inlined(s, 0);
    }
    pthread_mutex_lock(&s->lock);
    while (!s->run_error.code && s->done != s->queued)
        pthread_cond_wait(&s->changed, &s->lock);
    const int rc = failed(s);
    pthread_mutex_unlock(&s->lock);
    return rc;
}

/* The runner sleeps behind the last frame; it delivers what is left. */
int session_flush(struct assay_session *s)
{
    int rc = session_drain(s);
    if (rc || s->inlined)
        return rc ? rc : end_inlined(s);
    pthread_mutex_lock(&s->lock);
    s->ending = true;
    pthread_cond_broadcast(&s->changed);
    while (s->ending)
        pthread_cond_wait(&s->changed, &s->lock);
    rc = failed(s);
    pthread_mutex_unlock(&s->lock);
    s->length = 0;
    return rc;
}

const struct graph_plane_info *session_plane(const struct assay_session *s, uint32_t index, graph_plane *plane)
{
    for (graph_plane i = 0; i < s->graph->planes; i++)
        if (!s->graph->plane[i].input && !index--) {
            *plane = i;
            return &s->graph->plane[i];
        }
    return NULL;
}

/* The runner sleeps while every frame is done, so that the executor is the caller's. */
int session_read_plane(struct assay_session *s, graph_plane plane, void *to, size_t stride)
{
    const int rc = session_drain(s);
    if (rc)
        return rc;
    if (!s->done)
        return assay_fail(&s->error, ASSAY_EUSAGE, "no frame was scored yet");
    return s->executor->ops->read_plane(s->executor, (uint32_t)((s->done - 1) % s->slots), plane, to, stride, &s->error);
}

/* ---- the runner ---------------------------------------------------------------------------------------------------- */

/* Frame `count` of this session was the last one that may look at a side of the frame so many before. */
static void release_behind(struct assay_session *s, uint64_t count)
{
    for (unsigned side = 0; side < 2; side++)
        if (count >= s->graph->history[side])
            give_back(&s->slot[(count - s->graph->history[side]) % s->slots].lent[side]);
}

static void release_all(struct assay_session *s)
{
    for (uint32_t i = 0; s->slot && i < s->slots; i++)
        for (unsigned side = 0; side < 2; side++)
            give_back(&s->slot[i].lent[side]);
}

/* Hands out what scores are settled. */
static int deliver(struct assay_session *s, bool ended, struct assay_error *e)
{
    struct assay_fpenv saved;
    uint64_t frame;
    for (;;) {
        assay_fpenv_enter(&saved);
        const bool one = sequence_settle(&s->sequence, ended, &frame);
        assay_fpenv_leave(&saved);
        if (!one)
            return ASSAY_OK;
        pthread_mutex_lock(&s->lock);
        const int rc = scores_add(&s->scores, frame, s->sequence.out, e);
        pthread_mutex_unlock(&s->lock);
        if (rc)
            return rc;
        if (s->callback && s->callback(s->callback_opaque, frame, s->sequence.out))
            return assay_fail(e, ASSAY_EINTERNAL, "the frame callback stopped the session");
    }
}

static int combine(struct assay_session *s, const struct frame_slot *slot, const struct frame_results *results,
                   struct assay_error *e)
{
    double *values = sequence_add(&s->sequence, slot->frame, slot->neighbour);
    assay_i128 *accumulators = slot->neighbour ? s->unused : s->accumulator;
    struct assay_fpenv saved;
    assay_fpenv_enter(&saved);
    for (uint32_t i = 0; i < s->metrics; i++) {
        s->metric[i]->ops->frame(s->metric[i], results->totals, values, accumulators);
        if (s->metric[i]->ops->extremes)
            s->metric[i]->ops->extremes(s->metric[i], results->extrema, values);
        values += s->metric[i]->n_keys;
        accumulators += s->metric[i]->n_accumulators;
    }
    assay_fpenv_leave(&saved);
    s->counted += !slot->neighbour;
    return deliver(s, false, e);
}

/* No frame is in flight: the last ones have their scores, and nothing is kept for frames to come. */
static int end_sequence(struct assay_session *s, struct assay_error *e)
{
    const int rc = deliver(s, true, e);
    sequence_restart(&s->sequence);
    release_all(s);
    return rc;
}

static int end_inlined(struct assay_session *s)
{
    end_sequence(s, &s->run_error);
    s->length = 0;
    return failed(s);
}

/* Marks the oldest running slot free; after a failure too, so that nobody waits for it. */
static void finish_slot(struct assay_session *s, const struct assay_error *e)
{
    release_behind(s, s->done);
    pthread_mutex_lock(&s->lock);
    if (e->code && !s->run_error.code)
        s->run_error = *e;
    s->done++;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

/* The oldest frame in flight. It is waited for after a failure too: the device may still read its planes. */
static void collect(struct assay_session *s, const struct frame_slot *slot, uint32_t number, struct assay_error *e)
{
    struct executor *x = s->executor;
    struct assay_error late = {0};
    const bool broken = e->code != 0;
    s->results = (struct frame_results){0};
    const int rc = x->ops->wait(x, number, &s->results, broken ? &late : e);
    if (rc || broken)
        return;
    if (!s->results.times.submit)
        s->results.times.submit = slot->submit_time;
    if (x->timed && s->on_times)
        s->on_times(s->on_times_opaque, slot->frame, &s->results.times);
    if (s->source.opaque && s->source.check(s->source.opaque, s->graph, slot->frame, &s->results, e))
        return;
    combine(s, slot, &s->results, e);
}

static int submit(const struct assay_session *s, uint32_t number, struct assay_error *e)
{
    struct executor *x = s->executor;
    struct frame_slot *slot = &s->slot[number];
    const uint64_t start = x->timed ? clock_ns() : 0;
    const int rc = x->ops->submit(x, number, &slot->inputs, e);
    slot->submit_time = x->timed ? clock_ns() - start : 0;
    return rc;
}

/* Ends the sequence, and says so. */
static void run_end(struct assay_session *s, struct assay_error *e)
{
    if (!e->code)
        end_sequence(s, e);
    pthread_mutex_lock(&s->lock);
    if (e->code && !s->run_error.code)
        s->run_error = *e;
    s->ending = false;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void *run(void *opaque)
{
    struct assay_session *s = opaque;
    struct executor *x = s->executor;
    uint64_t submitted = 0;
    struct assay_error refused = {0}; /* why the device did not take frame `submitted` */
    struct assay_error e = {0};       /* the first failure in frame order */
    for (;;) {
        pthread_mutex_lock(&s->lock);
        while (!s->quit && s->queued == s->done && !s->ending)
            pthread_cond_wait(&s->changed, &s->lock);
        const uint64_t queued = s->queued, done = s->done;
        const bool idle = queued == done, stop = s->quit && idle;
        pthread_mutex_unlock(&s->lock);
        if (stop) { /* what is still lent was kept for frames that don't come */
            release_all(s);
            return NULL;
        }
        if (idle) {
            run_end(s, &e);
            continue;
        }
        /* Keep the device's queue full, then wait for its oldest frame. */
        while (!e.code && !refused.code && submitted < queued && submitted - done < x->depth) {
            if (!submit(s, (uint32_t)(submitted % s->slots), &refused))
                submitted++;
        }
        struct frame_slot *slot = &s->slot[done % s->slots];
        if (done < submitted)
            collect(s, slot, (uint32_t)(done % s->slots), &e);
        else if (!e.code)
            e = refused; /* the frames before it are scored */
        finish_slot(s, &e);
    }
}

/* Collects the oldest frames until at most `leave` are in flight. */
static int collect_inlined(struct assay_session *s, uint64_t leave)
{
    while (s->queued - s->done > leave) {
        const uint32_t number = (uint32_t)(s->done % s->slots);
        struct assay_error e = s->run_error; /* after a failure the others are only waited for */
        collect(s, &s->slot[number], number, &e);
        finish_slot(s, &e);
    }
    return failed(s);
}

int session_submit_inlined(struct assay_session *s, uint64_t frame, session_submit_fn *submit_frame, const void *description)
{
    int rc = check_frame(s, frame);
    if (!rc)
        rc = collect_inlined(s, s->executor->depth < s->room ? s->executor->depth - 1 : s->room - 1);
    if (rc)
        return rc;
    const uint32_t number = (uint32_t)(s->taken % s->slots);
    struct assay_error e = {0};
    link_earlier(s, &s->slot[number]);
    rc = submit_frame(s->executor, number, s->slot[number].inputs.held, description, &e);
    s->taken++;
    queue_slot(s, &s->slot[number], frame, false);
    if (!rc)
        return rc;
    collect_inlined(s, 1); /* the frames before it are scored; it may still be being read */
    if (!s->run_error.code)
        s->run_error = e;
    collect_inlined(s, 0);
    return failed(s);
}

void session_free(struct assay_session *s)
{
    if (s->inlined)
        collect_inlined(s, 0);
    if (s->held)
        session_commit(s, 0, ASSAY_UNUSED);
    if (s->running) {
        pthread_mutex_lock(&s->lock);
        s->quit = true;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
        pthread_join(s->runner, NULL);
    }
    for (uint32_t i = 0; s->slot && i < s->slots; i++)
        if (s->slot[i].memory)
            s->executor->ops->host_free(s->executor, i, s->slot[i].memory);
    if (s->executor)
        s->executor->ops->close(&s->executor);
    if (s->source.opaque)
        s->source.free(s->source.opaque);
    graph_free(&s->graph);
    for (uint32_t i = 0; i < s->metrics; i++)
        metric_free(&s->metric[i]);
    scores_free(&s->scores);
    free(s->key);
    free(s->aggregate_key);
    sequence_free(&s->sequence);
    free(s->accumulator);
    free(s->unused);
    free(s->configuration);
    free(s->notes);
    free(s->slot);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
    free(s);
}
