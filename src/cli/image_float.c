/* SPDX-License-Identifier: BSD-2-Clause */
/* Images of floats: their figures, and the codes that metrics of colour take. */
#include <stdlib.h>
#include <string.h>

#include "cli/image.h"

enum { COLOURS = 3, CHANNELS = 4, CODE_BITS = 16 };

bool image_is_float(const struct image *image)
{
    return image->format.bit_depth == IMAGE_FLOAT_BITS;
}

int image_float_allowed(const struct cli *c, struct assay_error *e)
{
    if (c->all_metrics || c->heatmap)
        return assay_fail(e, ASSAY_EUSAGE, "%s is not made of images of floats",
                          c->heatmap ? "a heatmap" : "the list of all metrics");
    for (uint32_t i = 0; i < c->metrics; i++)
        if (!image_metric_of_colour(c->metric[i]))
            return assay_fail(e, ASSAY_EUSAGE, "%s: is for codes, and the images are of floats: their figures need no "
                              "-m, and metrics of colour (ssimulacra2) can be added", c->metric[i]);
    return ASSAY_OK;
}

static float *row_of(const struct image *image, unsigned channel, uint32_t y)
{
    char *plane = channel < COLOURS ? image->plane[channel] : image->alpha;
    const ptrdiff_t stride = channel < COLOURS ? image->stride[channel] : image->alpha_stride;
    return (float *)(void *)(plane + (ptrdiff_t)y * stride);
}

static assay_float_image lent(const struct image *image)
{
    assay_float_image out = {.width = image->format.width, .height = image->format.height};
    const uint32_t planes = assay_format_planes(&image->format);
    for (unsigned i = 0; i < CHANNELS; i++) {
        out.plane[i] = i < planes ? image->plane[i] : i == COLOURS && planes == COLOURS ? image->alpha : NULL;
        out.stride[i] = i < COLOURS ? image->stride[i] : image->alpha_stride;
    }
    return out;
}

static bool is_finite(float v)
{
    return v - v == 0.0f;
}

static double magnitude(double v)
{
    return v < 0.0 ? -v : v;
}

/* Of two floats in double: the difference is rounded once, and so is the quotient. */
static double relative(const struct image image[2])
{
    const assay_format *f = &image[0].format;
    double most = 0.0;
    for (unsigned c = 0; c < assay_format_planes(f); c++)
        for (uint32_t y = 0; y < f->height; y++) {
            const float *a = row_of(&image[0], c, y), *b = row_of(&image[1], c, y);
            for (uint32_t x = 0; x < f->width; x++) {
                if (a[x] == b[x] || !is_finite(a[x]) || !is_finite(b[x]))
                    continue;
                const double p = magnitude((double)a[x]), q = magnitude((double)b[x]);
                const double v = magnitude((double)a[x] - (double)b[x]) / (p > q ? p : q);
                most = v > most ? v : most;
            }
        }
    return most;
}

int image_float_compare(const struct cli *c, const struct image image[2], struct image_floats *out,
                        struct assay_error *e)
{
    const assay_float_image ref = lent(&image[0]), dis = lent(&image[1]);
    char error[512];
    const int rc = assay_floats_compare(&c->config, &ref, &dis, 1.0, &out->figures, error, sizeof error);
    if (rc)
        return assay_fail(e, rc, "%s", error);
    out->relative = relative(image);
    return ASSAY_OK;
}

/* ---- codes ---- */

/* Divides the colours by alpha; 0 where alpha is 0. */
static void unpremultiply(struct image *image)
{
    bool clear = false;
    for (unsigned c = 0; c < assay_format_planes(&image->format); c++)
        for (uint32_t y = 0; y < image->format.height; y++) {
            float *v = row_of(image, c, y);
            const float *a = row_of(image, COLOURS, y);
            for (uint32_t x = 0; x < image->format.width; x++)
                if (a[x] != 1.0f) {
                    clear = true;
                    v[x] = a[x] != 0.0f ? v[x] / a[x] : 0.0f;
                }
        }
    image->premultiplied = false;
    if (clear)
        image_notice(image, "its colours are stored times alpha and were divided by it for the metrics of -m");
}

static uint64_t count_wild(const struct image *image)
{
    uint64_t n = 0;
    const uint32_t planes = assay_format_planes(&image->format);
    for (unsigned c = 0; c < CHANNELS; c++)
        for (uint32_t y = 0; (c < planes || (c == COLOURS && image->alpha)) && y < image->format.height; y++)
            for (uint32_t x = 0; x < image->format.width; x++)
                n += !is_finite(row_of(image, c, y)[x]);
    return n;
}

int image_float_code(const struct cli *c, struct image *image, struct assay_error *e)
{
    const assay_float_image from = lent(image);
    struct image to;
    uint64_t without_code;
    uint16_t *plane[CHANNELS] = {NULL};
    ptrdiff_t stride[CHANNELS] = {0};
    char error[512];
    const uint64_t wild = count_wild(image);
    if (image->premultiplied)
        unpremultiply(image);
    TRY(image_room(&to, image, CODE_BITS, e));
    for (unsigned i = 0; i < CHANNELS; i++) {
        plane[i] = i < COLOURS ? to.plane[i] : to.alpha;
        stride[i] = i < COLOURS ? to.stride[i] : to.alpha_stride;
    }
    int rc = assay_floats_to_codes(&c->config, &from, plane, stride, &without_code, error, sizeof error);
    if (rc)
        rc = assay_fail(e, rc, "%s", error);
    else if (without_code)
        rc = assay_fail(e, ASSAY_EINPUT, "%s: %llu samples are not finite and %llu below 0 or above 1, which metrics "
                        "of colour do not take: nothing is clipped", image->name, (unsigned long long)wild,
                        (unsigned long long)(without_code - wild));
    free(rc ? to.memory : image->memory);
    if (!rc)
        *image = to;
    return rc;
}
