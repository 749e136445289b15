/* SPDX-License-Identifier: BSD-2-Clause */
#include <pthread.h>
#include <string.h>

#include "host/late.h"
#include "host/system.h"
#include "input/image_decoder.h"

enum {
    CHUNK_HEAD = 8, CHUNK_SUM = 4,      /* length and type; CRC */
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

/* Moves the data of the IDAT chunks in `size` bytes together. Returns the length of the data; 0: a chunk is damaged, or
 * is no IDAT chunk. */
static size_t join_chunks(uint8_t *bytes, size_t size)
{
    size_t joined = 0;
    for (size_t left = size, n; left; left -= CHUNK_HEAD + n + CHUNK_SUM) {
        uint8_t *const head = bytes + size - left;
        n = left < CHUNK_HEAD ? left : (size_t)big_endian(head, 4);
        if (left < CHUNK_HEAD + n + CHUNK_SUM || memcmp(head + 4, "IDAT", 4) ||
            lib.crc(0, head + 4, 4 + n) != big_endian(head + CHUNK_HEAD + n, 4))
            return 0;
        memmove(bytes + joined, head + CHUNK_HEAD, n);
        joined += n;
    }
    return joined;
}

/* Inflates exactly `size` bytes. False: not all could be inflated. zlib refuses distances beyond the window that the
 * header states, and libdeflate does not. So the window has to be the largest one, or hold all `size` bytes. */
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

/* Completes an IDAT chunk of `length` data bytes. Its last `size` data bytes but Adler's sum are the samples, which are
 * moved into stored blocks of 65535. The CRC is 0: libpng is told to ignore it. */
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
    if (!size || size > PICTURE_MOST || there > PICTURE_MOST || size > there * IMAGE_DEFLATE_MOST)
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
