/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures: memory that is counted, used again, and has room for chroma whose size is rounded up. */
#ifndef ASSAY_LIBVMAF_PICTURE_MEMORY_H
#define ASSAY_LIBVMAF_PICTURE_MEMORY_H

#include <assay/assay.h>
#include <libvmaf/picture.h>
#include <stdatomic.h>
#include <stdbool.h>

struct VmafRef {
    atomic_long count;
};

/* Where the samples are, and who frees them. */
struct picture_memory {
    VmafPicture made;   /* as it was handed out, without `ref` and `priv` */
    void *samples;
    size_t bytes;
    bool on_device;     /* `data` are addresses of device memory */
    void (*release)(struct picture_memory *m); /* gives `samples` back; frees nothing else */
    void *owner;        /* for `release` */
};

/* The sizes and strides of a picture, and the bytes that its planes take. Strides are multiples of `pitch`. 0 or
 * -EINVAL. */
enum { PICTURE_PITCH = 64 }; /* in the host's memory */
int picture_describe(VmafPicture *pic, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w, unsigned h,
                     size_t pitch, size_t *bytes);

/* Gives a described picture its samples and counts one reference. On -ENOMEM `samples` stays the caller's. */
int picture_lend(VmafPicture *pic, const struct picture_memory *memory);

/* A picture of assay's format: layout, size and depth. False: no such picture can be scored. */
bool picture_format(const VmafPicture *pic, assay_format *format);

/* Makes `pic` one whose planes have the sizes of assay: chroma of an odd size is rounded up there and down here, so the
 * last column and row repeat the ones before them. A picture whose planes a program replaced is copied. 0 or
 * -ENOMEM. */
int picture_complete(VmafPicture *pic);

/* While contexts are open, memory of pictures is kept to be used again. */
void picture_memory_keep(bool more);

#endif
