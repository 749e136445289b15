/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs of pictures on their way to the session. */
#include <errno.h>
#include <stdlib.h>

#include "host/clock.h"
#include "libvmaf/context.h"
#include "libvmaf/log.h"

/* ---- what comes in ----------------------------------------------------------------------------------------------- */

static bool same_kind(const VmafPicture *p, const assay_format *f, bool on_device)
{
    assay_format own;
    return picture_format(p, &own) && own.width == f->width && own.height == f->height && own.layout == f->layout &&
           own.bit_depth == f->bit_depth && ((const struct picture_memory *)p->priv)->on_device == on_device;
}

/* Checks a pair against the first one, or makes it the first one. */
static int check_pair(VmafContext *v, const VmafPicture *ref, const VmafPicture *dist)
{
    assay_format f;
    if (!ref->ref || !dist->ref || ref->ref == dist->ref) /* one reference would be given back twice */
        return log_refuse("a pair is of two pictures of vmaf_picture_alloc");
    const bool on_device = ((const struct picture_memory *)ref->priv)->on_device;
    if (!picture_format(ref, &f) || !same_kind(dist, &f, on_device))
        return log_refuse("the two pictures of a pair differ in size, format, depth or place");
    if (v->format.width)
        return same_kind(ref, &v->format, v->on_device)
                   ? 0
                   : log_refuse("a picture differs from the first one in size, format, depth or place");
    v->format = f;
    v->on_device = on_device;
    return session_begin(v, ref, dist);
}

/* Whether a scored pair needs the pair of this index as a neighbour. */
static bool is_neighbour(const VmafContext *v, unsigned index)
{
    const unsigned behind = index % v->cfg.n_subsample;
    return behind <= v->after || v->cfg.n_subsample - behind <= v->before;
}

bool context_has_pair(const VmafContext *v, unsigned index)
{
    bool there = false;
    for (size_t i = 0; index <= v->highest && i < v->pairs && !there; i++) /* most come in order */
        there = v->index[i] == index;
    return there;
}

/* Whether the pair was read, or a value of it is there already because it was imported. */
static bool is_known(VmafContext *v, unsigned index)
{
    bool known = context_has_pair(v, index);
    double value;
    for (uint32_t i = 0; i < v->keys && !known; i++)
        known = store_get(&v->store, v->key[i], index, &value);
    return known;
}

/* ---- what goes to the session ------------------------------------------------------------------------------------ */

static void release(void *picture)
{
    vmaf_picture_unref(picture);
    free(picture);
}

/* Makes a picture that the session reads where it is. It owns `held`, which took the place of the caller's. */
static void lend(assay_picture *to, VmafPicture *held)
{
    *to = (assay_picture){.release = release, .opaque = held};
    for (unsigned i = 0; i < 3; i++) {
        to->plane[i] = held->data[i];
        to->stride[i] = held->stride[i];
    }
}

static int submit(VmafContext *v, uint64_t pair, bool neighbour, VmafPicture *ref, VmafPicture *dist)
{
    int (*const how)(assay_session *, uint64_t, const assay_picture *, const assay_picture *) =
        neighbour ? assay_session_submit_neighbour : assay_session_submit;
    VmafPicture *held[2] = {malloc(sizeof *held[0]), malloc(sizeof *held[1])};
    assay_picture picture[2];
    int rc = held[0] && held[1] ? picture_complete(ref) : -ENOMEM;
    if (!rc)
        rc = picture_complete(dist);
    if (!rc) {
        *held[0] = *ref;
        *held[1] = *dist;
        lend(&picture[0], held[0]);
        lend(&picture[1], held[1]);
        if (how(v->session, pair, &picture[0], &picture[1]))
            rc = context_fail(v, "%s", assay_session_error(v->session));
    }
    if (rc) {
        free(held[0]);
        free(held[1]);
        return rc;
    }
    *ref = *dist = (VmafPicture){0}; /* programs give them back again, which then does nothing */
    return 0;
}

/* Notes which index the next pair of the session has. */
static int note_index(VmafContext *v, unsigned index)
{
    pthread_mutex_lock(&v->store.lock);
    const int rc = assay_grow(&v->index, v->pairs, sizeof *v->index, "the indices", NULL) ? -ENOMEM : 0;
    if (!rc)
        v->index[v->pairs] = index;
    v->began = v->began ? v->began : clock_ns();
    pthread_mutex_unlock(&v->store.lock);
    return rc;
}

/* Gives a pair to the session. On failure the pictures stay the caller's. */
static int take_pair(VmafContext *v, VmafPicture *ref, VmafPicture *dist, unsigned index)
{
    const bool scored = context_scores(v, index);
    if (!v->session || (!scored && !is_neighbour(v, index)))
        return vmaf_picture_unref(ref) | vmaf_picture_unref(dist);
    if (is_known(v, index)) {
        log_line(VMAF_LOG_LEVEL_WARNING, "index %u has values already", index);
        return -EINVAL;
    }
    int rc = note_index(v, index);
    if (!rc)
        rc = v->on_device ? cuda_session_submit(v, v->pairs, ref, dist) : submit(v, v->pairs, !scored, ref, dist);
    v->pairs += !rc;
    v->highest = !rc && index > v->highest ? index : v->highest;
    return rc;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static int take_aggregates(VmafContext *v)
{
    const uint32_t n = assay_session_aggregates(v->session);
    v->aggregate = calloc(n + 1, sizeof *v->aggregate);
    if (!v->aggregate)
        return -ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        if (assay_session_aggregate(v->session, i, &v->aggregate[i]))
            return context_fail(v, "%s", assay_session_error(v->session));
    v->aggregates = n;
    return 0;
}

/* As in libvmaf, it is a failure where features were asked for and no picture came. */
static int flush(VmafContext *v)
{
    if (v->failed || (v->metrics && !v->session))
        return -EINVAL;
    if (v->session && assay_session_flush(v->session))
        return context_fail(v, "%s", assay_session_error(v->session));
    TRY(v->session ? take_aggregates(v) : 0);
    store_end(&v->store);
    v->flushed = true;
    return 0;
}

static int read_pictures(VmafContext *v, VmafPicture *ref, VmafPicture *dist, unsigned index)
{
    if (v->flushed || !ref != !dist)
        return -EINVAL;
    if (!ref)
        return flush(v);
    v->pictures++;
    if (v->failed)
        return -EINVAL;
    const int rc = check_pair(v, ref, dist);
    return rc ? rc : take_pair(v, ref, dist, index);
}

int vmaf_read_pictures(VmafContext *vmaf, VmafPicture *ref, VmafPicture *dist, unsigned index)
{
    if (!vmaf)
        return -EINVAL;
    pthread_mutex_lock(&vmaf->lock);
    const int rc = read_pictures(vmaf, ref, dist, index);
    pthread_mutex_unlock(&vmaf->lock);
    return rc;
}
