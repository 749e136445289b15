/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as an image, of every kind that has a decoder, read as `assay image` reads them: the walkers of chunks, the
 * decoder, EXIF, profiles, turning. The objects that the command opens when a file needs them are part of this program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "feed.h"
#include "image_builds.h"
#include "input/image_decoder.h"

/* Each is IMAGE_SYMBOL of its object. One that the build lacks is named only where IMAGE_HAS_... is 0, in code that no
 * compiler keeps. The names are not weak, or the linker would leave the objects out of the program. */
#define EACH_OBJECT(X) X(jpeg, JPEG) X(webp, WEBP) X(avif, AVIF) X(jxl, JXL) X(tiff, TIFF) X(exr, EXR)
#define DECLARE(name, upper) extern const struct image_decoder fuzz_image_##name;
EACH_OBJECT(DECLARE)

/* A picture that takes more is out of memory, so that pictures stay small. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=64";
}

/* Stand for dlopen and dlsym in the table of kinds. */
void *fuzz_dlopen(const char *object, int flags);
void *fuzz_dlsym(void *object, const char *symbol);

void *fuzz_dlopen(const char *object, int flags)
{
    (void)flags;
#define FIND(name, upper) \
    if (IMAGE_HAS_##upper && !strcmp(object, "libassay-image-" #name ".so.0")) \
        return (void *)(uintptr_t)&fuzz_image_##name;
    EACH_OBJECT(FIND)
    return NULL;
}

void *fuzz_dlsym(void *object, const char *symbol)
{
    return !strcmp(symbol, IMAGE_SYMBOL_TEXT) ? object : NULL;
}

/* Stands for image_check_room in JPEG XL's decoder. That library ends the program when memory runs out: a file has room
 * for a small picture only. */
int fuzz_check_room(const struct image *image, uint64_t there, uint64_t most, uint64_t takes, struct assay_error *e);

int fuzz_check_room(const struct image *image, uint64_t there, uint64_t most, uint64_t takes, struct assay_error *e)
{
    (void)there;
    (void)most;
    return image_check_room(image, 0, 1, takes, e);
}

static void check(bool right, const char *what)
{
    if (!right) {
        fprintf(stderr, "broken: %s\n", what);
        abort();
    }
}

/* The planes' memory is exactly as large as they are: AddressSanitizer sees a byte too far. */
static void touch(const struct image *image)
{
    const assay_format *f = &image->format;
    const size_t sample = f->bit_depth > 16 ? 4 : f->bit_depth > 8 ? 2 : 1, row = f->width * sample;
    volatile unsigned char sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        const char *plane = image->plane[i];
        for (uint32_t y = 0; plane && y < f->height; y++)
            for (size_t x = 0; x < row; x++)
                sum = (unsigned char)(sum + (unsigned char)plane[(ptrdiff_t)y * image->stride[i] + (ptrdiff_t)x]);
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct image image;
    struct assay_error e = {0};
    char path[32];
    if (!image_kind_of(data, size < IMAGE_MAGIC ? size : IMAGE_MAGIC))
        return 0;
    const int file = memfd_create("fuzz", MFD_CLOEXEC);
    check(file >= 0 && write(file, data, size) == (ssize_t)size, "a file in memory");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const int code = image_read(&image, path, NULL, &e);
    close(file);
    if (code) {
        const bool memory = code == ASSAY_EINTERNAL && strstr(e.text, "out of memory");
        check(code == ASSAY_EINPUT || memory, "a code for bad input");
        check(code == e.code && e.text[0] && !strchr(e.text, '\n'), "one line of reason");
        check(!image.memory && !image.icc, "a failure leaves nothing");
        return 0;
    }
    check(!strchr(image.notice, '\n') && !strchr(image.colour, '\n'), "notices of one line");
    touch(&image);
    image_free(&image);
    return 0;
}
