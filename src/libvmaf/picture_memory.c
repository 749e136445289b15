/* SPDX-License-Identifier: BSD-2-Clause */
#include "libvmaf/picture_memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "host/error.h"

enum { PLANES = 3 };

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* A picture of video is as large as the one before, and fresh memory costs more than reading it. */
enum { KEPT = 16, KEPT_BYTES = 256 << 20 };
static struct {
    pthread_mutex_t lock;
    unsigned contexts, count;
    size_t bytes;
    struct {
        void *memory;
        size_t bytes;
    } block[KEPT];
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Memory of exactly this size. NULL: there is none. */
static void *memory_take(size_t bytes)
{
    void *memory = NULL;
    pthread_mutex_lock(&kept.lock);
    for (unsigned i = kept.count; !memory && i-- > 0;)
        if (kept.block[i].bytes == bytes) {
            memory = kept.block[i].memory;
            kept.bytes -= bytes;
            kept.block[i] = kept.block[--kept.count];
        }
    pthread_mutex_unlock(&kept.lock);
    if (!memory && posix_memalign(&memory, PICTURE_PITCH, bytes))
        memory = NULL;
    return memory;
}

static void memory_give(struct picture_memory *m)
{
    pthread_mutex_lock(&kept.lock);
    const bool keep = kept.contexts && kept.count < KEPT && kept.bytes + m->bytes <= KEPT_BYTES;
    if (keep) {
        kept.block[kept.count].memory = m->samples;
        kept.block[kept.count++].bytes = m->bytes;
        kept.bytes += m->bytes;
    }
    pthread_mutex_unlock(&kept.lock);
    if (!keep)
        free(m->samples);
}

void picture_memory_keep(bool more)
{
    pthread_mutex_lock(&kept.lock);
    kept.contexts += more ? 1u : -1u;
    while (!kept.contexts && kept.count)
        free(kept.block[--kept.count].memory);
    kept.bytes = kept.contexts ? kept.bytes : 0;
    pthread_mutex_unlock(&kept.lock);
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

static bool halved_width(const VmafPicture *p)
{
    return p->pix_fmt == VMAF_PIX_FMT_YUV420P || p->pix_fmt == VMAF_PIX_FMT_YUV422P;
}

static bool halved_height(const VmafPicture *p)
{
    return p->pix_fmt == VMAF_PIX_FMT_YUV420P;
}

static unsigned planes(const VmafPicture *p)
{
    return p->pix_fmt == VMAF_PIX_FMT_YUV400P ? 1 : PLANES;
}

static size_t sample_bytes(const VmafPicture *p)
{
    return p->bpc > 8 ? 2 : 1;
}

int picture_describe(VmafPicture *pic, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w, unsigned h,
                     size_t pitch, size_t *bytes)
{
    enum { MOST = 1 << 20 }; /* so that no product overflows */
    if (pix_fmt <= VMAF_PIX_FMT_UNKNOWN || pix_fmt > VMAF_PIX_FMT_YUV400P || bpc < 8 || bpc > 16 || !w || !h ||
        w > MOST || h > MOST)
        return -EINVAL;
    *pic = (VmafPicture){.pix_fmt = pix_fmt, .bpc = bpc};
    *bytes = 0;
    for (unsigned i = 0; i < planes(pic); i++) {
        const unsigned x = i && halved_width(pic), y = i && halved_height(pic);
        pic->w[i] = w >> x;
        pic->h[i] = h >> y;
        const size_t row = (((size_t)w + x) >> x) * sample_bytes(pic);
        pic->stride[i] = (ptrdiff_t)((row + pitch - 1) / pitch * pitch);
        *bytes += (size_t)pic->stride[i] * (((size_t)h + y) >> y);
    }
    return 0;
}

int picture_lend(VmafPicture *pic, const struct picture_memory *memory)
{
    struct picture_memory *m = malloc(sizeof *m);
    VmafRef *ref = malloc(sizeof *ref);
    if (!m || !ref) {
        free(m);
        free(ref);
        return -ENOMEM;
    }
    size_t at = 0;
    for (unsigned i = 0; i < planes(pic); i++) {
        pic->data[i] = (char *)memory->samples + at;
        at += (size_t)pic->stride[i] * (pic->h[i] + (i && halved_height(pic) && pic->h[0] % 2));
    }
    *m = *memory;
    m->made = *pic;
    atomic_init(&ref->count, 1);
    pic->ref = ref;
    pic->priv = m;
    return 0;
}

int vmaf_picture_alloc(VmafPicture *pic, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w, unsigned h)
{
    VmafPicture made;
    struct picture_memory memory = {.release = memory_give};
    if (!pic || picture_describe(&made, pix_fmt, bpc, w, h, PICTURE_PITCH, &memory.bytes))
        return -EINVAL;
    *pic = (VmafPicture){0};
    memory.samples = memory_take(memory.bytes);
    if (!memory.samples)
        return -ENOMEM;
    memset(memory.samples, 0, memory.bytes);
    if (picture_lend(&made, &memory)) {
        free(memory.samples);
        return -ENOMEM;
    }
    *pic = made;
    return 0;
}

int vmaf_picture_unref(VmafPicture *pic)
{
    if (!pic || !pic->ref)
        return -EINVAL;
    struct picture_memory *m = pic->priv;
    if (atomic_fetch_sub(&pic->ref->count, 1) == 1) {
        m->release(m);
        free(m);
        free(pic->ref);
    }
    *pic = (VmafPicture){0};
    return 0;
}

bool picture_format(const VmafPicture *pic, assay_format *format)
{
    static const assay_layout layouts[] = {
        [VMAF_PIX_FMT_YUV420P] = ASSAY_LAYOUT_420, [VMAF_PIX_FMT_YUV422P] = ASSAY_LAYOUT_422,
        [VMAF_PIX_FMT_YUV444P] = ASSAY_LAYOUT_444, [VMAF_PIX_FMT_YUV400P] = ASSAY_LAYOUT_400};
    if (pic->pix_fmt <= VMAF_PIX_FMT_UNKNOWN || pic->pix_fmt > VMAF_PIX_FMT_YUV400P)
        return false;
    *format = (assay_format){.width = pic->w[0], .height = pic->h[0], .bit_depth = pic->bpc,
                             .layout = layouts[pic->pix_fmt]};
    return true;
}

/* ---- chroma of odd sizes ----------------------------------------------------------------------------------------- */

static bool as_made(const VmafPicture *pic)
{
    const VmafPicture *made = &((const struct picture_memory *)pic->priv)->made;
    bool same = pic->pix_fmt == made->pix_fmt && pic->bpc == made->bpc;
    for (unsigned i = 0; i < PLANES; i++)
        same = same && pic->w[i] == made->w[i] && pic->h[i] == made->h[i] && pic->stride[i] == made->stride[i] &&
               pic->data[i] == made->data[i];
    return same;
}

/* Sets sample x of a row to the one before it. The only column has none: it gets the middle of the codes. */
static void repeat_sample(const VmafPicture *p, char *row, unsigned x)
{
    const size_t bytes = sample_bytes(p);
    const uint16_t middle = (uint16_t)(1u << (p->bpc - 1)); /* little-endian: its first byte is that of 8 bits */
    memcpy(row + x * bytes, x ? row + (x - 1) * bytes : (const char *)&middle, bytes);
}

static void complete_plane(const VmafPicture *p, unsigned plane)
{
    const bool wide = halved_width(p) && p->w[0] % 2, high = halved_height(p) && p->h[0] % 2;
    const size_t row = (p->w[plane] + wide) * sample_bytes(p);
    char *data = p->data[plane];
    for (unsigned y = 0; wide && y < p->h[plane]; y++)
        repeat_sample(p, data + (ptrdiff_t)y * p->stride[plane], p->w[plane]);
    if (!high)
        return;
    char *last = data + (ptrdiff_t)p->h[plane] * p->stride[plane];
    if (p->h[plane])
        memcpy(last, last - p->stride[plane], row);
    for (unsigned x = 0; !p->h[plane] && x < p->w[plane] + wide; x++)
        repeat_sample(p, last, x);
}

/* Puts a picture of our own in the place of one whose planes lie elsewhere. */
static int replace(VmafPicture *pic)
{
    VmafPicture own;
    TRY(vmaf_picture_alloc(&own, pic->pix_fmt, pic->bpc, pic->w[0], pic->h[0]));
    for (unsigned i = 0; i < planes(&own); i++)
        for (unsigned y = 0; y < own.h[i]; y++)
            memcpy((char *)own.data[i] + (ptrdiff_t)y * own.stride[i],
                   (const char *)pic->data[i] + (ptrdiff_t)y * pic->stride[i], own.w[i] * sample_bytes(&own));
    vmaf_picture_unref(pic);
    *pic = own;
    return 0;
}

int picture_complete(VmafPicture *pic)
{
    TRY(as_made(pic) ? 0 : replace(pic));
    for (unsigned i = 1; i < planes(pic); i++)
        complete_plane(pic, i);
    return 0;
}
