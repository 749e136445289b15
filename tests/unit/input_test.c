/* SPDX-License-Identifier: BSD-2-Clause */
#include "input_test.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static const unsigned char padding_byte = 0xa5;

static void *need(void *p)
{
    if (!p) {
        fputs("out of memory in a test\n", stderr);
        exit(1);
    }
    return p;
}

void bytes_add(struct bytes *b, const void *data, size_t n)
{
    if (b->n + n > b->room) {
        b->room = 2 * (b->n + n);
        b->data = need(realloc(b->data, b->room));
    }
    if (n > 0)
        memcpy(b->data + b->n, data, n);
    b->n += n;
}

void bytes_text(struct bytes *b, const char *text)
{
    bytes_add(b, text, strlen(text));
}

void bytes_free(struct bytes *b)
{
    free(b->data);
    *b = (struct bytes) { 0 };
}

/* Pieces of odd sizes, so that no picture or header arrives whole. Ends early when the reader has gone. */
static void *write_all(void *argument)
{
    const struct source *s = argument;
    size_t done = 0, piece = 1;
    while (done < s->bytes->n) {
        const size_t left = s->bytes->n - done;
        const ssize_t put = write(s->write_fd, s->bytes->data + done, left < piece ? left : piece);
        if (put <= 0)
            break;
        done += (size_t)put;
        piece = piece * 5 / 2 + 1;
    }
    close(s->write_fd);
    return NULL;
}

void source_open(struct source *s, enum source_kind kind, const struct bytes *bytes)
{
    *s = (struct source) { .bytes = bytes, .piped = kind == SOURCE_PIPE };
    if (s->piped) {
        int ends[2];
        signal(SIGPIPE, SIG_IGN);
        assert_int_equal(pipe(ends), 0);
        s->fd = ends[0];
        s->write_fd = ends[1];
        assert_int_equal(pthread_create(&s->writer, NULL, write_all, s), 0);
    } else {
        s->fd = memfd_create("input", 0);
        assert_true(s->fd >= 0);
        assert_int_equal(write(s->fd, bytes->data, bytes->n), bytes->n);
    }
    snprintf(s->path, sizeof s->path, "/proc/self/fd/%d", s->fd);
}

void source_close(struct source *s)
{
    close(s->fd);
    if (s->piped)
        pthread_join(s->writer, NULL);
}

static size_t sample_bytes(const assay_format *format)
{
    return format->bit_depth > 8 ? 2 : 1;
}

void canvas_open(struct canvas *c, const assay_format *format, size_t padding)
{
    *c = (struct canvas) { .format = *format, .padding = padding };
    for (uint32_t p = 0; p < assay_format_planes(format); p++) {
        const size_t stride = assay_format_plane_width(format, p) * sample_bytes(format) + padding;
        const size_t all = stride * assay_format_plane_height(format, p);
        c->picture.plane[p] = need(malloc(all));
        c->picture.stride[p] = (ptrdiff_t)stride;
        memset(c->picture.plane[p], padding_byte, all);
    }
}

void canvas_close(struct canvas *c)
{
    for (int p = 0; p < 3; p++)
        free(c->picture.plane[p]);
}

uint32_t canvas_at(const struct canvas *c, uint32_t plane, uint32_t x, uint32_t y)
{
    const unsigned char *row = (const unsigned char *)c->picture.plane[plane] + (ptrdiff_t)y * c->picture.stride[plane];
    uint16_t v;
    if (c->format.bit_depth == 8)
        return row[x];
    memcpy(&v, row + 2 * (size_t)x, sizeof v);
    return v;
}

void canvas_check_padding(const struct canvas *c)
{
    for (uint32_t p = 0; p < assay_format_planes(&c->format); p++) {
        const unsigned char *row = c->picture.plane[p];
        const size_t used = (size_t)c->picture.stride[p] - c->padding;
        for (uint32_t y = 0; y < assay_format_plane_height(&c->format, p); y++, row += c->picture.stride[p]) {
            for (size_t i = 0; i < c->padding; i++)
                assert_int_equal(row[used + i], padding_byte);
        }
    }
}

uint32_t pattern(uint32_t frame, uint32_t plane, uint32_t x, uint32_t y, uint32_t depth)
{
    const uint32_t largest = (1u << depth) - 1;
    uint32_t h = frame * 0x9e3779b1u ^ plane * 0x85ebca6bu ^ x * 0xc2b2ae35u ^ y * 0x27d4eb2fu;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h ^= h >> 13;
    if (h % 7 == 0)
        return h & 64 ? largest : 0;
    return (h >> 8) & largest;
}

void bytes_picture(struct bytes *b, const assay_format *format, uint32_t frame)
{
    for (uint32_t p = 0; p < assay_format_planes(format); p++) {
        for (uint32_t y = 0; y < assay_format_plane_height(format, p); y++) {
            for (uint32_t x = 0; x < assay_format_plane_width(format, p); x++) {
                const uint32_t v = pattern(frame, p, x, y, format->bit_depth);
                const unsigned char le[2] = { (unsigned char)v, (unsigned char)(v >> 8) };
                bytes_add(b, le, sample_bytes(format));
            }
        }
    }
}

void canvas_check_pattern(const struct canvas *c, uint32_t frame)
{
    for (uint32_t p = 0; p < assay_format_planes(&c->format); p++) {
        for (uint32_t y = 0; y < assay_format_plane_height(&c->format, p); y++) {
            for (uint32_t x = 0; x < assay_format_plane_width(&c->format, p); x++)
                assert_int_equal(canvas_at(c, p, x, y), pattern(frame, p, x, y, c->format.bit_depth));
        }
    }
    canvas_check_padding(c);
}

void check_error(const struct assay_error *e, int code, const char *part)
{
    if (e->code != code || !strstr(e->text, part))
        fail_msg("expected code %d and a line with \"%s\", got %d and \"%s\"", code, part, e->code, e->text);
    assert_null(strchr(e->text, '\n'));
}

struct input_options options_for(const char *path)
{
    return (struct input_options) { .path = path };
}
