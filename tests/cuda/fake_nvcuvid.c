/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stand-in for NVIDIA's decoder library, for libavcodec's CUDA hwaccels on machines without a GPU. It decodes
 * nothing: the n-th picture that it is given is the n-th of a file of raw pictures, decoded before, in the order of
 * decoding. Addresses are the host's, as in the fake driver.
 *
 *     FAKE_NVCUVID=FILE       the raw pictures: planes of the size that is shown, as nv12, p010le, yuv444p or
 *                             yuv444p16le, of p010le and yuv444p16le with values in the high bits; %d in the name
 *                             counts the decoders made
 *     FAKE_NVCUVID_SIZE=WxH   that size
 *     FAKE_NVCUVID_FAIL=caps | create | decode:N | map:N   says that it can't decode it, or fails, in picture N
 *
 * Structures and functions are those of the interface, written down again as far as they are used.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { SURFACES = 64, FAILURE = 719, GAP = 48 /* bytes behind each row */ };
enum { NV12, P016, YUV444, YUV444_16 };

struct caps {
    int codec, chroma;
    unsigned depth_minus_8, reserved1[3];
    unsigned char supported, decoders;
    unsigned short output_formats;
    unsigned max_width, max_height, max_blocks;
    unsigned short min_width, min_height;
};

struct create {
    unsigned long width, height, surfaces;
    int codec, chroma;
    unsigned long flags, depth_minus_8, intra_only, max_width, max_height, reserved1;
    short display[4];
    int output, deinterlace;
    unsigned long target_width, target_height, output_surfaces;
};

struct picture {
    int width_blocks, height_blocks, index;
};

struct decoder {
    struct create as;
    char file[512];
    long pictures;           /* decoded so far */
    long number[SURFACES];   /* which of them is on a surface */
    unsigned mapped;
};

static unsigned made;

static bool fails(const char *what, long n)
{
    const char *mode = getenv("FAKE_NVCUVID_FAIL");
    char with[32];
    snprintf(with, sizeof with, "%s:%ld", what, n);
    return mode && (!strcmp(mode, what) || !strcmp(mode, with));
}

EXPORT int cuvidGetDecoderCaps(struct caps *caps);
int cuvidGetDecoderCaps(struct caps *caps)
{
    caps->supported = !fails("caps", 0);
    caps->decoders = 1;
    caps->output_formats = 15;
    caps->max_width = caps->max_height = 8192;
    caps->max_blocks = 8192 * 8192 / 256;
    caps->min_width = caps->min_height = 16;
    return 0;
}

EXPORT int cuvidCreateDecoder(struct decoder **out, const struct create *as);
int cuvidCreateDecoder(struct decoder **out, const struct create *as)
{
    const char *name = getenv("FAKE_NVCUVID"), *count = name ? strstr(name, "%d") : NULL;
    if (!name || fails("create", 0))
        return FAILURE;
    struct decoder *d = calloc(1, sizeof *d);
    if (!d)
        abort();
    d->as = *as;
    if (count)
        snprintf(d->file, sizeof d->file, "%.*s%u%s", (int)(count - name), name, made, count + 2);
    else
        snprintf(d->file, sizeof d->file, "%s", name);
    made++;
    *out = d;
    return 0;
}

EXPORT int cuvidDestroyDecoder(struct decoder *d);
int cuvidDestroyDecoder(struct decoder *d)
{
    if (d->mapped) { /* a picture was kept longer than its decoder */
        fprintf(stderr, "%u pictures are still mapped\n", d->mapped);
        abort();
    }
    free(d);
    return 0;
}

EXPORT int cuvidDecodePicture(struct decoder *d, const struct picture *p);
int cuvidDecodePicture(struct decoder *d, const struct picture *p)
{
    if (p->index < 0 || p->index >= SURFACES)
        abort();
    d->number[p->index] = d->pictures++;
    return fails("decode", d->pictures - 1) ? FAILURE : 0;
}

/* Rows of one plane, `bytes` each, from the file. */
static void rows(FILE *f, unsigned char *to, size_t pitch, size_t bytes, size_t n)
{
    for (size_t y = 0; y < n; y++)
        if (fread(to + y * pitch, 1, bytes, f) != bytes) {
            fprintf(stderr, "the fake decoder has no such picture\n");
            abort();
        }
}

static size_t sample_of(const struct decoder *d)
{
    return d->as.output == P016 || d->as.output == YUV444_16 ? 2 : 1;
}

static size_t pitch_of(const struct decoder *d)
{
    return d->as.target_width * sample_of(d) + GAP;
}

/* Room for three planes, whatever the format. */
static size_t surface_of(const struct decoder *d)
{
    return pitch_of(d) * d->as.target_height * 3;
}

EXPORT int cuvidMapVideoFrame64(struct decoder *d, int index, uint64_t *address, unsigned *pitch, void *how);
int cuvidMapVideoFrame64(struct decoder *d, int index, uint64_t *address, unsigned *pitch, void *how)
{
    unsigned long w = 0, h = 0;
    const char *size = getenv("FAKE_NVCUVID_SIZE");
    const long n = d->number[index];
    if (fails("map", n))
        return FAILURE;
    if (!size || sscanf(size, "%lux%lu", &w, &h) != 2 || w > d->as.target_width || h > d->as.target_height || !how)
        abort();
    const unsigned long sample = sample_of(d), rows_each = d->as.target_height;
    const bool full = d->as.output >= YUV444;
    const unsigned long cw = full ? w : (w + 1) / 2 * 2, ch = full ? h : (h + 1) / 2;
    const unsigned long picture = (w * h + cw * ch * (full ? 2 : 1)) * sample;
    const size_t bytes = pitch_of(d);
    unsigned char *memory = malloc(surface_of(d));
    FILE *f = fopen(d->file, "rb");
    if (!memory || !f || fseek(f, (long)picture * n, SEEK_SET))
        abort();
    memset(memory, 0xa5, surface_of(d));
    rows(f, memory, bytes, w * sample, h);
    rows(f, memory + bytes * rows_each, bytes, cw * sample, ch);
    if (full)
        rows(f, memory + 2 * bytes * rows_each, bytes, cw * sample, ch);
    fclose(f);
    d->mapped++;
    *address = (uintptr_t)memory;
    *pitch = (unsigned)bytes;
    return 0;
}

/* What is given back is overwritten, all of it: whoever still reads it gets something else. */
EXPORT int cuvidUnmapVideoFrame64(struct decoder *d, uint64_t address);
int cuvidUnmapVideoFrame64(struct decoder *d, uint64_t address)
{
    void *const surface = (void *)(uintptr_t)address;
    memset(surface, 0x5a, surface_of(d));
    /* or a compiler leaves out what is written just before it is freed */
    __asm__ volatile("" : : "r"(surface) : "memory");
    free(surface);
    d->mapped--;
    return 0;
}

/* Looked up, never called. */
#define NEVER_CALLED(X) \
    X(cuvidGetDecodeStatus) X(cuvidReconfigureDecoder) X(cuvidCtxLockCreate) X(cuvidCtxLockDestroy) X(cuvidCtxLock) \
    X(cuvidCtxUnlock) X(cuvidCreateVideoSource) X(cuvidCreateVideoSourceW) X(cuvidDestroyVideoSource) \
    X(cuvidSetVideoSourceState) X(cuvidGetVideoSourceState) X(cuvidGetSourceVideoFormat) X(cuvidGetSourceAudioFormat) \
    X(cuvidCreateVideoParser) X(cuvidParseVideoData) X(cuvidDestroyVideoParser)
#define ABORT(name) \
    EXPORT void name(void); \
    void name(void) \
    { \
        fprintf(stderr, "the fake decoder has no " #name "\n"); \
        abort(); \
    }
NEVER_CALLED(ABORT)
