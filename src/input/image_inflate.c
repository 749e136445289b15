/* SPDX-License-Identifier: BSD-2-Clause */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "host/late.h"
#include "host/system.h"
#include "input/image_decoder.h"

enum {
    CHUNK_HEAD = 8, CHUNK_SUM = 4,      /* length and type; CRC */
    DEFLATE_MOST = 1032,                /* bytes that come from one, at most: 258 from two bits */
    BLOCK_HEAD = 5, BLOCK_MOST = 65535, /* of a stored block; its samples */
    PICTURE_MOST = 1 << 25,             /* larger pictures are inflated row by row, without memory for all of it */
};

typedef void *alloc_function(void);
typedef void free_function(void *decompressor);
typedef int inflate_function(void *decompressor, const void *from, size_t size, void *to, size_t room, size_t *got);
typedef uint32_t sum_function(uint32_t sum, const void *bytes, size_t n);

static struct {
    bool whole;
    alloc_function *alloc;
    free_function *release;
    inflate_function *inflate;
    sum_function *crc, *adler;
} lib;

static void load(void)
{
    void *const library = dlopen("libdeflate.so.0", RTLD_NOW | RTLD_LOCAL); /* never closed */
    lib.whole = late_find(library, "libdeflate_alloc_decompressor", &lib.alloc) &&
                late_find(library, "libdeflate_free_decompressor", &lib.release) &&
                late_find(library, "libdeflate_zlib_decompress", &lib.inflate) &&
                late_find(library, "libdeflate_crc32", &lib.crc) &&
                late_find(library, "libdeflate_adler32", &lib.adler);
}

/* Takes the heads and sums of IDAT chunks out of `size` bytes. Returns what is left, or 0: a chunk is another one, or
 * damaged. */
static size_t join_chunks(uint8_t *bytes, size_t size)
{
    size_t joined = 0;
    for (size_t left = size, n; left; left -= CHUNK_HEAD + n + CHUNK_SUM) {
        uint8_t *const head = bytes + size - left;
        n = left < CHUNK_HEAD ? left : image_big32(head);
        if (left < CHUNK_HEAD + n + CHUNK_SUM || memcmp(head + 4, "IDAT", 4) ||
            lib.crc(0, head + 4, 4 + n) != image_big32(head + CHUNK_HEAD + n))
            return 0;
        memmove(bytes + joined, head + CHUNK_HEAD, n);
        joined += n;
    }
    return joined;
}

/* Inflates exactly `size` bytes. libdeflate does not look at the window that zlib's header states, which is as large as
 * the distances need: one of less than 32768 bytes has to have room for all of them. */
static bool inflate_all(const uint8_t *from, size_t n, uint8_t *to, size_t size)
{
    const bool fits = n && (from[0] >> 4 >= 7 || size <= (size_t)256 << (from[0] >> 4));
    void *const decompressor = fits ? lib.alloc() : NULL;
    const bool whole = decompressor && !lib.inflate(decompressor, from, n, to, size, NULL);
    if (decompressor)
        lib.release(decompressor);
    return whole;
}

static uint8_t *put_big32(uint8_t *to, size_t v)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(v >> (24 - 8 * i));
    return to + 4;
}

/* Makes a chunk of `length`. The `size` bytes in front of its two sums are there. Adds the chunk's head, the head of a
 * stored block in front of each 65535 bytes, and Adler's sum. There is no CRC: libpng is told not to look at it. */
static void store(uint8_t *to, size_t length, size_t size)
{
    const uint8_t *from = to + CHUNK_HEAD + length - CHUNK_SUM - size;
    const uint32_t sum = lib.adler(1, from, size);
    memcpy(put_big32(to, length), "IDAT\x78\x01", 6);
    to += CHUNK_HEAD + 2;
    for (size_t left = size, n; left; left -= n, from += n, to += n) {
        n = left < BLOCK_MOST ? left : BLOCK_MOST;
        const uint8_t block[BLOCK_HEAD] = {left == n, (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)~n, (uint8_t)(~n >> 8)};
        memcpy(to, block, sizeof block);
        memmove(to += BLOCK_HEAD, from, n);
    }
    put_big32(put_big32(to, sum), 0);
}

void image_inflate(struct image_inflated *s, const struct image_file *file, uint64_t size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const size_t length = 2 + (size + BLOCK_MOST - 1) / BLOCK_MOST * BLOCK_HEAD + size + CHUNK_SUM;
    const uint64_t there = s->end - s->first;
    if (!size || size > PICTURE_MOST || there > PICTURE_MOST || size > there * DEFLATE_MOST)
        return;
    pthread_once(&once, load);
    uint8_t *const from = lib.whole ? memory_planes(there) : NULL;
    s->size = CHUNK_HEAD + length + CHUNK_SUM;
    s->chunk = from ? memory_planes(s->size) : NULL;
    if (s->chunk && file->look_at(file, s->first, from, there) == there &&
        inflate_all(from, join_chunks(from, there), s->chunk + CHUNK_HEAD + length - CHUNK_SUM - size, size)) {
        store(s->chunk, length, size);
    } else {
        memory_aligned_free(s->chunk);
        s->chunk = NULL;
    }
    memory_aligned_free(from);
}
