/* SPDX-License-Identifier: BSD-2-Clause */
/* Images of floats: their figures, and the codes that metrics of colour take. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/pictures/pictures.h"

enum { COLOURS = 3, CHANNELS = 4, CODE_BITS = 16 };

bool image_is_float(const struct image *image)
{
    return image->format.bit_depth == IMAGE_FLOAT_BITS;
}

int image_float_allowed(const struct request *q, struct assay_error *e)
{
    if (q->all_metrics)
        return assay_fail(e, ASSAY_EUSAGE, "the list of all metrics is not made of images of floats");
    for (uint32_t i = 0; i < q->metrics; i++) {
        const uint32_t metric = assay_metric_find(q->metric[i]); /* adding one that is not there would say so */
        if (metric == ASSAY_NONE || !assay_metric_of_colour(metric))
            return assay_fail(e, ASSAY_EUSAGE, "%s: is for codes, and the images are of floats: their figures need no "
                              "-m, and metrics of colour (ssimulacra2) can be added", q->metric[i]);
    }
    return ASSAY_OK;
}

static void *row_of(const struct image *image, unsigned channel, uint32_t y)
{
    return (char *)image->plane[channel] + (ptrdiff_t)y * image->stride[channel];
}

static assay_float_image lent(const struct image *image)
{
    assay_float_image out = {.width = image->format.width, .height = image->format.height};
    for (unsigned i = 0; i < CHANNELS; i++) {
        out.plane[i] = image->plane[i];
        out.stride[i] = image->stride[i];
    }
    return out;
}

/* ---- differences in double, which need no device ---- */

/* How far two samples are apart, and that over the larger size of the two: double, each step rounded once. Two NaN are
 * equal. Infinite where samples that are not finite differ. */
struct apart { double difference, relative; };

static struct apart apart_of(float a, float b)
{
    if (a == b || (a != a && b != b))
        return (struct apart){0, 0};
    if (!isfinite(a) || !isfinite(b))
        return (struct apart){INFINITY, INFINITY};
    const double p = fabs((double)a), q = fabs((double)b), d = fabs((double)a - (double)b);
    return (struct apart){d, d / (p > q ? p : q)};
}

/* Adds a row's samples of a channel to the figures. beyond[x]: a sample of the pixel is beyond both tolerances. */
static void add_row(const struct request *q, const float *a, const float *b, uint32_t width, double *relative,
                    bool *beyond, float *map)
{
    for (uint32_t x = 0; x < width; x++) {
        const struct apart v = apart_of(a[x], b[x]);
        const float shown = v.difference <= (double)FLT_MAX ? (float)v.difference : INFINITY;
        if (v.relative > *relative && v.relative < INFINITY)
            *relative = v.relative;
        beyond[x] = beyond[x] || (v.difference > q->tolerance[0] && v.relative > q->tolerance[1]);
        if (map && shown > map[x])
            map[x] = shown;
    }
}

/* The figures of the colours, or of alpha. */
static void add_plane(const struct request *q, const struct image image[2], bool alpha, bool *beyond,
                      struct image_floats *out)
{
    const assay_format *f = &image[0].format;
    const unsigned first = alpha ? COLOURS : 0, end = alpha ? CHANNELS : assay_format_planes(f);
    double none = 0; /* max_rel_diff is of colours */
    for (uint32_t y = 0; y < f->height; y++) {
        float *map = out->map[alpha] ? out->map[alpha] + (size_t)y * f->width : NULL;
        memset(beyond, 0, f->width * sizeof *beyond);
        for (unsigned i = first; i < end; i++)
            add_row(q, row_of(&image[0], i, y), row_of(&image[1], i, y), f->width, alpha ? &none : &out->relative,
                    beyond, map);
        for (uint32_t x = 0; x < f->width; x++)
            out->beyond[alpha] += beyond[x];
    }
}

static int add_planes(const struct request *q, const struct image image[2], bool maps, struct image_floats *out,
                      struct assay_error *e)
{
    const assay_format *f = &image[0].format;
    bool *beyond = malloc(f->width * sizeof *beyond);
    int rc = beyond ? ASSAY_OK : assay_fail_memory(e, "a row of the pictures");
    for (int alpha = 0; !rc && alpha < (image[0].plane[3] ? 2 : 1); alpha++) {
        if (maps && !(out->map[alpha] = calloc((size_t)f->width * f->height, sizeof(float))))
            rc = assay_fail_memory(e, "a map of the differences");
        else
            add_plane(q, image, alpha, beyond, out);
    }
    free(beyond);
    return rc;
}

int image_float_compare(const struct request *q, const struct image image[2], struct image_floats *out,
                        struct assay_error *e)
{
    const assay_float_image ref = lent(&image[0]), dis = lent(&image[1]);
    char error[512];
    *out = (struct image_floats){.relative = 0};
    const int rc = assay_floats_compare(&q->config, &ref, &dis, 1.0, &out->figures, error, sizeof error);
    return rc ? assay_fail(e, rc, "%s", error) : add_planes(q, image, q->config.maps, out, e);
}

double image_float_peak(const float *map, size_t n)
{
    float most = 0;
    for (size_t i = 0; i < n; i++)
        most = isfinite(map[i]) && map[i] > most ? map[i] : most;
    return most > 0 ? (double)most : 1;
}

int image_float_maps(const struct request *q, const struct image image[2], struct image_floats *out,
                     struct assay_error *e)
{
    const size_t n = (size_t)image[0].format.width * image[0].format.height;
    *out = (struct image_floats){.relative = 0};
    TRY(add_planes(q, image, true, out, e));
    for (int alpha = 0; alpha < 2 && out->map[alpha]; alpha++) {
        const float most = (float)image_float_peak(out->map[alpha], n);
        for (size_t i = 0; i < n; i++)
            out->map[alpha][i] = isfinite(out->map[alpha][i]) ? out->map[alpha][i] : most;
    }
    return ASSAY_OK;
}

void image_floats_free(struct image_floats *f)
{
    free(f->map[0]);
    free(f->map[1]);
    f->map[0] = f->map[1] = NULL;
}

/* ---- codes ---- */

/* Divides colours that are stored times alpha by it; 0 where alpha is 0. */
static void unpremultiply(struct image *image)
{
    bool clear = false;
    if (!image->premultiplied)
        return;
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

int image_float_show(struct image *image, struct assay_error *e)
{
    struct image to;
    const double top = (1 << CODE_BITS) - 1;
    unpremultiply(image);
    TRY(image_room(&to, image, CODE_BITS, e));
    to.format.range = ASSAY_RANGE_FULL;
    for (unsigned i = 0; i < CHANNELS; i++) {
        for (uint32_t y = 0; image->plane[i] && y < image->format.height; y++) {
            const float *v = row_of(image, i, y);
            uint16_t *code = row_of(&to, i, y);
            for (uint32_t x = 0; x < image->format.width; x++)
                code[x] = (uint16_t)((v[x] > 0.0f ? v[x] < 1.0f ? (double)v[x] : 1.0 : 0.0) * top + 0.5);
        }
    }
    memory_aligned_free(image->memory);
    *image = to;
    return ASSAY_OK;
}

/* Samples of the channels from `first` on that are not from `low` to `high`. */
static uint64_t count_outside(const struct image *image, unsigned first, float low, float high)
{
    uint64_t n = 0;
    for (unsigned c = first; c < CHANNELS; c++)
        for (uint32_t y = 0; image->plane[c] && y < image->format.height; y++) {
            const float *v = row_of(image, c, y);
            for (uint32_t x = 0; x < image->format.width; x++)
                n += !(v[x] >= low && v[x] <= high);
        }
    return n;
}

int image_float_light(struct image image[2], struct assay_error *e)
{
    for (unsigned side = 0; side < 2; side++) {
        struct image *i = &image[side];
        const char *const name[] = {assay_format_planes(&i->format) > 1 ? "R" : "Y", "G", "B", "alpha"};
        assay_float_light light;
        char error[512];
        unpremultiply(i);
        const assay_float_image from = lent(i);
        const int rc = assay_floats_light(&from, &i->format, &light, error, sizeof error);
        if (rc)
            return assay_fail(e, rc, "%s: %s", i->name, error);
        if (light.not_finite)
            return assay_fail(e, ASSAY_EINPUT, "%s: %llu samples are not finite, the first is %s at %u,%u: metrics of "
                              "light do not take it", i->name, (unsigned long long)light.not_finite,
                              name[light.channel], light.x, light.y);
        if (light.negative)
            image_notice(i, "%llu samples are below 0 and count as 0 for metrics of light",
                         (unsigned long long)light.negative);
        const uint64_t alpha = count_outside(i, COLOURS, 0, 1);
        if (alpha)
            image_notice(i, "%llu samples of alpha are below 0 or above 1 and count as 0 or 1 for metrics of light",
                         (unsigned long long)alpha);
        i->format.light_largest = side ? 0.0 : light.largest;
        i->format.light_median = side ? 0.0 : light.median;
    }
    return ASSAY_OK;
}

int image_float_code(const struct request *q, struct image *image, struct assay_error *e)
{
    const assay_float_image from = lent(image);
    struct image to;
    uint64_t without_code;
    uint16_t *plane[CHANNELS] = {NULL};
    char error[512];
    const uint64_t wild = count_outside(image, 0, -FLT_MAX, FLT_MAX);
    unpremultiply(image);
    TRY(image_room(&to, image, CODE_BITS, e));
    to.format.light_largest = to.format.light_median = 0;
    for (unsigned i = 0; i < CHANNELS; i++)
        plane[i] = to.plane[i];
    int rc = assay_floats_to_codes(&q->config, &from, plane, to.stride, &without_code, error, sizeof error);
    if (rc)
        rc = assay_fail(e, rc, "%s", error);
    else if (without_code)
        rc = assay_fail(e, ASSAY_EINPUT, "%s: %llu samples are not finite and %llu below 0 or above 1, which metrics "
                        "of colour do not take: nothing is clipped", image->name, (unsigned long long)wild,
                        (unsigned long long)(without_code - wild));
    memory_aligned_free(rc ? to.memory : image->memory);
    if (!rc)
        *image = to;
    return rc;
}
