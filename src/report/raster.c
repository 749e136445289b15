/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/raster.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "host/late.h"

/* librsvg's and cairo's types, as far as they are handed on. */
struct rectangle {
    double x, y, width, height;
};
enum { CAIRO_RGB24 = 1, CAIRO_GOOD = 0 };

static struct {
    bool whole;
    void *(*handle_new)(const uint8_t *data, size_t size, void **error);
    int (*render)(void *handle, void *context, const struct rectangle *viewport, void **error);
    void (*unref)(void *object);
    void *(*surface_new)(int format, int width, int height);
    int (*surface_status)(void *surface);
    void (*surface_flush)(void *surface);
    uint8_t *(*surface_data)(void *surface);
    int (*surface_stride)(void *surface);
    void (*surface_destroy)(void *surface);
    void *(*context_new)(void *surface);
    int (*context_status)(void *context);
    void (*set_colour)(void *context, double r, double g, double b);
    void (*paint)(void *context);
    void (*context_destroy)(void *context);
} lib;

static void load(void)
{
    /* never closed: the libraries keep caches of their own */
    void *const rsvg = dlopen("librsvg-2.so.2", RTLD_NOW | RTLD_LOCAL);
    void *const cairo = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
    lib.whole = late_find(rsvg, "rsvg_handle_new_from_data", &lib.handle_new) &&
                late_find(rsvg, "rsvg_handle_render_document", &lib.render) &&
                late_find(rsvg, "g_object_unref", &lib.unref) &&
                late_find(cairo, "cairo_image_surface_create", &lib.surface_new) &&
                late_find(cairo, "cairo_surface_status", &lib.surface_status) &&
                late_find(cairo, "cairo_surface_flush", &lib.surface_flush) &&
                late_find(cairo, "cairo_image_surface_get_data", &lib.surface_data) &&
                late_find(cairo, "cairo_image_surface_get_stride", &lib.surface_stride) &&
                late_find(cairo, "cairo_surface_destroy", &lib.surface_destroy) &&
                late_find(cairo, "cairo_create", &lib.context_new) &&
                late_find(cairo, "cairo_status", &lib.context_status) &&
                late_find(cairo, "cairo_set_source_rgb", &lib.set_colour) &&
                late_find(cairo, "cairo_paint", &lib.paint) &&
                late_find(cairo, "cairo_destroy", &lib.context_destroy);
}

int raster_available(struct assay_error *e)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return lib.whole ? ASSAY_OK
                     : assay_fail(e, ASSAY_EUSAGE, "a plot as PNG is drawn by librsvg (2.46 or later), which this "
                                  "machine does not have (Debian's package is librsvg2-2); .svg needs nothing");
}

/* cairo's pixels are 32-bit words, 0x00RRGGBB. */
static uint8_t *copy_pixels(void *surface, size_t width, size_t height)
{
    const uint8_t *from = lib.surface_data(surface);
    const size_t stride = (size_t)lib.surface_stride(surface);
    uint8_t *rgb = malloc(width * height * 3), *to = rgb;
    for (size_t y = 0; rgb && y < height; y++)
        for (size_t x = 0; x < width; x++) {
            uint32_t word;
            memcpy(&word, from + y * stride + 4 * x, sizeof word);
            *to++ = (uint8_t)(word >> 16);
            *to++ = (uint8_t)(word >> 8);
            *to++ = (uint8_t)word;
        }
    return rgb;
}

int raster_draw(const char *svg, size_t size, uint32_t width, uint32_t height, uint32_t scale, uint8_t **rgb,
                struct assay_error *e)
{
    const struct rectangle viewport = {0, 0, (double)width * scale, (double)height * scale};
    TRY(raster_available(e));
    void *const handle = lib.handle_new((const uint8_t *)svg, size, NULL);
    void *const surface = lib.surface_new(CAIRO_RGB24, (int)(width * scale), (int)(height * scale));
    void *const context = lib.context_new(surface);
    int rc = ASSAY_OK;
    *rgb = NULL;
    if (lib.surface_status(surface) != CAIRO_GOOD) {
        rc = assay_fail_memory(e, "the plot's picture");
    } else {
        lib.set_colour(context, 1, 1, 1);
        lib.paint(context);
        if (!handle || !lib.render(handle, context, &viewport, NULL) || lib.context_status(context) != CAIRO_GOOD)
            rc = assay_fail(e, ASSAY_EINTERNAL, "librsvg can't draw the plot");
        lib.surface_flush(surface);
        if (!rc && !(*rgb = copy_pixels(surface, (size_t)width * scale, (size_t)height * scale)))
            rc = assay_fail_memory(e, "the plot's picture");
    }
    lib.context_destroy(context);
    lib.surface_destroy(surface);
    if (handle)
        lib.unref(handle);
    return rc;
}
