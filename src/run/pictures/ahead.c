/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads read images ahead of the comparison, a file at a time: decoders have one thread, and take long. */
#include "run/pictures/pictures.h"

#include <stdlib.h>

#include "host/cpu.h"
#include "host/format.h"
#include "host/thread.h"
#include "run/pair.h"

enum { THREADS_MOST = 64, FILES_AHEAD = 256 };
/* Bytes of images that may be held before their turn. The two images whose turn it is are read whatever their size. */
#define BYTES_AHEAD ((uint64_t)256 << 20)

struct file {
    struct image image;
    uint64_t bytes; /* of `image` */
    uint64_t whole; /* pixels of `image` before a part of it was taken */
    struct assay_error error; /* why it can't be read; 0: it was */
    bool read;
};

struct image_ahead {
    const struct images *all;
    const struct request *q;
    pthread_t thread[THREADS_MOST];
    unsigned threads;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t change;
    struct file file[FILES_AHEAD]; /* file i is entry i % FILES_AHEAD; pair n has files 2n and 2n + 1 */
    uint32_t begun;                /* files that a thread has begun to read */
    uint32_t turn;                 /* the pair whose turn it is */
    uint64_t held;                 /* bytes of the images of this pair and of later ones */
    uint64_t largest;              /* bytes of the largest image so far, an estimate for images being read */
    unsigned reading;
    bool quit;
};

static uint64_t bytes_of(const struct image *image)
{
    const assay_format *f = &image->format;
    const uint64_t samples = image->plane[3] ? (uint64_t)f->width * f->height : 0;
    return image->plane[0] ? format_frame_bytes(f) + samples * format_sample_bytes(f) : 0;
}

int image_part(struct image *image, const struct request *q, unsigned side, struct assay_error *e)
{
    return q->crop[side].width ? image_crop(image, &q->crop[side], crop_name[side], e) : ASSAY_OK;
}

/* Whether the next file can be read now. Sizes can be estimated only after one image was read. */
static bool may_begin(const struct image_ahead *a)
{
    if (a->begun / 2 == a->turn)
        return true;
    return a->begun < 2 * a->turn + FILES_AHEAD && a->largest && a->held + (a->reading + 1) * a->largest <= BYTES_AHEAD;
}

static void *read_files(void *opaque)
{
    struct image_ahead *a = opaque;
    pthread_mutex_lock(&a->lock);
    for (;;) {
        while (!a->quit && a->begun < 2 * a->all->pairs && !may_begin(a))
            pthread_cond_wait(&a->change, &a->lock);
        if (a->quit || a->begun == 2 * a->all->pairs)
            break;
        const uint32_t i = a->begun++;
        struct file *f = &a->file[i % FILES_AHEAD];
        a->reading++;
        pthread_mutex_unlock(&a->lock);
        const int rc = image_read(&f->image, a->all->pair[i / 2].path[i % 2], a->q->stop, &f->error);
        f->bytes = bytes_of(&f->image);
        f->whole = (uint64_t)f->image.format.width * f->image.format.height;
        if (!rc && image_part(&f->image, a->q, i % 2, &f->error))
            image_free(&f->image);
        pthread_mutex_lock(&a->lock);
        f->read = true;
        a->reading--;
        a->held += f->bytes;
        a->largest = f->bytes > a->largest ? f->bytes : a->largest;
        pthread_cond_broadcast(&a->change);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

int image_ahead_start(struct image_ahead **out, const struct images *r, const struct request *q, struct assay_error *e)
{
    struct image_ahead *a = *out = calloc(1, sizeof *a);
    unsigned wanted = cpu_allowed_count();
    if (!a)
        return assay_fail_memory(e, "the images");
    a->all = r;
    a->q = q;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->change, NULL);
    wanted = wanted > 2 * r->pairs ? 2 * r->pairs : wanted;
    for (; a->threads < wanted && a->threads < THREADS_MOST; a->threads++)
        if (thread_start(&a->thread[a->threads], read_files, a))
            break;
    return a->threads ? ASSAY_OK : assay_fail(e, ASSAY_EINTERNAL, "no thread can be started to read images");
}

int image_ahead_take(struct image_ahead *a, uint32_t pair, struct image image[2], uint64_t whole[2],
                     struct assay_error *e)
{
    struct file *f = &a->file[2 * pair % FILES_AHEAD];
    pthread_mutex_lock(&a->lock);
    a->turn = pair;
    pthread_cond_broadcast(&a->change);
    while (!f[0].read || !f[1].read)
        pthread_cond_wait(&a->change, &a->lock);
    pthread_mutex_unlock(&a->lock);
    for (unsigned side = 0; side < 2; side++) {
        image[side] = f[side].image;
        whole[side] = f[side].whole;
        f[side].image = (struct image){.memory = NULL};
    }
    for (unsigned side = 0; side < 2; side++)
        if (f[side].error.code)
            return assay_fail(e, f[side].error.code, "%s", f[side].error.text);
    return ASSAY_OK;
}

void image_ahead_done(struct image_ahead *a, uint32_t pair)
{
    struct file *f = &a->file[2 * pair % FILES_AHEAD];
    pthread_mutex_lock(&a->lock);
    for (unsigned side = 0; side < 2; side++) {
        a->held -= f[side].bytes;
        f[side] = (struct file){.read = false};
    }
    a->turn = pair + 1;
    pthread_cond_broadcast(&a->change);
    pthread_mutex_unlock(&a->lock);
}

void image_ahead_stop(struct image_ahead **ahead)
{
    struct image_ahead *a = *ahead;
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    a->quit = true;
    pthread_cond_broadcast(&a->change);
    pthread_mutex_unlock(&a->lock);
    for (unsigned i = 0; i < a->threads; i++)
        pthread_join(a->thread[i], NULL);
    for (unsigned i = 0; i < FILES_AHEAD; i++)
        image_free(&a->file[i].image);
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->change);
    free(a);
    *ahead = NULL;
}
