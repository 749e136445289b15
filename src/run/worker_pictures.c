/* SPDX-License-Identifier: BSD-2-Clause */
/* A run that compares pictures: each encode's with the reference's, one pair after the other. */
#include "run/worker.h"

#include <stdlib.h>
#include <string.h>

#include "run/pictures/pictures.h"

/* Says what is known of a pair that was compared. */
static void tell(assay_run *a, uint32_t k, const struct pictures *x, const struct image_pair *p)
{
    char text[sizeof x->all->backend + sizeof x->all->device + 2];
    for (const struct image *i = &x->image[a->begun]; i < x->image + 2; i++)
        worker_opened(a, i > x->image ? k : ASSAY_NONE, i->name, i->reader, &p->format, i->notice);
    a->begun = true;
    worker_note(a, k, "difference", x->notes);
    worker_left_out(a, &x->left_out);
    worker_note(a, ASSAY_NONE, "device", x->notice);
    if (*x->all->backend) { /* floats without metrics need no device */
        snprintf(text, sizeof text, "%s: %s", x->all->backend, x->all->device);
        worker_say(a, ASSAY_EVENT_STARTED, k, text, NULL, 0);
    }
}

static int compare(assay_run *a, uint32_t k, struct images *r, struct assay_error *e)
{
    struct pictures *x = NULL;
    int rc = pictures_open(&x, r, &a->asked.encode[k], e);
    if (!rc) {
        rc = pictures_next(x, e);
        if (!rc)
            tell(a, k, x, r->pair);
        pictures_done(x);
    }
    pictures_close(&x);
    TRY(rc);
    pthread_mutex_lock(&a->events.lock);
    rc = result_pictures(&a->results.of[k], r, e);
    if (!rc)
        events_rows(&a->events, k, 1);
    pthread_mutex_unlock(&a->events.lock);
    return rc;
}

/* A pair that is to be compared. images_free frees it, also after a failure. */
static int make_pair(struct images *r, const struct request *q, struct assay_error *e)
{
    r->tolerance = q->tolerances ? q->tolerance : NULL;
    r->pair = calloc(1, sizeof *r->pair);
    r->pairs = r->pair != NULL;
    bool good = r->pair && (r->pair->name = strdup(q->path[1]));
    for (unsigned side = 0; good && side < 2; side++) {
        r->path[side] = q->path[side];
        good = (r->pair->path[side] = strdup(q->path[side]));
        if (q->crop[side].width)
            crop_text(r->crop[side], sizeof r->crop[side], &q->crop[side]);
    }
    return good ? ASSAY_OK : assay_fail_memory(e, "a pair");
}

void worker_pictures(assay_run *a)
{
    for (uint32_t k = 0; k < a->asked.encodes; k++) {
        struct images *r = calloc(1, sizeof *r);
        struct lane *l = &a->walk.lane[k];
        l->rc = r ? make_pair(r, &a->asked.encode[k], &l->error) : assay_fail_memory(&l->error, "a pair");
        l->rc = l->rc ? l->rc : compare(a, k, r, &l->error);
        if (l->rc && input_stopped(&a->stop))
            l->rc = assay_fail(&l->error, ASSAY_ECANCELLED, "the run was cancelled");
        l->width = r && r->pair ? r->pair->format.width : 0;
        l->height = r && r->pair ? r->pair->format.height : 0;
        worker_ended(a, l);
        pthread_mutex_lock(&a->events.lock);
        events_progress(&a->events, k + 1, a->asked.encodes, 0);
        pthread_mutex_unlock(&a->events.lock);
        if (r)
            images_free(r);
        free(r);
    }
}
