/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of the input layer share: streams made of bytes in memory, pictures, and a known pattern. */
#ifndef ASSAY_TESTS_INPUT_TEST_H
#define ASSAY_TESTS_INPUT_TEST_H

#include <pthread.h>

#include "input/input.h"

/* A growing run of bytes. Running out of memory ends the test program. */
struct bytes {
    unsigned char *data;
    size_t n, room;
};

void bytes_add(struct bytes *b, const void *data, size_t n);
void bytes_text(struct bytes *b, const char *text);
void bytes_free(struct bytes *b);

/* The bytes behind a path that assay can open: a file in memory, or a pipe that a thread fills in pieces. */
enum source_kind { SOURCE_FILE, SOURCE_PIPE, SOURCE_KINDS };

struct source {
    int fd, write_fd;
    char path[64];
    const struct bytes *bytes;
    pthread_t writer;
    bool piped;
};

void source_open(struct source *s, enum source_kind kind, const struct bytes *bytes);
void source_close(struct source *s);

/* Planes of a format, each row followed by `padding` bytes that must stay as they were. */
struct canvas {
    struct picture picture;
    assay_format format;
    size_t padding;
};

void canvas_open(struct canvas *c, const assay_format *format, size_t padding);
void canvas_close(struct canvas *c);
uint32_t canvas_at(const struct canvas *c, uint32_t plane, uint32_t x, uint32_t y);
void canvas_check_padding(const struct canvas *c);

/* A sample of the known pattern: any value that the depth allows, 0 and the largest among them. */
uint32_t pattern(uint32_t frame, uint32_t plane, uint32_t x, uint32_t y, uint32_t depth);

/* Appends the planes of a pattern picture as Y4M and raw files hold them. */
void bytes_picture(struct bytes *b, const assay_format *format, uint32_t frame);

/* Fails the test unless the canvas holds that picture. */
void canvas_check_pattern(const struct canvas *c, uint32_t frame);

/* Fails the test unless e carries `code` and one line that contains `part`. */
void check_error(const struct assay_error *e, int code, const char *part);

/* Options that name a path and nothing else. */
struct input_options options_for(const char *path);

#endif
