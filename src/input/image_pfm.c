/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PFM: "PF" (RGB) or "Pf" (grey), width, height and a scale as decimals, then floats by rows, the lowest row first. A
 * scale below 0 says that the floats are little endian.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/numbers.h"
#include "input/image_decoder.h"

enum { HEADER_MOST = 256, WORD = 32 };

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The next word of the header. Exactly one blank is behind it. */
static bool next_word(const char *text, size_t n, size_t *at, char word[WORD])
{
    size_t length = 0;
    while (*at < n && is_space(text[*at]))
        ++*at;
    while (*at < n && !is_space(text[*at]) && length + 1 < WORD)
        word[length++] = text[(*at)++];
    word[length] = '\0';
    return length && *at < n && is_space(text[(*at)++]);
}

/* A side as digits. */
static bool read_side(const char *word, uint32_t *to)
{
    double v;
    const bool digits = strspn(word, "0123456789") == strlen(word) && parse_number(word, &v) && v < UINT32_MAX;
    *to = digits ? (uint32_t)v : 0;
    return digits;
}

struct header {
    bool little; /* endian */
    bool noticed; /* the scale is not 1 */
    size_t size; /* bytes of the header */
};

/* Sets the sides and the layout of *f. `number` becomes the scale's text. */
static bool parse_header(const char *text, size_t n, assay_format *f, struct header *h, char number[WORD])
{
    char word[WORD], width[WORD], height[WORD];
    double scale;
    h->size = 0;
    if (!next_word(text, n, &h->size, word) || !next_word(text, n, &h->size, width) ||
        !next_word(text, n, &h->size, height) || !read_side(width, &f->width) ||
        !read_side(height, &f->height) || !next_word(text, n, &h->size, number) || !parse_number(number, &scale) ||
        scale == 0.0 || scale - scale != 0.0)
        return false;
    h->little = scale < 0.0;
    h->noticed = scale != 1.0 && scale != -1.0;
    f->layout = word[1] == 'F' ? ASSAY_LAYOUT_RGB : ASSAY_LAYOUT_400;
    return true;
}

static int read_header(struct image *image, const struct image_file *file, struct header *h, struct assay_error *e)
{
    char text[HEADER_MOST], number[WORD];
    const size_t n = file->look_at(file, 0, text, sizeof text);
    if (!parse_header(text, n, &image->format, h, number))
        return image_damaged(image, "PFM", "its header is not a width, a height and a scale", e);
    if (h->noticed)
        image_notice(image, "its scale of %s is not applied", number + h->little);
    return image_check_sides(image, e);
}

uint64_t image_pfm_size(const unsigned char *start, size_t n)
{
    assay_format f = {.width = 0};
    struct header h;
    char number[WORD];
    if (!parse_header((const char *)start, n, &f, &h, number))
        return 0;
    return h.size + 4 * (uint64_t)f.width * f.height * assay_format_planes(&f);
}

int image_decode_pfm(struct image *image, const struct image_file *file, struct assay_error *e)
{
    assay_format *f = &image->format;
    struct header h;
    snprintf(image->reader, sizeof image->reader, "pfm, assay %s", ASSAY_VERSION);
    TRY(read_header(image, file, &h, e));
    f->bit_depth = IMAGE_FLOAT_BITS;
    image_is_light(image);
    const size_t samples = (size_t)f->width * assay_format_planes(f), bytes = 4 * samples;
    if (file->size - h.size != (uint64_t)bytes * f->height)
        return image_damaged(image, "PFM", file->size - h.size < (uint64_t)bytes * f->height
                                               ? "it ends before its last row" : "something is behind its last row", e);
    TRY(image_allocate(image, false, e));
    unsigned char *row = malloc(bytes);
    if (!row)
        return assay_fail(e, ASSAY_EINTERNAL, "%s: out of memory for a row", image->name);
    int rc = ASSAY_OK;
    for (uint32_t y = 0; !rc && y < f->height; y++) {
        if (file->look_at(file, h.size + (uint64_t)bytes * y, row, bytes) != bytes)
            rc = image_damaged(image, "PFM", "it ends before its last row", e);
        for (size_t i = 0; i < samples; i++) {
            const unsigned char *b = row + 4 * i;
            const uint32_t v = (uint32_t)(h.little ? little_endian(b, 4) : big_endian(b, 4));
            memcpy(row + 4 * i, &v, sizeof v);
        }
        image_put_row(image, f->height - 1 - y, row);
    }
    free(row);
    return rc;
}
