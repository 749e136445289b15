/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats of images: how each is known by its first bytes, and where its decoder is. */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "image_builds.h" /* IMAGE_HAS_*: which objects this build has */
#include "host/text.h"
#include "input/image_decoder.h"

static bool starts(const unsigned char *start, size_t n, size_t at, const char *magic, size_t length)
{
    return n >= at + length && !memcmp(start + at, magic, length);
}
#define STARTS(at, magic) starts(start, n, at, magic, sizeof magic - 1)

static bool is_png(const unsigned char *start, size_t n) { return STARTS(0, "\x89PNG\r\n\x1a\n"); }
static bool is_jpeg(const unsigned char *start, size_t n) /* but JPEG-LS, which libav decodes: kind 6 in SPIFF */
{
    return STARTS(0, "\xff\xd8\xff") && !STARTS(3, "\xf7") && !(STARTS(6, "SPIFF") && STARTS(26, "\6"));
}

static bool is_webp(const unsigned char *start, size_t n) { return STARTS(0, "RIFF") && STARTS(8, "WEBP"); }

static bool is_jxl(const unsigned char *start, size_t n)
{
    return STARTS(0, "\xff\x0a") || STARTS(0, "\0\0\0\x0cJXL \r\n\x87\n");
}

static bool is_exr(const unsigned char *start, size_t n) { return STARTS(0, "\x76\x2f\x31\x01"); }

static bool is_pfm(const unsigned char *start, size_t n)
{
    return (STARTS(0, "PF") || STARTS(0, "Pf")) && n > 2 && strchr(" \t\r\n", start[2]) && start[2];
}

static bool is_tiff(const unsigned char *start, size_t n)
{
    return STARTS(0, "II*\0") || STARTS(0, "MM\0*") || STARTS(0, "II+\0") || STARTS(0, "MM\0+");
}

/* Whether the box "ftyp" names a brand: first the major one, then from byte 16 on those that the file is compatible
 * with. */
static bool has_brand(const unsigned char *start, size_t n, const char *brand)
{
    if (!STARTS(4, "ftyp"))
        return false;
    const size_t end = (size_t)big_endian(start + 2, 2);
    for (size_t at = 8; at + 4 <= n && at + 4 <= end; at += at == 8 ? 8 : 4)
        if (!memcmp(start + at, brand, 4))
            return true;
    return false;
}

static bool is_avif(const unsigned char *start, size_t n)
{
    return has_brand(start, n, "avif") || has_brand(start, n, "avis");
}

/* ---- pictures that move ---- */

/* An APNG's chunk acTL, or another PNG behind the first one. */
static bool png_moves(const struct image_file *file)
{
    struct image_window w = {.file = file};
    const unsigned char *head;
    uint64_t at = 8;
    size_t n;
    while (head = image_window(&w, at, 8, &n), n >= 8) {
        if (!memcmp(head + 4, "acTL", 4))
            return true;
        at += 12 + big_endian(head, 4);
        if (!memcmp(head + 4, "IEND", 4)) {
            head = image_window(&w, at, 8, &n);
            return is_png(head, n);
        }
    }
    return false;
}

static bool avif_moves(const struct image_file *file)
{
    unsigned char head[IMAGE_MAGIC];
    const size_t n = file->look_at(file, 0, head, sizeof head);
    return starts(head, n, 8, "avis", 4);
}

/* The next marker from *at on that is none of those within compressed data, and the position behind it. */
static unsigned jpeg_marker(struct image_window *w, uint64_t *at)
{
    for (;;) {
        size_t n;
        const unsigned char *piece = image_window(w, *at, 2, &n);
        if (n < 2)
            return 0;
        for (size_t i = 0; i + 1 < n; i++)
            if (piece[i] == 0xff && piece[i + 1] != 0 && piece[i + 1] != 0xff &&
                !(piece[i + 1] >= 0xd0 && piece[i + 1] <= 0xd8)) {
                *at += i + 2;
                return piece[i + 1];
            }
        *at += n - 1;
    }
}

/* Another JPEG behind the first one, as in Motion JPEG. In files with the segment MPF (two views, a thumbnail, a gain
 * map) what follows is no later picture. */
static bool jpeg_moves(const struct image_file *file)
{
    enum { END = 0xd9, APP2 = 0xe2 };
    struct image_window w = {.file = file};
    const unsigned char *head;
    uint64_t at = 2;
    unsigned marker;
    size_t n;
    while ((marker = jpeg_marker(&w, &at)) && marker != END) {
        head = image_window(&w, at, 6, &n);
        if (n < 2 || (marker == APP2 && n >= 6 && !memcmp(head + 2, "MPF", 4)))
            return false;
        at += big_endian(head, 2);
    }
    head = image_window(&w, at, 3, &n);
    return marker == END && is_jpeg(head, n);
}

/* ---- what an image in a pipe may take ---- */

enum { PIPE_PACKED = 64 << 20, PIPE_PLAIN = 256 << 20 };

/* The samples of 16 bits of four channels, which compression need not make smaller, and what is beside them. */
static uint64_t png_most(const unsigned char *start, size_t n)
{
    if (!STARTS(8, "\0\0\0\x0dIHDR") || n < 24)
        return 0;
    return PIPE_PACKED + 9 * big_endian(start + 16, 4) * big_endian(start + 20, 4);
}

/* ---- the table ---- */

#if IMAGE_HAS_PNG
#define DECODE_PNG image_decode_png
#else
#define DECODE_PNG NULL
#endif

/* An object for the library that the build found, and those for libraries with other numbers. */
static const char *const jpeg[] = {"libassay-image-jpeg.so.0", NULL},
                  *const webp[] = {"libassay-image-webp.so.0", NULL},
                  *const avif[] = {"libassay-image-avif.so.0", IMAGE_MORE_AVIF NULL},
                  *const jxl[] = {"libassay-image-jxl.so.0", IMAGE_MORE_JXL NULL},
                  *const tiff[] = {"libassay-image-tiff.so.0", NULL},
                  *const exr[] = {"libassay-image-exr.so.0", IMAGE_MORE_EXR NULL};

static const struct image_kind kinds[] = {
    {"PNG", is_png, png_moves, NULL, DECODE_PNG, IMAGE_HAS_PNG, 0, png_most, "libpng-dev", "libpng16-16"},
    {"JPEG", is_jpeg, jpeg_moves, jpeg, NULL, IMAGE_HAS_JPEG, PIPE_PACKED, NULL, "libjpeg-dev", "libjpeg62-turbo"},
    {"WebP", is_webp, NULL, webp, NULL, IMAGE_HAS_WEBP, PIPE_PACKED, NULL, "libwebp-dev", "libwebp7 libwebpdemux2"},
    {"AVIF", is_avif, avif_moves, avif, NULL, IMAGE_HAS_AVIF, PIPE_PACKED, NULL, "libavif-dev", "libavif15"},
    {"JPEG XL", is_jxl, NULL, jxl, NULL, IMAGE_HAS_JXL, PIPE_PACKED, NULL, "libjxl-dev", "libjxl0.7"},
    {"TIFF", is_tiff, NULL, tiff, NULL, IMAGE_HAS_TIFF, PIPE_PLAIN, NULL, "libtiff-dev", "libtiff6"},
    {"OpenEXR", is_exr, NULL, exr, NULL, IMAGE_HAS_EXR, PIPE_PLAIN, NULL, "libopenexr-dev", "libopenexr-3-1-30"},
    {"PFM", is_pfm, NULL, NULL, image_decode_pfm, true, 0, image_pfm_size, NULL, NULL},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const struct image_kind *image_kind_of(const unsigned char *start, size_t n)
{
    for (unsigned i = 0; i < KINDS; i++)
        if (kinds[i].is(start, n))
            return &kinds[i];
    return NULL;
}

/* The decoder of the first object whose library is there. */
static int kind_load(const struct image_kind *kind, const struct image *image, const struct image_decoder **out,
                     struct assay_error *e)
{
    char why[300] = "";
    for (const char *const *object = kind->objects; *object; object++) {
        /* Never closed: threads and handlers of the libraries may outlive a picture. */
        void *const library = dlopen(*object, RTLD_NOW | RTLD_LOCAL);
        const char *const reason = library ? NULL : dlerror();
        const struct image_decoder *const found = library ? dlsym(library, IMAGE_SYMBOL_TEXT) : NULL;
        if (library && (!found || strcmp(found->version, ASSAY_VERSION) || found->image_size != sizeof *image))
            return assay_fail(e, ASSAY_EINPUT, "%s: is %s, and %s is of another build of assay than this one",
                              image->name, kind->name, *object);
        if (found) {
            *out = found;
            return ASSAY_OK;
        }
        text_append(why, sizeof why, "%s%s", *why ? ", " : "", reason ? reason : "no reason given");
    }
    return assay_fail(e, ASSAY_EINPUT, "%s: is %s, and its library can't be loaded: %s; Debian's packages are %s",
                      image->name, kind->name, why, kind->library);
}

static int kind_open(const struct image_kind *kind, const struct image *image, const struct image_decoder **out,
                     struct assay_error *e)
{
    static const struct image_decoder *opened[KINDS];
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const struct image_decoder **slot = &opened[kind - kinds];
    pthread_mutex_lock(&lock);
    const int rc = *slot ? ASSAY_OK : kind_load(kind, image, slot, e);
    *out = *slot;
    pthread_mutex_unlock(&lock);
    return rc;
}

int image_kind_decode(const struct image_kind *kind, struct image *image, const struct image_file *file,
                      struct assay_error *e)
{
    const struct image_decoder *decoder;
    if (!kind->built)
        return assay_fail(e, ASSAY_EINPUT, "%s: is %s, which this build of assay can't read: install %s and build it "
                          "again", image->name, kind->name, kind->headers);
    if (!kind->objects)
        return kind->decode(image, file, e);
    TRY(kind_open(kind, image, &decoder, e));
    return image_decode_aside(decoder, image, file, e);
}
