/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures of odd sizes. libvmaf's picture has chroma rounded down; what is scored has it rounded up, and the last
 * column and row repeat those before. Runs under valgrind, too, which sees a read beyond a plane.
 */
#include <libvmaf/libvmaf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shape {
    enum VmafPixelFormat format;
    unsigned bpc, w, h;
};

static unsigned sample(const VmafPicture *p, unsigned side, unsigned plane, unsigned x, unsigned y)
{
    return (131 * x + 57 * y + 29 * plane + side * (3 + (5 * x + 11 * y) % 23)) % (1u << p->bpc);
}

/* Writes what the picture says that it has. */
static void fill(VmafPicture *p, unsigned side)
{
    for (unsigned plane = 0; plane < 3; plane++)
        for (unsigned y = 0; y < p->h[plane]; y++)
            for (unsigned x = 0; x < p->w[plane]; x++) {
                char *at = (char *)p->data[plane] + (ptrdiff_t)y * p->stride[plane];
                const uint16_t v = (uint16_t)sample(p, side, plane, x, y);
                if (p->bpc > 8)
                    memcpy(at + 2 * x, &v, 2);
                else
                    at[x] = (char)v;
            }
}

/* Puts planes of the program's own, without a byte to spare, in the place of the picture's. */
static void replace(VmafPicture *p, void *own[3])
{
    const size_t bytes = p->bpc > 8 ? 2 : 1;
    for (unsigned plane = 0; plane < 3; plane++) {
        own[plane] = malloc(p->w[plane] * p->h[plane] * bytes + 1);
        if (!own[plane])
            exit(2);
        p->stride[plane] = (ptrdiff_t)(p->w[plane] * bytes);
        p->data[plane] = own[plane];
    }
}

/* The mean squared error of a plane of w x h samples, of which the picture says that it has p->w x p->h. */
static double expected(const VmafPicture *p, unsigned plane, unsigned w, unsigned h)
{
    const unsigned middle = 1u << (p->bpc - 1);
    uint64_t sum = 0;
    for (unsigned y = 0; y < h; y++)
        for (unsigned x = 0; x < w; x++) {
            const unsigned from_x = x < p->w[plane] ? x : p->w[plane] - 1;
            const unsigned from_y = y < p->h[plane] ? y : p->h[plane] - 1;
            const bool none = !p->w[plane] || !p->h[plane];
            const int a = (int)(none ? middle : sample(p, 0, plane, from_x, from_y));
            const int b = (int)(none ? middle : sample(p, 1, plane, from_x, from_y));
            sum += (uint64_t)((int64_t)(a - b) * (a - b));
        }
    return (double)sum / ((double)w * h);
}

/* Returns whether the three errors of a pair are those that are expected. */
static bool check(const struct shape *s, bool own)
{
    static const char *const keys[] = {"mse_y", "mse_cb", "mse_cr"};
    const unsigned x = s->format != VMAF_PIX_FMT_YUV444P, y = s->format == VMAF_PIX_FMT_YUV420P;
    VmafPicture pic[2], like;
    VmafContext *c = NULL;
    VmafFeatureDictionary *d = NULL;
    void *planes[2][3] = {{NULL}};
    bool good = true;
    /* valgrind knows no AVX-512 */
    if (vmaf_init(&c, (VmafConfiguration){.log_level = VMAF_LOG_LEVEL_WARNING, .cpumask = 63}) ||
        vmaf_feature_dictionary_set(&d, "enable_mse", "true") || vmaf_use_feature(c, "psnr", d))
        return false;
    for (unsigned side = 0; side < 2; side++) {
        if (vmaf_picture_alloc(&pic[side], s->format, s->bpc, s->w, s->h))
            return false;
        if (own)
            replace(&pic[side], planes[side]);
        fill(&pic[side], side);
    }
    like = pic[0];
    if (vmaf_read_pictures(c, &pic[0], &pic[1], 0) || pic[0].ref || pic[1].data[2] ||
        vmaf_read_pictures(c, NULL, NULL, 0))
        good = false;
    for (unsigned plane = 0; plane < 3; plane++) {
        const double want = expected(&like, plane, plane ? (s->w + x) >> x : s->w, plane ? (s->h + y) >> y : s->h);
        double v = -1;
        if (vmaf_feature_score_at_index(c, keys[plane], &v, 0) || v != want) {
            printf("%ux%u, format %d, %u bits%s: %s is %.17g, not %.17g\n", s->w, s->h, (int)s->format, s->bpc,
                   own ? ", own planes" : "", keys[plane], v, want);
            good = false;
        }
    }
    vmaf_close(c);
    for (unsigned side = 0; side < 2; side++)
        for (unsigned plane = 0; plane < 3; plane++)
            free(planes[side][plane]);
    return good;
}

int main(void)
{
    static const struct shape shapes[] = {
        {VMAF_PIX_FMT_YUV420P, 8, 16, 16}, {VMAF_PIX_FMT_YUV420P, 8, 7, 5},   {VMAF_PIX_FMT_YUV420P, 10, 7, 6},
        {VMAF_PIX_FMT_YUV420P, 8, 8, 5},   {VMAF_PIX_FMT_YUV422P, 8, 7, 5},   {VMAF_PIX_FMT_YUV422P, 16, 9, 4},
        {VMAF_PIX_FMT_YUV444P, 12, 7, 5},  {VMAF_PIX_FMT_YUV420P, 8, 129, 3}, {VMAF_PIX_FMT_YUV420P, 10, 65, 65},
        {VMAF_PIX_FMT_YUV420P, 8, 1, 1},   {VMAF_PIX_FMT_YUV420P, 10, 1, 9},  {VMAF_PIX_FMT_YUV420P, 8, 9, 1}};
    bool good = true;
    for (unsigned i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (unsigned own = 0; own < 2; own++)
            good = check(&shapes[i], own) && good;
    return good ? 0 : 1;
}
