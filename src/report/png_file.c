/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/png_file.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>

#include "results/sink.h"

/* libpng reports an error by longjmp. Everything that is used after the jump is here. */
struct writer {
    png_structp png;
    png_infop info;
    struct sink *sink;
    uint8_t *row;
    struct assay_error *error;
};

int png_file_available(struct assay_error *e)
{
    (void)e;
    return ASSAY_OK;
}

static void on_error(png_structp png, png_const_charp message)
{
    const struct writer *w = png_get_error_ptr(png);
    assay_fail(w->error, ASSAY_EINTERNAL, "%s: can't be written as PNG: %s", w->sink->path, message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static png_voidp take(png_structp png, png_alloc_size_t size)
{
    (void)png;
    return malloc(size);
}

static void give(png_structp png, png_voidp memory)
{
    (void)png;
    free(memory);
}

/* The sink keeps the first failure. */
static void on_data(png_structp png, png_bytep data, size_t n)
{
    struct writer *w = png_get_io_ptr(png);
    sink_bytes(w->sink, data, n);
}

static void on_flush(png_structp png)
{
    (void)png;
}

/* libpng copies both. */
static void add_text(struct writer *w, const char *name, const char *value)
{
    union { const char *in; char *out; } key = {.in = name}, content = {.in = value};
    const png_text text = {.compression = PNG_TEXT_COMPRESSION_NONE, .key = key.out, .text = content.out};
    png_set_text(w->png, w->info, &text, 1);
}

static int encode(struct writer *w, uint32_t width, uint32_t height, png_file_row *row, const void *opaque,
                  const char *comment)
{
    if (setjmp(png_jmpbuf(w->png)))
        return w->error->code;
    png_set_write_fn(w->png, w, on_data, on_flush);
    png_set_IHDR(w->png, w->info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(w->png, w->info, PNG_sRGB_INTENT_PERCEPTUAL);
    add_text(w, "Software", "assay"); /* by which file_spare knows it */
    if (comment)
        add_text(w, "Description", comment);
    png_write_info(w->png, w->info);
    for (uint32_t y = 0; y < height; y++) {
        row(opaque, y, w->row);
        png_write_row(w->png, w->row);
    }
    png_write_end(w->png, w->info);
    return ASSAY_OK;
}

int png_file_put(struct sink *s, uint32_t width, uint32_t height, png_file_row *row, const void *opaque,
                 const char *comment, struct assay_error *e)
{
    struct assay_error why = {0};
    struct writer w = {.error = &why, .sink = s};
    w.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &w, on_error, on_warning, NULL, take, give);
    w.info = w.png ? png_create_info_struct(w.png) : NULL;
    w.row = w.info ? malloc((size_t)width * 3) : NULL;
    const int rc = w.row ? encode(&w, width, height, row, opaque, comment) : assay_fail_memory(&why, "a PNG file");
    if (w.png)
        png_destroy_write_struct(&w.png, &w.info);
    free(w.row);
    return rc ? assay_fail(e, rc, "%s", why.text) : ASSAY_OK;
}

int png_file_write(const char *path, uint32_t width, uint32_t height, png_file_row *row, const void *opaque,
                   const char *comment, struct assay_error *e)
{
    struct sink sink;
    TRY(sink_open(&sink, path, e));
    const int rc = png_file_put(&sink, width, height, row, opaque, comment, e);
    if (!rc)
        return sink_close(&sink, e);
    sink_abandon(&sink);
    return rc;
}
