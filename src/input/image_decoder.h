/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A decoder of images: one source file for each format, and one shared object for each library except libpng. The
 * command opens an object when a file needs it. So a machine that lacks libjxl reads all other formats, and the command
 * starts fast. Included by decoders and by image*.c only.
 */
#ifndef ASSAY_INPUT_IMAGE_DECODER_H
#define ASSAY_INPUT_IMAGE_DECODER_H

#include "host/bits.h"
#include "input/image.h"

/* The bytes of an image file, at any position and in any order. */
struct image_file {
    uint64_t size;
    /* Reads n bytes at `offset` and returns how many there are. */
    size_t (*look_at)(const struct image_file *file, uint64_t offset, void *to, size_t n);
    void *opaque;
};

/* The structure that a shared object exports as IMAGE_SYMBOL. */
struct image_decoder {
    const char *version; /* of assay. Command and object must agree on it and on the size of struct image */
    size_t image_size;
    /* Fills format, planes, alpha, orientation and reader, and either icc or colour with the format's codes. The planes
     * are as stored, unless the format's library turns them. After a failure the caller frees what `image` holds. */
    int (*decode)(struct image *image, const struct image_file *file, struct assay_error *e);
    /* In its place, of a library that takes all bytes of a file at once. */
    int (*decode_bytes)(struct image *image, const unsigned char *data, size_t size, struct assay_error *e);
};
#define IMAGE_DECODER(how) {ASSAY_VERSION, sizeof(struct image), how}
#define IMAGE_SYMBOL assay_image_decoder
#define IMAGE_SYMBOL_TEXT "assay_image_decoder"
__attribute__((visibility("default"))) extern const struct image_decoder IMAGE_SYMBOL;

/* ---- image_planes.c: what decoders share ---- */

/* Fails where a side of image->format is none that a picture may have. */
int image_check_sides(const struct image *image, struct assay_error *e);

/* Fails where `there` bytes of a file can't hold a picture that takes `takes` bytes, or as many pixels, because no more
 * than `most` of them come from a byte. So no memory is taken for what a header only states. */
int image_check_room(const struct image *image, uint64_t there, uint64_t most, uint64_t takes, struct assay_error *e);

/* Allocates the planes of image->format and, with `alpha`, the alpha plane. Rows have no gaps. Checks the format's
 * sides. */
int image_allocate(struct image *image, bool alpha, struct assay_error *e);

/* Copies row y of pixels into the planes: 1 (grey) or 3 (RGB) samples of the format's depth, then alpha where the image
 * has it. */
void image_put_row(struct image *image, uint32_t y, const void *pixels);

/* Divides the colours of row y by alpha and rounds, as viewers of premultiplied pictures do. 0 where alpha is 0. */
void image_unpremultiply(struct image *image);

/* Where a file is looked at in small steps: the bytes around the last step. */
struct image_window {
    const struct image_file *file;
    uint64_t at;
    size_t n;
    unsigned char bytes[16384];
};
/* The bytes at `at`. *n says how many of them are in the window: at least `wanted`, unless the file ends before. */
const unsigned char *image_window(struct image_window *w, uint64_t at, size_t wanted, size_t *n);

/* Keeps a copy of an ICC profile, or of its next part. */
int image_add_icc(struct image *image, const void *part, size_t size, struct assay_error *e);

/* Floats without a tag are linear light with the primaries of BT.709. */
void image_is_light(struct image *image);

/* Sets the image's colours to codes of H.273. 2 is "unspecified". */
void image_keep_codes(struct image *image, uint32_t primaries, uint32_t transfer);

/* Sets the orientation that an EXIF block states, with or without "Exif\0\0" before it, and not_srgb. */
void image_read_exif(struct image *image, const unsigned char *exif, size_t size);

/* Whether a segment MPF of JPEG (CIPA DC-007) says that its picture is one of several views or parts of a panorama. */
bool image_of_several(const unsigned char *mpf, size_t size);

/* Notices pixels that are not square, behind the orientation. x and y are the stored shape of one, or how many of them
 * a `unit` has. 0: not stated. FFmpeg writes and reads PNG's and JFIF's numbers without a unit as the shape. */
void image_pixels(struct image *image, double x, double y, bool unit);

/* "NAME: damaged WHAT: REASON" */
int image_damaged(const struct image *image, const char *what, const char *reason, struct assay_error *e);

/* ---- image_kinds.c ---- */

enum { IMAGE_MAGIC = 64 }; /* bytes that tell what a file is */
struct image_kind {
    const char *name;    /* in messages */
    bool (*is)(const unsigned char *start, size_t n);
    /* Whether it has several pictures, shown one after the other: a video for libav. NULL: it has one. */
    bool (*moves)(const struct image_file *file);
    const char *const *objects; /* in the order of trying, NULL behind the last. NULL: the decoder is linked into the
                                 * program, */
    int (*decode)(struct image *image, const struct image_file *file, struct assay_error *e); /* which is this */
    bool built;          /* this build has the decoder */
    uint64_t pipe_most;  /* bytes that an image may have in a pipe, which is read into memory, */
    uint64_t (*most)(const unsigned char *start, size_t n); /* or what says it by the first bytes; 0: they don't */
    const char *headers, *library; /* packages of Debian 12 */
};
/* The format of a file by its first bytes, or NULL: no image that has a decoder here. */
const struct image_kind *image_kind_of(const unsigned char *start, size_t n);
int image_kind_decode(const struct image_kind *kind, struct image *image, const struct image_file *file,
                      struct assay_error *e);

int image_decode_png(struct image *image, const struct image_file *file, struct assay_error *e);
int image_decode_pfm(struct image *image, const struct image_file *file, struct assay_error *e);

/* The size of a PFM file as its header states it. 0: the header is damaged. */
uint64_t image_pfm_size(const unsigned char *start, size_t n);

/* ---- image_aside.c ---- */

/* decoder->decode, while what the library prints on standard error is kept: it stands behind the reason of a failure,
 * or in image->notice. */
int image_decode_aside(const struct image_decoder *decoder, struct image *image, const struct image_file *file,
                       struct assay_error *e);

/* ---- image_inflate.c ---- */

enum { IMAGE_DEFLATE_MOST = 1032 }; /* bytes that come from one, at most: 258 from two bits */
/*
 * The samples of a PNG file, inflated at once by libdeflate, which takes less than half of zlib's time. libpng reads
 * one IDAT chunk of stored blocks in place of the file's IDAT chunks, and does the rest of the decoding. If the machine
 * has no libdeflate, or the chunks are damaged, libpng reads the file's own chunks and reports the damage.
 */
struct image_inflated {
    uint64_t first, end; /* bytes of the file from its first IDAT chunk to behind the last one. Set by the caller */
    uint8_t *chunk;      /* the chunk of stored blocks; NULL: libpng reads the file. Freed by memory_aligned_free */
    size_t size, read;   /* bytes of `chunk`, and how many of them libpng has read */
};
/* Inflates the IDAT chunks into `chunk`, if they hold `size` bytes and no other chunk lies between them. */
void image_inflate(struct image_inflated *s, const struct image_file *file, uint64_t size);

/* ---- image.c ---- */

struct stream;
/* Whether a regular file holds one image of a format that image_kinds.c knows. */
bool image_is(struct stream *s);
/* Reads an image of such a format. Reads a pipe to its end. image->name is set by the caller. The stream stays open. On
 * failure `image` holds nothing. */
int image_read_stream(struct image *image, struct stream *s, struct assay_error *e);

/* ---- image_profile.c ---- */

/* Sets image->format's colours and image->colour from the ICC profile, if the format can express the profile. */
void image_apply_icc(struct image *image);
/* Sets the primaries to the code of H.273 that the matrix stands for, or, if there is none, to the matrix. */
void image_set_primaries(assay_format *f, const double to_bt709[9]);

/* ---- image_turn.c ---- */

/* Turns and mirrors the planes as image->orientation says. */
int image_turn(struct image *image, struct assay_error *e);

#endif
