/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams a video through a session without copies: frames stay in the caller's buffers until the session releases
 * them, and scores arrive through a callback while later frames are being read. The inputs are Y4M files, 4:2:0, 8 bit.
 *
 *     cc -std=c11 score_callback.c $(pkg-config --cflags --libs assay) -pthread -o score_callback
 *     ./score_callback reference.y4m distorted.y4m
 */
#include <assay/assay.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 8 }; /* pictures that may be in use at once, of both videos together */

struct pool;
struct buffer {
    struct pool *pool;
    uint8_t *samples;
    int busy;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t released;
    struct buffer buffer[BUFFERS];
};

/* Called by the session, on a thread of its own. */
static void release(void *opaque)
{
    struct buffer *b = opaque;
    pthread_mutex_lock(&b->pool->lock);
    b->busy = 0;
    pthread_cond_signal(&b->pool->released);
    pthread_mutex_unlock(&b->pool->lock);
}

static struct buffer *acquire(struct pool *pool)
{
    struct buffer *b = NULL;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        for (int i = 0; i < BUFFERS && !b; i++)
            if (!pool->buffer[i].busy)
                b = &pool->buffer[i];
        if (b)
            break;
        pthread_cond_wait(&pool->released, &pool->lock);
    }
    b->busy = 1;
    pthread_mutex_unlock(&pool->lock);
    return b;
}

/* The header of the plainest Y4M: size and nothing that this program would have to obey. */
static int read_header(FILE *file, assay_format *format)
{
    char line[256];
    unsigned width, height;
    if (!fgets(line, sizeof line, file) || sscanf(line, "YUV4MPEG2 W%u H%u", &width, &height) != 2 ||
        width < 1 || width > 8192 || height < 1 || height > 8192)
        return -1;
    const char *chroma = strstr(line, " C");
    if (chroma && (strncmp(chroma, " C420", 5) || !strncmp(chroma, " C420p1", 7)))
        return -1;
    *format = (assay_format){.width = width, .height = height, .bit_depth = 8, .layout = ASSAY_LAYOUT_420};
    return 0;
}

static size_t plane_size(const assay_format *f, uint32_t plane)
{
    return (size_t)assay_format_plane_width(f, plane) * assay_format_plane_height(f, plane);
}

static size_t picture_size(const assay_format *f)
{
    return plane_size(f, 0) + plane_size(f, 1) + plane_size(f, 2);
}

/* The next picture in a buffer of the pool; NULL at the end of the file. */
static struct buffer *read_picture(FILE *file, struct pool *pool, const assay_format *format)
{
    char line[256];
    struct buffer *b = acquire(pool);
    if (fgets(line, sizeof line, file) && !strncmp(line, "FRAME", 5) &&
        fread(b->samples, 1, picture_size(format), file) == picture_size(format))
        return b;
    release(b);
    return NULL;
}

static assay_picture as_picture(struct buffer *b, const assay_format *f)
{
    const uint8_t *cb = b->samples + plane_size(f, 0), *cr = cb + plane_size(f, 1);
    return (assay_picture){
        .plane = {b->samples, cb, cr},
        .stride = {(ptrdiff_t)f->width, (ptrdiff_t)assay_format_plane_width(f, 1),
                   (ptrdiff_t)assay_format_plane_width(f, 2)},
        .release = release,
        .opaque = b,
    };
}

enum { KEYS = 16 };

/* What the callback needs to know of the session: it must not ask the session itself. */
struct columns {
    uint32_t keys;
    const char *key[KEYS]; /* the session's, until it is closed */
};

/* Called in frame order, on a thread of the session. */
static int print_scores(void *opaque, uint64_t frame, const double *values)
{
    const struct columns *columns = opaque;
    printf("frame %llu:", (unsigned long long)frame);
    for (uint32_t i = 0; i < columns->keys; i++)
        printf(" %s %.6f", columns->key[i], values[i]);
    printf("\n");
    return 0;
}

static int stream(assay_session *session, FILE *const file[2], struct pool *pool, const assay_format *format,
                  struct columns *columns)
{
    int rc;
    if ((rc = assay_session_add_metric(session, "psnr")) || (rc = assay_session_add_metric(session, "float_ssim")) ||
        (rc = assay_session_set_callback(session, print_scores, columns)) ||
        (rc = assay_session_start(session, format)))
        return rc;
    for (; columns->keys < KEYS && columns->keys < assay_session_keys(session); columns->keys++)
        columns->key[columns->keys] = assay_session_key(session, columns->keys);
    for (uint64_t frame = 0; !rc; frame++) {
        struct buffer *ref = read_picture(file[0], pool, format);
        struct buffer *dis = ref ? read_picture(file[1], pool, format) : NULL;
        if (!dis) {
            if (ref)
                release(ref);
            break;
        }
        const assay_picture reference = as_picture(ref, format), distorted = as_picture(dis, format);
        rc = assay_session_submit(session, frame, &reference, &distorted);
    }
    if (!rc)
        rc = assay_session_flush(session);
    double mean;
    if (!rc && !(rc = assay_session_pooled(session, "float_ssim", "mean", &mean)))
        printf("mean float_ssim %.6f\n", mean);
    return rc;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: score_callback REFERENCE.y4m DISTORTED.y4m\n");
        return 2;
    }
    struct pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .released = PTHREAD_COND_INITIALIZER};
    FILE *const file[2] = {fopen(argv[1], "rb"), fopen(argv[2], "rb")};
    assay_format format[2];
    assay_session *session = NULL;
    struct columns columns = {0}; /* until the session is closed */
    char error[256] = "out of memory";
    int rc = 0;

    if (!file[0] || !file[1] || read_header(file[0], &format[0]) || read_header(file[1], &format[1]) ||
        format[0].width != format[1].width || format[0].height != format[1].height) {
        snprintf(error, sizeof error, "two 8-bit 4:2:0 Y4M files of one size are needed");
        rc = ASSAY_EINPUT;
    }
    for (int i = 0; !rc && i < BUFFERS; i++) {
        pool.buffer[i].pool = &pool;
        pool.buffer[i].samples = malloc(picture_size(&format[0]));
        rc = pool.buffer[i].samples ? 0 : ASSAY_EINTERNAL;
    }
    if (!rc)
        rc = assay_session_new(&session, NULL, error, sizeof error);
    if (session) {
        rc = stream(session, file, &pool, &format[0], &columns);
        snprintf(error, sizeof error, "%s", assay_session_error(session));
        assay_session_close(&session); /* every buffer has been released when this returns */
    }
    if (rc)
        fprintf(stderr, "score_callback: %s\n", error);
    for (int i = 0; i < BUFFERS; i++)
        free(pool.buffer[i].samples);
    for (int i = 0; i < 2; i++)
        if (file[i])
            fclose(file[i]);
    return rc ? 1 : 0;
}
