/* SPDX-License-Identifier: BSD-2-Clause */
/* The public functions of pictures of floats in the host's memory. A strip of rows at a time becomes packed texels, for
 * the passes that compare images on a device. */
#include <string.h>

#include "engine/devices.h"
#include "host/colour.h"
#include "host/format.h"
#include "host/fpenv.h"
#include "host/light.h"
#include "host/system.h"
#include "images/lent.h"
#include "images/planes.h"
#include "selftest/prove.h"

/* Bytes of a strip of one picture. */
enum { STRIP_BYTES = 32 << 20, CHANNELS = 4 };

/* VkFormats of four channels and of one, and the texture format of three, which lie in four elements. */
enum { VULKAN_R = 100, VULKAN_RGBA = 109, OPENGL_RGB = 0x8815 };

/* The passes of a strip. */
struct strip_passes {
    struct texel_planes planes;
    graph_plane words[CHANNELS]; /* of two codes each */
};

struct strip {
    assay_config config;
    struct texel_pair pair;        /* its height is the strip's */
    bool codes;                    /* makes the reference's codes; else compares the pair */
    struct strip_passes passes;
    struct graph *graph;
    struct executor *executor;
    float *texels[2];              /* memory of a strip of either side */
};

/* ---- what runs --------------------------------------------------------------------------------------------------- */

static int add_codes(struct graph *g, struct strip_passes *p, const struct texel_pair *pair, struct assay_error *e)
{
    p->planes = (struct texel_planes){.pair = *pair};
    for (uint32_t c = 0; c < CHANNELS; c++)
        if (pair->format[0]->bits[c])
            TRY(texel_planes_words(g, &p->planes, 0, SIDE_REF, c, pair->width, pair->height, &p->words[c], e));
    return ASSAY_OK;
}

/* The `build` of a selftest_subject. The strip's own graph is the first. */
static int build(void *opaque, uint32_t width, uint32_t height, struct graph **out, struct assay_error *e)
{
    struct strip *s = opaque;
    struct strip_passes other, *const passes = s->graph ? &other : &s->passes;
    const struct texel_pair pair = {.format = {s->pair.format[0], s->pair.format[1]}, .width = width, .height = height};
    *out = graph_new(e);
    if (!*out)
        return ASSAY_EINTERNAL;
    (*out)->keep = s->codes;
    const int rc = s->codes ? add_codes(*out, passes, &pair, e) : texel_passes(*out, &pair, height, e);
    if (rc)
        graph_free(out);
    return rc;
}

static void close_strip(struct strip *s)
{
    if (s->executor)
        s->executor->ops->close(&s->executor);
    graph_free(&s->graph);
}

/* Prepares the graph and the executor for strips of `rows` rows, unless they are. */
static int open_strip(struct strip *s, uint32_t rows, struct assay_error *e)
{
    const struct selftest_device device = {devices_open, &s->config, .threads = true};
    if (s->graph && s->pair.height == rows)
        return ASSAY_OK;
    close_strip(s);
    s->pair.height = rows;
    TRY(build(s, s->pair.width, rows, &s->graph, e));
    TRY(graph_seal(s->graph, e));
    TRY(devices_open(&s->config, &s->executor, e));
    const struct selftest_subject subject = {.build = build, .opaque = s, .bits = 16, .graph = s->graph,
                                             .width = s->pair.width, .height = rows};
    TRY(selftest_prove(s->executor, &device, &subject, e));
    return s->executor->ops->prepare(s->executor, s->graph, 1, e);
}

static void interleave(const struct strip *s, const assay_float_image *from, uint32_t first, float *to)
{
    const uint32_t elements = s->pair.format[0]->elements;
    for (uint32_t y = 0; y < s->pair.height; y++)
        for (uint32_t c = 0; c < elements; c++) {
            const float *row = (const float *)(const void *)((const char *)from->plane[c] +
                                                             (ptrdiff_t)(first + y) * from->stride[c]);
            float *texel = to + (size_t)y * s->pair.width * elements + c;
            for (uint32_t x = 0; x < s->pair.width; x++, texel += elements)
                if (from->plane[c])
                    memcpy(texel, &row[x], sizeof *texel); /* the bits of a NaN, too */
                else
                    *texel = 0.0f; /* no channel of the format */
        }
}

static int run_strip(struct strip *s, const assay_float_image *const image[2], uint32_t first, uint32_t rows,
                     struct frame_results *results, struct assay_error *e)
{
    struct frame_inputs inputs = {.taken = {false, false}};
    TRY(open_strip(s, rows, e));
    const uint32_t elements = s->pair.format[0]->elements;
    for (unsigned side = 0; side < (s->codes ? 1 : 2); side++) {
        interleave(s, image[side], first, s->texels[side]);
        inputs.plane[side][0] = (struct kernel_plane){
            .data = s->texels[side], .stride = (ptrdiff_t)(s->pair.width * elements * sizeof(float)),
            .width = (int32_t)(s->pair.width * elements), .height = (int32_t)rows};
    }
    TRY(s->executor->ops->submit(s->executor, 0, &inputs, e));
    return s->executor->ops->wait(s->executor, 0, results, e);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static int check_image(const assay_float_image *image, const char *which, struct assay_error *e)
{
    if (!image || !image->plane[0] || !image->plane[1] != !image->plane[2] || (image->plane[3] && !image->plane[1]))
        return assay_fail(e, ASSAY_EUSAGE, "the %s has neither one plane nor R, G and B", which);
    if (!image->width || !image->height || image->width > FORMAT_MAX_SIDE || image->height > FORMAT_MAX_SIDE)
        return assay_fail(e, ASSAY_EUSAGE, "the %s is %ux%u; sides are 1 to 65535", which, image->width, image->height);
    return lent_reserved(image->reserved, sizeof image->reserved, which, e);
}

static const struct texel_format *format_of(const assay_float_image *image)
{
    return image->plane[3]   ? texel_format_vulkan(VULKAN_RGBA)
           : image->plane[1] ? texel_format_opengl(OPENGL_RGB) : texel_format_vulkan(VULKAN_R);
}

/* A strip for images like these, and how many rows it has at most. */
static int start(struct strip *s, const assay_config *config, const assay_float_image *const image[2], uint32_t *most,
                 struct assay_error *e)
{
    for (unsigned side = 0; side < 2; side++) {
        TRY(check_image(image[side], lent_name(side), e));
        s->pair.format[side] = format_of(image[side]);
    }
    if (image[0]->width != image[1]->width || image[0]->height != image[1]->height)
        return assay_fail(e, ASSAY_EMISMATCH, "the reference is %ux%u, the distorted image %ux%u", image[0]->width,
                          image[0]->height, image[1]->width, image[1]->height);
    TRY(texel_pair_check(&s->pair, false, e));
    s->config = config ? *config : (assay_config){.backend = NULL};
    if (s->config.backend && !strcmp(s->config.backend, "auto"))
        s->config.backend = s->config.device = NULL;
    s->pair.width = image[0]->width;
    const size_t row = (size_t)s->pair.width * texel_bytes(s->pair.format[0]);
    *most = (uint32_t)(STRIP_BYTES / row) + 1;
    *most = *most < image[0]->height ? *most : image[0]->height;
    for (unsigned side = 0; side < 2; side++)
        if (!(s->texels[side] = memory_aligned(64, row * *most)))
            return assay_fail_memory(e, "a strip of the pictures");
    return ASSAY_OK;
}

/* Frees the strip, and hands the message over. */
static int end(struct strip *s, const struct assay_error *e, char *error, size_t error_size)
{
    close_strip(s);
    memory_aligned_free(s->texels[0]);
    memory_aligned_free(s->texels[1]);
    return assay_answer(e, error, error_size);
}

/* ---- the functions ----------------------------------------------------------------------------------------------- */

static int compare(struct strip *s, const assay_config *config, const assay_float_image *const image[2],
                   struct texel_sums *sums, struct assay_error *e)
{
    struct frame_results results;
    uint32_t most, rows;
    TRY(start(s, config, image, &most, e));
    for (uint32_t y = 0; y < image[0]->height; y += rows) {
        rows = image[0]->height - y < most ? image[0]->height - y : most;
        TRY(run_strip(s, image, y, rows, &results, e));
        texel_sums_add(sums, &s->pair, &results, y);
    }
    s->pair.height = image[0]->height;
    return ASSAY_OK;
}

int assay_floats_compare(const assay_config *config, const assay_float_image *reference,
                         const assay_float_image *distorted, double peak, assay_image_figures *figures, char *error,
                         size_t error_size)
{
    const assay_float_image *const image[2] = {reference, distorted};
    struct strip s = {.codes = false};
    struct assay_error e = {0};
    struct texel_sums sums = {0};
    struct assay_fpenv saved;
    peak = peak != 0 ? peak : 1;
    if (!figures || !(peak > 0 && peak <= 0x1p100)) {
        assay_fail(&e, ASSAY_EUSAGE, "figures are written somewhere, and the peak is a positive number of at most "
                   "2^100");
        return end(&s, &e, error, error_size);
    }
    assay_fpenv_enter(&saved);
    const int rc = compare(&s, config, image, &sums, &e);
    assay_fpenv_leave(&saved);
    if (!rc)
        texel_figures(&s.pair, &sums, peak, figures);
    return end(&s, &e, error, error_size);
}

/* The codes of a channel of the strip. */
static int read_channel(const struct strip *s, unsigned channel, char *to, ptrdiff_t stride, struct assay_error *e)
{
    uint32_t *words = (uint32_t *)(void *)s->texels[1]; /* has no other use here, and is larger */
    const uint32_t row = (s->pair.width + 1) / 2;
    TRY(s->executor->ops->read_plane(s->executor, 0, s->passes.words[channel], words, row * sizeof *words, e));
    for (uint32_t y = 0; y < s->pair.height; y++) {
        uint16_t *code = (uint16_t *)(void *)(to + (ptrdiff_t)y * stride);
        for (uint32_t x = 0; x < s->pair.width; x++)
            code[x] = (uint16_t)(words[(size_t)y * row + x / 2] >> (16 * (x % 2)));
    }
    return ASSAY_OK;
}

static int read_codes(const struct strip *s, const struct frame_results *results, uint32_t first,
                      uint16_t *const plane[4], const ptrdiff_t stride[4], uint64_t *without_code,
                      struct assay_error *e)
{
    for (unsigned c = 0; c < CHANNELS; c++) {
        if (!s->pair.format[0]->bits[c])
            continue;
        TRY(read_channel(s, c, (char *)plane[c] + (ptrdiff_t)first * stride[c], stride[c], e));
        *without_code += (uint64_t)texel_plane_totals(s->passes.planes.counting[SIDE_REF][c].at,
                                                      results->totals).without_code;
    }
    return ASSAY_OK;
}

static int make_codes(struct strip *s, const assay_config *config, const assay_float_image *image,
                      uint16_t *const plane[4], const ptrdiff_t stride[4], uint64_t *without_code,
                      struct assay_error *e)
{
    const assay_float_image *const both[2] = {image, image};
    struct frame_results results;
    uint32_t most, rows;
    TRY(start(s, config, both, &most, e));
    const ptrdiff_t row = (ptrdiff_t)(image->width * sizeof **plane);
    for (unsigned c = 0; c < CHANNELS; c++)
        if (image->plane[c] && (!plane[c] || (stride[c] < row && stride[c] > -row)))
            return assay_fail(e, ASSAY_EUSAGE, "a channel has no plane for its codes, or one whose rows are too short");
    for (uint32_t y = 0; y < image->height; y += rows) {
        rows = image->height - y < most ? image->height - y : most;
        TRY(run_strip(s, both, y, rows, &results, e));
        TRY(read_codes(s, &results, y, plane, stride, without_code, e));
    }
    return ASSAY_OK;
}

int assay_floats_to_codes(const assay_config *config, const assay_float_image *image, uint16_t *const plane[4],
                          const ptrdiff_t stride[4], uint64_t *without_code, char *error, size_t error_size)
{
    struct strip s = {.codes = true};
    struct assay_error e = {0};
    struct assay_fpenv saved;
    if (!plane || !stride || !without_code) {
        assay_fail(&e, ASSAY_EUSAGE, "nowhere to write the codes to");
        return end(&s, &e, error, error_size);
    }
    *without_code = 0;
    assay_fpenv_enter(&saved);
    make_codes(&s, config, image, plane, stride, without_code, &e);
    assay_fpenv_leave(&saved);
    return end(&s, &e, error, error_size);
}

int assay_floats_light(const assay_float_image *image, const assay_format *format, assay_float_light *light,
                       char *error, size_t error_size)
{
    struct assay_error e = {0};
    struct assay_fpenv saved;
    struct light found = {.largest = 0};
    double matrix[9];
    int rc = light ? check_image(image, "picture", &e) : assay_fail(&e, ASSAY_EUSAGE, "nowhere to write the light to");
    if (rc)
        return assay_answer(&e, error, error_size);
    const struct light_planes p = {.plane = {image->plane[0], image->plane[1], image->plane[2], image->plane[3]},
                                   .stride = {image->stride[0], image->stride[1], image->stride[2], image->stride[3]},
                                   .width = image->width, .height = image->height};
    assay_fpenv_enter(&saved);
    const struct light_wild wild = light_find_wild(&p);
    rc = colour_to_bt709(image->plane[1] ? format : NULL, matrix, &e);
    rc = rc || wild.samples ? rc : light_measure(&p, matrix, &found, &e);
    assay_fpenv_leave(&saved);
    *light = (assay_float_light){.largest = found.largest, .median = found.median, .negative = found.negative,
                                 .not_finite = wild.samples, .channel = wild.plane, .x = wild.x, .y = wild.y};
    return assay_answer(&e, error, error_size);
}
