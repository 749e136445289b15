/* SPDX-License-Identifier: BSD-2-Clause */
#include "feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Pictures above this are skipped instead of read, so that a lying header does not cost memory here either. */
static const uint64_t largest_picture = 1 << 20;

struct story {
    int code;
    uint64_t frames, hash;
};

static void check(bool right, const char *what)
{
    if (!right) {
        fprintf(stderr, "broken: %s\n", what);
        abort();
    }
}

/* FNV-1a over the samples of a picture. */
static uint64_t hash_picture(uint64_t hash, const assay_format *f, const struct picture *p)
{
    for (uint32_t i = 0; i < assay_format_planes(f); i++) {
        const size_t row = (size_t)assay_format_plane_width(f, i) * (f->bit_depth > 8 ? 2 : 1);
        for (uint32_t y = 0; y < assay_format_plane_height(f, i); y++) {
            const unsigned char *at = (const unsigned char *)p->plane[i] + (ptrdiff_t)y * p->stride[i];
            for (size_t x = 0; x < row; x++)
                hash = (hash ^ at[x]) * UINT64_C(0x100000001b3);
        }
    }
    return hash;
}

/* Exact allocations: AddressSanitizer sees a byte too far in any plane. */
static bool make_picture(struct picture *p, const assay_format *f, size_t padding)
{
    uint64_t all = 0;
    *p = (struct picture) { 0 };
    for (uint32_t i = 0; i < assay_format_planes(f); i++)
        all += (uint64_t)assay_format_plane_width(f, i) * assay_format_plane_height(f, i) * 2;
    if (all > largest_picture)
        return false;
    for (uint32_t i = 0; i < assay_format_planes(f); i++) {
        const size_t row = (size_t)assay_format_plane_width(f, i) * (f->bit_depth > 8 ? 2 : 1);
        const size_t rows = assay_format_plane_height(f, i);
        p->stride[i] = (ptrdiff_t)(row + padding);
        p->plane[i] = malloc((rows - 1) * (row + padding) + row);
        check(p->plane[i] != NULL, "memory for a small picture");
    }
    return true;
}

static struct story read_through(const struct input_options *options, size_t padding)
{
    struct story s = { .hash = UINT64_C(0xcbf29ce484222325) };
    struct assay_error e = { 0 };
    struct input *in;
    struct picture p;
    s.code = input_open(&in, options, &e);
    check((s.code == 0) == (in != NULL), "an open gives a stream or an error");
    if (in) {
        const int64_t promised = in->frames;
        const bool fits = make_picture(&p, &in->format, padding);
        while ((s.code = fits ? input_read(in, &p, NULL, &e) : input_skip(in, &e)) == 1) {
            s.frames++;
            if (fits)
                s.hash = hash_picture(s.hash, &in->format, &p);
        }
        check(in->index == s.frames, "the index counts pictures");
        check(s.code != 0 || promised < 0 || promised > 64 || (uint64_t)promised == s.frames, "the promised length");
        for (int i = 0; fits && i < 3; i++)
            free(p.plane[i]);
        input_close(&in);
    }
    if (s.code != 0) {
        check(s.code == ASSAY_EINPUT || s.code == ASSAY_EUSAGE, "a code for bad input");
        check(s.code == e.code && e.text[0] && !strchr(e.text, '\n'), "one line of reason");
    }
    return s;
}

static struct story read_file(const unsigned char *data, size_t size, struct input_options options)
{
    char path[32];
    options.path = path;
    const int file = memfd_create("fuzz", MFD_CLOEXEC);
    check(file >= 0 && write(file, data, size) == (ssize_t)size, "a file in memory");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const struct story s = read_through(&options, size % 3);
    close(file);
    return s;
}

void feed_file(const unsigned char *data, size_t size, struct input_options options)
{
    read_file(data, size, options);
}

void feed_both_ways(const unsigned char *data, size_t size, struct input_options options)
{
    char path[32];
    int ends[2];
    options.path = path;
    const struct story whole = read_file(data, size, options);

    check(pipe(ends) == 0 && write(ends[1], data, size) == (ssize_t)size, "a pipe");
    close(ends[1]);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    const struct story piped = read_through(&options, 0);
    close(ends[0]);

    check((whole.code == 0) == (piped.code == 0), "a file and a pipe agree on whether the stream is whole");
    check(whole.code != 0 || (whole.frames == piped.frames && whole.hash == piped.hash), "and on its pictures");
}
